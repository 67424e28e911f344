"""The installed library, in a prefix outside the build tree that was moved once: docs/linking.md and its promises.

BUILD names the build, so that the same tests run over a build with another MPI library.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from blocks import ROOT, all_blocks, blocks_of, commands_of
from place import BUILD, VENV

PROGRAMS = {
    "app.cpp": "tests/packages/consumer/in_cxx.cpp",
    "app.c": "examples/05_poisson.c",
    "app.f90": "examples/06_pencils.f90",
    "program.c": "tests/compat/fftw_program.c",
}
CACHE = BUILD / "CMakeCache.txt"


def cached(name: str) -> str:
    """A variable of the build's cache, or nothing."""
    found = re.search(rf"^{name}:[A-Z]+=(.*)$", CACHE.read_text() if CACHE.is_file() else "", re.MULTILINE)
    return found[1] if found else ""


class Moved:
    """A home with nothing but the prefix `shardfft`, which was installed elsewhere."""

    def __init__(self, folder: Path):
        first, self.home, programs = folder / "first", folder / "home", folder / "programs"
        for made in (self.home, programs):
            made.mkdir()
        subprocess.run(
            ["cmake", "--install", BUILD, "--component", "development", "--prefix", first / "prefix"],
            check=True, capture_output=True,
        )  # fmt: skip
        self.prefix = self.home / "shardfft"
        (first / "prefix").rename(self.prefix)
        first.rmdir()
        for name, variable in [("mpicc", "MPI_C_COMPILER"), ("mpicxx", "MPI_CXX_COMPILER"),
                               ("mpifort", "MPI_Fortran_COMPILER"), ("mpirun", "MPIEXEC_EXECUTABLE")]:  # fmt: skip
            if cached(variable):
                # No link: MPICH's launcher looks for its helpers beside itself.
                (programs / name).write_text(f'#!/bin/sh\nexec "{cached(variable)}" "$@"\n')
                (programs / name).chmod(0o755)
        kept = {
            key: value
            for key, value in os.environ.items()
            if not re.match("PYTHON|VIRTUAL_ENV|CMAKE|LD_|PKG_CONFIG|MKLROOT|SHARDFFT_", key)
        }
        self.environment = {
            **kept, "HOME": str(self.home), "PATH": f"{programs}:/usr/local/bin:/usr/bin:/bin", "OMP_NUM_THREADS": "1",
            "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMPI_MCA_orte_tmpdir_base": "/tmp",
            "OMPI_MCA_rmaps_base_oversubscribe": "1", "OMPI_MCA_mpi_yield_when_idle": "1",
        }  # fmt: skip

    def needs_fftw_mpi(self) -> None:
        """Skips if FFTW's own MPI library, which systems have for one MPI library, is not for this one."""
        found = Path(cached("FFTW_MPI_LIBRARY") or "none").is_file()
        if not found or not re.search("Open MPI|OpenRTE", self.run("mpirun --version", self.home)):
            pytest.skip("FFTW's own MPI library was not found for this MPI library")

    @property
    def lib(self) -> Path:
        [config] = self.prefix.rglob("shardfft-config.cmake")
        return config.parents[2]

    def run(self, line: str, folder: Path, **variables: str) -> str:
        done = subprocess.run(
            ["bash", "-euo", "pipefail", "-c", line], cwd=folder, env={**self.environment, **variables},
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=600,
            check=False,
        )  # fmt: skip
        assert done.returncode == 0, f"{line}: exit code {done.returncode}\n{done.stdout[-4000:]}"
        return done.stdout


@pytest.fixture(scope="session")
def moved(tmp_path_factory) -> Moved:
    if not CACHE.is_file() or not list(BUILD.glob("libshardfft.so*")):
        pytest.skip(f"{BUILD} has no library: ./run build makes it")
    return Moved(tmp_path_factory.mktemp("linking"))


@pytest.fixture
def folder(tmp_path) -> Path:
    for name, source in PROGRAMS.items():
        shutil.copy(ROOT / source, tmp_path / name)
    return tmp_path


def needs(option: str):
    return pytest.mark.skipif(cached(option) != "ON", reason=f"{BUILD} was made without {option}")


