"""One rank is wrong, or asks for something else: an error on every rank, and no rank left waiting."""

from types import SimpleNamespace

import numpy as np
import pytest

import shardfft
from shardfft import DistArray, Layout

pytestmark = pytest.mark.ranks


@pytest.mark.parametrize(
    "make",
    [
        lambda bad, comm: shardfft.DistArray.from_local([[1], [2, 3]] if bad else np.ones((2, 3)), comm),
        lambda bad, comm: shardfft.DistArray.from_function(lambda x, y: 1 / 0 if bad else x + y, (4, 6), comm),
        lambda bad, comm: shardfft.DistArray.from_global("text" if bad else np.ones((4, 6)), comm, layout="slab"),
        lambda bad, comm: shardfft.DistArray.zeros((4, -6) if bad else (4, 6), comm=comm),
        lambda bad, comm: shardfft.DistArray.load("/no/such/place" if bad else "/nor/such/place", comm),
        lambda bad, comm: shardfft.redistribute(object() if bad else np.ones((2, 3)), None, "pencil", comm),
        lambda bad, comm: np.fft.fftn(shardfft.DistArray.zeros((4, 6), comm=comm), norm="both" if bad else None),
        lambda bad, comm: shardfft.fftn(np.ones((2, 3, 4, 5, 6)) if bad else np.ones((2, 3)), comm),
        lambda bad, comm: shardfft.gradient(shardfft.DistArray.zeros((4, 6), comm=comm), -1 if bad else 1.0),
    ],
)
def test_one_rank_raises_and_none_waits(comm, make):
    bad = comm.rank == comm.size - 1
    with pytest.raises((TypeError, ValueError, ZeroDivisionError, OSError, shardfft.Error)) as raised:
        make(bad, comm)
    texts = comm.allgather(str(raised.value))
    assert all(texts)
    comm.Barrier()


@pytest.mark.parametrize(
    "call",
    [
        lambda x, last: np.fft.fftn(x, axes=(0,) if last else (1,)),
        lambda x, last: np.fft.rfftn(x, s=(8, 6) if last else (4, 6), axes=(0, 1)),
        lambda x, last: np.fft.fft(x) if last else np.fft.ifft(x),
        lambda x, last: shardfft.fft.dctn(x, type=1 if last else 2),
        lambda x, last: np.fft.fftshift(x, axes=0 if last else 1),
    ],
)
def test_ranks_that_ask_for_different_transforms(comm, call):
    if comm.size == 1:
        pytest.skip("one rank")
    x = shardfft.DistArray.zeros((4, 6), comm=comm)
    with pytest.raises(shardfft.ArgumentError, match="the ranks gave different arguments") as raised:
        call(x, comm.rank == comm.size - 1)
    assert raised.value.status == "mismatch"


@pytest.mark.parametrize(
    ("calls", "words"),
    [
        ((lambda d: d.sum(), lambda d: d.max()), r"different numbers \(rank 0: sum along .*; rank \d: max along "),
        ((lambda d: d.sum(0), lambda d: d.sum(1)), r"sum along axes \(0,\).*sum along axes \(1,\)"),
        ((lambda d: d.var(), lambda d: d.sum()), "different numbers.*var along.*sum along"),
        ((lambda d: d.var(), lambda d: d.var(0)), "var is that of all numbers"),
        ((lambda d: d.sum(), lambda d: d[:, :4].sum()), "different numbers.*4x6.*4x4"),
        ((lambda d: d.sum(), lambda d: d.redistribute("slab").sum()), "different numbers.*fingerprint"),
        ((lambda d: d[1, 2], lambda d: d[1, 3]), "different elements.*3]"),
        ((lambda d: d.sum(), lambda d: d.gather()), r"different calls \(rank 0 in test_ranks_differ.py, line \d+: "),
        ((lambda d: d.gather(), lambda d: d.gather(0)), "gather to all.*gather with root 0"),
        ((lambda d: d[1, 2], lambda d: np.fft.fft2(d)), "different calls"),
        ((lambda d: shardfft.rfftn(d), lambda d: np.fft.rfftn(d)), "different calls"),
        ((lambda d: np.fft.rfftn(d), lambda d: d.redistribute("pencil")), "different calls"),
        ((lambda d: d.redistribute("slab"), lambda d: shardfft.fftn(d)), "different calls"),
        ((lambda d: shardfft.plan((4, 6), comm=d.comm), lambda d: shardfft.fftn(d)), "different calls"),
        ((lambda d: shardfft.HaloExchange(d.layout, 1, comm=d.comm), lambda d: np.fft.fft2(d)), "different calls"),
    ],
)
@pytest.mark.parametrize("before", [False, True])
def test_ranks_that_make_different_calls(comm, calls, words, before):
    if comm.size == 1:
        pytest.skip("one rank")
    shardfft.clear_plans()
    d = DistArray.from_global(np.arange(24.0).reshape(4, 6), comm, Layout.slab((4, 6), comm.size, 1))
    for call in (
        (lambda d: np.fft.rfftn(d), lambda d: d.redistribute("pencil"), lambda d: shardfft.rfftn(d)) if before else ()
    ):
        for _ in range(3):  # plans are remembered, and calls have numbers
            call(d)
    with pytest.raises((NotImplementedError, shardfft.Error), match=words) as raised:
        calls[comm.rank == comm.size - 1](d)
    assert getattr(raised.value, "status", "mismatch") in ("mismatch", "invalid_argument")
    assert d.sum() == 276 and np.array_equal(np.fft.rfftn(d).gather(), np.fft.rfftn(d.gather()))


