"""Grids of processes, and which part of an array each has, as mpi4py-fft cuts them."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ..._arrays.redistribute import first_moved
from ..._ground import mpi
from ..._layouts.layout import Layout
from ..._plans.recent import MOVES, Remembered, asking, met_again, remembered

if TYPE_CHECKING:
    from mpi4py import MPI
    from numpy.typing import DTypeLike, NDArray

_key: int | None = None  # MPI's key of objects that are kept with a communicator


def _forget(comm: MPI.Comm, key: int, kept: dict[Any, list[MPI.Comm]]) -> None:
    """Free the objects of a communicator that is freed."""
    from mpi4py import MPI

    if comm not in (MPI.COMM_WORLD, MPI.COMM_SELF):  # those end with MPI, which then frees all of them
        for made in kept.values():
            for one in made:
                one.Free()


def _kept_with(comm: MPI.Comm) -> dict[Any, list[MPI.Comm]]:
    """Give the grids that were made of a communicator."""
    global _key
    from mpi4py import MPI

    if _key is None:
        _key = MPI.Comm.Create_keyval(delete_fn=_forget)
    kept = comm.Get_attr(_key)
    if kept is None:
        kept = {}
        comm.Set_attr(_key, kept)
    return kept


class Subcomm(tuple):
    """A communicator for each axis of a grid of processes. Collective.

    The grids of a communicator are kept with it and used again, so that no number of transforms uses them up.

    Args:
        comm: a communicator; one with a Cartesian grid must come without ``dims``.
        dims: processes along each axis, 0 to have MPI choose; an integer is so many zeroes, None is one.
        reorder: whether MPI may number the ranks of the grid anew.

    Example:
        >>> from mpi4py import MPI
        >>> from shardfft.compat.mpi4py_fft import Subcomm
        >>> [comm.Get_size() for comm in Subcomm(MPI.COMM_WORLD, [0, 1])] == [MPI.COMM_WORLD.size, 1]
        True
    """

    whole: MPI.Comm | None  #: all processes of the grid

    def __new__(cls, comm: MPI.Comm, dims: int | Sequence[int] | None = None, reorder: bool = True) -> Subcomm:
        """See the class."""
        from mpi4py import MPI

        if comm.Is_inter():
            raise ValueError("comm must be an intracommunicator")
        if comm.Get_topology() == MPI.CART:
            if dims is not None:
                raise ValueError("a communicator with a grid has its dims")
            chosen: tuple[int, ...] = ()
        else:
            wanted = [0] if dims is None else [0] * dims if np.ndim(dims) == 0 else [max(0, int(n)) for n in dims]
            chosen = tuple(MPI.Compute_dims(comm.Get_size(), wanted))
        kept = _kept_with(comm)
        key = (chosen, bool(reorder))
        if key not in kept:
            whole = comm.Create_cart(chosen, reorder=reorder) if chosen else comm.Dup()
            count = whole.Get_dim()
            kept[key] = [whole, *(whole.Sub([axis == one for one in range(count)]) for axis in range(count))]
        whole, *axes = kept[key]
        return cls._of(axes, whole)

    @classmethod
    def _of(cls, axes: Iterable[MPI.Comm], whole: MPI.Comm | None) -> Subcomm:
        self = super().__new__(cls, axes)
        self.whole = whole
        return self

    def destroy(self) -> None:
        """Do nothing: the communicators are kept for other transforms, until the one that they are of is freed."""


def _cut(extent: int, size: int, rank: int) -> tuple[int, int]:
    """How many indices a rank has, and the first of them."""
    each, more = divmod(extent, size)
    return each + (rank < more), rank * each + min(rank, more)


class Pencil:
    """A part of an array of ``shape`` that is whole along ``axis``.

    Args:
        subcomm: a communicator for each axis, or for each but ``axis`` and some before it, which are not cut then.
        shape: extents of the whole array.
        axis: an axis that is not cut.

    Example:
        >>> from mpi4py import MPI
        >>> from shardfft.compat.mpi4py_fft import Pencil, Subcomm
        >>> pencil = Pencil(Subcomm(MPI.COMM_WORLD, [0, 1]), (8, 6))
        >>> pencil.subshape[1], pencil.pencil(0).subshape[0]
        (6, 8)
    """

    def __init__(self, subcomm: Sequence[MPI.Comm], shape: Sequence[int], axis: int = -1) -> None:
        from mpi4py import MPI

        shape = tuple(int(n) for n in shape)
        if not shape or min(shape) < 1 or not -len(shape) <= axis < len(shape):
            raise ValueError(f"no pencil of an array of shape {shape} along axis {axis}")
        axis %= len(shape)
        comms = list(subcomm)
        if len(comms) < len(shape):
            comms += [MPI.COMM_SELF] * (len(shape) - 1 - len(comms))
            comms.insert(axis, MPI.COMM_SELF)
        if len(comms) != len(shape) or comms[axis].Get_size() != 1:
            raise ValueError(f"axis {axis} of {shape} must not be cut: {[comm.Get_size() for comm in comms]} processes")
        self.shape, self.axis = shape, axis
        self.subcomm = Subcomm._of(comms, getattr(subcomm, "whole", None))
        cuts = [_cut(n, comm.Get_size(), comm.Get_rank()) for n, comm in zip(shape, comms, strict=True)]
        self.subshape = tuple(count for count, _ in cuts)
        self.substart = tuple(first for _, first in cuts)
        self._transfers: dict[tuple[int, np.dtype[Any]], tuple[Pencil, Transfer]] = {}

    def pencil(self, axis: int) -> Pencil:
        """Give the pencil along another axis: the two axes change places in the grid."""
        comms, axis = list(self.subcomm), axis % len(self.shape)
        comms[axis], comms[self.axis] = comms[self.axis], comms[axis]
        return Pencil(Subcomm._of(comms, self.subcomm.whole), self.shape, axis)

    def transfer(self, pencil: Pencil, dtype: DTypeLike) -> Transfer:
        """Prepare to move arrays from this pencil to another."""
        if self.shape != pencil.shape or self.subcomm[pencil.axis] != pencil.subcomm[self.axis]:
            raise ValueError("a transfer goes between the pencils of one array, along two of its axes")
        comm = self.subcomm[pencil.axis]
        shape = list(self.subshape)
        shape[pencil.axis] = self.shape[pencil.axis]
        return Transfer(comm, shape, dtype, self.subshape, self.axis, pencil.subshape, pencil.axis)

    def _towards(self, axis: int, dtype: np.dtype[Any]) -> tuple[Pencil, Transfer]:
        """Return the pencil along another axis and the transfer of arrays there, which are made once."""
        if (axis, dtype) not in self._transfers:
            pencil = self.pencil(axis)
            self._transfers[axis, dtype] = pencil, self.transfer(pencil, dtype)
        return self._transfers[axis, dtype]

    def _box(self) -> tuple[slice, ...]:
        return tuple(slice(first, first + n) for first, n in zip(self.substart, self.subshape, strict=True))

    def _layout(self) -> Layout:
        """Return the parts of all processes. Collective."""
        whole = self.subcomm.whole
        if whole is None:
            raise ValueError("these communicators do not belong to a Subcomm")
        return Layout.boxes(
            self.shape, [[(one.start, one.stop) for one in box] for box in whole.allgather(self._box())]
        )


@dataclasses.dataclass
class End:
    """This process's array at one end of a transfer."""

    shape: tuple[int, ...]
    layout: Any = None  #: with the axes merged to three
    block: tuple[int, ...] = ()  #: the shape in ``layout``, behind fields
    ask: Any = None  #: of a transfer from here
    call: Remembered | None = None  #: the last one


