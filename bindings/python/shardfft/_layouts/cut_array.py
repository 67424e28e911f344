"""Arrays that are cut over the ranks of a communicator, as data."""

from __future__ import annotations

from copy import deepcopy
from typing import TYPE_CHECKING, Any

import numpy as np

from .._ground import mpi
from .._libraries.array_libraries import library_of
from .._libraries.gpu_arrays import dtype_of
from .part import Part
from .side import Side

if TYPE_CHECKING:
    from mpi4py import MPI
    from numpy.typing import DTypeLike
    from typing_extensions import Self

    from .layout import Layout


class CutArray:
    """This rank's block, its form, and the communicator; ``DistArray`` adds the operations."""

    __slots__ = ("_comm", "_part", "attrs", "local")
    _comm: MPI.Comm
    _part: Part
    attrs: dict[str, Any]
    local: Any

    def __init__(self) -> None:
        raise TypeError("make arrays with DistArray.from_local, from_global, zeros, from_function or load")

    @classmethod
    def _wrap(cls, local: Any, part: Part, comm: MPI.Comm) -> Self:
        """Take a block, and its form except for its dtype."""
        self = object.__new__(cls)
        self.local, self._part, self._comm, self.attrs = local, part, comm, {}
        return self

    @property
    def comm(self) -> MPI.Comm:
        """The communicator; raises when MPI was finalized, of which its own calls would make the end of the process."""
        mpi.require_running()
        return self._comm

    @property
    def layout(self) -> Layout:
        """The parts of all ranks; for a vector field those of each component."""
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
    def real(self) -> Self:
        """The real parts; in the same memory if the array's library can."""
        return self._like(self.local.real)

    @property
    def imag(self) -> Self:
        """The imaginary parts."""
        return self._like(np.imag(self.local) if isinstance(self.local, np.ndarray) else self.local.imag)

    def conj(self) -> Self:
        """The complex conjugates."""
        return self._like(self.local.conj())

    def astype(self, dtype: DTypeLike) -> Self:
        """Convert a copy to another type of elements."""
        return self._like(library_of(self.local).astype(self.local, np.dtype(dtype)))

    def copy(self) -> Self:
        """Copy the array."""
        return self.astype(self.dtype)

    __copy__ = copy

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        made = self.copy()
        made.attrs = deepcopy(self.attrs, memo)
        return made

    def __reduce__(self) -> tuple[Any, ...]:
        if self.comm.size > 1:
            raise TypeError(
                f"a DistArray over {self.comm.size} ranks cannot be pickled, nor can its communicator: save() it, or "
                "pickle the result of gather()"
            )
        return type(self)._of_pickle, (self.local, self.layout, self.components, self.attrs)

    @classmethod
    def _of_pickle(cls, local: Any, layout: Layout, components: int | None, attrs: dict[str, Any]) -> Self:
        """Make an array of one rank, which, like one of ``load``, does not know the transforms that made it."""
        part = Part(layout, dtype_of(local), 0, components or 1, components is not None)
        made = cls._wrap(local, part, mpi.alone())
        made.attrs = attrs
        return made

    def _like(self, local: Any) -> Self:
        """Give an array that lies as this one does."""
        made = self._wrap(local, self._part, self.comm)
        made.attrs = dict(self.attrs)
        return made

    def _spectrum(self) -> Side:
        if isinstance(self._part, Side) and self._part.spectral:
            return self._part
        raise ValueError("this array is no spectrum: only results of transforms have frequencies")
