"""Calls that all ranks made before meet once, and every mistake is still an error on all ranks."""

import numpy as np
import pytest
import scipy.fft
from mpi4py import MPI

import shardfft
from shardfft.compat.mpi4py_fft.pencil import Transfer

pytestmark = pytest.mark.ranks
#: The communicator by which ranks talk; plans have one of their own.
WORDS = (
    "allgather",
    "Allgather",
    "allreduce",
    "Allreduce",
    "bcast",
    "Bcast",
    "alltoall",
    "gather",
    "Barrier",
    "barrier",
)


class Counting(MPI.Intracomm):
    """A communicator that counts its meetings."""

    meetings = 0

    def __getattribute__(self, name):
        if name in WORDS:
            Counting.meetings += 1
        return super().__getattribute__(name)


@pytest.fixture
def counting(comm, monkeypatch):
    extremes = shardfft._core.extremes

    def counted(*arguments):
        Counting.meetings += 1
        return extremes(*arguments)

    monkeypatch.setattr(shardfft._core, "extremes", counted)
    shardfft.clear_plans()
    yield Counting(comm)
    shardfft.clear_plans()


def rows(dtype=float):
    return np.arange(24.0).reshape(4, 6).astype(dtype)


CALLS = {
    "fftn": lambda x, comm: shardfft.fftn(x, comm),
    "rfftn": lambda x, comm: shardfft.rfftn(x, comm),
    "ifft": lambda x, comm: shardfft.ifft(x, comm, axis=0),
    "irfft2": lambda x, comm: shardfft.irfft2(x, comm),
    "dctn": lambda x, comm: shardfft.dctn(x, comm, type=3, norm="ortho", chunks=2),
    "convolve": lambda x, comm: shardfft.convolve(x, x, comm),
    "of a layout": lambda x, comm: shardfft.fftn(x, comm, layout="slab"),
    "fft.rfftn": lambda x, comm: shardfft.fft.rfftn(x, comm=comm),
    "fft.irfft": lambda x, comm: shardfft.fft.irfft(x, comm=comm),
}


@pytest.mark.parametrize("name", CALLS)
def test_rows(comm, counting, name):
    call, x = CALLS[name], rows(complex if "irfft" in name else float)
    first = call(x, counting)
    Counting.meetings = 0
    again = call(x + 1, counting)
    assert Counting.meetings == (counting.size > 1)
    shardfft.clear_plans()
    assert np.array_equal(again, call(x + 1, comm)) and again.dtype == first.dtype and type(again) is np.ndarray


@pytest.mark.parametrize("call", [shardfft.rfftn, np.fft.rfftn, np.fft.rfft2, scipy.fft.rfftn], ids=repr)
@pytest.mark.parametrize("components", [False, True])
def test_arrays(counting, call, components):
    x = np.ones((2, 4, 6)) if components else rows()
    d = shardfft.DistArray.from_local(x, counting, components=components)
    with scipy.fft.set_backend(shardfft.scipy):
        first = call(d)
        Counting.meetings = 0
        again = call(d)
    assert Counting.meetings == (counting.size > 1)
    assert type(again) is shardfft.DistArray and np.array_equal(first.local, again.local)
    assert len(again.frequencies()) == 2


def test_changes_of_layout(counting):
    shape = (4 * counting.size, 6)
    rows, columns = (shardfft.Layout.slab(shape, counting.size, axis) for axis in (0, 1))
    x = np.arange(24.0).reshape(rows.local_shape(counting.rank))
    y = np.empty(columns.local_shape(counting.rank))
    d = shardfft.DistArray.from_local(x, counting, rows)
    transfer = Transfer(counting, shape, float, x.shape, 1, y.shape, 0)
    for call in (
        lambda: shardfft.redistribute(x, rows, columns, counting),
        lambda: d.redistribute(columns).local,
        lambda: transfer.forward(x, y) or y,
    ):
        first = call().copy()
        Counting.meetings = 0
        again = call()
        assert Counting.meetings == (counting.size > 1)
        assert np.array_equal(first, again)


def mine(comm, usual, other):
    """``other`` on the last rank."""
    return other if comm.rank == comm.size - 1 else usual


MISTAKES = {
    "norm": lambda c: shardfft.rfftn(rows(), c, norm=mine(c, None, "ortho")),
    "axes": lambda c: shardfft.rfftn(rows(), c, axes=mine(c, None, (0,))),
    "kind": lambda c: mine(c, shardfft.rfftn, shardfft.fftn)(rows(), c),
    "direction": lambda c: mine(c, shardfft.ifftn, shardfft.fftn)(rows(complex), c),
    "dtype": lambda c: shardfft.rfftn(mine(c, rows(), rows(complex)), c),
    "object": lambda c: shardfft.rfftn(mine(c, rows(), "text"), c),
    "layout": lambda c: shardfft.rfftn(rows(), c, layout=mine(c, None, "slab")),
    "shape": lambda c: shardfft.rfftn(mine(c, rows(), rows()[:, :5]), c),
    "option": lambda c: shardfft.rfftn(rows(), c, **mine(c, {}, {"chunk": 2})),
    "1 for True": lambda c: shardfft.rfftn(rows(), c, check_calls=mine(c, True, 1)),
    "name": lambda c: mine(c, shardfft.fft.rfftn, shardfft.fft.fftn)(rows(), comm=c),
    "s": lambda c: shardfft.fft.rfftn(rows(), s=mine(c, None, (4,)), axes=(1,), comm=c),
    "dtypes of arrays": lambda c: shardfft.fft.rfftn(mine(c, rows(), rows(int)), comm=c),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_mistakes_after_right_calls(comm, counting, name):
    if comm.size == 1:
        pytest.skip("there is nobody to differ from")
    for call in (
        shardfft.rfftn,
        shardfft.fftn,
        lambda x, c: shardfft.rfftn(x, c, check_calls=True),
        CALLS["fft.rfftn"],
    ):
        call(rows(), counting)
    shardfft.ifftn(rows(complex), counting)
    for _ in range(2):
        with pytest.raises((TypeError, ValueError, shardfft.Error)):
            MISTAKES[name](counting)
        assert np.array_equal(shardfft.rfftn(rows(), counting), shardfft.rfftn(rows(), comm))


def test_each_rank_has_asked_so_but_not_together(comm, counting):
    """One rank's double makes all double; that each has asked with single precision before says nothing."""
    single, double = rows(np.complex64), rows(complex)
    for _ in range(2):
        shardfft.fftn(mine(comm, single, double), counting)
        shardfft.fftn(mine(comm, double, single), counting)
        assert shardfft.fftn(single, counting).dtype == np.complex64
        assert shardfft.fftn(mine(comm, single, double), counting).dtype == np.complex128


def test_plans_that_were_closed_are_not_asked_again(comm, counting):
    for size in (4, 5, 6, 7, 8, 9, 4):
        x = np.ones((4, size))
        assert np.allclose(shardfft.ifftn(shardfft.fftn(x, counting), counting), x)
