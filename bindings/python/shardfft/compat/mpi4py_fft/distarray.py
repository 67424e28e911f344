"""Blocks of arrays that are cut over processes: arrays of NumPy that know which part of the whole they are."""

from __future__ import annotations

import math
from collections.abc import Sequence
from numbers import Integral, Number
from typing import TYPE_CHECKING, Any

import numpy as np

from ..._arrays.slicing import cut_of, wanted_of
from ..._doors.dist_array import DistArray as Whole
from . import io
from .on_gpu import OnGpu, zeros_on_gpu
from .pencil import Pencil, Subcomm, Transfer

if TYPE_CHECKING:
    from mpi4py import MPI
    from numpy.typing import DTypeLike, NDArray


def _grid(subcomm: Any, axes: int, alignment: int | None) -> Sequence[MPI.Comm]:
    from mpi4py import MPI

    if isinstance(subcomm, Subcomm):
        return subcomm
    if subcomm is None:
        subcomm = [0] * axes
        subcomm[-1 if alignment is None else alignment] = 1
    if len(subcomm) != axes:
        raise ValueError(f"subcomm must have an entry for each of {axes} axes, not {len(subcomm)}")
    if all(isinstance(one, MPI.Comm) for one in subcomm):
        return tuple(subcomm)
    return Subcomm(MPI.COMM_WORLD, subcomm)


class DistArray(np.ndarray):
    """This process's block of a global array; arithmetic and ``shape`` are those of the block.

    Args:
        global_shape: of the whole array, with the axes of a tensor's components before the others.
        subcomm: how the array is cut: a :class:`Subcomm`, processes along each axis, or None for as many axes as can
            be.
        val: a number to fill it with; None leaves it as it is.
        dtype: type of one element.
        buffer: memory to use.
        alignment: an axis that is not cut, not counting those of components.
        rank: number of axes of components.

    Example:
        >>> from shardfft.compat.mpi4py_fft import DistArray
        >>> u = DistArray((3, 8, 6, 4), val=1, rank=1)
        >>> u.global_shape, u[0].alignment, u[:, 0].ndim
        ((3, 8, 6, 4), 2, 3)
    """

    _p0: Any
    _rank: Any

    def __new__(
        cls,
        global_shape: Sequence[int],
        subcomm: Any = None,
        val: float | None = None,
        dtype: DTypeLike = float,
        buffer: Any = None,
        strides: Any = None,
        alignment: int | None = None,
        rank: int = 0,
    ) -> DistArray:
        """See the class."""
        global_shape = tuple(int(n) for n in global_shape)
        extents, pencil = global_shape[rank:], None
        if len(extents) > 1:
            comms = _grid(subcomm, len(extents), alignment)
            if alignment is None:
                alignment = max(axis for axis, comm in enumerate(comms) if comm.Get_size() == 1)
            pencil = Pencil(comms, extents, alignment)
            extents = pencil.subshape
        self = super().__new__(cls, global_shape[:rank] + extents, dtype=dtype, buffer=buffer, strides=strides)
        if buffer is None and isinstance(val, Number):
            self.fill(val)
        self._p0, self._rank = pencil, rank
        return self

    def __array_finalize__(self, other: Any) -> None:
        self._p0, self._rank = getattr(other, "_p0", None), getattr(other, "_rank", None)

    @property
    def pencil(self) -> Pencil:
        """How the array is cut, without its components."""
        return self._p0

    @property
    def rank(self) -> int:
        """Number of axes of components."""
        return self._rank

    @property
    def alignment(self) -> int:
        """An axis that is not cut, not counting those of components."""
        return self._p0.axis

    @property
    def dimensions(self) -> int:
        """Number of axes without those of components."""
        return len(self._p0.shape)

    @property
    def global_shape(self) -> tuple[int, ...]:
        """Shape of the whole array."""
        return self.shape[: self.rank] + self._p0.shape

    @property
    def substart(self) -> tuple[int, ...]:
        """The first indices of this block in the whole array."""
        return (0,) * self.rank + self._p0.substart

    @property
    def subcomm(self) -> tuple[MPI.Comm, ...]:
        """A communicator for each axis."""
        from mpi4py import MPI

        if self.rank == 0:
            return self._p0.subcomm
        return (MPI.COMM_SELF,) * self.rank + tuple(self._p0.subcomm)

    @property
    def commsizes(self) -> list[int]:
        """Processes along each axis."""
        return [comm.Get_size() for comm in self.subcomm]

    @property
    def v(self) -> NDArray[Any]:
        """The block as a plain array of NumPy; the same memory."""
        return self.view(np.ndarray)

    def __getitem__(self, key: Any) -> Any:
        """Give components of a tensor as such an array, anything else as one of NumPy."""
        count = len(key) if isinstance(key, tuple) else 1
        simple = isinstance(key, Integral | slice | tuple)
        if self.ndim > 1 and self._p0 is not None and simple and count <= (self.rank or 0):
            part = np.ndarray.__getitem__(self, key)
            part._rank = self.rank - (self.ndim - part.ndim)
            return part
        return np.ndarray.__getitem__(self.v if self.ndim > 1 else self, key)

    def local_slice(self) -> tuple[slice, ...]:
        """Say which part of the whole array this block is."""
        return (*(slice(0, n) for n in self.shape[: self.rank]), *self._p0._box())

    def get(self, gslice: Sequence[Any]) -> NDArray[Any] | None:
        """Give a part of the whole array, by integers and slices, on rank 0 and None elsewhere. Collective."""
        from mpi4py import MPI

        whole = MPI.COMM_WORLD if self._p0 is None or self._p0.subcomm.whole is None else self._p0.subcomm.whole
        if self._p0 is None:
            return np.array(self.v[tuple(gslice)]) if whole.rank == 0 else None
        wanted = wanted_of(tuple(gslice), self.global_shape)
        cut = cut_of(self.local_slice(), wanted)
        parts = whole.gather(None if cut is None else (np.array(self.v[tuple(cut[0])]), tuple(cut[1])))
        if parts is None:
            return None
        result = np.empty([len(one) for one in wanted if isinstance(one, range)], self.dtype)
        for part in parts:
            if part is not None:
                result[part[1]] = part[0]
        return result

    def get_pencil_and_transfer(self, axis: int) -> tuple[Pencil, Transfer]:
        """Return the pencil along another axis, and the transfer of arrays there."""
        return self._p0._towards(axis % self.dimensions, self.dtype)

    def redistribute(self, axis: int | None = None, out: DistArray | None = None) -> DistArray:
        """Give the array cut so that ``axis`` is whole, or as ``out`` is, which then is written. Collective."""
        if out is None and axis is None:
            raise TypeError("give an axis, or an array to write")
        if axis is not None:
            axis %= self.dimensions
            if out is None and (axis == self.alignment or self._p0.subcomm[axis].Get_size() == 1):
                self._p0 = Pencil(self._p0.subcomm, self._p0.shape, axis)
                return self
        if out is not None and (out.global_shape != self.global_shape or axis not in (None, out.alignment)):
            raise ValueError(f"out is {out.global_shape} along axis {out.alignment}")
        if out is not None and out.commsizes == self.commsizes:
            out[...] = self
            return out
        target = axis if out is None else out.alignment
        pencil, transfer = self.get_pencil_and_transfer(target)  # type: ignore[arg-type]
        if out is None:
            out = np.ndarray.__new__(DistArray, self.shape[: self.rank] + pencil.subshape, self.dtype)
            out._p0, out._rank = pencil, self.rank
        elif out._p0.subshape != pencil.subshape:
            raise ValueError("out is cut otherwise than along two axes of this array")
        for index in np.ndindex(self.shape[: self.rank]):
            transfer.forward(self.v[index], out.v[index])
        return out

    def as_shardfft(self) -> Whole:
        """See the block as a ``shardfft.DistArray``; the same memory. Collective."""
        fields = self.v.reshape(math.prod(self.shape[: self.rank]), *self._p0.subshape) if self.rank else self.v
        return Whole.from_local(fields, self._p0.subcomm.whole, self._p0._layout(), components=self.rank > 0)

    def write(
        self,
        filename: Any,
        name: str = "darray",
        step: int = 0,
        global_slice: Sequence[Any] | None = None,
        domain: Any = None,
        as_scalar: bool = False,
    ) -> None:
        """Write the array, or a part of the whole, to a file as ``step`` of ``name``. Collective.

        A name that ends in ``.nc`` or ``.nc4`` is netCDF's, any other HDF5's.
        """
        file = io.by_name(filename, domain, "a") if isinstance(filename, str) else filename
        file.write(step, {name: [self if global_slice is None else (self, global_slice)]}, as_scalar=as_scalar)

    def read(self, filename: Any, name: str = "darray", step: int = 0) -> None:
        """Read ``step`` of ``name`` from a file. Collective."""
        file = io.by_name(filename, None, "r") if isinstance(filename, str) else filename
        file.read(self, name, step=step)


