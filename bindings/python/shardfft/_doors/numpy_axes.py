"""Transforms of one and of two axes in NumPy's manner."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from .._transforms.numpy_like import fftn, ifftn, irfftn, rfftn

if TYPE_CHECKING:
    from mpi4py import MPI

    from .._ground.words import LayoutName, Norm
    from .._layouts.layout import Layout


def fft(
    x: Any,
    comm: MPI.Comm | None = None,
    axis: int = -1,
    norm: Norm | None = None,
    layout: LayoutName | Layout | None = None,
    **options: Any,
) -> Any:
    """Transform one axis of an array that is cut over the ranks; else as :func:`fftn`. Collective.

    Example:
        >>> import numpy as np
        >>> import shardfft
        >>> shardfft.fft(np.ones((4, 6))).shape
        (4, 6)
    """
    return fftn(x, comm, axis, norm, layout, **options)


def ifft(
    x: Any,
    comm: MPI.Comm | None = None,
    axis: int = -1,
    norm: Norm | None = None,
    layout: LayoutName | Layout | None = None,
    **options: Any,
) -> Any:
    """Invert :func:`fft`. Collective.

    Example:
        >>> import numpy as np
        >>> import shardfft
        >>> np.allclose(shardfft.ifft(shardfft.fft(np.ones((4, 6)), axis=0), axis=0), 1)
        True
    """
    return ifftn(x, comm, axis, norm, layout, **options)


def rfft(
    x: Any,
    comm: MPI.Comm | None = None,
    axis: int = -1,
    norm: Norm | None = None,
    layout: LayoutName | Layout | None = None,
    **options: Any,
) -> Any:
    """Transform one axis of a real array that is cut over the ranks; else as :func:`rfftn`. Collective.

    Example:
        >>> import numpy as np
        >>> import shardfft
        >>> np.array_equal(shardfft.rfft(np.ones((4, 6))), np.fft.rfft(np.ones((4, 6))))
        True
    """
    return rfftn(x, comm, axis, norm, layout, **options)


def irfft(
    x: Any,
    comm: MPI.Comm | None = None,
    n: int | None = None,
    axis: int = -1,
    norm: Norm | None = None,
    layout: LayoutName | Layout | None = None,
    **options: Any,
) -> Any:
    """Invert :func:`rfft`; ``n`` is the extent of the axis in the real array, None 2 (m - 1). Collective.

    Example:
        >>> import numpy as np
        >>> import shardfft
        >>> shardfft.irfft(shardfft.rfft(np.ones((4, 7))), n=7).shape
        (4, 7)
    """
    return irfftn(x, comm, axis, norm, layout, n, **options)


def fft2(
    x: Any,
    comm: MPI.Comm | None = None,
    axes: Sequence[int] = (-2, -1),
    norm: Norm | None = None,
    layout: LayoutName | Layout | None = None,
    **options: Any,
) -> Any:
    """Transform two axes of an array that is cut over the ranks; else as :func:`fftn`. Collective.

    Example:
        >>> import numpy as np
        >>> import shardfft
        >>> np.allclose(shardfft.fft2(np.ones((2, 4, 6))), np.fft.fft2(np.ones((2, 4, 6))))
        True
    """
    return fftn(x, comm, axes, norm, layout, **options)


def ifft2(
    x: Any,
    comm: MPI.Comm | None = None,
    axes: Sequence[int] = (-2, -1),
    norm: Norm | None = None,
    layout: LayoutName | Layout | None = None,
    **options: Any,
) -> Any:
    """Invert :func:`fft2`. Collective.

    Example:
        >>> import numpy as np
        >>> import shardfft
        >>> np.allclose(shardfft.ifft2(shardfft.fft2(np.ones((2, 4, 6)))), 1)
        True
    """
    return ifftn(x, comm, axes, norm, layout, **options)


def rfft2(
    x: Any,
    comm: MPI.Comm | None = None,
    axes: Sequence[int] = (-2, -1),
    norm: Norm | None = None,
    layout: LayoutName | Layout | None = None,
    **options: Any,
) -> Any:
    """Transform two axes of a real array that is cut over the ranks; else as :func:`rfftn`. Collective.

    Example:
        >>> import numpy as np
        >>> import shardfft
        >>> shardfft.rfft2(np.ones((2, 4, 6))).shape
        (2, 4, 4)
    """
    return rfftn(x, comm, axes, norm, layout, **options)


def irfft2(
    x: Any,
    comm: MPI.Comm | None = None,
    n: int | None = None,
    axes: Sequence[int] = (-2, -1),
    norm: Norm | None = None,
    layout: LayoutName | Layout | None = None,
    **options: Any,
) -> Any:
    """Invert :func:`rfft2`; ``n`` is the extent of the last axis in the real array, None 2 (m - 1). Collective.

    Example:
        >>> import numpy as np
        >>> import shardfft
        >>> np.allclose(shardfft.irfft2(shardfft.rfft2(np.ones((2, 4, 6)))), 1)
        True
    """
    return irfftn(x, comm, axes, norm, layout, n, **options)
