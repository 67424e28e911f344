"""Layouts from each rank's own part."""

import pytest

import shardfft
from shardfft import Layout, gather_layout


def test_own_boxes(comm):
    shape, n = (comm.size * 2, 5), comm.rank
    assert gather_layout(shape, (slice(2 * n, 2 * n + 2), slice(None)), comm) == Layout.slab(shape, comm.size)
    backwards = comm.size - 1 - n
    layout = gather_layout(shape, ((2 * backwards, 2 * backwards + 2), (0, 5)), comm, order=(1, 0))
    assert layout.local(n) == (slice(2 * backwards, 2 * backwards + 2, 1), slice(0, 5, 1)) and layout.order == (1, 0)
    strided = gather_layout(shape, (slice(n, None, comm.size), slice(None)), comm)
    assert strided == Layout.cyclic(shape, comm.size)
    alone = gather_layout((3, 4), ((0, 3), (0, 4)) if n == 0 else ((0, 0), (0, 0)), comm)
    assert alone.count(0) == 12


def test_errors_on_every_rank(comm):
    last = comm.rank == comm.size - 1
    for make, words in [
        (lambda: gather_layout((4, 4), ((0, 4), (0, 3)), comm), "tile|own|element|cover"),
        (lambda: gather_layout((4, 4), ((0, 4),) if last else ((0, 4), (0, 4)), comm), "1 ranges for 2 axes"),
        (lambda: gather_layout((4, 4), 3, comm), "failed|iterable|object"),
        (lambda: gather_layout((4, 4), ((0, 9), (0, 4)), comm), "does not lie in an axis of 4"),
    ]:
        with pytest.raises((ValueError, TypeError, shardfft.Error), match=words):
            make()
    if comm.size > 1:
        with pytest.raises(ValueError, match="different shapes"):
            gather_layout((4, 4 + last), ((0, 4), (0, 4)), comm)
