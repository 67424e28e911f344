"""Parts of arrays that are cut over ranks: each rank keeps its share of them."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from math import gcd
from typing import Any

import numpy as np

from .._ground import mpi
from .._layouts.alike import check_alike
from .._layouts.cut_array import CutArray
from .._layouts.infer import identity
from .._layouts.layout import Layout
from .._layouts.part import Part
from .._libraries.array_libraries import host_array, library_of


def as_range(part: slice) -> range:
    """The indices of a layout's slice."""
    return range(part.start, part.stop, part.step or 1)


def common(one: range, other: range) -> range:
    """The indices that two ranges with steps above 0 share: a range again."""
    both = gcd(one.step, other.step)
    if not one or not other or (one.start - other.start) % both:
        return range(0)
    first = max(one.start, other.start)
    first += (one.start - first) % one.step
    while (first - other.start) % other.step:
        first += one.step
    return range(first, min(one.stop, other.stop), one.step // both * other.step)


def positions(indices: range, among: range) -> slice:
    """The positions of ``indices`` in a range that has them all."""
    if not indices:
        return slice(0, 0, 1)
    first, last = ((index - among.start) // among.step for index in (indices[0], indices[-1]))
    return slice(first, last + 1, max(1, indices.step // among.step))


def wanted_of(key: Any, shape: Sequence[int]) -> list[int | range]:
    """An index or a range for each axis."""
    keys = list(key) if isinstance(key, tuple) else [key]
    if sum(one is ... for one in keys) > 1:
        raise IndexError("an index can only have a single ellipsis ('...')")
    if not any(one is ... for one in keys):
        keys.append(...)
    at = next(i for i, one in enumerate(keys) if one is ...)
    missing = len(shape) - (len(keys) - 1)
    if missing < 0:
        raise IndexError(f"too many indices: the array has {len(shape)} axes, but {len(keys) - 1} were indexed")
    keys[at : at + 1] = [slice(None)] * missing
    return [_of_axis(one, extent, axis) for axis, (one, extent) in enumerate(zip(keys, shape, strict=True))]


def _of_axis(key: Any, extent: int, axis: int) -> int | range:
    if isinstance(key, slice):
        found = range(*key.indices(extent))
        if found.step < 0:
            raise IndexError(f"the step of {key} must be above 0")
        if not found:
            raise IndexError(f"{key} selects nothing of axis {axis}, which has {extent} indices")
        return found
    try:
        index = operator.index(key)
    except TypeError:
        raise IndexError(
            f"an array over many ranks takes integers, slices and '...' as indices, not {type(key).__name__}; index "
            "its .local block, or use numpy.where"
        ) from None
    if not -extent <= index < extent:
        raise IndexError(f"index {index} is out of bounds for axis {axis} with size {extent}")
    return index % extent


def _cut(layout: Layout, wanted: Sequence[int | range], rank: int) -> tuple[list[slice | int], list[slice]] | None:
    """Of ``rank``: the share of its block, and its indices in the result; None if it has nothing."""
    slices = layout.local(rank)
    assert slices is not None
    return cut_of(slices, wanted)


def cut_of(slices: Sequence[slice], wanted: Sequence[int | range]) -> tuple[list[slice | int], list[slice]] | None:
    """Of a block that has these indices: its share, and the indices of that in the result; None: nothing."""
    here: list[slice | int] = []
    there: list[slice] = []
    for part, want in zip(slices, wanted, strict=True):
        own = as_range(part)
        if isinstance(want, int):
            if want not in own:
                return None
            here.append(own.index(want))
            continue
        indices = common(own, want)
        if not indices:
            return None
        here.append(positions(indices, own))
        there.append(positions(indices, want))
    return here, there


def _split(array: CutArray, key: Any) -> tuple[int | range | None, list[int | range]]:
    wanted = wanted_of(key, array.shape)
    if array._part.slices is None or any(array.layout.local(rank) is None for rank in range(array.layout.ranks)):
        raise IndexError("this layout gives ranks several pieces, which cannot be cut: redistribute() the array first")
    return (wanted[0], wanted[1:]) if array.components is not None else (None, wanted)


def _components(want: int | range | None) -> tuple[slice | int, ...]:
    if want is None:
        return ()
    return (want,) if isinstance(want, int) else (slice(want.start, want.stop, want.step),)


def _mine(array: CutArray, key: Any) -> tuple[Any, ...] | None:
    """The index of a part in this rank's block; None if the rank has nothing of it."""
    component, wanted = _split(array, key)
    mine = _cut(array.layout, wanted, array.rank)
    return None if mine is None else (*_components(component), *mine[0])


def _fits(given: Sequence[int], share: Sequence[int]) -> bool:
    """Whether NumPy writes an array of the shape ``given`` into ``share``: ones in front are no axes."""
    beyond = max(0, len(given) - len(share))
    pairs = zip(reversed(given[beyond:]), reversed(share), strict=False)
    return all(extent == 1 for extent in given[:beyond]) and all(one in (1, all_) for one, all_ in pairs)


def _check_shape(array: CutArray, key: Any, given: Sequence[int]) -> None:
    """Raise for a shape that this rank cannot write into its share of a part; without a share, if no rank can.

    Ranks know all shares by the layout: none asks another, and what fits nowhere is refused by all.
    """
    component, wanted = _split(array, key)
    fields = [len(component)] if isinstance(component, range) else []
    owns = _cut(array.layout, wanted, array.rank) is not None
    shares = (_cut(array.layout, wanted, rank) for rank in ([array.rank] if owns else range(array.layout.ranks)))
    shapes = [(*fields, *(len(as_range(part)) for part in share[1])) for share in shares if share is not None]
    nothing = not owns and 0 in given
    if not nothing and not any(_fits(given, shape) for shape in shapes):
        raise ValueError(f"could not broadcast a value of shape {tuple(given)} into a share of shape {shapes[0]}")


def _element(array: CutArray, component: Any, wanted: Sequence[Any], mine: tuple[Any, ...] | None) -> Any:
    """Give a number of the whole array to all ranks, which must ask for the same. Collective."""

    def tell() -> tuple[None, tuple[str, Any]]:
        said = f"{[component, *wanted]} of {array.dtype} in {identity(array.layout)}"
        return None, (said, None if mine is None else host_array(array.local[mine])[()])

    _, told = mpi.meet(array.comm, tell)
    mpi.require_same([said for said, _ in told], "the ranks asked for different elements")
    return next(value for _, value in told if value is not None)


def take(array: CutArray, key: Any) -> Any:
    """Cut out a part of the whole array."""
    if isinstance(key, CutArray):
        raise IndexError("elements that a boolean array selects have no layout: use numpy.where, or .local blocks")
    component, wanted = _split(array, key)
    layout, mine = array.layout, _mine(array, key)
    kept = [axis for axis, want in enumerate(wanted) if not isinstance(want, int)]
    if not kept:
        return _element(array, component, wanted, mine)
    cuts = [_cut(layout, wanted, rank) for rank in range(layout.ranks)]
    boxes = [[slice(0, 0)] * len(kept) if cut is None else cut[1] for cut in cuts]
    order = [kept.index(axis) for axis in layout.order if axis in kept]
    shape = [len(want) for want in wanted if not isinstance(want, int)]
    fields = len(component) if isinstance(component, range) else None
    whole = shape == list(layout.shape)
    part = array._part if whole else Part(Layout.boxes(shape, boxes, order), array.dtype, array.rank, 1, False)
    part = part._with_fields(fields)
    if mine is None:
        return array._wrap(library_of(array.local).empty(array.local, part.shape, array.dtype), part, array.comm)
    return array._wrap(array.local[mine], part, array.comm)


def put(array: CutArray, key: Any, value: Any) -> None:
    """Write into a part of the whole array."""
    if isinstance(key, CutArray):
        if key.dtype.kind != "b":
            raise IndexError(f"a mask for assignment must be one of booleans, not of dtype {key.dtype}")
        given = [key, value] if isinstance(value, CutArray) else [key]
        for one in given:
            check_alike(array, one)
            if one.components != array.components:
                raise ValueError(
                    f"the mask and the assigned values must have the array's components, {array.components}, "
                    f"not {one.components}"
                )
        array.local[key.local] = value.local[key.local] if len(given) > 1 else value
        return
    mine = _mine(array, key)
    if isinstance(value, CutArray):
        check_alike(take(array, key), value)
        value = value.local
    elif shape := np.shape(value) if isinstance(value, list | tuple) else getattr(value, "shape", ()):
        _check_shape(array, key, shape)
    if isinstance(value, np.ndarray):
        value = library_of(array.local).bring(array.local, value)
    if mine is not None:
        array.local[mine] = value
