"""Wrong arguments: a clear error on every rank, and no rank left waiting."""

import copy
import pickle
import re
import sys
import threading
import types

import numpy as np
import pytest

import shardfft
from shardfft import Layout
from shardfft._ground import mpi, telling

pytestmark = pytest.mark.ranks

SHAPE = (8, 6, 4)


@pytest.fixture
def plan(comm):
    with shardfft.plan(SHAPE, comm=comm, output="natural", effort="estimate") as made:
        yield made


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"kind": "c2d"}, ValueError, "kind"),
        ({"dtype": "int32"}, TypeError, "dtype"),
        ({"layout": "slabs"}, ValueError, "unknown layout 'slabs'"),
        ({"layout": 3}, TypeError, "layout"),
        ({"output": "nowhere"}, ValueError, "nowhere"),
        ({"norm": "both"}, ValueError, "norm"),
        ({"effort": "lots"}, ValueError, "effort"),
        ({"axes": (0, 3)}, ValueError, "axis 3"),
        ({"axes": (0, -3)}, ValueError, "axis 0 more than once"),
        ({"axes": ()}, ValueError, "axes is empty: there is nothing to transform"),
        ({"n": 6}, ValueError, "c2r"),
        ({"algorithm": "magic"}, shardfft.ArgumentError, "magic"),
        ({"exchange": "pigeons"}, shardfft.ArgumentError, "pigeons"),
        ({"local_fft": "abacus"}, shardfft.ArgumentError, "abacus"),
        ({"batch": 0}, ValueError, "batch"),
        ({"threads": "two"}, TypeError, None),
        ({"kind": "c2r", "n": 20}, ValueError, None),
    ],
)
def test_bad_options(comm, options, error, words):
    with pytest.raises(error, match=words):
        shardfft.plan(SHAPE, comm=comm, **{"effort": "estimate", **options})


def test_which_arguments_differ(comm):
    if comm.size == 1:
        pytest.skip("one rank")
    last = comm.rank == comm.size - 1
    words = rf"different input layouts \(rank 0: 8x6x4 cut in {comm.size}x1x1; rank {comm.size - 1}: 8x6x5 cut in"
    with pytest.raises(shardfft.ArgumentError, match=words):
        shardfft.plan((8, 6, 5 if last else 4), comm=comm)
    words = rf"values of option chunks \(rank 0: 1; rank {comm.size - 1}: 2\); all must"
    with pytest.raises(shardfft.ArgumentError, match=words):
        shardfft.plan(SHAPE, comm=comm, chunks=2 if last else 1)
    with pytest.raises(shardfft.ArgumentError, match=r"precisions \(rank 0: double; rank \d: single\)"):
        shardfft.plan(SHAPE, dtype="float32" if last else "float64", comm=comm)


def test_out_in_another_order(comm):
    """asarray() of it would be a copy, which takes the result."""
    with shardfft.plan((8, 4, 6), comm=comm, effort="estimate") as plan:
        for run, x, side, word in [
            (plan.forward, plan.input, plan.output, "output"),
            (plan.backward, plan.output, plan.input, "input"),
        ]:
            wrong = np.zeros(side.shape[::-1], side.dtype).T
            if side.count <= max(side.shape):
                continue
            with pytest.raises(
                (ValueError, shardfft.Error), match=rf"out must be dense.*; make it with plan\.{word}\.empty\(\)"
            ):
                run(x.zeros(), out=wrong)
            right = side.empty()
            assert run(x.zeros(), out=right) is right


def test_calls_that_do_not_match(comm, plan):
    if comm.size == 1:
        pytest.skip("one rank")
    x, y = (np.zeros(side.shape, side.dtype) for side in (plan.input, plan.output))
    with pytest.raises(shardfft.ArgumentError, match="rank 0 calls backward") as raised:
        plan.backward(y) if comm.rank == 0 else plan.forward(x)
    assert raised.value.status == "mismatch"
    plan.forward(x)


def test_a_call_that_some_ranks_do_not_make(comm):
    if comm.size == 1:
        pytest.skip("one rank")
    own = comm.Dup()
    plan = shardfft.plan(SHAPE, comm=own, effort="estimate", call_timeout=2)
    x = np.zeros(plan.input.shape, plan.input.dtype)
    if comm.rank > 0:
        with pytest.raises(shardfft.Error, match="waited 2 s for rank") as raised:
            plan.forward(x)
        assert raised.value.status == "timed_out"
    comm.Barrier()
    with pytest.raises(shardfft.Error, match="waited 2 s for rank"):
        plan.forward(x)
    plan.close()


