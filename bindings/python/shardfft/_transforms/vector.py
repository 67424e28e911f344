"""Vector calculus of fields that are cut over ranks, by Fourier transforms of all components in one call."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from .._ground import mpi
from .._layouts.cut_array import CutArray
from .._libraries.array_libraries import library_of
from .transform import transform_array

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from .._layouts.side import Side

Array = TypeVar("Array", bound=CutArray)
Lengths = float | Sequence[float]


def _check(field: Any, vector: bool) -> None:
    if not isinstance(field, CutArray):
        raise TypeError(f"a field must be a shardfft.DistArray, not {type(field).__name__}")
    axes = field.layout.ndim
    if vector and field.components != axes:
        raise ValueError(f"a vector field over {axes} axes needs {axes} components, not {field.components or 1}")
    if not vector and field.components is not None:
        raise ValueError(f"a scalar field is needed, not one of {field.components} components")


def _slopes(side: Side, lengths: Lengths) -> tuple[NDArray[Any], ...]:
    """A slope for each axis of the array."""
    if sorted(side.fourier_axes) != list(range(side.layout.ndim)):
        raise ValueError("derivatives of fields need Fourier transforms along all axes of the spectrum")
    known = dict(zip(side.fourier_axes, side.slopes(lengths), strict=True))
    return tuple(known[axis] for axis in range(side.layout.ndim))


def _through_modes(
    field: Array, lengths: Lengths, work: Callable[[Any, tuple[NDArray[Any], ...]], Any], vector: bool
) -> Array:
    """Change the modes of a field, or of a spectrum, which stays one; ``vector``: whether the result has components."""
    spectral = getattr(field._part, "spectral", False)
    real = field.dtype.kind != "c"
    modes = field if spectral else transform_array(field, "r2c" if real else "c2c", True, None, None, {})
    slopes = mpi.agree(field.comm, lambda: _slopes(modes._spectrum(), lengths))
    library = library_of(modes.local)
    if not library.mutable:
        raise TypeError("arrays of this library are read-only: use NumPy's, CuPy's or PyTorch's")
    part = modes._part._with_fields(field.layout.ndim if vector else None)
    changed = work(modes.local, tuple(library.bring(modes.local, one) for one in slopes))
    if vector:  # in the memory order of spectra, so that plans take it as it is
        parts, changed = changed, part._empty_as(modes.local)
        for component, one in zip(changed, parts, strict=True):
            component[...] = one
    result = field._wrap(changed, part, field.comm)
    if spectral:
        return result
    if real:
        return transform_array(result, "c2r", True, None, None, {}, field.layout.shape[-1])
    return transform_array(result, "c2c", False, None, None, {})


def gradient(field: Array, lengths: Lengths = 2 * np.pi) -> Array:
    """Give the slopes of a scalar field along all axes, as a vector field. Collective.

    Args:
        field: periodic, real or complex; or the spectrum of one, which gives the spectrum of the gradient.
        lengths: of the domain, one number or one for each axis.

    Example:
        >>> import numpy as np
        >>> import shardfft
        >>> f = shardfft.DistArray.from_function(lambda x, y: np.sin(x) * np.cos(y), (8, 8), lengths=2 * np.pi)
        >>> along_x, along_y = shardfft.gradient(f)
        >>> bool(abs(along_x - shardfft.DistArray.from_function(
        ...     lambda x, y: np.cos(x) * np.cos(y), (8, 8), lengths=2 * np.pi)).max() < 1e-12)
        True
    """
    _check(field, False)
    return _through_modes(field, lengths, lambda s, k: (1j * one * s for one in k), True)


def divergence(field: Array, lengths: Lengths = 2 * np.pi) -> Array:
    """Give the divergence of a vector field; the arguments are as for :func:`gradient`. Collective.

    Example:
        >>> import numpy as np
        >>> import shardfft
        >>> v = shardfft.DistArray.from_function(
        ...     lambda x, y: (np.sin(x) + 0 * y, np.sin(y) + 0 * x), (8, 8), lengths=2 * np.pi, components=2)
        >>> float(round(shardfft.divergence(v).max(), 9))
        2.0
    """
    _check(field, True)
    return _through_modes(field, lengths, lambda s, k: sum(1j * one * s[i] for i, one in enumerate(k)), False)


def curl(field: Array, lengths: Lengths = 2 * np.pi) -> Array:
    """Give the curl of a vector field, in two dimensions a scalar; the arguments are as for :func:`gradient`.

    Collective.

    Example:
        >>> import numpy as np
        >>> import shardfft
        >>> v = shardfft.DistArray.from_function(
        ...     lambda x, y: (-np.sin(y) + 0 * x, np.sin(x) + 0 * y), (8, 8), lengths=2 * np.pi, components=2)
        >>> float(round(shardfft.curl(v).max(), 9))
        2.0
    """
    _check(field, True)
    if field.layout.ndim not in (2, 3):
        raise ValueError(f"fields have a curl in 2 and 3 dimensions, not in {field.layout.ndim}")

    def of_three(s: Any, k: tuple[NDArray[Any], ...]) -> Any:
        pairs = ((1, 2), (2, 0), (0, 1))
        return (1j * (k[a] * s[b] - k[b] * s[a]) for a, b in pairs)

    def of_two(s: Any, k: tuple[NDArray[Any], ...]) -> Any:
        return 1j * (k[0] * s[1] - k[1] * s[0])

    three = field.layout.ndim == 3
    return _through_modes(field, lengths, of_three if three else of_two, three)


def project(field: Array, lengths: Lengths = 2 * np.pi) -> Array:
    """Give the part of a vector field whose divergence is 0; the arguments are as for :func:`gradient`. Collective.

    Example:
        >>> import numpy as np
        >>> import shardfft
        >>> v = shardfft.DistArray.from_function(lambda i, j: (i * j, i - j), (8, 8), components=2)
        >>> bool(abs(shardfft.divergence(shardfft.project(v))).max() < 1e-9)
        True
    """
    _check(field, True)

    def work(s: Any, k: tuple[NDArray[Any], ...]) -> Any:
        square = sum(one**2 for one in k)
        along = sum(one * s[i] for i, one in enumerate(k)) / (square + (square == 0))
        return (s[i] - one * along for i, one in enumerate(k))

    return _through_modes(field, lengths, work, True)
