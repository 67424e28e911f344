"""Layouts: which rank owns which part of an array."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from numbers import Integral
from typing import Any, NamedTuple

from .. import _core
from .._ground.arguments import axis_of, integer, integers, order_of, shape_of


class Piece(NamedTuple):
    """A part of the global array, and its place in its owner's flat local array.

    Example:
        >>> import shardfft
        >>> shardfft.Layout.slab((8, 6), ranks=2).pieces(1)
        [Piece(slices=(slice(4, 8, 1), slice(0, 6, 1)), offset=0, strides=(6, 1))]
    """

    slices: tuple[slice, ...]  #: of the global array
    offset: int  #: elements before the piece
    strides: tuple[int, ...]  #: elements between neighbours, one an axis


def _ranks(ranks: int) -> int:
    return integer(ranks, "ranks", 32)


def _slice(progression: tuple[int, int, int]) -> slice:
    first, count, stride = progression
    if count == 0:
        return slice(0, 0, 1)
    return slice(first, first + (count - 1) * stride + 1, stride)


def _grid(grid: int | Iterable[int]) -> int | list[int]:
    """Give a number of ranks, or the factors of a process grid."""
    return _ranks(grid) if isinstance(grid, Integral) else integers(grid, "grid")


class Layout:
    """A map from rank to the part of a global array that it owns.

    Made by the class methods; immutable. A rank's local array has the axes of the global one, and is dense in memory;
    ``order`` names its axes from slowest to fastest.

    Example:
        >>> import shardfft
        >>> layout = shardfft.Layout.brick((8, 6, 4), 4)
        >>> layout
        <shardfft.Layout 8x6x4 cut in 2x2x1>
        >>> layout.local(3)
        (slice(4, 8, 1), slice(3, 6, 1), slice(0, 4, 1))
    """

    __slots__ = ("_core", "_hash")
    _core: _core.Layout
    _hash: int

    def __init__(self) -> None:
        raise TypeError("make layouts with Layout.slab, pencil, brick, cyclic, boxes or single")

    @classmethod
    def _wrap(cls, core: _core.Layout) -> Layout:
        self = object.__new__(cls)
        object.__setattr__(self, "_core", core)
        # Equal layouts may have been made in different ways.
        object.__setattr__(self, "_hash", hash((tuple(core.shape), core.ranks)))
        return self

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError("layouts cannot be changed")

    @classmethod
    def slab(cls, shape: int | Iterable[int], ranks: int, axis: int = 0, order: Sequence[int] | None = None) -> Layout:
        """Planes along ``axis``, dealt in near-equal runs; ranks beyond the planes own nothing."""
        extents = shape_of(shape)
        axes = len(extents)
        return cls._wrap(_core.Layout.slab(extents, _ranks(ranks), axis_of(axis, axes), order_of(order, axes)))

    @classmethod
    def pencil(
        cls,
        shape: int | Iterable[int],
        grid: int | Iterable[int],
        local_axis: int = -1,
        order: Sequence[int] | None = None,
    ) -> Layout:
        """Lines along ``local_axis``; ``grid`` cuts the other axes in their order.

        ``grid`` has one entry less than ``shape``; an integer is a number of ranks, split as evenly as can be.
        """
        extents = shape_of(shape)
        axes = len(extents)
        axis = axis_of(local_axis, axes, "local_axis")
        return cls._wrap(_core.Layout.pencil(extents, _grid(grid), axis, order_of(order, axes)))

    @classmethod
    def brick(cls, shape: int | Iterable[int], grid: int | Iterable[int], order: Sequence[int] | None = None) -> Layout:
        """Bricks: axis a is cut in ``grid[a]`` near-equal runs, ranks in C order; an integer is a number of ranks."""
        extents = shape_of(shape)
        return cls._wrap(_core.Layout.brick(extents, _grid(grid), order_of(order, len(extents))))

    @classmethod
    def cyclic(
        cls, shape: int | Iterable[int], grid: int | Iterable[int], order: Sequence[int] | None = None
    ) -> Layout:
        """Every ``grid[a]``-th index along axis a, ranks in C order; an integer deals axis 0 to so many ranks."""
        extents = shape_of(shape)
        return cls._wrap(_core.Layout.cyclic(extents, _grid(grid), order_of(order, len(extents))))

    @classmethod
    def boxes(
        cls,
        shape: int | Iterable[int],
        boxes: Iterable[Sequence[slice | tuple[int, int]]],
        order: Sequence[int] | None = None,
    ) -> Layout:
        """One box a rank, given as slices or (start, stop) pairs, one an axis.

        Empty boxes are allowed. Raises ``shardfft.ArgumentError`` unless the boxes hold every element exactly once.
        """
        extents = shape_of(shape)
        sets = []
        for rank, box in enumerate(boxes):
            if not isinstance(box, Iterable):
                raise TypeError(f"the box of rank {rank} must be a sequence of ranges, one for each axis, not {box!r}")
            ranges = list(box)
            if len(ranges) != len(extents):
                raise ValueError(f"the box of rank {rank} has {len(ranges)} ranges for {len(extents)} axes")
            sets.append([progression(part, extent) for part, extent in zip(ranges, extents, strict=True)])
        layout = _core.Layout.boxes(extents, sets, order_of(order, len(extents)))
        layout.validate()
        return cls._wrap(layout)

    @classmethod
    def single(
        cls, shape: int | Iterable[int], ranks: int, owner: int = 0, order: Sequence[int] | None = None
    ) -> Layout:
        """Everything on rank ``owner``."""
        extents = shape_of(shape)
        number = integer(owner, "owner")
        if not 0 <= number < _ranks(ranks):
            raise ValueError(f"owner {number} is not one of {ranks} ranks")
        return cls._wrap(_core.Layout.single(extents, ranks, number, order_of(order, len(extents))))

    @property
    def shape(self) -> tuple[int, ...]:
        """Extents of the global array."""
        return tuple(self._core.shape)

    @property
    def ndim(self) -> int:
        """Number of axes."""
        return self._core.axes

    @property
    def ranks(self) -> int:
        """Number of ranks."""
        return self._core.ranks

    @property
    def order(self) -> tuple[int, ...]:
        """Axes from slowest to fastest in memory; ``(0, 1, ...)`` is C order."""
        order = tuple(self._core.order)
        return order or tuple(range(self.ndim))

    def count(self, rank: int) -> int:
        """Give the number of elements that ``rank`` owns."""
        return self._core.count(self._rank(rank))

    def pieces(self, rank: int) -> list[Piece]:
        """List the parts that ``rank`` owns: none, one, or for some spectra several."""
        return [
            Piece(tuple(_slice(axis) for axis in sets), offset, tuple(strides))
            for sets, offset, strides in self._core.pieces(self._rank(rank))
        ]

    def local(self, rank: int) -> tuple[slice, ...] | None:
        """Slices of the global array that ``rank`` owns; None when its part is not one product of slices."""
        pieces = self.pieces(rank)
        if len(pieces) > 1:
            return None
        return pieces[0].slices if pieces else (slice(0, 0, 1),) * self.ndim

    def local_shape(self, rank: int) -> tuple[int, ...]:
        """Shape of the local array of ``rank``; ``(count,)`` when its part is not one product of slices."""
        slices = self.local(rank)
        if slices is None:
            return (self.count(rank),)
        return tuple(len(range(part.start, part.stop, part.step)) for part in slices)

    def axis_is_local(self, axis: int) -> bool:
        """Whether every rank that owns anything owns all of ``axis``."""
        return self._core.axis_is_local(axis_of(axis, self.ndim))

    def with_order(self, order: Sequence[int]) -> Layout:
        """Give the same cuts with another order of the axes in memory."""
        return Layout._wrap(self._core.with_order(order_of(order, self.ndim)))

    def with_axis_extent(self, axis: int, extent: int) -> Layout:
        """Give the same cuts over another extent of one axis, as the spectra of real arrays need."""
        return Layout._wrap(self._core.with_axis_extent(axis_of(axis, self.ndim), integer(extent, "extent")))

    def _rank(self, rank: int) -> int:
        index = integer(rank, "rank")
        if not 0 <= index < self.ranks:
            raise ValueError(f"rank {index} is not one of the {self.ranks} ranks of this layout")
        return index

    def __reduce__(self) -> tuple[Any, ...]:
        return Layout._wrap, (self._core,)  # pickles name no module of this package's inside

    def __copy__(self) -> Layout:
        return self

    def __deepcopy__(self, memo: object) -> Layout:
        return self

    def __eq__(self, other: object) -> bool:
        return self._core.same_as(other._core) if isinstance(other, Layout) else NotImplemented

    def __hash__(self) -> int:
        return self._hash

    def __repr__(self) -> str:
        return f"<shardfft.Layout {self._core.describe()}>"


def progression(part: slice | tuple[int, int], extent: int) -> tuple[int, int, int]:
    if isinstance(part, slice):
        if part.step is not None and part.step < 1:
            raise ValueError(f"the step of {part} must be positive")
        indices = range(*part.indices(extent))
        return (indices.start, len(indices), indices.step) if len(indices) else (0, 0, 1)
    ends = integers(part, "a box's range")
    if len(ends) != 2:
        raise ValueError(f"a box's range must be a slice or a pair (start, stop), not {part!r}")
    low, high = ends
    if not 0 <= low <= high <= extent:
        raise ValueError(f"the range ({low}, {high}) does not lie in an axis of {extent}")
    return (low, high - low, 1)


def named(name: str, shape: Sequence[int], ranks: int) -> Layout:
    """Make the layout called ``slab``, ``pencil``, ``brick`` or ``cyclic``, cut for ``ranks`` ranks."""
    if name not in ("slab", "pencil", "brick", "cyclic"):
        raise ValueError(f"unknown layout '{name}': give slab, pencil, brick, cyclic or a shardfft.Layout")
    made: Layout = getattr(Layout, name)(shape, ranks)
    return made