class Transfer:
    """Moves arrays between two pencils, by one exchange; see :meth:`Pencil.transfer`."""

    def __init__(
        self,
        comm: MPI.Comm,
        shape: Sequence[int],
        dtype: DTypeLike,
        subshapeA: Sequence[int],  # noqa: N803
        axisA: int,  # noqa: N803
        subshapeB: Sequence[int],  # noqa: N803
        axisB: int,  # noqa: N803
    ) -> None:
        self.comm, self.shape, self.dtype = comm, tuple(shape), np.dtype(dtype)
        self.subshapeA, self.axisA = tuple(subshapeA), axisA
        self.subshapeB, self.axisB = tuple(subshapeB), axisB
        self._still = axisA == axisB or 0 in self.shape
        self._ends = End(self.subshapeA), End(self.subshapeB)
        if self._still:
            return
        # Neighbouring axes that stay as they are count as one, and those before both as fields.
        low, high = sorted((axisA, axisB))
        fields = math.prod(self.shape[:low])
        merged = (self.shape[low], math.prod(self.shape[low + 1 : high]), self.shape[high])
        extents = (*merged, math.prod(self.shape[high + 1 :]))
        places = {low: 0, high: 2}
        layouts = [Layout.slab(extents, comm.Get_size(), places[axis]) for axis in (axisB, axisA)]
        for end, layout, other in zip(self._ends, layouts, layouts[::-1], strict=True):
            end.layout, end.block = layout, (fields, *layout.local_shape(comm.Get_rank()))
            end.ask = asking((end.block, self.dtype, None), layout, other, {})

    def _move(self, source: NDArray[Any], target: NDArray[Any], backward: bool) -> None:
        start, to = self._ends[::-1] if backward else self._ends

        def check() -> None:
            for end, array in ((start, source), (to, target)):
                if array.shape != end.shape or array.dtype != self.dtype:
                    raise ValueError(
                        f"the transfer takes {end.shape} of {self.dtype}, not {array.shape} of {array.dtype}"
                    )

        if self._still:
            mpi.agree(self.comm, check)
            if target.size > 0:
                target[...] = source
            return

        def local() -> NDArray[Any]:
            check()
            return np.ascontiguousarray(source).view(np.ndarray).reshape(start.block)

        into = (target if target.flags.c_contiguous else np.empty(target.shape, self.dtype)).view(np.ndarray)
        out = into.reshape(to.block) if target.shape == to.shape else None
        if start.call is None or start.call.kept.closed:
            start.call = remembered(self.comm, start.ask, MOVES)
        found = met_again(self.comm, start.call, lambda move: move.call(local(), out))
        if found is None:
            first_moved(local, start.layout, to.layout, self.comm, {}, start.ask, out)
        else:
            found[0].run(found[1])
        if not target.flags.c_contiguous:
            target[...] = into

    def forward(self, arrayA: NDArray[Any], arrayB: NDArray[Any]) -> None:  # noqa: N803
        """Move ``arrayA`` to ``arrayB``. Collective over ``comm``."""
        self._move(arrayA, arrayB, False)

    def backward(self, arrayB: NDArray[Any], arrayA: NDArray[Any]) -> None:  # noqa: N803
        """Move ``arrayB`` to ``arrayA``. Collective over ``comm``."""
        self._move(arrayB, arrayA, True)

    def destroy(self) -> None:
        """Do nothing: a transfer holds nothing of MPI's."""
