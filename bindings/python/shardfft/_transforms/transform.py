"""Transforms of arrays that are cut over ranks, by plans that are kept: the base of all functions in NumPy's style."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from .._ground import mpi
from .._ground.arguments import axes_of
from .._layouts.cut_array import CutArray
from .._layouts.infer import layout_of, processor_of
from .._libraries.array_libraries import as_array, library_of
from .._libraries.gpu_arrays import dtype_of
from .._plans.options import settle
from .._plans.recent import asked_again, asking, recent_plan

if TYPE_CHECKING:
    from mpi4py import MPI

    from .._ground.words import LayoutName, Norm
    from .._layouts.layout import Layout
    from .._layouts.side import Side
    from .._plans.plan import Plan

_SINGLE = (np.dtype(np.float32), np.dtype(np.complex64), np.dtype(np.float16))


@functools.cache
def precision_of(dtype: np.dtype[Any], real: bool) -> str:
    if dtype.kind not in "biufc" or dtype.itemsize > (16 if dtype.kind == "c" else 8):
        raise TypeError(f"arrays of dtype {dtype} cannot be transformed: give integers, float32/64 or complex64/128")
    if real and dtype.kind == "c":
        raise TypeError(f"rfftn needs real numbers, not {dtype}")
    return "float32" if dtype.newbyteorder("=") in _SINGLE else "float64"


class Known(NamedTuple):
    """The properties of an array that all ranks know."""

    precision: str
    is_complex: bool
    on_gpu: bool


class Local(NamedTuple):
    """This rank's input."""

    array: Any
    precision: str
    is_complex: bool
    device: int | None
    word: str | None  #: how all axes are transformed; None: as the options say
    dtype: np.dtype[Any]

    @property
    def known(self) -> Known:
        """The properties of it that the others must know."""
        return Known(self.precision, self.is_complex, self.device is not None)


def look(x: Any, real: bool, word: str | None = None) -> Local:
    """See an array that can be transformed."""
    array = as_array(x)
    dtype, library = dtype_of(array), library_of(array)
    precision = precision_of(dtype, real)
    precision = precision if library.has_double() else "float32"
    return Local(array, precision, dtype.kind == "c", library.device_of(array), word, dtype)


class Call:
    """One transform of this rank's input, by a plan that is found in one meeting if all ranks asked so before."""

    _real, _output = "r2r", "natural"  #: the kind of plan of real arrays if no kind is given, and its output

    def __init__(
        self,
        x: Any,
        comm: MPI.Comm,
        layout: LayoutName | Layout | None,
        kind: str | None,
        forward: bool = True,
        along: Callable[[], str] | None = None,
    ) -> None:
        """``kind``: None: real arrays stay real; ``along``: how all axes are transformed, None: as the options say."""
        self._x, self.comm, self._layout, self._kind, self._forward = x, comm, layout, kind, forward
        self._along, self.ask = along, None

    def _look(self) -> Local:
        self.local = look(self._x, self._kind == "r2c", None if self._along is None else self._along())
        return self.local

    def _convert(self, plan: Plan) -> Any:
        side, array, device = (plan.inputs if self._forward else plan.outputs)[0], self.local.array, self.local.device
        fits = library_of(array).fits(array, side, -1 if device is None else device)
        return array if fits else side.asarray(array)

    def _run(self, plan: Plan, array: Any) -> tuple[Any, Side]:
        return (plan.forward(array), plan.outputs[0]) if self._forward else (plan.backward(array), plan.inputs[0])

    def again(self, *words: Any) -> tuple[Any, Side] | None:
        """Repeat the last call of all ranks with the same words and arrays alike; None if there was none. Collective.

        The words must say all that :meth:`run` is given.
        """
        try:
            local = self._look()
            self.ask = asking((self._kind, local.array.shape, local[1:]), self._layout, *words)
        except Exception:  # it is raised again when all ranks are told
            self.ask = None
        found = asked_again(self.comm, self.ask, self._convert)
        return None if found is None else self._run(*found)

    def run(
        self, axes: Sequence[int] | int | None, norm: str | None, options: Mapping[str, Any], n: int | None = None
    ) -> tuple[Any, Side]:
        """Return this rank's part of the result, and its properties. Collective."""

        def prepare() -> tuple[tuple[Local, list[int] | None, dict[str, Any]], Known]:
            local, chosen = self._look(), None if axes is None else axes_of(axes)
            return (local, chosen, settle({"norm": norm, **options})), local.known

        (local, chosen, told), known = mpi.meet(self.comm, prepare)
        precision, any_complex, told = settled(known, local, told)
        layout = layout_of(local.array.shape, self._layout, self.comm)
        if local.word not in (None, "fft"):
            told["transforms"] = [local.word] * len(layout.shape if chosen is None else chosen)
        kind = self._kind or ("c2c" if any_complex else self._real)
        told = {"output": self._output, "axes": chosen, "n": n, **told}
        plan, kept = recent_plan(layout.shape, kind, precision, self.comm, layout, ask=self.ask, **told)
        with contextlib.nullcontext() if kept else plan:
            return self._run(plan, mpi.agree(self.comm, lambda: self._convert(plan)))


