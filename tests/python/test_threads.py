"""Several threads of a rank: one plan is one thread's at a time, and who waits in a plan lets the others run."""

import threading
import time

import numpy as np
import pytest
from mpi4py import MPI

import shardfft

SHAPE = (8, 6, 4)

pytestmark = pytest.mark.skipif(
    MPI.Query_thread() < MPI.THREAD_MULTIPLE or MPI.COMM_WORLD.size < 2, reason="needs threads that call MPI, and ranks"
)


def _in_thread(work):
    """Run ``work`` on another thread of the first rank; the thread gives back its exception."""
    raised = []

    def run():
        try:
            work()
        except Exception as error:
            raised.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    return thread, raised


def test_a_plan_is_one_threads_at_a_time(comm):
    plan = shardfft.plan(SHAPE, comm=comm, effort="estimate")
    x = np.zeros(plan.input.shape, plan.input.dtype)
    if comm.rank == 0:
        thread, raised = _in_thread(lambda: plan.forward(x))
        time.sleep(0.5)  # it waits for the other ranks by now
        for call in (plan.close, plan.report, lambda: plan.forward(x)):
            with pytest.raises(shardfft.ArgumentError, match="another thread"):
                call()
        comm.Barrier()
        thread.join()
        assert not raised
    else:
        comm.Barrier()
        plan.forward(x)
    plan.close()


def test_who_waits_in_close_lets_others_run(comm, tmp_path):
    plan = shardfft.plan(SHAPE, comm=comm, effort="estimate", trace=str(tmp_path / "trace.json"))
    if comm.rank == 0:
        thread, raised = _in_thread(plan.close)  # waits for the traces of the other ranks
        comm.Barrier()
        thread.join()
        assert not raised
    else:
        comm.Barrier()
        plan.close()
    assert plan._core.closed
