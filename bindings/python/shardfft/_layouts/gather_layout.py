"""Layouts of arrays whose ranks know only their own parts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from .. import _core
from .._ground import mpi
from .._ground.arguments import order_of, shape_of
from .layout import Layout, progression

if TYPE_CHECKING:
    from mpi4py import MPI


def gather_layout(
    shape: int | Iterable[int],
    box: Sequence[slice | tuple[int, int]],
    comm: MPI.Comm | None = None,
    order: Sequence[int] | None = None,
) -> Layout:
    """Make the layout in which each rank owns the box that it gives. Collective.

    Args:
        shape: extents of the whole array; the same on all ranks.
        box: this rank's part, a slice or a pair (start, stop) for each axis; it may be empty.
        comm: an mpi4py communicator; None is ``MPI.COMM_WORLD``.
        order: axes of the local arrays from slowest to fastest in memory; None is C order.

    Raises:
        ValueError: on every rank unless the boxes hold every element exactly once.

    Example:
        >>> import shardfft
        >>> from mpi4py import MPI
        >>> comm = MPI.COMM_WORLD
        >>> rows = (3 * comm.rank, 3 * comm.rank + 3)
        >>> shardfft.gather_layout((3 * comm.size, 5), (rows, slice(None)), comm).local_shape(comm.rank)
        (3, 5)
    """
    comm = mpi.communicator(comm)

    def check() -> tuple[tuple[list[int], list[tuple[int, int, int]], list[int]], Any]:
        extents = shape_of(shape)
        ranges = list(box)
        if len(ranges) != len(extents):
            raise ValueError(f"the box has {len(ranges)} ranges for {len(extents)} axes")
        mine = [progression(part, extent) for part, extent in zip(ranges, extents, strict=True)]
        axes = order_of(order, len(extents))
        return (extents, mine, axes), (tuple(extents), tuple(axes))

    extents, mine, axes = mpi.agree_same(comm, check, "the ranks gave different shapes or orders of axes")
    return Layout._wrap(_core.Layout.gathered(mpi.address(comm), extents, mine, axes))