def test_bad_communicator():
    from mpi4py import MPI

    with pytest.raises(TypeError, match="mpi4py communicator"):
        shardfft.plan(SHAPE, comm=42)
    with pytest.raises(ValueError, match="intracommunicator"):
        shardfft.plan(SHAPE, comm=MPI.COMM_NULL)


def test_layout_of_other_ranks_or_shape(comm):
    with pytest.raises(ValueError, match="there are"):
        shardfft.plan(SHAPE, comm=comm, layout=Layout.slab(SHAPE, comm.size + 1))
    with pytest.raises(ValueError, match="shape"):
        shardfft.plan(SHAPE, comm=comm, layout=Layout.slab((8, 6, 5), comm.size))
    with pytest.raises(ValueError, match=r"\(8, 6, 3\)"):
        shardfft.plan(SHAPE, "r2c", comm=comm, output=Layout.slab(SHAPE, comm.size))


def test_bad_arrays(comm, plan):
    good = plan.input.zeros()
    for bad, error, words in [
        (good.tolist(), TypeError, "NumPy array"),
        (good.real.copy(), TypeError, "dtype complex128, not float64"),
        (good.astype("complex64"), TypeError, "complex64"),
        (np.zeros((1, *good.shape), complex), ValueError, "shape"),
    ]:
        with pytest.raises(error, match=words):
            plan.forward(bad)
    turned = np.zeros(good.shape[::-1], complex).T
    if good.size > max(good.shape):
        with pytest.raises(ValueError, match="dense"):
            plan.forward(good, out=turned)
    fixed = good.copy()
    fixed.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        plan.forward(good, out=fixed)
    with (
        shardfft.plan(SHAPE, "r2c", comm=comm, effort="estimate", overwrite_input=True) as may,
        pytest.raises(ValueError, match="x is read-only"),
    ):
        spectrum = may.output.zeros()
        spectrum.flags.writeable = False
        may.backward(spectrum)
    flat = np.zeros(good.size + 1, complex)
    with pytest.raises(ValueError, match="overlap"):
        plan.forward(flat[:-1].reshape(good.shape), out=flat[1:].reshape(good.shape))
    plan.forward(good)  # the plan still works


def test_one_rank_wrong_fails_everywhere(comm, plan):
    """The others are told the error there."""
    x, last = plan.input.zeros(), comm.size - 1
    for bad, error, words in [
        (x.real.copy(), TypeError, "x must have dtype complex128, not float64"),
        (np.zeros((3, 2), complex), ValueError, "x must have the shape"),
        ([1, 2], TypeError, "x must be a NumPy array"),
    ]:
        with pytest.raises(error if comm.rank == last else shardfft.ArgumentError, match=words) as caught:
            plan.forward(bad if comm.rank == last else x)
        if comm.rank != last:
            assert error.__name__ in str(caught.value) and f"[rank {last}]" in str(caught.value)
    plan.forward(x)


def test_the_whole_array_is_no_part(comm):
    if comm.size == 1:
        pytest.skip("the whole array is that of one rank")
    for batch, advice in ((1, "x[plan.input.slices]"), (2, "x[..., *plan.input.slices]")):
        with shardfft.plan((8, 6), "r2c", comm=comm, batch=batch) as plan:
            whole = np.zeros((8, 6) if batch == 1 else (2, 8, 6))
            with pytest.raises(ValueError, match=re.escape(f"which is the whole array: take {advice}")):
                plan.forward(whole)
            plan.forward(np.ascontiguousarray(whole[(..., *plan.input.slices)]))


def test_words_of_others(comm):
    """Calls that users of NumPy, SciPy and mpi4py-fft write."""
    with pytest.raises(TypeError, match="a communicator is given as comm="):
        shardfft.plan((8, 6), comm)
    with pytest.raises(TypeError, match="dtype is a type of numbers: a communicator is given as comm="):
        shardfft.DistArray.zeros((8, 6), comm)
    scipy_fft = pytest.importorskip("scipy.fft")
    with pytest.raises(TypeError, match=r"set_backend\(shardfft\.scipy\)"):
        scipy_fft.dctn(shardfft.DistArray.zeros((8, 6), comm=comm))


