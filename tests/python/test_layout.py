"""Layouts: pure geometry, checked for any number of ranks on every rank."""

import copy
import pickle

import numpy as np
import pytest

import shardfft
from shardfft import ArgumentError, Layout


def covers_once(layout):
    seen = np.zeros(layout.shape, int)
    for rank in range(layout.ranks):
        for piece in layout.pieces(rank):
            seen[piece.slices] += 1
    return bool((seen == 1).all())


@pytest.mark.parametrize("ranks", [1, 2, 3, 5, 8])
@pytest.mark.parametrize("shape", [(7,), (5, 6), (4, 3, 9), (2, 3, 1, 4)])
def test_layouts_hold_every_element_once(shape, ranks):
    layouts = [Layout.slab(shape, ranks, axis) for axis in range(-len(shape), len(shape))]
    layouts += [Layout.brick(shape, ranks), Layout.cyclic(shape, ranks), Layout.single(shape, ranks, ranks - 1)]
    if len(shape) > 1:
        layouts.append(Layout.pencil(shape, ranks))
    for layout in layouts:
        assert covers_once(layout)
        assert layout.ranks == ranks
        assert layout.shape == shape
        assert sum(layout.count(rank) for rank in range(ranks)) == np.prod(shape)
        for rank in range(ranks):
            assert np.prod(layout.local_shape(rank)) == layout.count(rank)


def test_literal_slices():
    assert Layout.slab((7, 3), 3).local(0) == (slice(0, 3, 1), slice(0, 3, 1))
    assert Layout.slab((7, 3), 3).local(2) == (slice(5, 7, 1), slice(0, 3, 1))
    assert Layout.cyclic((7, 3), 3).local(1) == (slice(1, 5, 3), slice(0, 3, 1))
    assert Layout.slab((2, 3), 4).local_shape(3)[0] == 0
    boxes = [(slice(0, 2), slice(None)), ((2, 5), (0, 4)), ((0, 0), (0, 0))]
    assert Layout.boxes((5, 4), boxes).local(1) == (slice(2, 5, 1), slice(0, 4, 1))


def test_equality_and_derived_layouts():
    slab = Layout.slab((6, 4, 8), 2)
    assert slab == Layout.brick((6, 4, 8), (2, 1, 1))
    assert hash(slab) == hash(Layout.brick((6, 4, 8), (2, 1, 1)))
    assert slab != Layout.slab((6, 4, 8), 2, axis=1)
    assert slab.with_axis_extent(-1, 5).shape == (6, 4, 5)
    assert slab.with_order((2, 0, 1)).order == (2, 0, 1)
    assert slab.axis_is_local(1) and not slab.axis_is_local(0)
    assert "6x4x8" in repr(slab)


def all_layouts(shape=(8, 6, 10), ranks=4):
    yield Layout.slab(shape, ranks)
    yield Layout.slab(shape, ranks, 2, order=(2, 0, 1))
    yield Layout.pencil(shape, ranks, 0)
    yield Layout.brick(shape, (2, 1, 2), order=(1, 2, 0))
    yield Layout.cyclic(shape, (2, 2, 1))
    yield Layout.single(shape, ranks, 3)
    yield Layout.boxes(shape, [[(0, 8), (0, 6), (low, low + 5)] for low in (0, 5)] + [[(0, 0)] * 3] * 2, (2, 1, 0))


@pytest.mark.parametrize("layout", list(all_layouts()))
@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, lambda layout: pickle.loads(pickle.dumps(layout))])
def test_copies(layout, copied):
    other = copied(layout)
    assert other == layout and hash(other) == hash(layout)
    assert other.order == layout.order and repr(other) == repr(layout)
    assert [other.pieces(rank) for rank in range(4)] == [layout.pieces(rank) for rank in range(4)]
    assert other.with_axis_extent(2, 7) == layout.with_axis_extent(2, 7)


def test_layouts_travel(comm):
    layout = Layout.cyclic((7, 3), comm.size)
    assert comm.bcast(layout) == layout
    with shardfft.plan((64,), comm=comm, algorithm="six_step", effort="estimate") as plan:
        spectrum = plan.output.layout  # of several pieces a rank, on several ranks
        assert pickle.loads(pickle.dumps(spectrum)) == spectrum


def test_grids_of_ranks():
    cube = (24, 24, 24)
    assert Layout.pencil(cube, 12) == Layout.pencil(cube, (4, 3))
    assert Layout.pencil(cube, 7, 0) == Layout.pencil(cube, (7, 1), 0)
    assert Layout.brick(cube, 8) == Layout.brick(cube, (2, 2, 2))
    assert Layout.brick(cube, 30) == Layout.brick(cube, (5, 3, 2))
    assert Layout.cyclic(cube, 6) == Layout.cyclic(cube, (6, 1, 1))


@pytest.mark.parametrize(
    ("make", "error", "words"),
    [
        (lambda: Layout.slab((4, 0), 2), ValueError, "positive"),
        (lambda: Layout.slab((4,) * 5, 2), ValueError, "1 to 4 axes"),
        (lambda: Layout.slab((4, 4), 2, axis=2), ValueError, "axis 2"),
        (lambda: Layout.slab((4, 4.5), 2), TypeError, "integers"),
        (lambda: Layout.slab((4, 4), 2, order=(0, 0)), ValueError, "order"),
        (lambda: Layout.slab((4, 4), 0), ArgumentError, None),
        (lambda: Layout.brick((4, 4), (2,)), ArgumentError, None),
        (lambda: Layout.boxes((4,), [[(0, 2)], [(1, 4)]]), ArgumentError, None),
        (lambda: Layout.boxes((4,), [[(0, 2)], [(3, 4)]]), ArgumentError, None),
        (lambda: Layout.boxes((4,), [[(0, 5)]]), ValueError, "axis of 4"),
        (lambda: Layout.slab((4, 4), 2).local(2), ValueError, "rank 2"),
        (lambda: Layout.pencil((4,), 2), ValueError, "pencils"),
        (Layout, TypeError, "Layout.slab"),
    ],
)
def test_bad_layouts(make, error, words):
    with pytest.raises(error, match=words):
        make()
