"""SciPy's own tests of its Fourier transforms, over arrays that are cut over ranks; on one rank."""

import importlib.util
import os
import re
import subprocess
import sys
from pathlib import Path

import own_process
import pytest

import shardfft

FOLDER = Path(__file__).parent


def test_scipys_own_tests(comm, tmp_path):
    if comm.size > 1:
        pytest.skip("starts pytest of its own")
    if importlib.util.find_spec("scipy.fft.tests.test_basic") is None:
        pytest.skip("this SciPy was installed without its tests")
    folders = [str(FOLDER), str(Path(shardfft.__file__).parents[1])]
    environment = own_process.environment(PYTHONPATH=os.pathsep.join(folders))
    command = [sys.executable, "-m", "pytest", "-q", "-p", "scipy_suite_backend", "-p", "no:cacheprovider"]
    # A forked child may not use MPI.
    command += ["-k", "not multiprocess and not extensive", "--pyargs", "scipy.fft.tests.test_basic"]
    done = subprocess.run(
        command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=600, check=False
    )
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    calls = int(re.search(r"calls of ours: (\d+)", done.stdout)[1])
    passed = int(re.search(r"(\d+) passed", done.stdout)[1])
    assert calls > 500 and passed > 150, done.stdout[-300:]