def test_plans_cannot_be_copied(plan):
    for copied in (copy.copy, copy.deepcopy, pickle.dumps):
        with pytest.raises(TypeError, match="a Plan cannot be copied"):
            copied(plan)


def test_sides_are_copied_and_not_pickled(plan):
    for copied in (copy.copy(plan.input), copy.deepcopy(plan.input)):
        assert copied.layout == plan.input.layout and copied.zeros().shape == plan.input.shape
    with pytest.raises(TypeError, match="a Side cannot be pickled: pickle its layout"):
        pickle.dumps(plan.input)


def test_one_rank_plans_otherwise(comm):
    if comm.size == 1:
        pytest.skip("needs two ranks")
    with pytest.raises(ValueError):
        shardfft.plan((8, 6, 4 + comm.rank), comm=comm)
    with pytest.raises((TypeError, ValueError)):
        shardfft.plan("shape" if comm.rank == 0 else SHAPE, comm=comm)
    with pytest.raises(ValueError):
        shardfft.plan(SHAPE, comm=comm, norm="ortho" if comm.rank == 0 else "forward")


def test_another_mpi_library(comm, monkeypatch):
    monkeypatch.setattr(mpi, "world", None)
    monkeypatch.setattr(mpi._core, "mpi_loaded", lambda: "MPICH Version:\t9.9\nmore")
    with pytest.raises(ImportError, match=r"runs with MPICH Version: 9\.9; both must use one"):
        shardfft.plan(SHAPE, comm=comm)


def test_closed(comm):
    plan = shardfft.plan(SHAPE, comm=comm, effort="estimate")
    x = plan.input.zeros()
    plan.close()
    plan.close()
    assert "closed" in repr(plan)
    with pytest.raises(shardfft.ArgumentError, match="closed"):
        plan.forward(x)


def test_error_status(comm):
    with pytest.raises(shardfft.Error) as caught:
        shardfft.plan(SHAPE, comm=comm, algorithm="magic")
    assert caught.value.status == "invalid_argument"
    assert isinstance(caught.value, ValueError)


def test_other_threads_run_meanwhile(comm):
    """The interpreter's lock is free while a transform runs."""
    shape = (96, 96, 96)
    with shardfft.plan(shape, comm=comm, effort="estimate") as plan:
        x, out = plan.input.zeros(), plan.output.empty()
        running, ticks = threading.Event(), 0
        running.set()

        def tick():
            nonlocal ticks
            while running.is_set():
                ticks += 1

        ticker = threading.Thread(target=tick)
        ticker.start()
        try:
            before = ticks
            plan.forward(x, out=out)
            during = ticks - before
        finally:
            running.clear()
            ticker.join()
    assert during > 0


def test_one_rank_without_an_operator(comm):
    with shardfft.plan((6, 5, 4), comm=comm) as plan:
        x = plan.input.zeros()
        with pytest.raises((TypeError, shardfft.Error), match="operator must be"):
            plan.apply(None if comm.rank == 0 else shardfft.Operator.laplacian(), x)
        with pytest.raises(TypeError, match="must be numbers"):
            plan.apply(shardfft.Operator.array(np.array([None] * 4)), x)
        assert np.array_equal(plan.apply(shardfft.Operator.laplacian(), x), x)


def test_different_roots(comm):
    if comm.size > 1:
        for call in (shardfft.gather, shardfft.scatter):
            with pytest.raises(ValueError, match="different roots"):
                call(np.ones((4, 4)), "slab", comm, root=comm.rank)


def test_too_many_ranks():
    for layout in (Layout.slab, Layout.pencil, Layout.brick, Layout.cyclic, Layout.single):
        with pytest.raises(shardfft.ArgumentError, match="more ranks than any machine"):
            layout((4, 4), 2**30)


def test_integers_of_numpy(comm):
    x = np.ones((4, 6))
    same = shardfft.fft(x, comm, axis=1)
    assert np.array_equal(shardfft.fftn(x, comm, axes=np.int64(1)), same)
    assert Layout.slab(np.int64(8), np.int32(comm.size)).shape == (8,)
    assert Layout.brick((8, 8), np.int64(comm.size)) == Layout.brick((8, 8), comm.size)
    with pytest.raises(ValueError, match="must fit 32 bits"):
        Layout.slab((4, 4), 2**31)
    with pytest.raises(ValueError, match="must fit 64 bits"):
        Layout.slab((2**63, 4), comm.size)


