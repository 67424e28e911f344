"""Every rank runs the same tests; only rank 0 reports, unless another rank fails."""

import numpy as np
import pytest
from mpi4py import MPI

import shardfft
from shardfft._plans import recent

COMM = MPI.COMM_WORLD


@pytest.hookimpl(trylast=True)
def pytest_configure(config):
    if COMM.rank != 0:
        reporter = config.pluginmanager.getplugin("terminalreporter")
        config.pluginmanager.unregister(reporter)


def pytest_runtest_logreport(report):
    if COMM.rank != 0 and report.failed:
        print(f"[rank {COMM.rank}] {report.nodeid} failed in {report.when}\n{report.longreprtext}", flush=True)


def pytest_sessionfinish(session, exitstatus):
    # One rank's failure is the whole run's.
    session.exitstatus = max(COMM.allgather(int(exitstatus)))


@pytest.fixture
def comm():
    COMM.Barrier()
    return COMM


@pytest.fixture
def rng():
    """The same numbers on every rank."""
    return np.random.default_rng(20240607)


@pytest.fixture
def close(comm):
    """Compare gathered results with NumPy's on rank 0; all ranks fail together."""

    def compare(local, layout, exact, precision="float64"):
        whole = shardfft.gather(local, layout, comm)
        error = None
        if comm.rank == 0:
            assert whole.shape == exact.shape
            size = max(1, exact.size)
            bound = 8 * np.finfo(precision).eps * max(1.0, np.log2(size)) * max(1e-300, np.linalg.norm(exact))
            distance = float(np.linalg.norm(whole - exact))
            error = None if distance <= bound else f"distance {distance:.3e} is above {bound:.3e}"
        error = comm.bcast(error)
        assert error is None, error

    return compare


@pytest.fixture
def made(comm, monkeypatch):
    """Plans that were made, in their order; none is kept from before."""
    plans = []

    def count(*arguments, **options):
        plans.append(shardfft.plan(*arguments, **options))
        return plans[-1]

    shardfft.clear_plans()
    monkeypatch.setattr(recent, "plan", count)
    yield plans
    shardfft.clear_plans()
