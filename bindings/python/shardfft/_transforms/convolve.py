"""Convolution of arrays that are cut over the ranks of a communicator."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from .._ground import mpi
from .transform import Call, Local, look

if TYPE_CHECKING:
    from mpi4py import MPI

    from .._ground.words import LayoutName
    from .._layouts.layout import Layout
    from .._layouts.side import Side
    from .._plans.plan import Plan


class _Convolution(Call):
    """Of a pair of arrays."""

    _real, _output = "r2c", "default"

    def _look(self) -> Local:
        one, other = (look(x, False) for x in self._x)
        shapes = tuple(one.array.shape), tuple(other.array.shape)
        if shapes[0] != shapes[1]:
            raise ValueError(f"x has the shape {shapes[0]}, kernel {shapes[1]}; they must be alike")
        precision, is_complex = max(one.precision, other.precision), one.is_complex or other.is_complex
        self.local, self._kernel = one._replace(precision=precision, is_complex=is_complex), other.array
        return self.local

    def _convert(self, plan: Plan) -> tuple[Any, Any]:
        return plan.input.asarray(self.local.array), plan.input.asarray(self._kernel)

    def _run(self, plan: Plan, arrays: tuple[Any, Any]) -> tuple[Any, Side]:
        return plan.apply(plan.convolution(arrays[1]), arrays[0]), plan.input


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
    call = _Convolution((x, kernel), mpi.communicator(comm), layout, None)
    result, target = call.again("convolve", axes, options) or call.run(axes, None, options)
    return result.reshape(0, *target.layout.shape[1:]) if layout is None and 0 in result.shape else result
