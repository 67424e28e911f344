"""dctn and its siblings in SciPy's manner, for arrays that are cut over the ranks of a communicator."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal

from .._transforms.numpy_like import _transform

if TYPE_CHECKING:
    from mpi4py import MPI

    from .._ground.words import LayoutName, Norm
    from .._layouts.layout import Layout

    Type = Literal[1, 2, 3, 4]


def _cosine(family: str, type: int, forward: bool, x: Any, *arguments: Any) -> Any:
    def along() -> str:
        if type not in (1, 2, 3, 4):
            raise ValueError(f"type must be 1, 2, 3 or 4, not {type!r}")
        return f"{family}{int(type)}"

    return _transform(x, None, forward, *arguments, along=along)


def dctn(
    x: Any,
    comm: MPI.Comm | None = None,
    type: Type = 2,
    axes: Sequence[int] | int | None = None,
    norm: Norm | None = None,
    layout: LayoutName | Layout | None = None,
    **options: Any,
) -> Any:
    """Cosine transform of an array that is cut over the ranks, as ``scipy.fft.dctn`` of the whole. Collective.

    The arguments are those of :func:`shardfft.fftn`, and ``type``: 1 to 4. Real arrays stay real; the real and the
    imaginary parts of complex ones are transformed each on its own. ``norm="ortho"`` is SciPy's with
    ``orthogonalize=False``. An array of one axis can be transformed on one rank only.

    Example:
        >>> import numpy as np
        >>> import shardfft
        >>> modes = shardfft.dctn(np.ones((4, 6)), type=2)
        >>> modes.shape
        (4, 6)
    """
    return _cosine("dct", type, True, x, comm, axes, norm, layout, options)


def idctn(
    x: Any,
    comm: MPI.Comm | None = None,
    type: Type = 2,
    axes: Sequence[int] | int | None = None,
    norm: Norm | None = None,
    layout: LayoutName | Layout | None = None,
    **options: Any,
) -> Any:
    """Invert :func:`dctn` of the same ``type``; the arguments are the same. Collective.

    Example:
        >>> import numpy as np
        >>> import shardfft
        >>> np.allclose(shardfft.idctn(shardfft.dctn(np.ones((4, 6)), type=1), type=1), 1)
        True
    """
    return _cosine("dct", type, False, x, comm, axes, norm, layout, options)


def dstn(
    x: Any,
    comm: MPI.Comm | None = None,
    type: Type = 2,
    axes: Sequence[int] | int | None = None,
    norm: Norm | None = None,
    layout: LayoutName | Layout | None = None,
    **options: Any,
) -> Any:
    """Sine transform of an array that is cut over the ranks, as ``scipy.fft.dstn`` of the whole. Collective.

    The arguments are those of :func:`dctn`.

    Example:
        >>> import numpy as np
        >>> import shardfft
        >>> shardfft.dstn(np.ones((4, 6), "float32"), type=2).dtype.name
        'float32'
    """
    return _cosine("dst", type, True, x, comm, axes, norm, layout, options)


def idstn(
    x: Any,
    comm: MPI.Comm | None = None,
    type: Type = 2,
    axes: Sequence[int] | int | None = None,
    norm: Norm | None = None,
    layout: LayoutName | Layout | None = None,
    **options: Any,
) -> Any:
    """Invert :func:`dstn` of the same ``type``; the arguments are the same. Collective.

    Example:
        >>> import numpy as np
        >>> import shardfft
        >>> np.allclose(shardfft.idstn(shardfft.dstn(np.ones((4, 6)), type=4), type=4), 1)
        True
    """
    return _cosine("dst", type, False, x, comm, axes, norm, layout, options)