def test_words_and_extents(comm):
    words = ["dct2", "dct3"]
    with shardfft.plan((6, 5), "r2r", comm=comm, transforms=(word for word in words)) as plan:
        assert plan.report()["kind"] == "r2r"
    with pytest.raises((TypeError, shardfft.Error), match="sequence of words"):
        shardfft.plan((6, 5), comm=comm, transforms=5)
    with pytest.raises((ValueError, shardfft.Error), match="n must be positive"):
        shardfft.irfftn(np.ones((4, 6)), comm, n=0)


def test_arrays_of_another_communicator(comm, plan):
    """Every rank gets the reason, whether one of them is wrong or all are."""
    if comm.size == 1:
        pytest.skip("one rank has one order")
    turned = comm.Split(0, comm.size - comm.rank)  # the same ranks in another order
    here, there = (
        shardfft.DistArray.from_function(lambda x, y, z: x + 1j * y + z, SHAPE, one) for one in (comm, turned)
    )
    with pytest.raises(ValueError, match="x has another communicator than the plan"):
        plan.forward(there)
    last = comm.rank == comm.size - 1
    with pytest.raises((ValueError, shardfft.Error), match="x has another communicator than the plan") as raised:
        plan.forward(there if last else here)
    assert last or f"[rank {comm.size - 1}]" in str(raised.value)
    with pytest.raises(ValueError, match="the arrays have different communicators"):
        here + there
    with pytest.raises(ValueError, match="x lies in .*redistribute"):
        plan.forward(here.redistribute(Layout.slab(SHAPE, comm.size, axis=1)))
    plan.forward(here)
    turned.Free()


def test_everything_of_a_closed_plan(comm):
    plan = shardfft.plan(SHAPE, "r2c", comm=comm, effort="estimate")
    field = shardfft.DistArray.zeros(plan.input, comm=comm)
    spectrum = plan.forward(field)
    plan.close()
    calls = [
        lambda: plan.forward(field),
        lambda: plan.backward(spectrum.local),
        lambda: plan.apply(shardfft.Operator.laplacian(), field),
        lambda: plan.convolution(field.local),
        lambda: plan.report(),
        lambda: plan.allocate_input(),
        lambda: plan.synchronize(),
    ]
    for call in calls:
        with pytest.raises(shardfft.Error, match="closed"):
            call()
    assert spectrum.spectrum_sum() == 0 and spectrum.shape == (8, 6, 3)  # arrays outlive their plan


def test_processes_that_do_not_know_each_other(comm, monkeypatch):
    """A launcher of another MPI starts so many worlds of one process."""
    monkeypatch.setattr(mpi, "world", None)
    monkeypatch.setenv("SLURM_STEP_NUM_TASKS", "4")
    if comm.size > 1:
        assert mpi.strangers() is None
        return
    with pytest.warns(RuntimeWarning, match="started 4 processes .SLURM_STEP_NUM_TASKS., but each is alone"):
        shardfft.plan(SHAPE, comm=comm, effort="estimate").close()
    shardfft.plan(SHAPE, comm=comm, effort="estimate").close()  # told once


def test_notebooks_show_three_lines(monkeypatch):
    """A shell with IPython's interface: an error of this package has its own lines there, any other keeps IPython's."""

    class Shell:
        custom_exceptions = ()
        shown = None

        def set_custom_exc(self, kinds, handler):
            self.custom_exceptions, self.handler = kinds, handler

        def showtraceback(self, told, tb_offset=None):
            self.shown = getattr(told[1], "_render_traceback_", list)()

        def run(self, cell):
            try:
                exec(compile(cell, "cell", "exec"), {"shardfft": shardfft})
            except self.custom_exceptions as error:
                self.handler(self, type(error), error, error.__traceback__.tb_next)
            return self.shown

    shell = Shell()
    monkeypatch.setitem(sys.modules, "IPython", types.SimpleNamespace(get_ipython=lambda: shell))
    telling.tell_in_notebooks()
    lines = shell.run("shardfft.plan((8, 6), exchange='pigeons')")
    assert lines[0].startswith("shardfft.ArgumentError: unknown exchange 'pigeons'") and len(lines) == 2
    assert lines[1] == '  File "cell", line 1, in <module>'  # and its source, in a notebook's cache
    assert shell.run("1 / 0") == []
    handler = shell.handler
    telling.tell_in_notebooks()
    assert shell.handler is handler, "who handles errors already goes on with it"
