"""Arrays that are cut over the ranks of a communicator, and know it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NoReturn

from .._arrays import files, making, reductions, slicing
from .._arrays.arithmetic import Arithmetic
from .._arrays.redistribute import redistributed
from .._layouts.drawing import plot_layout
from .._plans import modes
from . import array_functions

if TYPE_CHECKING:
    from numpy.typing import DTypeLike, NDArray


class DistArray(Arithmetic):
    """An array that is cut over the ranks of a communicator: this rank's block, the layout, the communicator.

    Made by :meth:`from_local`, :meth:`from_global`, :meth:`zeros`, :meth:`from_function` and :meth:`load`, and by
    transforms of others. ``shape``, ``+``, NumPy's ufuncs and reductions are those of the whole array; a ufunc works on
    each rank's block, so its arrays must lie in the same cuts (:meth:`redistribute`). Arrays of NumPy beside it, as
    :meth:`frequencies` gives them, must broadcast to this rank's block. ``numpy.fft``, ``scipy.fft`` (with
    ``scipy.fft.set_backend(shardfft.scipy)``) and ``plan.forward`` take it and give another.

    A vector field has an axis of its components before the others, which all ranks hold whole. Slices and ufuncs need
    no other rank; calls that return numbers of the whole array are collective.

    Example:
        >>> import numpy as np
        >>> import shardfft
        >>> d = shardfft.DistArray.from_function(lambda x, y: np.sin(x) + 0 * y, (8, 6), lengths=2 * np.pi)
        >>> s = np.fft.rfftn(d)
        >>> kx, ky = s.wavenumbers(2 * np.pi)
        >>> slope = np.fft.irfft2(1j * kx * s, s=d.shape)
        >>> float(round(slope.max(), 12))
        1.0

    Attributes:
        local: this rank's block; an array of NumPy, CuPy, PyTorch or JAX. Flat if the layout has several pieces.
        comm: the communicator.
        attrs: other properties of the array, a dictionary for :meth:`save`.
    """

    __slots__ = ()
    __hash__ = None  # type: ignore[assignment]  # compared element by element

    from_local = classmethod(making.from_local)
    from_global = classmethod(making.from_global)
    from_function = classmethod(making.from_function)
    zeros = classmethod(making.zeros)
    load = classmethod(files.load)
    redistribute, gather = redistributed, making.gather_all

    def __getitem__(self, key: Any) -> Any:
        """Cut out a part of the whole array, by integers and slices with steps above 0.

        Each rank keeps its share of it, in the same memory. Integers for all axes give a number, for which all ranks
        must ask.
        """
        return slicing.take(self, key)

    def __setitem__(self, key: Any, value: Any) -> None:
        """Write numbers, or another array that lies as ``self[key]`` does; ``key`` may be an array of booleans too.

        NumPy's arrays must broadcast to this rank's share. Ranks without one refuse what fits no share, so that all
        refuse a wrong shape that all give; no rank waits for another.
        """
        slicing.put(self, key, value)

    def __len__(self) -> int:
        return self.shape[0]

    def __iter__(self) -> Iterator[Any]:
        return (self[i] for i in range(len(self)))

    def __bool__(self) -> bool:
        raise ValueError("the truth of an array is ambiguous: use any() or all()")

    def __array__(self, dtype: DTypeLike = None, copy: bool | None = None) -> NoReturn:
        raise TypeError("an array over many ranks is no array of NumPy: take .local, or gather() the whole; "
                        "scipy.fft takes it after scipy.fft.set_backend(shardfft.scipy)")  # fmt: skip

    def __array_function__(
        self, function: Callable[..., Any], types: Sequence[type], args: Sequence[Any], kwargs: Mapping[str, Any]
    ) -> Any:
        return array_functions.call(function, types, args, kwargs)

    sum, prod, min, max = reductions.sum, reductions.prod, reductions.min, reductions.max
    any, all, mean = reductions.any, reductions.all, reductions.mean
    var, std, vdot, norm = reductions.var, reductions.std, reductions.vdot, reductions.norm

    def frequencies(self, spacing: float | Sequence[float] = 1.0, dtype: DTypeLike = None) -> tuple[NDArray[Any], ...]:
        """Frequencies of a spectrum, for each Fourier axis an array that broadcasts: ``Side.frequencies``."""
        return self._spectrum().frequencies(spacing, dtype)

    def wavenumbers(self, length: float | Sequence[float], dtype: DTypeLike = None) -> tuple[NDArray[Any], ...]:
        """Wavenumbers of a spectrum, for each transformed axis an array that broadcasts: ``Side.wavenumbers``."""
        return self._spectrum().wavenumbers(length, dtype)

    def slopes(self, length: float | Sequence[float], dtype: DTypeLike = None) -> tuple[NDArray[Any], ...]:
        """Wavenumbers for first derivatives: ``Side.slopes``."""
        return self._spectrum().slopes(length, dtype)

    def weights(self, dtype: DTypeLike = None) -> NDArray[Any]:
        """How many waves each number of a spectrum stands for: ``Side.weights``."""
        return self._spectrum().weights(dtype)

    def coordinates(self, spacing: float | Sequence[float] = 1.0, dtype: DTypeLike = None) -> tuple[NDArray[Any], ...]:
        """Index times spacing, for each axis but that of components an array that broadcasts to the block."""
        return self._part.coordinates(spacing, dtype)

    def points(self, length: float | Sequence[float], dtype: DTypeLike = None) -> tuple[NDArray[Any], ...]:
        """Positions in a domain, for each axis but that of components an array that broadcasts: ``Side.points``."""
        return self._part.points(length, dtype)

    spectrum_sum = modes.sum_of
    shells = modes.shells_of
    save = files.save
    plot_layout = plot_layout

    def __repr__(self) -> str:
        return f"<shardfft.DistArray {self.shape}, {self.dtype}, {making.owners(self)}>"
