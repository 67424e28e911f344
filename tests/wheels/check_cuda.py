"""The wheel for CUDA and GPUs, in an environment of its own that this changes: check_cuda.py [OTHER-WHEEL].

OTHER-WHEEL: the wheel without GPUs, which is installed over it.
"""

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

import shardfft
from shardfft import _core

pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet"]


def said(code, **variables):
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=os.environ | variables)
    return done.returncode, done.stderr


support, found = _core.gpu_support(), _core.gpu_names()
assert support.startswith("CUDA 13"), f"GPUs are supported by {support!r}"
assert {"nccl", "nccl_alltoall"} <= set(_core.device_exchange_names()), _core.device_exchange_names()
if found:
    x = np.random.default_rng(1).standard_normal((12, 10, 9))
    with shardfft.plan(x.shape, "r2c", processor="gpu") as plan:
        assert np.allclose(plan.forward(x), np.fft.rfftn(x)), "wrong numbers on a GPU"
for asked in ({"processor": "gpu"}, {"devices": [0]}) if not found else ():
    try:
        shardfft.plan((8, 8), **asked)
    except shardfft.Error as error:
        assert "this build has GPU support, but no GPU was found" in str(error), error
    else:
        raise AssertionError(f"a plan with {asked} was made without a GPU")

# Kernels are compiled by the program beside the module, and by threads if it is missing.
compiler = Path(_core.__file__).parent / "shardfft" / "kernel-compiler"
moved = compiler.with_name("moved")
with tempfile.TemporaryDirectory() as folder:
    starts = Path(folder, "starts")
    starts.touch()

    def compiled(name):
        """With an empty cache; and the number of starts of the program until then."""
        command = [sys.executable, "-m", "shardfft", "compile", "60x44", "--arch", "sm_90"]
        variables = {"SHARDFFT_MPI": "none", "SHARDFFT_CACHE": f"{folder}/{name}"}
        done = subprocess.run(command, capture_output=True, text=True, env=os.environ | variables)
        assert done.returncode == 0 and not done.stderr, done.stderr
        return re.sub(r" in .* s$", "", done.stdout.strip()), starts.read_text().count("started")

    compiler.rename(moved)
    kernels, _ = compiled("threads")
    compiler.write_text(f'#!/bin/sh\necho started >> "{starts}"\nexec "{moved}"\n')
    compiler.chmod(0o755)
    again, times = compiled("processes")
    moved.replace(compiler)
    assert "kernel" in kernels and again == kernels, f"with the program: {again}; without it: {kernels}"
    assert times > 0, f"{compiler} was not started"

with open("/proc/self/maps") as maps:
    loaded = {line.split()[-1] for line in maps if "libcufft" in line or "libnccl" in line or "libcudart" in line}
assert len(loaded) == 3 and all(file.startswith(sys.prefix) for file in loaded), f"not this environment's: {loaded}"

subprocess.run([*pip, "uninstall", "--yes", "nvidia-cufft"], check=True)
with tempfile.TemporaryDirectory() as folder:
    open(f"{folder}/libcufft.so.12", "w").close()  # found before a toolkit's, and no library
    code, text = said("import shardfft", LD_LIBRARY_PATH=folder)
    assert code == 1 and "libcufft" in text and "pip install shardfft-cuda13 brings them" in text, text

if len(sys.argv) > 1:
    subprocess.run([*pip, "install", "--no-deps", sys.argv[1]], check=True)
    code, text = said("import shardfft; print(shardfft.rfftn([1.0, 2.0]))")
    assert code == 0 and "RuntimeWarning: shardfft and shardfft-cuda13 are both installed" in text, text
print(f"   {support}, GPUs: {', '.join(found) or 'none'}")
