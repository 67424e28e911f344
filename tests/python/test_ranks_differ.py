"""One rank is wrong, or asks for something else: an error on every rank, and no rank left waiting."""

import numpy as np
import pytest

import shardfft

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
