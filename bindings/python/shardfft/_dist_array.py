"""Arrays that are cut over the ranks of a communicator, and know it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from . import _array_functions, _dist_making, _files, _modes, _reductions, _slicing
from ._arithmetic import Arithmetic
from ._array_libraries import library_of
from ._drawing import plot_layout
from ._gpu_arrays import dtype_of
from ._part import Part
from ._redistribute import redistribute
from ._side import Side

if TYPE_CHECKING:
    from mpi4py import MPI
    from numpy.typing import DTypeLike, NDArray
    from typing_extensions import Self

    from ._layout import Layout
    from ._words import LayoutName


class DistArray(Arithmetic):
    """An array that is cut over the ranks of a communicator: this rank's block, the layout, the communicator.

    Made by :meth:`from_local`, :meth:`from_global`, :meth:`zeros`, :meth:`from_function` and :meth:`load`, and by
    transforms of others. ``shape``, ``+``, NumPy's ufuncs and reductions are those of the whole array; a ufunc works on
    each rank's block, so its arrays must lie in the same cuts (:meth:`redistribute`). Arrays of NumPy beside it, as
    :meth:`frequencies` gives them, must broadcast to this rank's block. ``numpy.fft``, ``scipy.fft`` (with
    ``scipy.fft.set_backend(shardfft.scipy)``) and ``plan.forward`` take it and give another.

    A vector field has an axis of its components before the others, which all ranks hold whole. Slices and ufuncs need
    no other rank; whatever gives numbers of the whole array is collective.

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
        local: this rank's block; an array of NumPy, CuPy, PyTorch or JAX. Flat where the layout gives several pieces.
        comm: the communicator.
        attrs: what else is known of the array, a dictionary for :meth:`save`.
    """

    __slots__ = ("_part", "attrs", "comm", "local")
    _part: Part
    attrs: dict[str, Any]
    comm: MPI.Comm
    local: Any
    __hash__ = None  # type: ignore[assignment]  # compared element by element

    def __init__(self) -> None:
        raise TypeError("make arrays with DistArray.from_local, from_global, zeros, from_function or load")

    @classmethod
    def _wrap(cls, local: Any, part: Part, comm: MPI.Comm) -> Self:
        """Take a block, and what it must look like but for its dtype."""
        self = object.__new__(cls)
        self.local, self._part, self.comm, self.attrs = local, part, comm, {}
        return self

    from_local = classmethod(_dist_making.from_local)
    from_global = classmethod(_dist_making.from_global)
    from_function = classmethod(_dist_making.from_function)
    zeros = classmethod(_dist_making.zeros)
    load = classmethod(_files.load)

    @property
    def layout(self) -> Layout:
        """Which rank owns what; of a vector field each of its components."""
        return self._part.layout

    @property
    def components(self) -> int | None:
        """Extent of the axis of components before the others; None for a scalar field."""
        return self._part.fields if self._part._batched else None

    @property
    def shape(self) -> tuple[int, ...]:
        """Extents of the whole array."""
        return (self._part.fields, *self.layout.shape) if self._part._batched else self.layout.shape

    @property
    def ndim(self) -> int:
        """Number of axes."""
        return len(self.shape)

    @property
    def size(self) -> int:
        """Number of elements of the whole array."""
        return int(np.prod(self.shape, dtype=object))

    @property
    def dtype(self) -> np.dtype[Any]:
        """Type of one element, as NumPy calls it."""
        return dtype_of(self.local)

    @property
    def nbytes(self) -> int:
        """Bytes of the whole array."""
        return self.size * self.dtype.itemsize

    @property
    def rank(self) -> int:
        """This rank."""
        return self.comm.rank

    @property
    def real(self) -> DistArray:
        """The real parts; the same memory, where the array's library can."""
        return self._like(self.local.real)

    @property
    def imag(self) -> DistArray:
        """The imaginary parts."""
        return self._like(np.imag(self.local) if isinstance(self.local, np.ndarray) else self.local.imag)

    def conj(self) -> DistArray:
        """The complex conjugates."""
        return self._like(self.local.conj())

    def astype(self, dtype: DTypeLike) -> DistArray:
        """Convert a copy to another type of elements."""
        return self._like(library_of(self.local).astype(self.local, np.dtype(dtype)))

    def copy(self) -> DistArray:
        """Copy the array."""
        return self.astype(self.dtype)

    def _like(self, local: Any) -> DistArray:
        """Give an array that lies as this one does."""
        made = DistArray._wrap(local, self._part, self.comm)
        made.attrs = dict(self.attrs)
        return made

    def redistribute(self, layout: LayoutName | Layout, **options: Any) -> DistArray:
        """Give the same array cut otherwise; itself if it lies so already. Collective.

        Args:
            layout: ``slab``, ``pencil``, ``brick``, ``cyclic`` or a :class:`Layout`.
            options: as for :func:`redistribute`.
        """
        target = _dist_making.layout_for(layout, self.layout.shape, self.comm)
        if target == self.layout:
            return self
        part = self._part._moved(target)
        made = DistArray._wrap(redistribute(self.local, self.layout, target, self.comm, **options), part, self.comm)
        made.attrs = dict(self.attrs)
        return made

    def gather(self, root: int | None = None) -> NDArray[Any] | None:
        """Give the whole array as one of NumPy: on all ranks, or on rank ``root`` and None elsewhere. Collective."""
        return _dist_making.gather_all(self, root)

    def __getitem__(self, key: Any) -> Any:
        """Cut out a part of the whole array, by integers and slices with steps above 0.

        Each rank keeps what it has of it, in the same memory. Integers for all axes give a number, for which all ranks
        must ask.
        """
        return _slicing.take(self, key)

    def __setitem__(self, key: Any, value: Any) -> None:
        """Write numbers, or another array that lies as ``self[key]`` does; ``key`` may be an array of booleans too."""
        _slicing.put(self, key, value)

    def __len__(self) -> int:
        return self.shape[0]

    def __iter__(self) -> Iterator[Any]:
        return (self[i] for i in range(len(self)))

    def __bool__(self) -> bool:
        raise ValueError("the truth of an array is ambiguous: use any() or all()")

    def __array__(self, dtype: DTypeLike = None, copy: bool | None = None) -> NoReturn:
        raise TypeError("an array over many ranks is no array of NumPy: take .local, or gather() the whole")

    def __array_function__(
        self, function: Callable[..., Any], types: Sequence[type], args: Sequence[Any], kwargs: Mapping[str, Any]
    ) -> Any:
        return _array_functions.call(function, types, args, kwargs)

    sum, prod, min, max = _reductions.sum, _reductions.prod, _reductions.min, _reductions.max
    any, all, mean, var, std = (
        _reductions.any,
        _reductions.all,
        _reductions.mean,
        _reductions.var,
        _reductions.std,
    )
    vdot, norm = _reductions.vdot, _reductions.norm

    def _spectrum(self) -> Side:
        if isinstance(self._part, Side) and self._part.spectral:
            return self._part
        raise ValueError("this array is no spectrum: only what a transform has made of another has frequencies")

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

    spectrum_sum = _modes.sum_of
    shells = _modes.shells_of
    save = _files.save
    plot_layout = plot_layout

    def __repr__(self) -> str:
        return f"<shardfft.DistArray {self.shape}, {self.dtype}, {_dist_making.owners(self)}>"