def programs_of_pages():
    """Each shell block of the page that is run, with the CMake block above it."""
    found, project = [], ""
    for block in blocks_of(ROOT / "docs" / "linking.md", "docs/linking.md"):
        if block.language == "cmake":
            project = block.text
        elif block.language == "sh" and not block.not_run:
            text = block.text + project
            marks = [needs("SHARDFFT_FORTRAN")] if "app.f90" in text else []
            found.append(pytest.param(project, commands_of(block), id=block.where, marks=marks))
            project = ""
    return found


@pytest.mark.parametrize("project, lines", programs_of_pages())
def test_lines_of_the_page(project, lines, moved, folder):
    (folder / "CMakeLists.txt").write_text(project)
    moved.run("\n".join(lines), folder)


@needs("SHARDFFT_COMPAT")
def test_lines_for_programs_that_call_fftw_mpi(moved, folder):
    """Linked and preloaded as docs/migrating-from-fftw-mpi.md says."""
    page = blocks_of(ROOT / "docs" / "migrating-from-fftw-mpi.md", "")
    link, preload = (commands_of(block) for block in page if "shardfft_fftw_mpi" in block.text)
    run = [line.replace("-n 4", "-n 2").replace("./program", "./program shardfft") for line in preload]
    moved.run("\n".join([*link, "mpirun -n 2 ./program shardfft"]), folder)
    moved.needs_fftw_mpi()
    moved.run("\n".join(["mpicc program.c -o program -lfftw3_mpi -lfftw3 -lm", *run]), folder)


WISDOM = """
#include <fftw3-mpi.h>
#include <stdio.h>
int main(int argc, char** argv) { /* FILE read|write */
  fftw_complex line[480];
  MPI_Init(&argc, &argv);
  fftw_mpi_init();
  if (argv[2][0] == 'r') printf("%d\\n", fftw_import_wisdom_from_filename(argv[1]));
  else fftw_plan_dft_1d(480, line, line, FFTW_FORWARD, FFTW_MEASURE), fftw_export_wisdom_to_filename(argv[1]);
  MPI_Finalize();
}
"""


@needs("SHARDFFT_COMPAT")
def test_each_library_reads_its_own_wisdom_alone(moved, folder):
    """As docs/migrating-from-fftw-mpi.md says: who mends this changes the page."""
    moved.needs_fftw_mpi()
    (folder / "wisdom.c").write_text(WISDOM)
    moved.run("mpicc wisdom.c -o wisdom -lfftw3_mpi -lfftw3 -lm", folder)
    ours = f'LD_PRELOAD="{moved.lib}/libshardfft_fftw_mpi.so" '
    moved.run(f"./wisdom theirs write; {ours} ./wisdom ours write", folder)
    for library, file, taken in [("", "theirs", 1), (ours, "theirs", 0), (ours, "ours", 1), ("", "ours", 0)]:
        assert moved.run(f"{library} ./wisdom {file} read", folder) == f"{taken}\n", (library, file)


def whole_programs():
    """C and Fortran blocks of all documents."""
    blocks = [block for block in all_blocks() if block.language in ("c", "fortran")]
    marks = {"c": [], "fortran": [needs("SHARDFFT_FORTRAN")]}
    return [pytest.param(block, id=block.where, marks=marks[block.language]) for block in blocks]


@pytest.mark.parametrize("block", whole_programs())
def test_programs_in_c_and_fortran(block, moved, folder):
    (folder / f"shown.{block.language}").write_text(block.text)
    compiler = "mpicc -x c -std=c11 -Wall -Wextra" if block.language == "c" else "mpifort -x f95"
    libraries = "-lshardfft -lm" if block.language == "c" else "-lshardfft_fortran"
    headers = f'-I"{moved.prefix}/include" -I"{moved.lib}/shardfft/fortran"'
    line = f"{compiler} shown.{block.language} -x none -o shown {headers}"
    moved.run(f'{line} -L"{moved.lib}" {libraries} "-Wl,-rpath,{moved.lib}"', folder)
    [said] = re.findall(r"print.*(?:/\*|!) (\d+)", block.text)
    assert moved.run("mpirun -n 2 ./shown", folder) == f"{said}\n"