def settled(known: Sequence[Known], local: Local, told: Mapping[str, Any]) -> tuple[str, bool, dict[str, Any]]:
    """Give precision, whether an array is complex, and options, as all ranks mean them."""
    told = {**processor_of([one.on_gpu for one in known], local.device), **told}
    # Planned without measuring: plan() is for transforms that are repeated often.
    effort = {"effort": "estimate"} if told.get("processor", "cpu") == "cpu" else {}
    if "stream" in told:
        told["stream"] = told["stream"] or None
    # One rank's single precision next to another's double is double, as in NumPy.
    return max(one.precision for one in known), any(one.is_complex for one in known), {**effort, **told}


def transform(
    x: Any,
    kind: str | None,
    forward: bool,
    comm: MPI.Comm | None,
    axes: Sequence[int] | int | None,
    norm: Norm | None,
    layout: LayoutName | Layout | None,
    options: Mapping[str, Any],
    n: int | None = None,
    along: Callable[[], str] = lambda: "fft",
) -> Any:
    """Transform all ``axes`` alike, as ``along`` says; without a ``kind`` real arrays stay real."""
    if isinstance(x, CutArray):
        if comm is not None or layout is not None:
            raise TypeError("a DistArray has its own communicator and layout: give neither")
        return transform_array(x, kind, forward, axes, norm, options, n, along)
    call = Call(x, mpi.communicator(comm), layout, kind, forward, along)
    result, target = call.again(axes, norm, options or None, n) or call.run(axes, norm, options, n)
    return rows_of(result, target.layout, layout) if 0 in result.shape else result


def rows_of(local: Any, made: Layout, asked: LayoutName | Layout | None) -> Any:
    """Give a rank's part of a result: without rows it still says how long they are, if no layout was asked for."""
    return local.reshape(0, *made.shape[1:]) if asked is None and 0 in local.shape else local


def call_of(x: CutArray, kind: str | None, forward: bool, along: Callable[[], str] | None = None) -> Call:
    """The call that transforms each component of an array."""
    return Call(x.local[0] if x.components == 1 else x.local, x.comm, x.layout, kind, forward, along)


def wrapped(x: CutArray, result: Any, target: Side) -> CutArray:
    """The result of :func:`call_of` as an array."""
    part = target._after(x._part)._with_fields(x.components)
    return x._wrap(result.reshape(part.shape) if x.components == 1 else result, part, x.comm)


def transform_array(
    x: CutArray,
    kind: str | None,
    forward: bool,
    axes: Sequence[int] | int | None,
    norm: str | None,
    options: Mapping[str, Any],
    n: int | None = None,
    along: Callable[[], str] | None = None,
    asked: Call | None = None,
) -> CutArray:
    """Transform axes of each component of an array; without ``along`` as the options say.

    ``asked``: a call by which the ranks have met already, and which asked for this.
    """
    call, told = call_of(x, kind, forward, along), {**options, "batch": x.components or 1}
    found = None if asked is not None else call.again(axes, norm, told, n)
    call.ask = call.ask if asked is None else asked.ask
    return wrapped(x, *(found or call.run(axes, norm, told, n)))
