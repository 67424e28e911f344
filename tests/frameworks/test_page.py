"""The blocks of docs/gradients.md, each started as it says."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "tests" / "docs"))
from blocks import blocks_of  # noqa: E402
from place import _mpirun_folder  # noqa: E402

BLOCKS = [one for one in blocks_of(ROOT / "docs" / "gradients.md", "gradients.md") if one.language == "python"]


def launcher(text):
    if "torchrun" in text:
        return ["-m", "torch.distributed.run", "--nproc-per-node", "2"]
    return ["-m", "mpi4py"] if "mpirun" in text else []


@pytest.mark.parametrize("block", BLOCKS, ids=lambda block: block.where)
def test_block(block, tmp_path):
    pytest.importorskip("torch" if "torch" in block.text else "jax", reason=f"{block.where} needs it")
    (tmp_path / "block.py").write_text(block.text)
    command = [sys.executable, *launcher(block.text), str(tmp_path / "block.py")]
    if "mpirun" in block.text:
        command = [_mpirun_folder(), "--oversubscribe", "-n", "2", *command]
    words = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMP_NUM_THREADS": "1"}
    done = subprocess.run(command, env={**os.environ, **words, "OMPI_MCA_mpi_yield_when_idle": "1"}, text=True,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=300,
                          check=False)  # fmt: skip
    assert done.returncode == 0, done.stdout[-4000:]
