"""Arrays that are cut over ranks, with more or fewer indices along an axis, or with all of them moved round."""

from __future__ import annotations

from typing import Any

from .._layouts.alike import same_cuts
from .._layouts.cut_array import CutArray
from .._layouts.side import Side
from .._libraries.array_libraries import library_of
from .redistribute import redistributed
from .slicing import put, take


def _key(array: CutArray, axis: int, part: slice) -> tuple[Any, ...]:
    """Index ``part`` of an axis of ``array``."""
    return (*[slice(None)] * axis, part, ...)


def _empty(array: CutArray, axis: int, extent: int) -> CutArray:
    """An array like another one but for an extent."""
    inner = axis - (array.components is not None)
    part = array._part._moved(array.layout.with_axis_extent(inner, extent))._of_dtype(array.dtype)
    return array._wrap(library_of(array.local).empty(array.local, part.shape, array.dtype), part, array.comm)


def place(target: CutArray, there: tuple[Any, ...], source: CutArray, here: tuple[Any, ...]) -> None:
    """Do target[there] = source[here], across ranks. Collective."""
    taken, wanted = take(source, here), take(target, there)
    put(target, there, taken if same_cuts(taken._part, wanted._part) else redistributed(taken, wanted.layout))


def sliceable(array: CutArray) -> CutArray:
    """The array in a layout with one piece a rank. Collective if it has another layout."""
    return redistributed(array, "slab") if array._part.slices is None else array


def resize(array: CutArray, axis: int, extent: int) -> CutArray:
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


def roll(array: CutArray, axis: int, shift: int) -> CutArray:
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