def test_calls_of_the_table_exist():
    page = (ROOT / "docs" / "migrating-from-fftw-mpi.md").read_text(encoding="utf-8")
    table = page.split("| FFTW | C++ | C | Fortran |\n")[1].split("\n\n")[0]
    words = {
        name: set(re.findall(r"\w+", "".join(path.read_text(encoding="utf-8") for path in ROOT.glob(files))))
        for name, files in [("C++", "include/shardfft/*.hpp"), ("C", "include/shardfft/c/*.h"),
                            ("Fortran", "bindings/fortran/**/*.*"), ("options", "src/api/option_table.cpp")]
    }  # fmt: skip
    for row in table.splitlines()[1:]:
        cells = [cell.strip() for cell in row.strip("|").split("|")]
        for language, cell in zip(("C++", "C", "Fortran"), cells[1:], strict=True):
            for code in re.findall(r"`([^`]+)`", cell):
                word = re.findall(r"[A-Za-z_]\w*", re.sub(r"<.*>|\(.*\)|=$|=shardfft_single", "", code))[-1]
                assert word in words[language] | words["options"], f"{language} has no {code}: {row}"


@needs("SHARDFFT_COMPAT")
def test_lammps_calls_find_their_library(moved, folder):
    program = ROOT / "tests" / "compat" / "lammps_program.cpp"
    moved.run(
        f'mpicxx -std=c++20 -DNUMBER=double "{program}" -o program -ldl && '
        f'mpirun -n 2 ./program "{moved.lib}/libshardfft_lammps.so" shardfft',
        folder,
    )


def test_libraries_find_all_that_they_need(moved, folder):
    """Also preloaded into programs that have nothing to do with them, with every symbol looked up at once."""
    libraries = [path for path in moved.lib.glob("*.so") if path.is_file()]
    assert moved.lib / "libshardfft.so" in libraries
    for library in libraries:
        said = moved.run(f'ldd -r "{library}"', folder)
        assert not re.search("not found|undefined symbol", said), f"{library}\n{said}"
        assert f"{BUILD}/" not in said, f"{library} needs the build tree\n{said}"
        said = moved.run(f'LD_BIND_NOW=1 LD_PRELOAD="{library}" /bin/true', folder)
        assert said == "", f"{library}\n{said}"


GONE = """
#include <shardfft/shardfft.hpp>
#include <iostream>
int main(int argc, char** argv) { /* LOCAL-FFT... */
  MPI_Init(&argc, &argv);
  for (int number = 1; number < argc; ++number) {
    shardfft::Options options;
    options.local_fft = argv[number];
    shardfft::Plan plan(MPI_COMM_WORLD, shardfft::c2c<double>, shardfft::Layout::slab({24, 30, 20}, 2),
                        shardfft::natural_output, options);
    std::vector<std::complex<double>> x(plan.input().size()), y(plan.output().size());
    plan.forward(x, y);
    if (argc == 2) std::cout << plan.report().local_fft.substr(0, 6) << ' ';
  }
  MPI_Finalize();
}
"""


@pytest.fixture(scope="module")
def gone(moved, tmp_path_factory) -> Path:
    """The object of GONE, for both ways to link it."""
    made = tmp_path_factory.mktemp("gone")
    (made / "gone.cpp").write_text(GONE)
    flags = f'$(PKG_CONFIG_PATH="{moved.lib}/pkgconfig" pkg-config --cflags shardfft)'
    moved.run(f"mpicxx -std=c++20 -c gone.cpp -o gone.o {flags}", made)
    return made / "gone.o"


@pytest.mark.parametrize("archive", [False, True])
def test_no_library_ends_processes_whose_folder_is_gone(archive, gone, moved, folder):
    """oneMKL's constructors do: plans that take it load it, from a prefix in any folder."""
    flags = f'PKG_CONFIG_PATH="{moved.lib}/pkgconfig" pkg-config --libs'
    # The archive with shared libraries of others.
    link = f'$({flags} --static shardfft | sed "s/-lshardfft/-l:libshardfft.a/")' if archive else f"$({flags} shardfft)"
    moved.run(f'mpicxx "{gone}" -o gone {link} "-Wl,-rpath,{moved.lib}"', folder)
    there = "mkdir gone-$$ && cd gone-$$ && rmdir ../gone-$$ && exec ../gone fftw lanes auto"
    moved.run(f"mpirun -n 2 sh -c '{there}'", folder)
    if cached("MKL_core_LIBRARY").startswith("/"):
        said = moved.run("mpirun -n 2 ./gone mkl", folder)
        assert said.split() == ["oneMKL"] * 2, said
        taken = moved.run("ldd ./gone | grep mkl || true", folder)
        assert taken == "", f"every program loads oneMKL\n{taken}"


