"""README's lines for installing, as they stand: from an empty folder, with Debian's own Python and pip.

No more compilers may run at a time than there are cores.

The compilers of the library are stood in for by a script that counts them and makes empty objects, so that this takes
seconds. The Python package is built over the library that `./run build` installed, of the objects that it has compiled
of the same sources with the same nanobind; the rest is compiled in earnest, if without optimisation.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from blocks import ROOT, blocks_of, commands_of, documents
from place import BUILD, GENERATED, INSTALL, VENV

COMPILER = """#!/bin/sh
# COMPILER ARGUMENTS...: an empty object of a source of the library's; of the Python module one from KEPT, if it was
# compiled with the same nanobind and no source is newer, and if all that it includes is found by these arguments; of
# any other source one without optimisation. A note if more compilers run than there are cores.
how=real before= object=
for argument; do
  case $argument in */src/*/*.cpp) how=empty ;; esac
  case $argument in */nanobind/include) ! cmp -s "${argument#-I}/nanobind/nanobind.h" "$NANOBIND" || how=kept ;; esac
  [ "$before" != -o ] || object=$argument
  before=$argument
done
if [ $how = kept ]; then
  case $object in */_core.dir/*.o) sources=$SOURCES ;; *) sources=$NANOBIND ;; esac
  [ -f "$KEPT/$object" ] && [ -z "$(find -L $sources -newer "$KEPT/$object" -type f -name '*.?pp')" ] || how=real
fi
mkdir "$COUNTED/running.$$"
[ "$(ls -d "$COUNTED"/running.* | wc -l)" -le "$(nproc)" ] || touch "$COUNTED/too_many"
echo >> "$COUNTED/all"
sleep 0.05
case $how in
  empty) cp "$COUNTED/empty.o" "$object" ;;
  kept) "$@" -E && cp "$KEPT/$object" "$object" && echo "$object" >> "$COUNTED/kept" ;;
  real) "$@" -O0 ;;
esac
status=$?
rmdir "$COUNTED/running.$$"
exit $status
"""


def section(name: str) -> list[list[str]]:
    """The commands of each shell block of a section of README that is run."""
    readme = ROOT / "README.md"
    lines = readme.read_text(encoding="utf-8").splitlines()
    begin = lines.index(f"## {name}") + 1
    end = next(number for number in range(begin, len(lines)) if lines[number].startswith("## "))
    found = []
    for block in blocks_of(readme, "README.md"):
        number = int(block.where.split(":")[1])
        if begin < number <= end and block.language == "sh" and not block.not_run:
            found.append(commands_of(block))
    return found


class Newcomer:
    """An empty home, and a folder with nothing but the source tree."""

    def __init__(self, folder: Path):
        self.home, self.tree, self.counted, programs = (
            folder / name for name in ("home", "tree", "counted", "programs")
        )
        for made in (self.home, self.tree, self.counted, programs):
            made.mkdir()
        for entry in ROOT.iterdir():
            if entry.name not in GENERATED and not entry.name.startswith("build"):
                (self.tree / entry.name).symlink_to(entry)
        empty = ["c++", "-fPIC", "-x", "c++", "-c", "/dev/null", "-o", self.counted / "empty.o"]
        subprocess.run(empty, check=True)
        for name in ("mpirun", "mpicc", "mpicxx"):  # Debian's default may be another MPI than the library's
            found = shutil.which(f"{name}.openmpi") or shutil.which(name)
            if found:
                (programs / name).symlink_to(found)
        self.compiler = programs / "counted-compiler"
        self.compiler.write_text(COMPILER)
        self.compiler.chmod(0o755)
        self.path = f"{programs}:/usr/bin:/bin"
        header = "lib/python*/site-packages/nanobind/include/nanobind/nanobind.h"
        self.objects = {
            "KEPT": str(BUILD / "python"), "SOURCES": f"{ROOT}/bindings/python/src {INSTALL}/include",
            "NANOBIND": str(next(VENV.glob(header), "none")),
        }  # fmt: skip

    def run(self, lines: list[str]) -> str:
        kept = {
            key: value
            for key, value in os.environ.items()
            if not key.startswith(("PYTHON", "VIRTUAL", "CMAKE", "PYENV")) and key not in ("BUILD", "VENV")
        }
        done = subprocess.run(
            ["bash", "-euc", "\n".join(lines)], cwd=self.tree, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, text=True, timeout=900, check=False,
            env={
                **kept, **self.objects,
                "HOME": str(self.home), "PATH": self.path, "COUNTED": str(self.counted), "OMP_NUM_THREADS": "1",
                "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
                "OMPI_MCA_rmaps_base_oversubscribe": "1", "OMPI_MCA_mpi_yield_when_idle": "1",
                "CMAKE_CXX_COMPILER_LAUNCHER": str(self.compiler),
                "PIP_COMPILE": "0",  # modules are compiled when they are imported: that is less than all of them
            },
        )  # fmt: skip
        assert done.returncode == 0, f"{lines}: exit code {done.returncode}\n{done.stdout[-4000:]}"
        return done.stdout


