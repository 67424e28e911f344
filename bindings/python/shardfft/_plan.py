"""Plans: a distributed transform, prepared once and run many times."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar, overload

from . import _core, _mpi, _options
from ._call import Call, Place
from ._errors import ArgumentError
from ._handle import Handle
from ._layout import Layout
from ._problem import Problem, problem
from ._side import Side

if TYPE_CHECKING:
    from mpi4py import MPI
    from numpy.typing import DTypeLike, NDArray
    from typing_extensions import Unpack

    from ._option_types import PlanOptions
    from ._words import Kind, LayoutName, OutputName

Array = TypeVar("Array")


class Plan(Handle):
    """A distributed transform; made by :func:`plan`.

    Making, closing, ``forward``, ``backward`` and ``report`` are collective over the communicator. A plan must not run
    on two threads at once. Use it as a context manager, or call ``close()``, where ranks might drop it at different
    times: dropping is collective too.
    """

    def __init__(self, comm: MPI.Comm, problem: Problem, stream: Any = None) -> None:
        self.comm = comm
        self._check_calls = problem.options.get("check_calls")
        self._core = _core.Plan(
            _mpi.address(comm),
            problem.transform,
            problem.input._core,
            None if problem.output is None else problem.output._core,
            problem.natural,
            problem.options,
        )
        self._input = Side(self._core.input, problem.transform.precision)
        self._output = Side(self._core.output, problem.transform.precision)
        self._user_stream = stream  # must live as long as the plan
        self._place = Place(
            self._core.device,
            self._core.stream,
            problem.options.get("memory"),
            asynchronous=problem.options.get("stream") != 0,
        )

    @property
    def input(self) -> Side:
        """What ``forward`` reads and ``backward`` writes."""
        return self._input

    @property
    def output(self) -> Side:
        """What ``forward`` writes and ``backward`` reads."""
        return self._output

    @property
    def device(self) -> int | None:
        """This rank's GPU; None for plans on CPUs."""
        return self._place.device if self._place.device >= 0 else None

    @property
    def stream(self) -> int:
        """The stream that calls are enqueued on, the user's or the plan's own, as an integer; 0 for plans on CPUs."""
        return self._place.stream

    @property
    def workspace_bytes(self) -> int:
        """Bytes of scratch memory on this rank; allocated at the first run."""
        return self._core.workspace_bytes

    @overload
    def forward(self, x: NDArray[Any], out: NDArray[Any] | None = None) -> NDArray[Any]: ...
    @overload
    def forward(self, x: Array, out: Array | None = None) -> Array: ...
    def forward(self, x: Any, out: Any = None) -> Any:
        """Transform ``x`` (like ``input``) and give the result (like ``output``). Collective.

        ``x`` is a NumPy array, or on GPUs one of CuPy, PyTorch, JAX or any library that knows DLPack or
        ``__cuda_array_interface__``. One of the right shape and dtype in another memory order than ``input.empty()``
        (as ``copy()`` of a spectrum is) is copied first, which costs a pass over memory. ``out`` is written if given,
        must be in the memory order of ``output``, and may be ``x`` itself where both sides are alike; without it a new
        array of the kind of ``x`` is made.

        On GPUs the work begins after what the library of each array has under way for it on its current stream. With
        the plan's ``stream`` the call returns when the work is enqueued there: ``x`` and the result must live, and
        other streams must not use the result, before it is done. Without, and for JAX arrays, the result is there.

        Raises TypeError and ValueError for arrays that do not fit, then ``shardfft.Error`` on the other ranks.
        """
        return self._run(True, x, out, self._input, self._output)

    @overload
    def backward(self, x: NDArray[Any], out: NDArray[Any] | None = None) -> NDArray[Any]: ...
    @overload
    def backward(self, x: Array, out: Array | None = None) -> Array: ...
    def backward(self, x: Any, out: Any = None) -> Any:
        """Transform ``x`` (like ``output``) back and give the result (like ``input``). Collective.

        The inverse of :meth:`forward`, except that ``norm="none"`` leaves out the factor 1/N.
        """
        return self._run(False, x, out, self._output, self._input)

    def _run(self, forward: bool, x: Any, out: Any, source: Side, destination: Side) -> Any:
        self._open()
        try:
            allocate = self._core.allocate_output if forward else self._core.allocate_input
            call = Call(self._place, x, out, source, destination, allocate)
        except Exception as error:
            if self._check_calls:
                self._refuse(error)
            raise
        self._core.run(forward, call.source, call.destination)
        return call.finish()

    def _refuse(self, error: Exception) -> None:
        """Tell the ranks that run the same call why it cannot be: they raise too, and do not wait for this one."""
        with contextlib.suppress(ArgumentError):
            self._core.refuse(f"{type(error).__name__}: {error}")

    def allocate_input(self) -> Any:
        """Make an input array where exchanges reach it without a copy; not initialised. Collective.

        On GPUs a CuPy array where CuPy can be imported, else a :class:`DeviceArray`; a NumPy array for the memories
        ``host`` and ``registered``.
        """
        return self._show(self._input, self._core.allocate_input())

    def allocate_output(self) -> Any:
        """Make an output array, as :meth:`allocate_input` does. Collective."""
        return self._show(self._output, self._core.allocate_output())

    def synchronize(self) -> None:
        """Wait until the results of all calls are there; plans with a ``stream`` on GPUs do not wait themselves."""
        self._open()
        self._place.synchronize()

    def _abandon(self) -> None:
        """Never end the plan: for exits where the other ranks may not come to end it too."""
        self._core.abandon()

    def __repr__(self) -> str:
        if self._core.closed:
            return "<shardfft.Plan, closed>"
        return f"<shardfft.Plan {self._input!r} -> {self._output!r}>"


