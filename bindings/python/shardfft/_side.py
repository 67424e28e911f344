"""One side of a plan: what a rank's arrays must look like."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _core
from ._layout import Layout
from ._part import Part

if TYPE_CHECKING:
    from numpy.typing import DTypeLike, NDArray


def _each(value: float | Sequence[float], count: int, what: str) -> list[float]:
    """Give a spacing or a length for each of ``count`` axes."""
    try:
        numbers = np.asarray(value, float)
    except (TypeError, ValueError):
        raise TypeError(f"{what} must be numbers, not {value!r}") from None
    if numbers.shape not in ((), (count,)):
        raise ValueError(f"{what} must be one number, or one for each of {count} axes, not {value!r}")
    values = [float(one) for one in np.broadcast_to(numbers, count)]
    if not all(0 < one < math.inf for one in values):
        raise ValueError(f"{what} must be finite and above 0, not {value}")
    return values


_DTYPES = {
    (_core.Precision.f32, False): np.dtype(np.float32),
    (_core.Precision.f32, True): np.dtype(np.complex64),
    (_core.Precision.f64, False): np.dtype(np.float64),
    (_core.Precision.f64, True): np.dtype(np.complex128),
}


class Side(Part):
    """One side of a plan, as this rank sees it: what its local array must look like.

    Attributes:
        layout: which rank owns what.
        dtype: type of one element.
        fields: arrays transformed together; if there are several, the local array has a slowest axis for them.
        rank: this rank.
        axes: the axes that the plan transforms, in its order.
        fourier_axes: those with Fourier transforms; in half spectra the last of them is halved.
        slices: the part of the global array that is here; None when it is not one product of slices.
        shape: shape of the local array, with the axis of the fields if there is one.
        count, nbytes: its elements and bytes.
    """

    def __init__(self, core: _core.Side, precision: _core.Precision, maker: str) -> None:
        super().__init__(
            Layout._wrap(core.layout), _DTYPES[precision, core.is_complex], core.rank, core.fields, core.fields > 1
        )
        self.axes = tuple(core.axes)
        self.fourier_axes = tuple(core.fourier_axes)
        self._core = core
        self._maker = maker

    def frequencies(self, spacing: float | Sequence[float] = 1.0, dtype: DTypeLike = None) -> tuple[NDArray[Any], ...]:
        """Frequencies of this rank's part: for each of ``fourier_axes``, in this order, an array that broadcasts.

        Those of the whole array are ``numpy.fft.fftfreq(n, spacing)``, and ``rfftfreq`` along the halved axis of real
        transforms, in cycles per unit of ``spacing``; times 2 pi they are wavenumbers. The middle mode of an even ``n``
        is ``-n/2`` (``n/2`` on a halved axis); odd derivatives must set it to zero. A side with m modes of n points has
        the frequencies of ``fftfreq(m, spacing * n / m)``.

        Args:
            spacing: distance between two samples; one number, or one for each array that is returned.
            dtype: of the arrays; None is the real type of the plan's precision.

        Returns:
            Arrays of length 1 along all axes but their own. If this rank's part is not one product of slices
            (``slices`` is None), flat arrays with a frequency for each element.
        """
        steps = _each(spacing, len(self.fourier_axes), "spacing")
        of = zip(self.fourier_axes, steps, strict=True)
        return tuple(self._values(self._core.frequencies, axis, step, dtype) for axis, step in of)

    def wavenumbers(self, length: float | Sequence[float], dtype: DTypeLike = None) -> tuple[NDArray[Any], ...]:
        """Wavenumbers of this rank's part: for each of ``axes``, in this order, an array that broadcasts.

        2 pi m / length with m as ``numpy.fft.fftfreq(n, 1 / n)``, or ``rfftfreq`` along the halved axis; of cosine and
        sine transforms pi m / length with m = 0, 1, ... (dct1, dct2), 1, 2, ... (dst1, dst2) or 1/2, 3/2, ... (types
        III and IV).

        Args:
            length: of the domain; one number, or one for each array that is returned.
            dtype: of the arrays; None is the real type of the plan's precision.

        Returns:
            Arrays of the shapes of :meth:`frequencies`.
        """
        of = zip(self.axes, _each(length, len(self.axes), "length"), strict=True)
        return tuple(self._values(self._core.wavenumbers, axis, one, dtype) for axis, one in of)

    def _values(self, of: Callable[..., None], axis: int, unit: float, dtype: DTypeLike) -> NDArray[Any]:
        index = np.ascontiguousarray(self._indices(axis))
        values = np.empty(index.shape)
        of(axis, unit, index.ctypes.data, values.ctypes.data, index.size)
        return values.astype(self._real_type(dtype))

    def coordinates(self, spacing: float | Sequence[float] = 1.0, dtype: DTypeLike = None) -> tuple[NDArray[Any], ...]:
        """Positions of this rank's part, index times spacing: for each axis an array that broadcasts.

        The arguments and shapes are those of :meth:`frequencies`; all axes count, transformed or not. Points of cosine
        and sine transforms begin elsewhere: :meth:`points` knows where.
        """
        steps = _each(spacing, self.layout.ndim, "spacing")
        return tuple((self._indices(axis) * step).astype(self._real_type(dtype)) for axis, step in enumerate(steps))

    def points(self, length: float | Sequence[float], dtype: DTypeLike = None) -> tuple[NDArray[Any], ...]:
        """Positions of this rank's part in a domain: for each axis of the array an array that broadcasts.

        Where the plan's transforms have their points: index times length / n along Fourier axes and those that are not
        transformed; along cosine and sine axes they begin at the wall (dct1, dct3), half a step from it (types II and
        IV of both) or a step from it (dst1, dst3), as docs/operators.md lists.

        Args:
            length: of the domain; one number, or one for each axis of the array.
            dtype: of the arrays; None is the real type of the plan's precision.

        Returns:
            Arrays of the shapes of :meth:`frequencies`.
        """
        lengths = _each(length, self.layout.ndim, "length")
        return tuple(self._values(self._core.positions, axis, one, dtype) for axis, one in enumerate(lengths))

    def _real_type(self, dtype: DTypeLike) -> np.dtype[Any]:
        return np.empty(0, self.dtype).real.dtype if dtype is None else np.dtype(dtype)

    def _indices(self, axis: int) -> NDArray[np.int64]:
        """Global indices along an axis, in a shape that broadcasts to a field of this rank's part."""
        ndim = self.layout.ndim
        if self.slices is not None:
            part = self.slices[axis]
            shape = [-1 if other == axis else 1 for other in range(ndim)]
            return np.arange(part.start, part.stop, part.step, dtype=np.int64).reshape(shape)
        flat = np.empty(self.layout.count(self.rank), np.int64)
        for piece in self.layout.pieces(self.rank):
            shape = [len(range(part.start, part.stop, part.step)) for part in piece.slices]
            strides = [stride * flat.itemsize for stride in piece.strides]
            part = piece.slices[axis]
            index = np.arange(part.start, part.stop, part.step)
            view = np.lib.stride_tricks.as_strided(flat[piece.offset :], shape, strides)
            view[...] = index.reshape([-1 if other == axis else 1 for other in range(ndim)])
        return flat

    def __repr__(self) -> str:
        return f"<shardfft.Side {self.dtype}, {self.shape} on rank {self.rank}, {self.layout!r}>"
