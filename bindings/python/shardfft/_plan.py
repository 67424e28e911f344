"""Plans: a distributed transform, prepared once and run many times."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _core, _layout, _mpi
from ._errors import ArgumentError
from ._layout import Layout

if TYPE_CHECKING:
    from mpi4py import MPI
    from numpy.typing import DTypeLike, NDArray

_PRECISIONS = {
    np.dtype(np.float32): _core.Precision.f32,
    np.dtype(np.complex64): _core.Precision.f32,
    np.dtype(np.float64): _core.Precision.f64,
    np.dtype(np.complex128): _core.Precision.f64,
}
_DTYPES = {
    (_core.Precision.f32, False): np.dtype(np.float32),
    (_core.Precision.f32, True): np.dtype(np.complex64),
    (_core.Precision.f64, False): np.dtype(np.float64),
    (_core.Precision.f64, True): np.dtype(np.complex128),
}


class Side:
    """One side of a plan, as this rank sees it: what its local array must look like.

    Attributes:
        layout: which rank owns what.
        dtype: type of one element.
        fields: arrays transformed together; more than 1 puts a slowest axis before the others.
        rank: this rank.
        slices: the part of the global array that is here; None when it is not one product of slices.
        shape: shape of the local array, with the axis of the fields if there is one.
        count, nbytes: its elements and bytes.
    """

    def __init__(self, core: _core.Side, dtype: np.dtype[Any]) -> None:
        self.layout = Layout._wrap(core.layout)
        self.dtype = dtype
        self.fields = core.fields
        self.rank = core.rank
        self.count = core.count
        self.nbytes = core.count * dtype.itemsize
        self.slices = self.layout.local(self.rank)
        self._batched = self.fields > 1
        local = self.layout.local_shape(self.rank)
        self.shape = (self.fields, *local) if self._batched else local
        order = self.layout.order if self.slices is not None else (0,)
        # Axes of the local array from slowest to fastest in memory.
        self._order = (0, *(axis + 1 for axis in order)) if self._batched else tuple(order)

    def view(self, flat: NDArray[Any]) -> NDArray[Any]:
        """See a flat array of ``count`` elements as the local array; no copy."""
        in_memory = flat.reshape(tuple(self.shape[axis] for axis in self._order))
        return in_memory.transpose(np.argsort(self._order))

    def empty(self) -> NDArray[Any]:
        """Make a local array, not initialised."""
        return self.view(np.empty(self.count, self.dtype))

    def zeros(self) -> NDArray[Any]:
        """Make a local array of zeros."""
        return self.view(np.zeros(self.count, self.dtype))

    def asarray(self, x: Any) -> NDArray[Any]:
        """Give ``x`` in this side's type and memory order, copied only if it is not so already."""
        array = np.asarray(x)
        if array.size == self.count == 0:
            return self.empty()  # no elements have no shape worth a refusal
        if array.shape != self.shape:
            raise ValueError(f"an array of shape {array.shape} is no local array of shape {self.shape}")
        if array.dtype == self.dtype and self._dense(array):
            return array
        result = self.empty()
        result[...] = array
        return result

    def _dense(self, array: NDArray[Any]) -> bool:
        return array.transpose(self._order).flags.c_contiguous and array.flags.aligned

    def check(self, array: Any, name: str, write: bool = False) -> None:
        """Raise TypeError or ValueError unless ``array`` can be used as it is."""
        if not isinstance(array, np.ndarray):
            raise TypeError(f"{name} must be a NumPy array, not {type(array).__name__}")
        if array.dtype != self.dtype:
            raise TypeError(f"{name} must have dtype {self.dtype}, not {array.dtype}")
        if array.size == self.count == 0:
            return self.empty()  # no elements have no shape worth a refusal
        if array.shape != self.shape:
            raise ValueError(f"{name} must have the shape {self.shape} on rank {self.rank}, not {array.shape}")
        if not self._dense(array):
            raise ValueError(
                f"{name} must be dense in memory with its axes in the order {self._order} from slowest to fastest; "
                "asarray() of the plan's input or output makes it so"
            )
        if write and not array.flags.writeable:
            raise ValueError(f"{name} is read-only")

    def __repr__(self) -> str:
        return f"<shardfft.Side {self.dtype}, {self.shape} on rank {self.rank}, {self.layout!r}>"


