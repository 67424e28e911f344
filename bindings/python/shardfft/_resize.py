"""Arrays that are cut over ranks, with more or fewer indices along an axis, or with all of them moved round."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ._arithmetic import same_cuts
from ._array_libraries import library_of
from ._side import Side

if TYPE_CHECKING:
    from ._dist_array import DistArray


def _key(array: DistArray, axis: int, part: slice) -> tuple[Any, ...]:
    """Index ``part`` of an axis of ``array``."""
    return (*[slice(None)] * axis, part, ...)


def _empty(array: DistArray, axis: int, extent: int) -> DistArray:
    """An array like another one but for an extent."""
    inner = axis - (array.components is not None)
    part = array._part._moved(array.layout.with_axis_extent(inner, extent))._of_dtype(array.dtype)
    return array._wrap(library_of(array.local).empty(array.local, part.shape, array.dtype), part, array.comm)


def place(target: DistArray, there: tuple[Any, ...], source: DistArray, here: tuple[Any, ...]) -> None:
    """Do target[there] = source[here], wherever both lie. Collective."""
    taken, layout = source[here], target[there].layout
    lies_right = same_cuts(taken._part, target[there]._part)
    target[there] = taken if lies_right else taken.redistribute(layout)


def sliceable(array: DistArray) -> DistArray:
    """The array in a layout that gives each rank one piece. Collective where it is not."""
    return array.redistribute("slab") if array._part.slices is None else array


def resize(array: DistArray, axis: int, extent: int) -> DistArray:
    """Crop an axis, or pad it with zeros behind its end. Collective."""
    now = array.shape[axis]
    if extent == now:
        return array
    source = sliceable(array)
    result = _empty(source, axis, extent)
    if extent > now:
        result.local[...] = 0
    first = _key(source, axis, slice(0, min(now, extent)))
    place(result, first, source, first)
    return result


def roll(array: DistArray, axis: int, shift: int) -> DistArray:
    """Move all indices of an axis up, those beyond the end to the beginning. Collective."""
    source, extent = sliceable(array), array.shape[axis]
    split = extent - shift % extent
    if split == extent:
        return array.copy()
    result = _empty(source, axis, extent)
    place(result, _key(source, axis, slice(extent - split, None)), source, _key(source, axis, slice(0, split)))
    place(result, _key(source, axis, slice(0, extent - split)), source, _key(source, axis, slice(split, None)))
    if isinstance(result._part, Side):
        result._part = result._part._turned(axis - (array.components is not None), shift)
    return result
