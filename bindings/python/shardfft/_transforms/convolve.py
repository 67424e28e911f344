"""Convolution of arrays that are cut over the ranks of a communicator."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from .._ground import mpi
from .._ground.arguments import axes_of
from .._layouts.infer import layout_of, processor_of
from .._libraries.array_libraries import as_array, library_of
from .._libraries.gpu_arrays import device_of, dtype_of
from .._plans.options import settle
from .._plans.recent import recent_plan
from .numpy_like import precision_of

if TYPE_CHECKING:
    from mpi4py import MPI

    from .._ground.words import LayoutName
    from .._layouts.layout import Layout


def convolve(
    x: Any,
    kernel: Any,
    comm: MPI.Comm | None = None,
    axes: Sequence[int] | int | None = None,
    layout: LayoutName | Layout | None = None,
    **options: Any,
) -> Any:
    """Convolve two arrays that are cut alike, periodically: the sum over j of kernel[j] x[i - j]. Collective.

    ``numpy.fft.ifftn(fftn(x) * fftn(kernel))`` of the whole arrays, without an exchange of the product.

    Args:
        x, kernel: this rank's parts, of one shape; real ones give a real result.
        comm: an mpi4py communicator; None is ``MPI.COMM_WORLD``.
        axes: axes along which to convolve; None is all.
        layout: how the arrays are cut, as for :func:`fftn`.
        options: further options of :func:`plan`.

    Returns:
        This rank's part of the result, cut as ``x`` is.

    Keeps the last few plans, as :func:`fftn` does. To convolve many arrays with one kernel, apply
    ``plan.convolution(kernel)``.

    Example:
        >>> import numpy as np
        >>> import shardfft
        >>> rows, ones = np.ones((4, 6)), np.ones((4, 6))
        >>> same = shardfft.convolve(rows, ones, axes=1)
        >>> np.allclose(same, 6)
        True
    """
    comm = mpi.communicator(comm)

    def prepare() -> tuple[Any, Any, str, bool, int | None, list[int] | None, dict[str, Any]]:
        one, other = as_array(x), as_array(kernel)
        if tuple(one.shape) != tuple(other.shape):
            raise ValueError(f"x has the shape {tuple(one.shape)}, kernel {tuple(other.shape)}; they must be alike")
        dtypes = [dtype_of(array) for array in (one, other)]
        double = library_of(one).has_double()
        precision = max(precision_of(dtype, False) for dtype in dtypes) if double else "float32"
        chosen = None if axes is None else axes_of(axes)
        is_complex = any(dtype.kind == "c" for dtype in dtypes)
        return one, other, precision, is_complex, device_of(one), chosen, settle(options)

    one, other, mine, is_complex, device, chosen, told = mpi.agree(comm, prepare)
    known = comm.allgather((mine, is_complex, device is not None))
    told = {**processor_of([on_gpu for _, _, on_gpu in known], device), **told}
    kind = "c2c" if any(is_complex for _, is_complex, _ in known) else "r2c"
    precision = max(precision for precision, _, _ in known)
    rows_of_axis_0 = layout is None
    layout = layout_of(one.shape, layout, comm)
    effort = {"effort": "estimate"} if told.get("processor", "cpu") == "cpu" else {}
    plan, kept = recent_plan(layout.shape, kind, precision, comm, layout, axes=chosen, **{**effort, **told})
    with contextlib.nullcontext() if kept else plan:
        one, other = mpi.agree(comm, lambda: (plan.input.asarray(one), plan.input.asarray(other)))
        result = plan.apply(plan.convolution(other), one)
    return result.reshape(0, *layout.shape[1:]) if rows_of_axis_0 and 0 in result.shape else result
