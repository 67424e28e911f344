"""Whether arrays that are cut over ranks lie alike."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from .cut_array import CutArray

if TYPE_CHECKING:
    from mpi4py import MPI

    from .part import Part


def ranks_alike(one: MPI.Comm, other: MPI.Comm) -> bool:
    """Whether two communicators have the same ranks in the same order."""
    if one is other:
        return True
    from mpi4py import MPI

    return MPI.Comm.Compare(one, other) in (MPI.IDENT, MPI.CONGRUENT)


def same_cuts(one: Part, other: Part) -> bool:
    """Whether both give every rank the same indices, with any order of axes in memory."""
    if one.layout == other.layout:
        return True
    if one.slices is None or other.slices is None or one.layout.shape != other.layout.shape:
        return False
    return one.layout.with_order(range(one.layout.ndim)) == other.layout.with_order(range(other.layout.ndim))


def check_alike(one: CutArray, other: CutArray) -> None:
    """Raise ValueError unless two arrays lie alike, component by component."""
    if not ranks_alike(one.comm, other.comm):
        raise ValueError("the arrays have different communicators")
    if one.layout.shape != other.layout.shape:
        raise ValueError(f"arrays of the shapes {one.shape} and {other.shape} cannot be combined")
    if not same_cuts(one._part, other._part):
        raise ValueError(
            f"the arrays have different layouts, {one.layout!r} and {other.layout!r}: bring one to the other's cuts "
            "by redistribute(other.layout)"
        )


def lies_as(arrays: Iterable[Any]) -> CutArray:
    """The array whose place a result takes: the first with components, else the first."""
    found = [one for one in arrays if isinstance(one, CutArray)]
    for other in found[1:]:
        check_alike(found[0], other)
    vectors = [one for one in found if one.components is not None]
    if len({one.components for one in vectors}) > 1:
        raise ValueError(f"fields of {vectors[0].components} and {vectors[1].components} components cannot be combined")
    # The operand that says most of the indices: a spectrum knows its frequencies.
    return (vectors or found)[0]
