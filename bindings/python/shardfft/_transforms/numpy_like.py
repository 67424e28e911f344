"""fftn and its siblings in NumPy's manner, for arrays that are cut over the ranks of a communicator."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from .._ground import mpi
from .._ground.arguments import axes_of
from .._layouts.cut_array import CutArray
from .._layouts.infer import layout_of, processor_of
from .._libraries.array_libraries import as_array, library_of
from .._libraries.gpu_arrays import device_of, dtype_of
from .._plans.options import settle
from .._plans.recent import recent_plan

if TYPE_CHECKING:
    from mpi4py import MPI

    from .._ground.words import LayoutName, Norm
    from .._layouts.layout import Layout
    from .._layouts.side import Side

_SINGLE = (np.dtype(np.float32), np.dtype(np.complex64), np.dtype(np.float16))


def precision_of(dtype: np.dtype[Any], real: bool) -> str:
    if dtype.kind not in "biufc" or dtype.itemsize > (16 if dtype.kind == "c" else 8):
        raise TypeError(f"arrays of dtype {dtype} cannot be transformed: give integers, float32/64 or complex64/128")
    if real and dtype.kind == "c":
        raise TypeError(f"rfftn needs real numbers, not {dtype}")
    return "float32" if dtype.newbyteorder("=") in _SINGLE else "float64"


def _transform(
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
            raise TypeError("a DistArray knows its communicator and its layout: give neither")
        return transform_array(x, kind, forward, axes, norm, options, n, along)
    comm = mpi.communicator(comm)
    result, target = _run(x, kind, forward, comm, axes, norm, layout, options, n, along)
    # A rank without rows still says how long they are.
    return result.reshape(0, *target.layout.shape[1:]) if layout is None and 0 in result.shape else result


def transform_array(
    x: CutArray,
    kind: str | None,
    forward: bool,
    axes: Sequence[int] | int | None,
    norm: str | None,
    options: Mapping[str, Any],
    n: int | None = None,
    along: Callable[[], str] | None = None,
) -> CutArray:
    """Transform axes of each component of an array; without ``along`` as the options say."""
    local = x.local[0] if x.components == 1 else x.local
    told = {**options, "batch": x.components or 1}
    result, target = _run(local, kind, forward, x.comm, axes, norm, x.layout, told, n, along)
    part = target._after(x._part)._with_fields(x.components)
    return x._wrap(result.reshape(part.shape) if x.components == 1 else result, part, x.comm)


def _run(
    x: Any,
    kind: str | None,
    forward: bool,
    comm: MPI.Comm,
    axes: Sequence[int] | int | None,
    norm: str | None,
    layout: LayoutName | Layout | None,
    options: Mapping[str, Any],
    n: int | None,
    along: Callable[[], str] | None,
) -> tuple[Any, Side]:
    """Give this rank's part of the result, and what it is."""

    def prepare() -> tuple[Any, list[int] | None, str, int | None, str | None, dict[str, Any]]:
        array = as_array(x)
        chosen = None if axes is None else axes_of(axes)
        precision = precision_of(dtype_of(array), kind == "r2c")
        told = settle({"norm": norm, **options})
        mine = precision if library_of(array).has_double() else "float32"
        return array, chosen, mine, device_of(array), None if along is None else along(), told

    local, chosen, mine, device, word, told = mpi.agree(comm, prepare)
    known = comm.allgather((mine, device is not None, dtype_of(local).kind == "c"))
    # One rank's single precision next to another's double is double, as in NumPy.
    precision = max(single_or_double for single_or_double, _, _ in known)
    told = {**processor_of([on_gpu for _, on_gpu, _ in known], device), **told}
    if kind is None:
        kind = "c2c" if any(is_complex for _, _, is_complex in known) else "r2r"
    layout = layout_of(local.shape, layout, comm)
    if word not in (None, "fft"):
        told["transforms"] = [word] * len(layout.shape if chosen is None else chosen)
    # Planned without measuring: plan() is for transforms that are repeated often.
    effort = {"effort": "estimate"} if told.get("processor", "cpu") == "cpu" else {}
    told = {**effort, **told}
    if "stream" in told:
        told["stream"] = told["stream"] or None
    plan, kept = recent_plan(layout.shape, kind, precision, comm, layout, output="natural", axes=chosen, n=n, **told)
    with contextlib.nullcontext() if kept else plan:
        source, target = (plan.input, plan.output) if forward else (plan.output, plan.input)
        array = mpi.agree(comm, lambda: source.asarray(local))
        return (plan.forward(array) if forward else plan.backward(array)), target


