"""Debian's mpb-mpi, a program on FFTW-MPI, its binary as it is: with ours preloaded it finds the same bands.

mpb.py LIBRARY LAUNCHER...; the exit code is 77 if mpb-mpi is not installed.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

# From random fields one run in twenty found another band, 6e-6 away, whoever transformed: MPB begins with the same.
RODS = """
(set! deterministic? true)
(set! num-bands 4)
(set! tolerance 1e-10)
(set! k-points (list (vector3 0 0 0) (vector3 0.5 0 0) (vector3 0.5 0.5 0)))
(set! geometry-lattice (make lattice (size 1 1 SIZE)))
(set! geometry (list (make cylinder (center 0 0 0) (radius 0.2) (height infinity)
  (material (make dielectric (epsilon 12))))))
(set! resolution 10)
(run)
"""


def bands(launcher: list[str], ranks: int, size: str, preload: str) -> list[float]:
    """The frequencies of all bands."""
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "rods.ctl").write_text(RODS.replace("SIZE", size))
        # The dynamic linker tells which library serves the calls.
        command = [
            *launcher,
            "-n",
            str(ranks),
            "env",
            "LD_DEBUG=bindings",
            f"LD_DEBUG_OUTPUT={folder}/bindings",
            f"LD_PRELOAD={preload}",
            "mpb-mpi",
            "rods.ctl",
        ]
        done = subprocess.run(
            command, cwd=folder, capture_output=True, text=True, check=False, env={**os.environ, "OMP_NUM_THREADS": "1"}
        )
        told = "".join(file.read_text(errors="replace") for file in Path(folder).glob("bindings*"))
    if done.returncode:
        sys.exit(f"mpb-mpi failed on {ranks} ranks:\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
    served = re.findall(r"to (\S+) \[0\]: normal symbol `fftw_mpi_plan_many_dft'", told)
    expected = "libshardfft_fftw_mpi" if preload else "libfftw3_mpi"
    if not any(expected in library for library in served):
        sys.exit(f"{expected} did not plan the transforms, but {served}")
    return [float(number) for line in re.findall(r"freqs:, \d.*", done.stdout) for number in line.split(", ")[6:]]


def main() -> int:
    """The exit code."""
    library, *launcher = sys.argv[1:]
    if not shutil.which("mpb-mpi"):
        print("SKIPPED: mpb-mpi is not installed (Debian: mpb-mpi)")
        return 77
    right = True
    for size, ranks in (("no-size", 2), ("no-size", 3), ("1", 2)):
        original, ours = (bands(launcher, ranks, size, preload) for preload in ("", library))
        error = max(abs(a - b) for a, b in zip(original, ours, strict=True))
        print(f"size {size}, {ranks} ranks: {len(ours)} frequencies differ by {error:.1e} at most")
        right = right and len(ours) >= 12 and error <= 2e-6  # mpb prints six digits of its results
    return 0 if right else 1


if __name__ == "__main__":
    sys.exit(main())