class Plan:
    """A distributed transform; made by :func:`plan`.

    Making, closing, ``forward``, ``backward`` and ``report`` are collective over the communicator. A plan must not run
    on two threads at once. Use it as a context manager, or call ``close()``, where ranks might drop it at different
    times: dropping is collective too.
    """

    def __init__(
        self,
        comm: MPI.Comm,
        transform: _core.Transform,
        layout: Layout,
        output: Layout | None,
        natural: bool,
        options: _core.Options,
    ) -> None:
        self.comm = comm
        self._check_calls = options.check_calls
        self._core = _core.Plan(
            _mpi.address(comm), transform, layout._core, None if output is None else output._core, natural, options
        )
        self._input = self._side(self._core.input, transform.precision)
        self._output = self._side(self._core.output, transform.precision)

    @staticmethod
    def _side(core: _core.Side, precision: _core.Precision) -> Side:
        return Side(core, _DTYPES[precision, core.is_complex])

    @property
    def input(self) -> Side:
        """What ``forward`` reads and ``backward`` writes."""
        return self._input

    @property
    def output(self) -> Side:
        """What ``forward`` writes and ``backward`` reads."""
        return self._output

    @property
    def workspace_bytes(self) -> int:
        """Bytes of scratch memory on this rank; allocated at the first run."""
        return self._core.workspace_bytes

    def forward(self, x: NDArray[Any], out: NDArray[Any] | None = None) -> NDArray[Any]:
        """Transform ``x`` (like ``input``) and give the result (like ``output``). Collective.

        ``out`` is written if given, and may be ``x`` itself where both sides are alike; without it a new array is made.
        Raises TypeError and ValueError for arrays that do not fit, then ``shardfft.Error`` on the other ranks.
        """
        return self._run(True, x, out, self._input, self._output)

    def backward(self, x: NDArray[Any], out: NDArray[Any] | None = None) -> NDArray[Any]:
        """Transform ``x`` (like ``output``) back and give the result (like ``input``). Collective.

        The inverse of :meth:`forward`, except that ``norm="none"`` leaves out the factor 1/N.
        """
        return self._run(False, x, out, self._output, self._input)

    def _run(self, forward: bool, x: Any, out: Any, source: Side, destination: Side) -> NDArray[Any]:
        try:
            source.check(x, "x")
            if out is None:
                out = destination.empty()
            else:
                destination.check(out, "out", write=True)
                if x.ctypes.data != out.ctypes.data and np.may_share_memory(x, out):
                    raise ValueError("x and out overlap in part; they must be the same memory or apart")
        except (TypeError, ValueError):
            if self._check_calls and not self._core.closed:
                self._join_failing(forward)
            raise
        self._core.run(forward, x.ctypes.data, out.ctypes.data)
        return out

    def _join_failing(self, forward: bool) -> None:
        """Take part in the other ranks' call with null arrays: they raise too, and do not wait for this one."""
        with contextlib.suppress(ArgumentError):
            self._core.run(forward, 0, 0)

    def allocate_input(self) -> NDArray[Any]:
        """Make an input array where exchanges reach it without a copy; not initialised. Collective."""
        return self._input.view(self._core.allocate_input())

    def allocate_output(self) -> NDArray[Any]:
        """Make an output array where exchanges reach it without a copy; not initialised. Collective."""
        return self._output.view(self._core.allocate_output())

    def report(self) -> str:
        """Tell the program, strategies, bytes and workspace, and after runs the time of every step. Collective."""
        return self._core.report()

    def close(self) -> None:
        """End the plan and free its memory; arrays from it stay valid. Collective."""
        self._core.close()

    def _abandon(self) -> None:
        """Never end the plan: for exits where the other ranks may not come to end it too."""
        self._core.abandon()

    def __enter__(self) -> Plan:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        if self._core.closed:
            return "<shardfft.Plan, closed>"
        return f"<shardfft.Plan {self._input!r} -> {self._output!r}>"


def _choice(enum: Any, value: str, name: str) -> Any:
    try:
        return getattr(enum, value)
    except (AttributeError, TypeError):
        names = ", ".join(known for known in enum.__members__)
        raise ValueError(f"unknown {name} {value!r}: give one of {names}") from None


def _precision(dtype: DTypeLike) -> _core.Precision:
    try:
        return _PRECISIONS[np.dtype(dtype)]
    except (KeyError, TypeError):
        raise TypeError(f"dtype must be float32, float64, complex64 or complex128, not {dtype!r}") from None


