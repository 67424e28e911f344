"""One side of a plan: the form of a rank's arrays."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import _core
from .._ground.telling import warn_of_copies
from .layout import Layout
from .part import Part, each_of

if TYPE_CHECKING:
    from numpy.typing import DTypeLike, NDArray


_DTYPES = {
    (_core.Precision.f32, False): np.dtype(np.float32),
    (_core.Precision.f32, True): np.dtype(np.complex64),
    (_core.Precision.f64, False): np.dtype(np.float64),
    (_core.Precision.f64, True): np.dtype(np.complex128),
}


class Side(Part):
    """One side of a plan, for this rank: the form of its local array.

    Attributes:
        layout: the parts of all ranks.
        dtype: type of one element.
        fields: arrays transformed together; if there are several, the local array has a slowest axis for them.
        rank: this rank.
        axes: the axes that the plan transforms, in its order; of a spectrum that several calls made, all their axes in
            the array's order.
        fourier_axes: those with Fourier transforms; in half spectra the last of them is halved.
        slices: the part of the global array that is here; None when it is not one product of slices.
        shape: shape of the local array, with the axis of the fields if there is one.
        count, nbytes: its elements and bytes.
        spectral: whether it is the side of the spectrum.

    Example:
        >>> import numpy as np
        >>> import shardfft
        >>> with shardfft.plan((8, 6), "r2c") as plan:
        ...     x, y = plan.input.points((1.0, 2.0))
        ...     kx, ky = plan.output.wavenumbers((1.0, 2.0))
        >>> (x * y).shape == plan.input.shape and (kx * ky).shape == plan.output.shape
        True
    """

    def __init__(self, core: _core.Side, precision: _core.Precision, name: str, maker: str, spectral: bool) -> None:
        super().__init__(
            Layout._wrap(core.layout), _DTYPES[precision, core.is_complex], core.rank, core.fields, core.fields > 1
        )
        self.axes = tuple(core.axes)
        self.fourier_axes = tuple(core.fourier_axes)
        self._core = core
        self._cores = dict.fromkeys(self.axes, core)  # has the modes of each axis
        self._turns: dict[int, int] = {}  # how far fftshift has moved the indices of an axis up
        self._of_plan, self._maker = name, maker
        self.spectral = spectral
        self._noted = False

    def _advice(self, name: str, shape: tuple[int, ...]) -> str:
        if self.slices is None or shape != ((self.fields,) if self._batched else ()) + tuple(self.layout.shape):
            return ""
        return f", which is the whole array: take {name}[{'..., *' if self._batched else ''}{self._of_plan}.slices]"

    def _turned(self, axis: int, shift: int) -> Side:
        """The same after the indices of an axis have moved up, those beyond the end to the beginning."""
        made = copy.copy(self)
        made._turns = {**self._turns, axis: self._turns.get(axis, 0) + shift}
        return made

    def _after(self, earlier: Part) -> Side:
        """The same of an array that was a spectrum before, and still is along axes that were left alone."""
        if not (isinstance(earlier, Side) and earlier.spectral):
            return self
        left = [axis for axis in earlier.axes if axis not in self.axes]
        if not left:
            return self
        made, own = copy.copy(self), self.axes if self.spectral else ()
        made.spectral = True
        made.axes = tuple(sorted((*own, *left)))
        fourier = {*earlier.fourier_axes} - {*self.axes} | {*self.fourier_axes} & {*own}
        made.fourier_axes = tuple(sorted(fourier))
        made._cores = {axis: (self if axis in own else earlier)._cores[axis] for axis in made.axes}
        made._turns = {axis: turn for axis, turn in earlier._turns.items() if axis in left}
        return made

    def note_copy(self) -> None:
        """Tell the user, once a plan and not on every rank."""
        if not self._noted:
            self._noted = True
            if self.rank == 0:
                warn_of_copies(self._of_plan)

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
        steps = each_of(spacing, len(self.fourier_axes), "spacing")
        of = zip(self.fourier_axes, steps, strict=True)
        return tuple(self._values("frequencies", axis, step, dtype) for axis, step in of)

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
        of = zip(self.axes, each_of(length, len(self.axes), "length"), strict=True)
        return tuple(self._values("wavenumbers", axis, one, dtype) for axis, one in of)

    def slopes(self, length: float | Sequence[float], dtype: DTypeLike = None) -> tuple[NDArray[Any], ...]:
        """Wavenumbers for derivatives of odd order: for each of ``fourier_axes`` an array that broadcasts.

        As :meth:`wavenumbers`, but 0 for the mode that stands for both k and -k, whose slope vanishes at all points.

        Args:
            length: of the domain; one number, or one for each array that is returned.
            dtype: of the arrays; None is the real type of the plan's precision.
        """
        of = zip(self.fourier_axes, each_of(length, len(self.fourier_axes), "length"), strict=True)
        return tuple(self._values("slopes", axis, one, dtype) for axis, one in of)

    def weights(self, dtype: DTypeLike = None) -> NDArray[Any]:
        """How many waves each number of a spectrum stands for, as an array that broadcasts to this rank's part.

        2 along the halved axis, as a number stands for k and -k, but 1 at 0 and n/2; 2 along cosine and sine axes,
        but 1 at the waves 0 and n; else 1. The lone mode of an even number of modes below n has 1/2 if it is split,
        0 if it is zero. With ``norm="forward"`` the sum of ``weights() * abs(spectrum)**2`` over all ranks is the
        mean of ``abs(field)**2`` over all points.
        """
        values = np.ones((1,) * self.layout.ndim if self.slices is not None else (1,))
        for axis in self.axes:
            of_axis = self._values("weights", axis, None, np.float64)
            values = values if (of_axis == 1).all() else values * of_axis
        return values.astype(self._real_type(dtype))

    def _values(self, what: str, axis: int, unit: float | None, dtype: DTypeLike) -> NDArray[Any]:
        core, index = self._core, self._indices(axis)
        if what != "positions":
            core, index = self._cores[axis], (index - self._turns.get(axis, 0)) % self.layout.shape[axis]
        index = np.ascontiguousarray(index)
        values = np.empty(index.shape)
        units = () if unit is None else (unit,)
        getattr(core, what)(axis, *units, index.ctypes.data, values.ctypes.data, index.size)
        return values.astype(self._real_type(dtype))

    def points(self, length: float | Sequence[float], dtype: DTypeLike = None) -> tuple[NDArray[Any], ...]:
        """Positions of this rank's part in a domain: for each axis of the array an array that broadcasts.

        Index times length / n along Fourier axes and those that are not
        transformed; along cosine and sine axes they begin at the wall (dct1, dct3), half a step from it (types II and
        IV of both) or a step from it (dst1, dst3), as docs/operators.md lists.

        Args:
            length: of the domain; one number, or one for each axis of the array.
            dtype: of the arrays; None is the real type of the plan's precision.

        Returns:
            Arrays of the shapes of :meth:`frequencies`.
        """
        lengths = each_of(length, self.layout.ndim, "length")
        return tuple(self._values("positions", axis, one, dtype) for axis, one in enumerate(lengths))

    def __repr__(self) -> str:
        return f"<shardfft.Side {self.dtype}, {self.shape} on rank {self.rank}, {self.layout!r}>"