def test_packages_are_found_twice_and_tell_their_components(moved, folder):
    (folder / "CMakeLists.txt").write_text("""
cmake_minimum_required(VERSION 3.25)
project(app LANGUAGES C)
find_package(shardfft QUIET COMPONENTS static)
message("static: ${shardfft_FOUND}: ${shardfft_NOT_FOUND_MESSAGE}")
find_package(shardfft REQUIRED COMPONENTS C)
enable_language(CXX)
find_package(shardfft REQUIRED COMPONENTS C OPTIONAL_COMPONENTS gpu)
message("optional: [${shardfft_gpu_FOUND}], C: [${shardfft_C_FOUND}]")
foreach(name fortran gpu)
  find_package(shardfft QUIET COMPONENTS ${name})
  message("${name}: ${shardfft_FOUND}: ${shardfft_NOT_FOUND_MESSAGE}")
endforeach()
add_executable(app app.c)
target_link_libraries(app PRIVATE shardfft::c m)
""")
    said = moved.run('cmake -S . -B build -DCMAKE_PREFIX_PATH="$HOME/shardfft" && cmake --build build', folder)
    there = "C, CXX, static" + (", Fortran" if cached("SHARDFFT_FORTRAN") == "ON" else "")
    assert "optional: [], C: [TRUE]" in said
    assert "static: 0: its component 'static' is for projects with the language CXX: name it in project()" in said
    for name in ("fortran", "gpu"):
        assert f"{name}: 0: this shardfft has no component '{name}'; there are: {there}\n" in said, said


def test_sources_may_lie_anywhere_and_leave_the_build_type_alone(moved, folder):
    """Folders above them are named like folders of theirs, and the project around them has no build type."""
    sources = folder / "src" / "gpu" / "src" / "device" / "compile_kernels src" / "local"
    sources.parent.mkdir(parents=True)
    sources.symlink_to(ROOT)
    (folder / "CMakeLists.txt").write_text(f"""
cmake_minimum_required(VERSION 3.25)
project(app LANGUAGES C CXX)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
add_subdirectory("{sources}" shardfft)
add_executable(app app.cpp)
target_link_libraries(app PRIVATE shardfft::shardfft)
message("build type: [${{CMAKE_BUILD_TYPE}}]")
""")
    options = "-DSHARDFFT_MKL=OFF -DSHARDFFT_GPU=STANDIN -DSHARDFFT_INSTALL=ON -DCMAKE_INSTALL_LIBDIR=/opt/one/lib"
    said = moved.run(f"cmake -S . -B build {options}", folder)
    assert "libdir=/opt/one/lib\n" in (folder / "build" / "shardfft" / "shardfft.pc").read_text()
    assert "build type: []" in said
    assert "CMAKE_BUILD_TYPE:STRING=\n" in (folder / "build" / "CMakeCache.txt").read_text()
    commands = json.loads((folder / "build" / "compile_commands.json").read_text())
    compiled = {Path(one["file"]).resolve(): one["command"] for one in commands}
    for name in ("api/plan", "local/registry", "gpu/run/executor", "device/standin/runtime"):
        assert "-DNDEBUG" in compiled.get(ROOT / f"src/{name}.cpp", ""), f"{name} is not compiled as Release"
    assert "-DNDEBUG" not in compiled[folder / "app.cpp"]
    missing = [path for path in ROOT.glob("src/exec/*.cpp") if path not in compiled]
    assert not missing


def test_the_python_package_runs_over_the_moved_library(moved, folder):
    python = VENV / "bin" / "python"
    made = VENV / ".shardfft"
    if not made.is_file() or not made.read_text().startswith(f"{BUILD} "):
        pytest.skip(f"{VENV} has no package that was made over {BUILD}: ./run build puts it there")
    (folder / "app.py").write_text("""
import numpy
import shardfft
from mpi4py import MPI
x = numpy.arange(24.0).reshape(4, 6)
assert numpy.allclose(shardfft.rfftn(x, MPI.COMM_SELF), numpy.fft.rfftn(x))
print(*{line.split()[-1] for line in open("/proc/self/maps") if "libshardfft.so" in line})
""")
    said = moved.run(f'"{python}" app.py', folder, LD_LIBRARY_PATH=str(moved.lib))
    assert said.split() == [str((moved.lib / "libshardfft.so").resolve())], said
