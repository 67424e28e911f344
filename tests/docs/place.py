"""The place in which commands of documents run: a folder with the repository in it, and the build of `./run build`."""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
from pathlib import Path

from blocks import ROOT

BUILD = Path(os.environ.get("BUILD") or ROOT / "build")
VENV = Path(os.environ.get("VENV") or ROOT / ".venv")
INSTALL = BUILD / "install"
GENERATED = {".git", "build", "build-bench", "results", ".venv", ".pytest_cache", ".ruff_cache"}


def _mpirun_folder() -> str:
    for name in ("mpirun.openmpi", "mpirun"):
        done = subprocess.run(["sh", "-c", f"command -v {name}"], capture_output=True, text=True, check=False)
        if done.returncode == 0:
            return done.stdout.strip()
    return ""


class Place:
    """A scratch folder that looks like the repository; files that commands make land here and not there."""

    def __init__(self, folder: Path):
        self.folder = folder
        for entry in ROOT.iterdir():
            if entry.name not in GENERATED and not entry.name.startswith("build"):
                (folder / entry.name).symlink_to(entry)
        subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder / ".venv"], check=True)
        # The packages of the tests' own interpreter are at hand; a document's own go into the scratch folder.
        site = next((folder / ".venv").glob("lib/python*/site-packages"))
        (site / "documents.pth").write_text(sysconfig.get_path("purelib") + "\n")
        pip = folder / ".venv" / "bin" / "pip"
        pip.write_text(f'#!/bin/sh\nexec "{folder}/.venv/bin/python" -m pip "$@"\n')
        pip.chmod(0o755)
        programs = folder / "programs"
        programs.mkdir()
        (programs / "mpirun").symlink_to(_mpirun_folder())

    def environment(self) -> dict[str, str]:
        paths = [self.folder / ".venv" / "bin", self.folder / "programs", VENV / "bin", os.environ["PATH"]]
        kept = {key: value for key, value in os.environ.items() if key not in ("SHARDFFT_BENCH_DRIVERS", "PYTHONPATH")}
        return {
            **kept, "PATH": os.pathsep.join(map(str, paths)), "OMP_NUM_THREADS": "1", "BUILD": str(BUILD),
            "VENV": str(VENV), "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
            "OMPI_MCA_rmaps_base_oversubscribe": "1", "OMPI_MCA_mpi_yield_when_idle": "1", "PIP_NO_INPUT": "1",
        }  # fmt: skip

    def run(self, command: list[str], seconds: int = 1800, at_root: bool = False) -> str:
        """The output; fails the test with all that was said when the command fails.

        A command that builds in the repository's own build folder must be called from its root: CMake would take the
        scratch folder for other sources.
        """
        done = subprocess.run(
            command, cwd=ROOT if at_root else self.folder, env=self.environment(), stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=seconds, check=False,
        )  # fmt: skip
        assert done.returncode == 0, f"{command}: exit code {done.returncode}\n{done.stdout[-4000:]}"
        return done.stdout
