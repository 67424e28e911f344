"""The place in which the commands of the documents run, made once."""

from __future__ import annotations

import os
import resource
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent))
from place import INSTALL, ROOT, Place

# Programs that measure and judge, for tests of statements in documents.
sys.path[:0] = [str(ROOT / "claims"), str(ROOT / "bench" / "harness")]


@pytest.fixture(scope="session")
def place(tmp_path_factory) -> Place:
    """The scratch folder; skipped if `./run build` has not been run."""
    if not INSTALL.is_dir():
        pytest.skip(f"{INSTALL} is missing: ./run build makes it")
    return Place(tmp_path_factory.mktemp("documents"))


@pytest.fixture(scope="session")
def preloaded(tmp_path_factory) -> str:
    """A library that makes faults in MPI programs, built with the compiler of their MPI library."""
    compiler = shutil.which("mpicc.openmpi") or shutil.which("mpicc")
    if compiler is None:
        pytest.skip("there is no mpicc")
    library = tmp_path_factory.mktemp("preloaded") / "faults.so"
    subprocess.run([compiler, "-shared", "-fPIC", "-o", library, ROOT / "tests/docs/faults.c"], check=True)
    return str(library)


@pytest.fixture(autouse=True)
def seconds(request):
    """Adds a line to the file of tools/seconds.sh: the processor time of the programs that a test has started."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    yield
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    took = f"{after.ru_utime - before.ru_utime:.3f} {after.ru_stime - before.ru_stime:.3f}"
    if os.environ.get("SHARDFFT_SECONDS"):
        with open(os.environ["SHARDFFT_SECONDS"], "a", encoding="utf-8") as file:
            file.write(f"document {took} {request.node.name}\n")