def fftn(
    x: Any,
    comm: MPI.Comm | None = None,
    axes: Sequence[int] | int | None = None,
    norm: Norm | None = None,
    layout: LayoutName | Layout | None = None,
    **options: Any,
) -> Any:
    """Transform an array that is cut over the ranks, as ``numpy.fft.fftn`` would the whole. Collective.

    Args:
        x: this rank's part; converted to complex64 or complex128. Arrays on GPUs are transformed there, and the result
            is of their kind; if one rank's array is on a GPU, all must be.
        comm: an mpi4py communicator; None is ``MPI.COMM_WORLD``.
        axes: axes to transform; None is all.
        norm: ``backward`` (None), ``ortho`` or ``forward``.
        layout: how the array is cut: ``slab``, ``pencil``, ``brick`` or ``cyclic`` as :func:`plan` cuts it, or a
            :class:`Layout`; None: along axis 0 in the order of the ranks, each with the rows that it gives.
        options: further options of :func:`plan`.

    Returns:
        This rank's part of the spectrum, cut as the input is.

    Plans without measuring, and keeps the last few plans for calls with the same arguments on the same ranks, until
    :func:`clear_plans`; :func:`plan` is for transforms that are repeated often.

    Example:
        >>> import numpy as np
        >>> import shardfft
        >>> spectrum = shardfft.fftn(np.ones((4, 6)), norm="forward")
        >>> spectrum.shape, spectrum.dtype.name
        ((4, 6), 'complex128')
    """
    return _transform(x, "c2c", True, comm, axes, norm, layout, options)


def ifftn(
    x: Any,
    comm: MPI.Comm | None = None,
    axes: Sequence[int] | int | None = None,
    norm: Norm | None = None,
    layout: LayoutName | Layout | None = None,
    **options: Any,
) -> Any:
    """Invert :func:`fftn`; the arguments are the same. Collective.

    Example:
        >>> import numpy as np
        >>> import shardfft
        >>> np.allclose(shardfft.ifftn(shardfft.fftn(np.ones((4, 6)))), 1)
        True
    """
    return _transform(x, "c2c", False, comm, axes, norm, layout, options)


def rfftn(
    x: Any,
    comm: MPI.Comm | None = None,
    axes: Sequence[int] | int | None = None,
    norm: Norm | None = None,
    layout: LayoutName | Layout | None = None,
    **options: Any,
) -> Any:
    """Transform a real array that is cut over the ranks, as ``numpy.fft.rfftn`` would the whole. Collective.

    The arguments are those of :func:`fftn`. The last of ``axes`` is halved, n to n//2 + 1. The result is cut as ``x``
    is; an axis that is both cut and halved is cut anew in near-equal runs.

    Example:
        >>> import numpy as np
        >>> import shardfft
        >>> shardfft.rfftn(np.ones((4, 6))).shape
        (4, 4)
    """
    return _transform(x, "r2c", True, comm, axes, norm, layout, options)


def irfftn(
    x: Any,
    comm: MPI.Comm | None = None,
    axes: Sequence[int] | int | None = None,
    norm: Norm | None = None,
    layout: LayoutName | Layout | None = None,
    n: int | None = None,
    **options: Any,
) -> Any:
    """Invert :func:`rfftn`. Collective.

    The arguments are those of :func:`fftn`, and ``n``: the extent of the halved axis in the real array; None is
    2 (m - 1), which loses the last point of an odd extent, as in NumPy. ``x`` must be the half spectrum of a real
    array; of others (edge modes that are not each other's mirror images) local FFT libraries give different inverses.

    Example:
        >>> import numpy as np
        >>> import shardfft
        >>> np.allclose(shardfft.irfftn(shardfft.rfftn(np.ones((4, 7))), n=7), 1)
        True
    """
    # A c2r plan's forward has the exponent's plus sign and, as an inverse, NumPy's factor.
    return _transform(x, "c2r", True, comm, axes, norm, layout, options, n)
