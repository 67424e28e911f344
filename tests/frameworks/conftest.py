"""Processes of PyTorch, under torchrun without MPI or under mpirun; a single one for JAX, with eight fake devices."""

import os
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "support"))
DEVICES = 8
os.environ["XLA_FLAGS"] = f"{os.environ.get('XLA_FLAGS', '')} --xla_force_host_platform_device_count={DEVICES}"


def _launched():
    """Take over the launcher's words; tell whether there is one."""
    if "OMPI_COMM_WORLD_SIZE" in os.environ:
        from mpi4py import MPI

        world = MPI.COMM_WORLD
        port = world.bcast(29500 + os.getpid() % 1000 if world.rank == 0 else None)
        os.environ.update(
            RANK=str(world.rank), WORLD_SIZE=str(world.size), MASTER_ADDR="localhost", MASTER_PORT=str(port)
        )
    return "RANK" in os.environ


@pytest.hookimpl(trylast=True)
def pytest_configure(config):
    if _launched() and os.environ["RANK"] != "0":
        config.pluginmanager.unregister(config.pluginmanager.getplugin("terminalreporter"))


def pytest_runtest_logreport(report):
    if os.environ.get("RANK", "0") != "0" and report.failed:
        print(f"[rank {os.environ['RANK']}] {report.nodeid} failed\n{report.longreprtext}", flush=True)


@pytest.fixture(scope="session")
def processes():
    """The number of PyTorch's processes."""
    torch = pytest.importorskip("torch", reason="PyTorch is not installed: DTensors are not tested")
    if "RANK" not in os.environ:
        pytest.skip("DTensors are tested under torchrun and mpirun: .ci/run frameworks")
    import torch.distributed as dist

    torch.set_num_threads(1)
    on_gpus = os.environ.get("SHARDFFT_TEST_DEVICE") == "cuda"
    if on_gpus:
        torch.cuda.set_device(int(os.environ["RANK"]) % torch.cuda.device_count())
    dist.init_process_group("nccl" if on_gpus else "gloo")
    yield dist.get_world_size()
    dist.destroy_process_group()
