"""Processes that are forked from a rank, and programs that end while they hold plans."""

import multiprocessing
import subprocess
import sys

import numpy as np
import own_process
import pytest

import shardfft

SHAPE = (8, 6, 10)


def in_children(work, count=2):
    """Give the result of ``work``, or the words of its exception, in forked processes."""
    context = multiprocessing.get_context("fork")
    results = context.SimpleQueue()

    def child():
        try:
            results.put(work())
        except Exception as error:
            results.put(f"{type(error).__name__}: {error}")

    children = [context.Process(target=child) for _ in range(count)]
    for one in children:
        one.start()
    for one in children:
        one.join(60)
        assert one.exitcode == 0, "a child waits or was ended"
    return [results.get() for _ in children]


@pytest.mark.parametrize("threads", [1, 2])
def test_children_are_refused(comm, rng, close, threads):
    x = rng.standard_normal(SHAPE) + 0j
    with shardfft.plan(SHAPE, comm=comm, threads=threads, effort="estimate") as plan:
        local = plan.input.empty()
        local[...] = x[plan.input.slices]
        plan.forward(local)
        for made in (lambda: plan.forward(local), plan.report, plan.allocate_input):
            for said in in_children(made):
                assert "ArgumentError: this plan was made before this process was forked" in said
        for makes in (
            lambda: shardfft.plan(SHAPE, comm=comm),
            lambda: shardfft.fftn(local, comm),
            lambda: shardfft.gather(local, plan.input.layout, comm),
        ):
            for said in in_children(makes):
                assert "ArgumentError: this process was forked from one that had initialised MPI" in said
        assert in_children(plan.close) == [None, None]
        assert in_children(shardfft.clear_plans) == [None, None]
        close(plan.forward(local), plan.output.layout, np.fft.fftn(x))


def test_children_have_arrays_of_their_own(comm):
    with shardfft.plan(SHAPE, comm=comm, effort="estimate") as plan:
        array = plan.allocate_input()
        array[...] = 1

        def write():
            seen = bool(np.all(array == 1))
            array[...] = 2
            return seen and bool(np.all(array == 2))

        assert in_children(write) == [True, True]
        assert np.all(array == 1)


def test_plans_that_are_held_at_the_end_are_no_leak(comm):
    """By a cycle of references, and by a thread that nobody waits for."""
    if comm.rank > 0:
        pytest.skip("one rank is enough")
    program = """
import threading, time, types, shardfft
plan, other = (shardfft.plan((4, 4), effort="estimate") for _ in range(2))
cycle = types.SimpleNamespace(plan=plan)
cycle.itself = cycle
threading.Thread(target=lambda held: time.sleep(1000), args=(other,), daemon=True).start()
"""
    environment = own_process.environment()
    done = subprocess.run(
        [sys.executable, "-c", program], env=environment, capture_output=True, text=True, timeout=100, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