@_options.documented
def plan(
    shape: int | Iterable[int],
    kind: Kind = "c2c",
    dtype: DTypeLike = "float64",
    comm: MPI.Comm | None = None,
    *,
    layout: LayoutName | Layout = "slab",
    output: OutputName | Layout = "default",
    axes: Sequence[int] | int | None = None,
    n: int | None = None,
    **options: Unpack[PlanOptions],
) -> Plan:
    """Plan a distributed transform. Collective over ``comm``; every rank gives the same arguments.

    :func:`options` and docs/options.md tell where options have an effect, and which of them ranks may have otherwise.

    Args:
        shape: extents of the global input array, 1 to 4 axes: the real array for r2c, the half spectrum for c2r.
        kind: ``c2c``, ``r2c`` (real to half spectrum) or ``c2r`` (half spectrum to real).
        dtype: precision: float32 or complex64 for single, float64 or complex128 for double.
        comm: an mpi4py communicator; None is ``MPI.COMM_WORLD``.
        layout: where the input is: ``slab``, ``pencil``, ``brick``, ``cyclic`` (cut for the ranks of ``comm``) or a
            :class:`Layout`.
        output: where the output is to be: ``default`` (where the last stage leaves it, the fastest), ``natural`` (the
            input's cuts), or anything that ``layout`` may be.
        axes: axes to transform; None is all. The last one is the halved axis of real transforms.
        n: c2r only: extent of the halved axis in the real array; None is 2 (m - 1), as in ``numpy.fft.irfft``.
        options: see below.

    Raises:
        TypeError, ValueError: an argument is wrong. ``shardfft.ArgumentError`` is a ValueError.
        shardfft.Error: planning failed; raised on every rank.
        ImportError: mpi4py uses another MPI library than this package.
    """
    comm = _mpi.communicator(comm)

    def prepare() -> Problem:
        return problem(
            comm.size,
            shape,
            kind,
            dtype,
            layout=layout,
            output=output,
            axes=axes,
            n=n,
            **options,
        )

    return Plan(comm, _mpi.agree(comm, prepare), options.get("stream"))
