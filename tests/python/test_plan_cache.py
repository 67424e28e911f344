"""Plans that fftn and its siblings keep: which ones, for which calls, and how they end."""

import os
import subprocess
import sys
import threading

import numpy as np
import own_process
import pytest

import shardfft
from shardfft import Layout
from shardfft._arrays import redistribute as redistribute_room
from shardfft._plans import recent
from shardfft.compat import mpi4py_fft as twin


def closed(plans):
    return [plan._core.closed for plan in plans]


def local_zeros(comm, shape, dtype=complex):
    return np.zeros(Layout.slab(shape, comm.size).local_shape(comm.rank), dtype)


def test_both_directions_share_a_plan(comm, rng, close, made):
    shape, layout = (6, 5, 4), Layout.slab((6, 5, 4), comm.size)
    for _ in range(3):
        x = rng.standard_normal(shape) + 1j * rng.standard_normal(shape)
        spectrum = shardfft.fftn(x[layout.local(comm.rank)], comm)
        close(spectrum, layout, np.fft.fftn(x))
        close(shardfft.ifftn(spectrum, comm), layout, x)
    assert closed(made) == [False]


def test_results_are_not_the_next_calls(comm, made):
    first = shardfft.fftn(local_zeros(comm, (4, 4)) + 1, comm)
    before = first.copy()
    shardfft.fftn(local_zeros(comm, (4, 4)) + 2, comm)
    assert np.array_equal(first, before)


@pytest.mark.parametrize(
    "change",
    [
        {"norm": "ortho"},
        {"axes": (0,)},
        {"threads": 2},
        {"chunks": 2},
        {"exchange": "alltoallv"},
        {"layout": "turned"},
        {"dtype": "complex64"},
        {"shape": (8, 4)},
    ],
)
def test_what_matters_makes_another_plan(comm, made, change):
    def call(shape=(6, 4), dtype="complex128", layout=None, **options):
        if layout == "turned":
            layout = Layout.slab(shape, comm.size, order=(1, 0))
        shardfft.fftn(local_zeros(comm, shape, dtype), comm, layout=layout, **options)

    for arguments in ({}, change, {}, change):
        call(**arguments)
    assert closed(made) == [False, False]


def test_the_oldest_is_closed(comm, made):
    sizes = range(8, 9 + recent.LIMIT)
    for size in sizes:
        shardfft.fftn(local_zeros(comm, (size, 2)), comm)
        shardfft.fftn(local_zeros(comm, (8, 2)), comm)  # the first one stays in use
    assert closed(made) == [False, True] + [False] * (len(sizes) - 2)
    shardfft.clear_plans()
    assert all(closed(made))
    shardfft.fftn(local_zeros(comm, (8, 2)), comm)
    assert closed(made) == [True] * len(sizes) + [False]


def test_another_communicator_of_the_same_ranks(comm, made):
    for _ in range(3):
        copy = comm.Dup()
        shardfft.fftn(local_zeros(copy, (4, 4)), copy)
        copy.Free()
    assert closed(made) == [False]


def test_other_ranks_keep_other_plans(comm, made):
    """Halves evict at their own pace, and the world's plans stay."""
    shardfft.fftn(local_zeros(comm, (4, 4)), comm)
    half = comm.Split(comm.rank % 2, comm.rank)
    for size in range(8, 9 + (comm.rank % 2) * 2 * recent.LIMIT):
        shardfft.fftn(local_zeros(half, (size, 3)), half)
    backwards = comm.Split(0, -comm.rank)
    shardfft.fftn(local_zeros(backwards, (4, 4)), backwards)
    count = len(made)
    shardfft.fftn(local_zeros(comm, (4, 4)), comm)
    assert len(made) == count
    shardfft.clear_plans()
    assert all(closed(made))
    backwards.Free()
    half.Free()


