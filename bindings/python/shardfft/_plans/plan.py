"""Plans: a distributed transform, prepared once and run many times."""

from __future__ import annotations

import functools
import weakref
from collections.abc import Callable, Sequence
from operator import attrgetter
from typing import TYPE_CHECKING, Any, TypeVar, overload

import numpy as np

from .. import _core
from .._ground import mpi
from .._ground.errors import ArgumentError
from .._ground.telling import teller, told_by
from .._layouts.cut_array import CutArray
from .._layouts.side import Side
from .._libraries import gpu_arrays
from .._libraries.streams import pointer
from . import modes as _sums
from .call import Call, places
from .dist_calls import array_of, block_for
from .handle import Handle
from .operator import Operator, _no_conjugate
from .problem import Problem
from .traced import Traced

if TYPE_CHECKING:
    from mpi4py import MPI
    from numpy.typing import NDArray

Array = TypeVar("Array")


_source, _destination = attrgetter("source"), attrgetter("destination")


class Plan(Handle):
    """A distributed transform; made by :func:`plan`.

    This process has some of the plan's ranks, its members: one of a communicator, or all of a list of GPUs
    (``devices``). A plan over a communicator takes and gives single arrays, a plan over ``devices`` lists of arrays,
    one for each GPU. Over a communicator making, closing, ``forward``, ``backward``, ``apply``, ``convolution`` and
    ``report`` are collective. A plan must not run on two threads at once. Use it as a context manager, or call
    ``close()``, if ranks might drop it at different times: dropping is collective too.

    Attributes:
        comm: the communicator; None if the ranks are GPUs of this process.
        inputs, outputs: for each member the :class:`Side` that ``forward`` reads, and the one that it writes.
        devices: the number of each member's GPU; empty for plans on CPUs.

    Example:
        >>> import shardfft
        >>> with shardfft.plan((8, 6, 4), "r2c") as plan:
        ...     back = plan.backward(plan.forward(plan.input.zeros()))
        >>> back.shape == plan.input.shape
        True
    """

    def __init__(
        self, comm: MPI.Comm | None, devices: list[int], problem: Problem, streams: Sequence[Any] | None
    ) -> None:
        self.comm = comm
        self._problem = problem
        self._core = _core.Plan(
            0 if comm is None else mpi.address(comm),
            devices,
            problem.transform,
            problem.input._core,
            None if problem.output is None else problem.output._core,
            problem.natural,
            problem.options,
        )
        self._operators: weakref.WeakKeyDictionary[Operator, _core.Operator] = weakref.WeakKeyDictionary()
        self._traced = Traced(self, bool(problem.options.get("overwrite_input")))
        precision, members = problem.transform.precision, range(self._core.members)
        self.devices = [device for member in members if (device := self._core.device(member)) >= 0]
        maker = "plan.allocate_{}()" if self.devices else "plan.{}.empty()"
        c2r = problem.transform.kind == _core.Kind.c2r
        to_real = {_core.Kind.r2c: "backward", _core.Kind.c2r: "forward"}.get(problem.transform.kind)
        self._overwriting = to_real if problem.options.get("overwrite_input") else None  #: the call that may do so

        def side(core: _core.Side, name: str, spectral: bool) -> Side:
            return Side(core, precision, f"plan.{name}", maker.format(name), spectral)

        self.inputs = [side(self._core.input(member), "input", c2r) for member in members]
        self.outputs = [side(self._core.output(member), "output", not c2r) for member in members]
        (self.set_streams if comm is None else self._note_streams)(streams)

    def _note_streams(self, streams: Sequence[Any] | None) -> None:
        self._user_streams = streams  # they must live as long as calls
        #: By call and type of array: how to repeat a call.
        self._again: dict[tuple[str, type], _core.Again] = {}
        self._places = places(self._core, self._problem.options.get("memory"), streams is not None)
        into, back = self._core.allocate_output, self._core.allocate_input
        #: For each call and member all that a :class:`Call` is told beside the arrays.
        self._ends = {
            what: [
                (place, *sides, functools.partial(allocate, member), what == self._overwriting)
                for member, (place, *sides) in enumerate(zip(self._places, sources, targets, strict=True))
            ]
            for what, sources, targets, allocate in (
                ("forward", self.inputs, self.outputs, into),
                ("backward", self.outputs, self.inputs, back),
                ("apply", self.inputs, self.inputs, back),
                ("forward_adjoint", self.outputs, self.inputs, back),
                ("backward_adjoint", self.inputs, self.outputs, into),
            )
        }

    def set_streams(self, streams: Sequence[Any] | None) -> None:
        """GPUs: enqueue calls on these streams from now on, one a member, and do not wait; None: on the plan's own.

        Collective.
        """
        handles = [] if streams is None else [pointer(stream) for stream in streams]
        if 0 in handles:
            raise TypeError("give a stream for every GPU, or None instead of the list")
        self._open().set_streams(handles)
        self._note_streams(streams)

    def close(self) -> None:
        """End it and free its memory; arrays from it stay valid. Collective over its communicator."""
        self._again.clear()
        super().close()

    @property
    def input(self) -> Side:
        """The side that ``forward`` reads and ``backward`` writes, of the first member."""
        return self.inputs[0]

    @property
    def output(self) -> Side:
        """The side that ``forward`` writes and ``backward`` reads, of the first member."""
        return self.outputs[0]

    @property
    def device(self) -> int | None:
        """The GPU of the first member; None for plans on CPUs."""
        return next(iter(self.devices), None)

    @property
    def stream(self) -> int:
        """The stream that calls of the first member are enqueued on, the user's or the plan's own; 0 on CPUs."""
        return self._places[0].stream

    @property
    def workspace_bytes(self) -> int:
        """Bytes that runs take beside the arrays, of the member that needs most; allocated at the first run."""
        return self._core.workspace_bytes

    @property
    def in_place_bytes(self) -> int:
        """Bytes that an array must hold to be input and output of a call at once, of the first member."""
        return self._core.in_place_bytes(0)

    def in_place_arrays(self) -> tuple[NDArray[Any], NDArray[Any]]:
        """Make an array like ``input`` and one like ``output`` that share their memory; not initialised.

        ``plan.forward(x, out=y)`` and ``plan.backward(y, out=x)`` then run in place; with ``workspace="least"`` that is
        the only way to run. For plans on CPUs.
        """
        memory = np.empty(-(-self.in_place_bytes // 16), np.complex128).view(np.uint8)
        x, y = (side.view(memory[: side.nbytes].view(side.dtype)) for side in (self.input, self.output))
        return x, y

    @overload
    def forward(self, x: NDArray[Any], out: NDArray[Any] | None = None) -> NDArray[Any]: ...
    @overload
    def forward(self, x: Array, out: Array | None = None) -> Array: ...
    def forward(self, x: Any, out: Any = None) -> Any:
        """Transform ``x`` (like ``input``) and give the result (like ``output``). Collective.

        ``x`` is a NumPy array, or on GPUs one of CuPy, PyTorch, JAX or any library that knows DLPack or
        ``__cuda_array_interface__``. It has the shape and the dtype of ``input``; in another memory or byte order than
        ``input.empty()`` (as after ``copy()`` of a spectrum) it is copied first, of which a warning tells once. A c2r
        with the option ``overwrite_input`` may write into it, and takes none that is read-only or JAX's. ``out``
        is written if given. It must be in the memory order of ``output``, and may be ``x`` itself if both sides are
        alike. Without it a new array of the kind of ``x`` is made: a :class:`DistArray`, which must lie as the side
        does, gives another. Plans over ``devices`` take and give lists of arrays.

        On GPUs the work begins after the work on each array that its library has under way on its current stream. Calls
        with CuPy, PyTorch or JAX arrays return when the work is enqueued; later work of the current stream
        begins after it. With an option ``stream`` it is enqueued there: until it is done, ``x`` and the result must
        live, and other streams must not use the result. Calls with other arrays wait, unless ``stream`` is given.

        Raises TypeError or ValueError on a rank whose arrays do not fit, and ``shardfft.Error`` on the other ranks.
        """
        return self._run("forward", x, out)

    @overload
    def backward(self, x: NDArray[Any], out: NDArray[Any] | None = None) -> NDArray[Any]: ...
    @overload
    def backward(self, x: Array, out: Array | None = None) -> Array: ...
    def backward(self, x: Any, out: Any = None) -> Any:
        """Transform ``x`` (like ``output``) back and give the result (like ``input``). Collective.

        The inverse of :meth:`forward`, except that ``norm="none"`` leaves out the factor 1/N.
        """
        return self._run("backward", x, out)

    @overload
    def apply(self, operator: Operator, x: NDArray[Any], out: NDArray[Any] | None = None) -> NDArray[Any]: ...
    @overload
    def apply(self, operator: Operator, x: Array, out: Array | None = None) -> Array: ...
    def apply(self, operator: Operator, x: Any, out: Any = None) -> Any:
        """Transform ``x`` (like ``input``), multiply the spectrum by an operator's factors, transform back. Collective.

        One program, without an exchange between the transforms; with any norm, the factor 1 returns ``x``. The
        result is like ``input``, and ``out`` may be ``x``. For all kinds but c2r. Arrays are as in :meth:`forward`.
        """
        return self._run("apply", x, out, operator)

    def convolution(self, kernel: Any) -> Operator:
        """Make the operator that convolves with ``kernel``, periodically, along the transformed axes. Collective.

        ``kernel`` is an array like ``input``, of any dtype that converts to that one; fields are convolved one by one.
        The operator holds the kernel's spectrum, and is for plans that leave spectra in the same layout.
        """
        self._open()
        try:
            kernels = [kernel] if self.comm is not None else list(kernel)
            if len(kernels) != len(self.inputs):
                raise ValueError(f"the plan has {len(self.inputs)} GPUs: give one array for each, not {len(kernels)}")
            arrays = [side.asarray(one) for side, one in zip(self.inputs, kernels, strict=True)]
            seen = [
                gpu_arrays.see(array, "kernel", place.device, place.stream)
                for array, place in zip(arrays, self._places, strict=True)
            ]
            for side, one in zip(self.inputs, seen, strict=True):
                side.check(one, "kernel")
        except Exception as error:
            self._refuse(error)
            raise
        made = self._core.convolution([one.address for one in seen], arrays)
        self.synchronize()  # nobody else keeps the kernel
        return Operator(lambda *_: made, _no_conjugate)

    def _run_array(self, what: str, x: CutArray, out: Any, operator: Operator | None) -> CutArray:
        """Run on an array that knows its place."""
        self._open()
        source = self.output if what == "backward" else self.input
        target = self.output if what == "forward" else self.input
        try:
            block = block_for(x, source, self.comm, "x")
            into = None if out is None else block_for(out, target, self.comm, "out")
        except Exception as error:
            self._refuse(error)
            raise
        result = self._run(what, block, into, operator)
        return array_of(result, target, x) if out is None else out

    def _run(self, what: str, x: Any, out: Any, operator: Operator | None = None) -> Any:
        if (again := self._again.get((what, type(x)))) is not None and (done := again(self, x, out)) is not None:
            return done
        if isinstance(x, CutArray):
            return self._run_array(what, x, out, operator)
        core = self._core
        if core.closed:
            self._open()
        try:
            calls = [Call(x, out, *self._ends[what][0])] if self.comm is not None else self._calls(what, x, out)
            factors = self._factors(operator) if what == "apply" else None
        except Exception as error:
            self._refuse(error)
            raise
        addresses = list(map(_source, calls)), list(map(_destination, calls))
        if factors is None or operator is None:
            core.run(what, *addresses, calls)
        else:
            operator._run(core.apply, factors, *addresses, calls)
        if self.comm is None:
            return [call.finish() for call in calls]
        ends = None if what in ("apply", self._overwriting) else calls[0].ends
        if ends is not None:
            self._again[what, type(x)] = _core.Again(core, what, ends)
        return calls[0].finish()

    def _factors(self, operator: Operator | None) -> _core.Operator:
        """Make an operator's factors for this plan, once."""
        if not isinstance(operator, Operator):
            raise TypeError(f"operator must be a shardfft.Operator, not {type(operator).__name__}")
        if operator not in self._operators:
            self._operators[operator] = operator._make(self.outputs)
        return self._operators[operator]

    def _calls(self, what: str, x: Any, out: Any) -> list[Call]:
        """See the arrays of all members."""
        members = len(self.inputs)
        outs = [None] * members if out is None else out
        if len(x) != members or len(outs) != members:
            raise ValueError(f"the plan has {members} GPUs: give one array for each, not {len(x)} and {len(outs)}")
        calls = []
        for member in range(members):
            try:
                calls.append(Call(x[member], outs[member], *self._ends[what][member]))
            except (TypeError, ValueError) as error:
                raise type(error)(f"rank {member}: {error}") from error
        return calls

    def _refuse(self, error: Exception) -> None:
        """Tell the ranks that make the same call why it fails here: they raise too and do not wait."""
        if self.comm is None:
            return
        try:
            self._core.refuse(f"{type(error).__name__}: {error}")
        except ArgumentError as agreed:
            told_by(error, teller(agreed))

    def allocate_input(self) -> Any:
        """Make an input array that exchanges reach without a copy; not initialised. Collective.

        On GPUs it is a CuPy array if CuPy can be imported, else a :class:`DeviceArray`; for the memories ``host`` and
        ``registered`` a NumPy array. Plans over ``devices`` give a list, one array for each GPU.
        """
        return self._allocate(self.inputs, self._open().allocate_input)

    def allocate_output(self) -> Any:
        """Make an output array, as :meth:`allocate_input` does. Collective."""
        return self._allocate(self.outputs, self._open().allocate_output)

    def _allocate(self, sides: list[Side], allocate: Callable[[int], _core.Memory]) -> Any:
        arrays = [self._show(side, allocate(member)) for member, side in enumerate(sides)]
        return arrays[0] if self.comm is not None else arrays

    def _modes(self, values: Any) -> tuple[Any, Side, MPI.Comm]:
        if self.comm is None:
            raise TypeError("sums over modes are for plans over a communicator")
        side = self.output if self.output.spectral else self.input
        if not isinstance(values, CutArray):
            return values, side, self.comm
        return values.local, values._part if getattr(values._part, "spectral", False) else side, self.comm

    def spectrum_sum(self, values: Any) -> Any:
        """Add up numbers like this rank's spectrum over all ranks, each times ``weights()`` of its side. Collective.

        With ``norm="forward"`` the mean of ``abs(field)**2`` over all points is
        ``plan.spectrum_sum(abs(spectrum) ** 2)``, with any kept modes.
        """
        return _sums.spectrum_sum(*self._modes(values))

    def shells(
        self, values: Any, lengths: float | Sequence[float] = 2 * np.pi, width: float | None = None
    ) -> tuple[NDArray[Any], NDArray[Any]]:
        """Add up weighted numbers like this rank's spectrum in shells: :meth:`DistArray.shells`. Collective."""
        return _sums.shells(*self._modes(values), lengths, width)

    def way(self) -> str:
        """Tell all that was chosen for the plan, as the option ``way`` takes it. Collective.

        Example:
            >>> import shardfft
            >>> with shardfft.plan((8, 6, 4)) as plan:
            ...     way = plan.way()
            >>> with shardfft.plan((8, 6, 4), way=way) as again:
            ...     again.way() == way
            True
        """
        return self._open().way()

    def synchronize(self) -> None:
        """Wait until the results of all calls are there; calls of plans with a ``stream`` of yours do not wait."""
        self._open()
        for place in self._places:
            place.synchronize()

    def _abandon(self) -> None:
        """Never end the plan: for exits in which the other ranks may not end it too."""
        self._core.abandon()

    def __repr__(self) -> str:
        if self._core.closed:
            return "<shardfft.Plan, closed>"
        where = f" on GPUs {self.devices}:" if self.comm is None else ""
        return f"<shardfft.Plan{where} {self.input!r} -> {self.output!r}>"