@pytest.fixture(scope="module")
def newcomer(tmp_path_factory) -> Newcomer:
    if not Path("/usr/bin/python3").exists():
        pytest.skip("there is no /usr/bin/python3")
    return Newcomer(tmp_path_factory.mktemp("newcomer"))


def test_lines_that_build_the_library(newcomer):
    library, _ = section("Install")
    newcomer.run(library)
    assert (newcomer.counted / "all").stat().st_size > 100, "few sources were compiled"
    assert not (newcomer.counted / "too_many").exists(), "more compilers at a time than there are cores"
    assert list((newcomer.home / "shardfft").rglob("shardfft-config.cmake"))


def test_lines_that_install_the_package(newcomer):
    if not INSTALL.is_dir():
        pytest.skip(f"{INSTALL} is missing: ./run build makes it")
    _, package = section("Install")
    prefix = newcomer.home / "shardfft"  # from here on a library that was compiled in earnest
    shutil.rmtree(prefix, ignore_errors=True)
    prefix.symlink_to(INSTALL)
    said = newcomer.run(package)
    assert re.search(r"^shardfft +\d", said, re.MULTILINE), said
    program = next(block for block in blocks_of(ROOT / "README.md", "README.md") if block.language == "python")
    (newcomer.tree / "app.py").write_text(program.text)
    [run] = [line for lines in section("Ten lines of Python") for line in lines]
    newcomer.run([". shardfft-venv/bin/activate", run])


def test_packages_are_those_that_run_installs():
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    shown = set(re.search(r"^apt-get install (.*)$", readme, re.MULTILINE)[1].split())
    script = (ROOT / "tools" / "install_dependencies.sh").read_text(encoding="utf-8")
    known = set(re.search(r"^packages=\((.*?)\)", script, re.MULTILINE | re.DOTALL)[1].split())
    only_tests = {
        "gfortran",
        "libgtest-dev",
        "libfftw3-mpi-dev",
        "nlohmann-json3-dev",
        "python3",
    }  # and benchmarks; python3 comes with python3-venv
    assert shown == known - only_tests


def test_no_line_fails_elsewhere():
    """A bare -j starts every compiler at once; pip 23.0, which is Debian 12's, has no -C."""
    messages = [*ROOT.glob("bindings/python/shardfft/*.py"), *ROOT.glob("src/**/*.cpp"), *ROOT.glob("bench/**/*.py")]
    for path in [*documents(), *messages, ROOT / "CMakeLists.txt"]:
        text = path.read_text(encoding="utf-8")
        where = path.relative_to(ROOT)
        assert not re.search(r"cmake --build [^\n]* -j(?! ?\d)", text), f"{where}: a bare -j"
        assert not re.search(r" -C ?cmake\.", text), f"{where}: -C to pip"
