"""The claims one-host and one-host-fftw from start to last line, with drivers that only say what they took."""

import json
import os
import stat
import subprocess
import sys

import pytest
from conftest import ROOT, make_driver

LIBRARIES = {
    "one-host": {"shardfft": 0.01, "fftw": 0.01, "mkl": 0.01, "fftw-mpi": 0.02, "mkl-cluster": 0.03},
    "one-host-fftw": {"shardfft": 0.01, "fftw": 0.01, "fftw-mpi": 0.02},
}
OTHERS = ["spfft", "mpi4py-fft", "dtfft"]

# The script without drivers in Python: one that is installed here would really measure.
SCRIPT = f"""
import runpy, shardfft_bench.libraries
shardfft_bench.libraries.PYTHON_DRIVERS.clear()
runpy.run_path({str(ROOT / "claims" / "one_host.py")!r}, run_name="__main__")
"""

# Starts once what follows the launcher's own words, whose first is a path.
LAUNCHER = '#!/bin/sh\nwhile case "$1" in /*) false ;; esac; do shift; done\nexec "$@"\n'


def claim(tmp_path, name, times):
    folder = tmp_path / "bin"
    for library, time in times.items():
        (folder / library).mkdir(parents=True)
        make_driver(folder / library, "good", time)
    libraries = {library: {"driver": f"{library}/bench-fake-good"} for library in times}
    libraries |= {library: {"missing": "not here"} for library in OTHERS}
    (folder / "bench-manifest.json").write_text(json.dumps({"libraries": libraries}))
    mpirun = tmp_path / "mpirun"
    mpirun.write_text(LAUNCHER)
    mpirun.chmod(mpirun.stat().st_mode | stat.S_IXUSR)
    return subprocess.run(
        [sys.executable, "-c", SCRIPT, name, "--drivers", folder, "--rounds", "1"],
        env={**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}", "PYTHONPATH": str(ROOT / "bench" / "harness")},
        capture_output=True, text=True, check=False,
    )  # fmt: skip


@pytest.mark.parametrize("name", LIBRARIES)
def test_it_runs_all_its_sizes_and_judges_them(tmp_path, name):
    done = claim(tmp_path, name, LIBRARIES[name])
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.splitlines()[-1] == f"{name} best_rival=fftw-mpi ratio_rival=2.00 ratio_threads=1.00"
    assert done.stdout.count("; holds [") == 4


@pytest.mark.parametrize("library, time", [("shardfft", 0.02), ("fftw", 0.005), ("fftw-mpi", 0.011)])
def test_a_bound_that_is_missed_spoils_it(tmp_path, library, time):
    times = {**LIBRARIES["one-host-fftw"], library: time}
    done = claim(tmp_path, "one-host-fftw", times)
    assert done.returncode == 1 and "DOES NOT HOLD" in done.stdout, done.stdout + done.stderr
