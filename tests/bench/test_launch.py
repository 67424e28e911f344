"""Facts that are assumed of a machine: cores for ranks, GPUs, and claims, in any folder of the checkout."""

import os
import subprocess
import sys

import pytest
from conftest import ROOT

from shardfft_bench import launch


def bash(command, *arguments, **variables):
    done = subprocess.run(
        ["bash", "-c", f"set -euo pipefail; {command}", "bash", *map(str, arguments)],
        capture_output=True, text=True, check=True, env={**os.environ, **variables},
    )  # fmt: skip
    return done.stdout.strip()


@pytest.fixture
def two_cores(tmp_path):
    """Two cores of two threads each, as the system tells of them."""
    for cpu in range(4):
        topology = tmp_path / f"cpu{cpu}" / "topology"
        topology.mkdir(parents=True)
        (topology / "thread_siblings_list").write_text(f"{cpu % 2},{cpu % 2 + 2}\n")
    return tmp_path


def test_threads_of_one_core_count_once(two_cores, monkeypatch):
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 1, 2, 3})
    assert launch.cores(two_cores) == 2
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 2})
    assert launch.cores(two_cores) == 1
    assert launch.cores(two_cores / "nothing") == 2, "CPUs, where the system tells nothing"
    launcher = launch.Launcher("openmpi", launch.cores(two_cores))
    assert "core" in launcher.start(1, 1, ["true"], {})[0] and "core" not in launcher.start(2, 1, ["true"], {})[0]


def test_slurm_is_told_which_mpi(monkeypatch):
    monkeypatch.delenv("SLURM_MPI_TYPE", raising=False)
    assert launch.Launcher("srun", 4).start(2, 1, ["true"], {})[0][:4] == ["srun", "--mpi=pmix", "-n", "2"]
    monkeypatch.setenv("SLURM_MPI_TYPE", "pmi2")
    assert launch.Launcher("srun", 4).start(2, 1, ["true"], {})[0][1] == "--mpi=pmi2"


def test_the_scripts_count_as_the_harness_does(tmp_path):
    """Here all CPUs are said to be threads of one core, and then as they are."""
    count = f"source '{ROOT}/tools/common.sh'; physical_cores $1"
    for cpu in os.sched_getaffinity(0):
        topology = tmp_path / f"cpu{cpu}" / "topology"
        topology.mkdir(parents=True)
        (topology / "thread_siblings_list").write_text("all\n")
    assert bash(count, tmp_path) == "1"
    assert bash(count, tmp_path / "nothing") == str(len(os.sched_getaffinity(0)))
    assert bash(count, "/sys/devices/system/cpu") == str(launch.cores())


def test_claims_are_listed_where_the_path_has_spaces(tmp_path):
    link = tmp_path / "a folder"
    link.symlink_to(ROOT)
    assert bash('bash "$1" list', link / "tools/claim.sh") == bash('bash "$1" list', ROOT / "tools/claim.sh")


@pytest.mark.parametrize(
    "named, count", [(None, 3), ("0", 1), ("2,0", 2), ("GPU-1a,GPU-2b", 2), ("0,1,2,3", 3), ("", 0), ("-1", 0)]
)
def test_gpus_that_programs_may_not_use_do_not_count(named, count, tmp_path):
    tool = tmp_path / "nvidia-smi"
    tool.write_text('#!/bin/sh\nfor n in 0 1 2; do echo "GPU $n: NVIDIA H200 (UUID: GPU-$n)"; done\n')
    tool.chmod(0o755)
    variables = {"PATH": f"{tmp_path}:{os.environ['PATH']}", "PYTHONPATH": f"{ROOT}/claims:{ROOT}/bench/harness"}
    set_ = "unset CUDA_VISIBLE_DEVICES" if named is None else f"export CUDA_VISIBLE_DEVICES={named}"
    assert bash(f"{set_}; source '{ROOT}/tools/common.sh'; gpus_here", **variables) == str(count)
    asked = f"{set_}; {sys.executable} -c 'import gpu; print(gpu.gpus_here())'"
    assert bash(asked, **variables) == str(count)