def _resolve(layout: str | Layout, shape: Sequence[int], ranks: int, name: str) -> Layout:
    if isinstance(layout, str):
        return _layout.named(layout, shape, ranks)
    if not isinstance(layout, Layout):
        raise TypeError(f"{name} must be a name or a shardfft.Layout, not {type(layout).__name__}")
    if layout.ranks != ranks:
        raise ValueError(f"{name} is cut for {layout.ranks} ranks, but the communicator has {ranks}")
    if layout.shape != tuple(shape):
        raise ValueError(f"{name} has the shape {layout.shape}, but {tuple(shape)} is needed")
    return layout


def _spectrum_shape(shape: Sequence[int], kind: str, axes: Sequence[int], n: int | None) -> list[int]:
    """Shape of the output's global array."""
    result = list(shape)
    halved = axes[-1]
    if kind == "r2c":
        result[halved] = shape[halved] // 2 + 1
    elif kind == "c2r":
        result[halved] = n if n is not None else 2 * (shape[halved] - 1)
    return result


def plan(
    shape: int | Iterable[int],
    kind: str = "c2c",
    dtype: DTypeLike = "float64",
    comm: MPI.Comm | None = None,
    *,
    layout: str | Layout = "slab",
    output: str | Layout = "default",
    axes: Sequence[int] | int | None = None,
    n: int | None = None,
    norm: str = "backward",
    batch: int = 1,
    algorithm: str = "auto",
    exchange: str = "auto",
    local_fft: str = "auto",
    effort: str = "measure",
    threads: int = 1,
    chunks: int = 1,
    grid: Sequence[int] | None = None,
    in_place: bool = False,
    check_calls: bool = True,
    trace: str = "",
) -> Plan:
    """Plan a distributed transform. Collective over ``comm``; every rank gives the same arguments.

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
        norm: ``backward``, ``ortho``, ``forward`` (NumPy's words) or ``none`` (no factor in either direction).
        batch: fields of the same layout transformed together; more than 1 puts an axis before the others.
        algorithm: ``auto``, or one of ``shardfft.algorithm_names()``.
        exchange: ``auto``, or one of ``shardfft.exchange_names()``.
        local_fft: ``auto``, or one of ``shardfft.local_fft_names()``.
        effort: time the local FFT library may spend planning: ``estimate``, ``measure`` or ``patient``.
        threads: OpenMP threads of each rank.
        chunks: chunks that exchanges and the transforms next to them are cut into, so that communication overlaps
            computation; 1 cuts nothing. ``shared_window`` is not cut. ``report()`` tells what was.
        grid: process grid of the intermediate pencils, two factors; None lets the algorithm choose.
        in_place: tune for ``forward(x, out=x)``.
        check_calls: agree on wrong arguments of forward and backward over all ranks, so that none waits for ever.
        trace: file for a Chrome trace, written when the plan is closed; empty for none.

    Raises:
        TypeError, ValueError: an argument is wrong. ``shardfft.ArgumentError`` is a ValueError.
        shardfft.Error: planning failed; raised on every rank.
        ImportError: mpi4py uses another MPI library than this package.
    """
    comm = _mpi.communicator(comm)

    def prepare() -> tuple[_core.Transform, Layout, Layout | None, bool, _core.Options]:
        extents = _layout._shape(shape)
        count = len(extents)
        wanted = range(count) if axes is None else ([axes] if isinstance(axes, int) else axes)
        chosen = [_layout._axis(axis, count) for axis in _layout._integers(wanted, "axes")]
        if not chosen or len(set(chosen)) != len(chosen):
            raise ValueError(f"axes must name one axis at least, and none twice: {axes!r}")
        if n is not None and kind != "c2r":
            raise ValueError("n is the real extent of a c2r transform; other kinds have it in shape")
        transform = _core.Transform(_choice(_core.Kind, kind, "kind"), _precision(dtype))
        options = _core.Options()
        options.norm = _choice(_core.Norm, norm, "norm")
        options.effort = _choice(_core.Effort, effort, "effort")
        options.axes = chosen
        options.real_extent = 0 if n is None else n
        options.algorithm, options.exchange, options.local_fft = algorithm, exchange, local_fft
        options.batch, options.threads, options.chunks = batch, threads, chunks
        options.grid = [] if grid is None else _layout._integers(grid, "grid")
        options.in_place, options.check_calls, options.trace = in_place, check_calls, trace
        source = _resolve(layout, extents, comm.size, "layout")
        if isinstance(output, str) and output in ("default", "natural"):
            return transform, source, None, output == "natural", options
        result = _spectrum_shape(extents, kind, chosen, n)
        return transform, source, _resolve(output, result, comm.size, "output"), False, options

    return Plan(comm, *_mpi.agree(comm, prepare))
