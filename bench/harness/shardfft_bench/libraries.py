"""The drivers that exist: native executables listed in a build's manifest, and Python modules of this package."""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
import warnings
from dataclasses import dataclass, field
from pathlib import Path

from .errors import BenchError

MANIFEST = "bench-manifest.json"
PROFILE = "libbench_profile.so"  # of a build of bench/: counts MPI and local FFTs of a process it is preloaded into

# The folders in which a build of bench/ may be: build-bench/bin, build/bin, build/rivals/bin.
BUILDS = ["build*/bin", "build*/*/bin"]

NO_DRIVERS = (
    f"no {MANIFEST} lies in a build* folder here ({{}}): build the drivers with "
    "`cmake -S bench -B build-bench && cmake --build build-bench`, or name the bin folder of a build with --drivers"
)

# Drivers written in Python: library -> (module of this package, package that must be importable).
PYTHON_DRIVERS = {
    "mpi4py-fft": ("shardfft_bench.python_drivers.mpi4py_fft", "mpi4py_fft"),
    "pocketfft": ("shardfft_bench.python_drivers.scipy_fft", "scipy"),
    "ducc0": ("shardfft_bench.python_drivers.ducc", "ducc0"),
}


@dataclass
class Library:
    """One library: how to start its driver, or why there is none."""

    name: str
    command: list[str] = field(default_factory=list)
    missing: str = ""
    profile: str = ""  # preloaded if a case asks for `profile`; empty if no build has it
    facts: dict = field(default_factory=dict)

    @property
    def found(self) -> bool:
        return bool(self.command)


def driver_folders(given: list[str] | None = None) -> list[Path]:
    """Folders with a manifest: those given, else the environment's, else of builds below the working folder.

    A harness that runs out of the repository looks into the repository's builds as well.
    """
    if given:
        folders = [Path(text).resolve() for text in given]
        for each in folders:
            if not (each / MANIFEST).is_file():
                raise BenchError(f"no {MANIFEST} in {each}: is it the bin folder of a build of bench/?")
        return folders
    listed = os.environ.get("SHARDFFT_BENCH_DRIVERS", "")
    if listed:
        return [Path(text).resolve() for text in listed.split(os.pathsep)]
    roots = [Path.cwd()]
    repository = Path(__file__).resolve().parents[3]
    if (repository / "bench" / "CMakeLists.txt").is_file():
        roots.append(repository)
    found = [path.parent for root in roots for depth in BUILDS for path in sorted(root.glob(f"{depth}/{MANIFEST}"))]
    return list(dict.fromkeys(found))


def describe(command: list[str]) -> dict:
    """The driver's own description; raises BenchError when it does not answer."""
    try:
        done = subprocess.run([*command, "--describe"], capture_output=True, text=True, timeout=60, check=True)
        return json.loads(done.stdout)
    except subprocess.TimeoutExpired as error:
        raise BenchError("the driver did not answer --describe within 60 s") from error
    except subprocess.CalledProcessError as error:
        line = (error.stderr or "").strip().splitlines()
        raise BenchError(f"the driver failed to start: {line[-1] if line else error}") from error
    except (OSError, json.JSONDecodeError) as error:
        raise BenchError(f"the driver failed to start: {error}") from error


def _native(folders: list[Path]) -> dict[str, Library]:
    libraries: dict[str, Library] = {}
    for each in folders:
        path = each / MANIFEST
        try:
            entries = json.loads(path.read_text(encoding="utf-8"))["libraries"]
        except (OSError, KeyError, json.JSONDecodeError) as error:
            raise BenchError(f"{path} is not a driver manifest: {error}") from error
        for name, entry in entries.items():
            known = libraries.get(name)
            if known and known.found:
                continue
            driver = each / entry.get("driver", "")
            if "driver" in entry and driver.is_file():
                libraries[name] = Library(name, [str(driver)])
            else:
                libraries[name] = Library(name, missing=entry.get("missing", f"{driver} was not built"))
    return libraries


def find_libraries(given: list[str] | None = None) -> dict[str, Library]:
    """Every known library by name; those found carry their description. Raises BenchError when there is none."""
    folders = driver_folders(given)
    libraries = _native(folders)
    for name, (module, package) in PYTHON_DRIVERS.items():
        if importlib.util.find_spec(package) and importlib.util.find_spec("mpi4py"):
            libraries[name] = Library(name, [sys.executable, "-m", module])
        else:
            libraries[name] = Library(name, missing=f"the Python package {package} is not installed")
    profile = next((str(each / PROFILE) for each in folders if (each / PROFILE).is_file()), "")
    for library in libraries.values():
        if not library.found:
            continue
        own = Path(library.command[0]).with_name(PROFILE)
        library.profile = str(own) if own.is_file() else profile
        try:
            library.facts = describe(library.command)
        except BenchError as error:
            library.command, library.missing = [], str(error)
    if not folders:
        if not any(library.found for library in libraries.values()):
            raise BenchError(NO_DRIVERS.format(Path.cwd()))
        warnings.warn(NO_DRIVERS.format(Path.cwd()), stacklevel=2)
    return libraries


def table(libraries: dict[str, Library], markdown: bool = False) -> str:
    """The libraries that were found, with versions and capabilities; then the others, with reasons."""
    found = [library for library in libraries.values() if library.found]
    rows = [
        [
            "library",
            "version",
            "language",
            "licence",
            "backend",
            "kinds",
            "precisions",
            "layouts",
            "in place",
            "threads",
        ]
    ]
    rows[0] += ["GPU", "more"]
    for library in sorted(found, key=lambda one: one.name):
        can = library.facts.get("capabilities", {})
        distributed = library.facts.get("distributed", True)
        rows.append(
            [
                library.name,
                library.facts.get("version", "?"),
                library.facts.get("language", "?"),
                library.facts.get("licence", "?"),
                library.facts.get("backend", "?"),
                " ".join(can.get("kinds", [])),
                " ".join(can.get("precisions", [])),
                " ".join(can.get("layouts", ["slab", "pencil", "brick"])) if distributed else "(one process)",
                "yes" if "in" in can.get("placements", []) else "no",
                "yes" if can.get("threads") else "no",
                "yes" if library.facts.get("gpu") else "no",
                " ".join(can.get("features", [])),
            ]
        )
    if markdown:
        lines = ["| " + " | ".join(row) + " |" for row in rows]
        return "\n".join([lines[0], "|---" * len(rows[0]) + "|", *lines[1:]])
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip() for row in rows]
    absent = sorted((library for library in libraries.values() if not library.found), key=lambda one: one.name)
    if absent:
        lines += ["", "not found:"] + [f"  {library.name}: {library.missing}" for library in absent]
    return "\n".join(lines)
