"""Calls of plans with arrays that are cut over ranks: blocks that fit the plan, and results that know their place."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

from .._layouts.alike import ranks_alike, same_cuts
from .._layouts.cut_array import CutArray

if TYPE_CHECKING:
    from mpi4py import MPI

    from .._layouts.side import Side

Array = TypeVar("Array", bound=CutArray)


def block_for(array: Any, side: Side, comm: MPI.Comm | None, name: str) -> Any:
    """Give the block of ``array`` for one side of a plan; TypeError or ValueError if it lies otherwise."""
    if not isinstance(array, CutArray):
        raise TypeError(f"{name} must be a DistArray, as the other array is, not {type(array).__name__}")
    if comm is None:
        raise TypeError("plans over devices of one process take lists of arrays, not a DistArray")
    if not ranks_alike(array.comm, comm):
        raise ValueError(f"{name} has another communicator than the plan")
    if array.layout.shape != side.layout.shape or (array.components or 1) != side.fields:
        wanted = side.layout.shape if side.fields == 1 else (side.fields, *side.layout.shape)
        raise ValueError(f"{name} has the shape {array.shape}, the plan takes {wanted}")
    if not same_cuts(array._part, side):
        raise ValueError(
            f"{name} lies in {array.layout!r}, the plan takes {side.layout!r}: redistribute({side._of_plan}.layout) it"
        )
    return array.local[0] if array.components == 1 else array.local


def array_of(block: Any, side: Side, like: Array) -> Array:
    """Give the result of a call as an array with the components of ``like``."""
    part = side._after(like._part)._with_fields(like.components)
    return like._wrap(block.reshape(part.shape) if like.components == 1 else block, part, like.comm)