def test_ranks_that_differ_fail_together(comm, made):
    if comm.size == 1:
        pytest.skip("needs two ranks")
    for norm in ("ortho", "forward"):
        shardfft.fftn(local_zeros(comm, (4, 4)), comm, norm=norm)
    with pytest.raises(shardfft.Error):
        shardfft.fftn(local_zeros(comm, (4, 4)), comm, norm="ortho" if comm.rank == 0 else "forward")
    with pytest.raises(shardfft.Error):
        shardfft.fftn(local_zeros(comm, (4, 4)), comm, norm="ortho" if comm.rank == 0 else "backward")
    shardfft.fftn(local_zeros(comm, (4, 4)), comm, norm="ortho")
    assert closed(made) == [False, False]


def test_traced_plans_end_at_once(comm, made, tmp_path):
    path = comm.bcast(str(tmp_path / "trace.json"))
    for _ in range(2):
        shardfft.fftn(local_zeros(comm, (4, 4)), comm, trace=path)
        assert comm.rank > 0 or os.path.getsize(path) > 0
    assert closed(made) == [True, True]


def test_other_threads_keep_nothing(comm, made):
    if comm.size > 1:
        pytest.skip("MPI may be used by one thread only")
    thread = threading.Thread(target=lambda: shardfft.fftn(local_zeros(comm, (4, 4)), comm))
    thread.start()
    thread.join()
    assert closed(made) == [True]


@pytest.mark.parametrize("failing", [False, True])
def test_exit_with_plans_kept(comm, failing):
    """A process of its own, which MPI does not know as one of this job."""
    if comm.rank > 0:
        pytest.skip("one rank is enough")
    program = "import numpy, shardfft; shardfft._core.warn_of_leaks(True); shardfft.fftn(numpy.ones((4, 4)))"
    program += "; 1 / 0" if failing else ""
    environment = own_process.environment()
    done = subprocess.run(
        [sys.executable, "-c", program], env=environment, capture_output=True, text=True, timeout=100, check=False
    )
    assert done.returncode == int(failing), done.stderr
    assert ("ZeroDivisionError" in done.stderr) == failing, done.stderr
    assert "leaked" not in done.stderr, done.stderr


def test_redistributions_are_planned_once(comm, rng, monkeypatch):
    """By ``redistribute``, by arrays and by the transfers of mpi4py-fft's twin; other groups keep their own."""
    made = []
    core = redistribute_room._core.Redistribution
    monkeypatch.setattr(redistribute_room._core, "Redistribution", lambda *words: made.append(words) or core(*words))
    shardfft.clear_plans()
    rows = shardfft.Layout.slab((8, 6), comm.size)
    columns = shardfft.Layout.slab((8, 6), comm.size, axis=1)
    whole = rng.standard_normal((8, 6))
    d = shardfft.DistArray.from_global(whole, comm, rows)
    for turn in range(100):
        d.local[...] = whole[rows.local(comm.rank)] + turn
        moved = shardfft.redistribute(d.local, rows, columns, comm) if turn % 2 else d.redistribute(columns).local
        assert np.array_equal(moved, whole[columns.local(comm.rank)] + turn)
    assert len(made) == 1
    pencil = twin.Pencil(twin.Subcomm(comm, [0, 1]), (8, 6))
    other = pencil.pencil(0)
    transfer = pencil.transfer(other, float)
    a, b = np.ones(pencil.subshape), np.zeros(other.subshape)
    for _ in range(100):
        transfer.forward(a, b)
        assert (b == 1).all()
    assert len(made) == 2
    with pytest.raises((ValueError, shardfft.Error)):
        shardfft.redistribute(d.local[:0] if comm.rank == 0 else d.local, rows, columns, comm)
    shardfft.clear_plans()
    shardfft.redistribute(d.local, rows, columns, comm)
    assert len(made) == 3
    b[...] = 0
    transfer.forward(a, b)  # which remembers a plan that was closed
    assert (b == 1).all() and len(made) == 4