def test_numbers_of_calls_of_two_sorts(comm):
    """The first call of each sort that finds its plan."""
    if comm.size == 1:
        pytest.skip("one rank")
    shardfft.clear_plans()
    d = DistArray.zeros((4, 6), comm=comm)
    to = Layout.slab((4, 6), comm.size, 1)
    for call in (shardfft.fftn, lambda d: d.redistribute(to)):
        call(d)
    with pytest.raises(shardfft.ArgumentError, match="different calls") as raised:
        shardfft.fftn(d) if comm.rank == 0 else d.redistribute(to)
    assert raised.value.status == "mismatch"


@pytest.mark.parametrize("call", ["gather", "scatter", "redistribute", "from_global", "zeros", "fftn"])
def test_different_layouts(comm, call):
    """Of the same local shapes too."""
    if comm.size == 1:
        pytest.skip("one rank")
    n, last = comm.size, comm.rank == comm.size - 1
    boxes = [[(rank, rank + 1), (0, 3)] for rank in range(n)]
    layouts = Layout.boxes((n, 3), boxes), Layout.boxes((n, 3), boxes[::-1])
    block, whole = np.full((1, 3), float(comm.rank)), np.arange(3.0 * n).reshape(n, 3)
    calls = {
        "gather": lambda layout: shardfft.gather(block, layout, comm),
        "scatter": lambda layout: shardfft.scatter(whole, layout, comm),
        "redistribute": lambda layout: shardfft.redistribute(block, layout, "slab", comm),
        "from_global": lambda layout: DistArray.from_global(whole, comm, layout),
        "zeros": lambda layout: DistArray.zeros((n, 3), comm=comm, layout=layout),
        "fftn": lambda layout: shardfft.fftn(block, comm, layout=layout),
    }
    for pair in (layouts, (layouts[0], "slab")):
        with pytest.raises(shardfft.ArgumentError, match=r"the ranks gave different .*fingerprint") as raised:
            calls[call](pair[last])
        assert raised.value.status == "mismatch"
        calls[call](pair[0])


def test_written_shapes_that_fit_nowhere_are_refused_on_all_ranks(comm):
    d, v = DistArray.zeros((7, 8, 5), comm=comm), DistArray.zeros((7, 4), comm=comm, components=3)
    for array, key, value in [
        (d, 0, np.zeros((8, 4))),
        (d, (6, ..., 2), np.zeros((2, 8))),
        (d, (slice(0, 1), 3), [1.0, 2.0]),
        (d, (1, 2, 3), np.zeros(2)),
        (v, (slice(0, 2), 0), np.zeros((3, 4))),
    ]:
        with pytest.raises(ValueError, match="could not broadcast a value of shape"):
            array[key] = value
    assert abs(d).max() == 0 and abs(v).max() == 0
    # No rank asks another: one may write alone, and another gives numbers for its own share only.
    held = d.layout.local(comm.rank)[0]
    rows = held.stop - held.start
    d._comm = SimpleNamespace(rank=comm.rank)
    if comm.rank == comm.size - 1:
        d[0] = np.arange(5.0)
    d[...] = np.ones((rows, 1, 5))
    d[0, 1] = np.full((1, 1, 5), 2.0)
    d[0, 2, 3] = np.array(3.0)
    d[0, :2] = np.zeros((0, 5)) if 0 not in range(held.start, held.stop) else [[4.0] * 5] * 2
    d._comm = comm
    assert d.sum() == 7 * 8 * 5 + 30 + 2
