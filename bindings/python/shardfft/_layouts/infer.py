"""Layouts of arrays that exist already, from the ranks' local shapes."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from .._ground import mpi
from .layout import Layout, named

if TYPE_CHECKING:
    from mpi4py import MPI

    from .._ground.words import LayoutName


def identity(layout: Any) -> str:
    """Tell a user's layout apart from all others."""
    if isinstance(layout, Layout):
        return f"{layout!r} (fingerprint {layout._core.fingerprint():x})"
    return repr(layout) if layout is None or isinstance(layout, str) else type(layout).__name__


def layout_of(shape: Sequence[int], layout: LayoutName | Layout | None, comm: MPI.Comm, axis: int = 0) -> Layout:
    """Return ``layout``, or find it if it is a name or None (runs of an axis). Collective.

    Args:
        shape: of this rank's array.
        layout: the user's argument.
        comm: whose ranks have the array.
        axis: the one that is cut if the layout is None.
    """
    words, shapes = zip(*comm.allgather((identity(layout), tuple(shape))), strict=True)
    mpi.require_same(words, "the ranks gave different layouts")
    if layout is None:
        return _rows(shapes, axis)
    if isinstance(layout, str):
        return _named(layout, shapes)
    if not isinstance(layout, Layout):
        raise TypeError(f"layout must be a name or a shardfft.Layout, not {words[0]}")
    return layout


def check_layout(layout: Layout, comm: MPI.Comm) -> None:
    if not isinstance(layout, Layout):
        raise TypeError(f"layout must be a shardfft.Layout, not {type(layout).__name__}")
    if layout.ranks != comm.size:
        raise ValueError(f"layout is cut for {layout.ranks} ranks, but the communicator has {comm.size}")


def layout_for(layout: LayoutName | Layout, shape: Sequence[int], comm: MPI.Comm) -> Layout:
    """The layout that a user means, of an array of this shape."""
    made = layout if isinstance(layout, Layout) else named(layout, shape, comm.size)
    check_layout(made, comm)
    if made.shape != tuple(shape):
        raise ValueError(f"the layout is of an array of shape {made.shape}, not {tuple(shape)}")
    return made


def processor_of(on_gpus: list[bool], device: int | None) -> dict[str, Any]:
    """Arrays on GPUs are transformed there."""
    if not any(on_gpus):
        return {}
    if not all(on_gpus):
        where = ", ".join("GPU" if on_gpu else "host" for on_gpu in on_gpus)
        raise ValueError(f"the ranks' arrays must be all on GPUs or all in host memory, not {where}")
    return {"processor": "gpu", "device": device}


def _whole(extents: Sequence[int]) -> tuple[int, ...]:
    if 0 in extents:
        raise ValueError(f"an array of shape {tuple(extents)} has nothing to transform")
    return tuple(extents)


def _rows(shapes: Sequence[tuple[int, ...]], axis: int) -> Layout:
    """Slabs along an axis, as the ranks hold them."""
    others = [shape[:axis] + shape[axis + 1 :] for shape in shapes]
    if any(other != others[0] for other in others) or any(len(shape) <= axis for shape in shapes):
        raise ValueError(f"the local arrays must differ in axis {axis} only; the ranks have {shapes}")
    starts = np.concatenate([[0], np.cumsum([shape[axis] for shape in shapes])]).tolist()
    whole = _whole((*others[0][:axis], starts[-1], *others[0][axis:]))
    even = Layout.slab(whole, len(shapes), axis)
    if all(even.count(rank) == int(np.prod(shape)) for rank, shape in enumerate(shapes)):
        return even
    boxes = [[(0, extent) for extent in whole] for _ in shapes]
    for box, pair in zip(boxes, pairwise(starts), strict=True):
        box[axis] = pair
    return Layout.boxes(whole, boxes)


def _named(name: str, shapes: Sequence[tuple[int, ...]]) -> Layout:
    """The layout called ``name`` whose local arrays have these shapes."""
    ranks, axes = len(shapes), len(shapes[0])
    if any(len(shape) != axes for shape in shapes):
        raise ValueError(f"the local arrays must have equally many axes; the ranks have {shapes}")
    # In an array with an index for every rank along each axis all ranks own something, so their starts tell the grid.
    starts = [[part.start for part in part_of] for part_of in _slices(named(name, (ranks,) * axes, ranks))]
    whole = [0] * axes
    for start, shape in zip(starts, shapes, strict=True):
        for axis in range(axes):
            if not any(start[:axis]) and not any(start[axis + 1 :]):
                whole[axis] += shape[axis]
    layout = named(name, _whole(whole), ranks)
    for rank, shape in enumerate(shapes):
        wanted = layout.local_shape(rank)
        if shape != wanted and (0 not in shape or 0 not in wanted):
            raise ValueError(
                f"the local arrays are no {name} of an array of shape {layout.shape}: rank {rank} has {shape}, "
                f"not {wanted}"
            )
    return layout


def _slices(layout: Layout) -> list[tuple[slice, ...]]:
    return [layout.pieces(rank)[0].slices for rank in range(layout.ranks)]