def newDistArray(  # noqa: N802
    pfft: Any, forward_output: bool = True, val: float | None = 0, rank: int = 0, view: bool = False
) -> Any:
    """Make an array for one side of a transform; for one on GPUs a plain array of CuPy, of this process's block.

    Args:
        pfft: the transform.
        forward_output: whether it is for spectra, or for inputs of ``forward``.
        val: a number to fill it with.
        rank: number of axes of components, each as long as the array has axes.
        view: whether to give the plain array of NumPy, whose ``base`` knows the rest.

    Example:
        >>> from mpi4py import MPI
        >>> from shardfft.compat.mpi4py_fft import PFFT, newDistArray
        >>> fft = PFFT(MPI.COMM_WORLD, (8, 6))
        >>> newDistArray(fft).global_shape, newDistArray(fft, False, rank=1).global_shape
        ((8, 4), (2, 8, 6))
        >>> fft.destroy()
    """
    shape, pencil = pfft.global_shape(forward_output), pfft._end(forward_output)
    if isinstance(pfft.forward, OnGpu):
        on_gpu = zeros_on_gpu(pfft, (len(shape),) * rank + pfft.shape(forward_output), pfft.dtype(forward_output))
        if val:
            on_gpu[...] = val
        return on_gpu
    array = DistArray(
        (len(shape),) * rank + shape,
        pencil.subcomm,
        val,
        pfft.dtype(forward_output),
        alignment=pencil.axis,
        rank=rank,
    )
    return array.v if view else array


Function = newDistArray
