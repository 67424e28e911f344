"""An error that the GPU finds when the call has returned; on real GPUs only."""

import subprocess
import sys

import own_process
import pytest
import users

#: A kernel that fails ends all work of its process on the GPU, so it has a process of its own.
SCRIPT = f"""
import torch
import shardfft
from mpi4py import MPI

fails = shardfft.Operator.cuda("__device__ double factor(const double*, const long long*) {{ __trap(); return 1; }}")
plan = shardfft.plan((8, 6, 10), dtype="complex128", comm=MPI.COMM_SELF, processor="gpu", output="natural")
x = torch.ones((8, 6, 10), dtype=torch.complex128, device="cuda")
plan.forward(x)
torch.cuda.synchronize()
torch.cuda._sleep({users.SLEEP})
plan.apply(fails, x)
print("returned")
for name, call in dict(synchronize=plan.synchronize, forward=lambda: plan.forward(x)).items():
    try:
        call()
    except (shardfft.Error, RuntimeError) as error:
        print(name, "raised", type(error).__name__, flush=True)
os._exit(0)
"""


def test_a_later_call_tells(comm):
    users.make("torch")
    if comm.size > 1:
        pytest.skip("one process shows it")
    # Without a daemon of Open MPI, which would want ssh.
    command, environment = [sys.executable, "-c", SCRIPT], own_process.environment(OMPI_MCA_ess_singleton_isolated="1")
    ran = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=300, check=False)
    said = ran.stdout.split("\n")
    assert said[0] == "returned", ran.stdout + ran.stderr
    assert [line.split()[:2] for line in said[1:3]] == [["synchronize", "raised"], ["forward", "raised"]], ran.stdout
