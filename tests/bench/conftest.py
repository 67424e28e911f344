"""Fixtures of the benchmark's tests: fake drivers that answer well or badly, and the real ones if they are built."""

import contextlib
import json
import multiprocessing
import os
import runpy
import stat
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bench" / "harness"))

DRIVER = """#!{python}
import json, os, signal, sys, time
kind = {kind!r}
if sys.argv[1:] == ["--describe"]:
    print(json.dumps({{"library": "fake-" + kind, "version": "1", "capabilities": {{}}, "distributed": True}}))
    raise SystemExit
case, path = json.loads(sys.argv[1]), sys.argv[2]
error = {{"max": 1e-15, "l2": 1e-16}}
record = {{
    "schema": 1, "library": "fake-" + kind, "version": "1", "status": "ok", "case": case, "ranks": 1,
    "samples": [{time}, {time} * 1.01, {time} * 0.99], "plan_seconds": 0.1, "flop": 1e6,
    "error": {{"forward": error, "after_timing": error, "tolerance": error}},
    "machine": {{"cpu": "fake"}}, "environment": {{}},
    "communication": {{"source": "fake", "ratio": 0.4, "seconds": 0.4}},
}}
if kind == "hang":
    time.sleep(600)
if kind == "die":
    os.kill(os.getpid(), signal.SIGSEGV)
if kind == "complain":
    print("bench-error: the moon is in the wrong place", file=sys.stderr)
    raise SystemExit(3)
if kind == "mutter":
    print("---------\\nno licence today\\n---------", flush=True)
    raise SystemExit(21)
if kind == "silent":
    raise SystemExit(0)
if kind == "wrong":
    del record["samples"]
    record.update(status="wrong", reason="forward: error above the tolerance")
if kind == "liar":
    record["samples"] = "fast"
text = json.dumps(record)
with open(path, "a") as file:
    file.write(text[: len(text) // 2] if kind == "cut" else text + "\\n")
raise SystemExit(4 if kind == "wrong" else 1 if kind == "late" else 0)
"""
KINDS = ["good", "hang", "die", "complain", "mutter", "silent", "wrong", "liar", "cut", "late"]


def make_driver(folder: Path, kind: str, time: float = 0.01) -> Path:
    path = folder / f"bench-fake-{kind}"
    path.write_text(DRIVER.format(python=sys.executable, kind=kind, time=time))
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return path


def run_claim(script: Path, *words, programs: Path | None = None) -> subprocess.CompletedProcess:
    """Runs a script of claims/ in a process of its own, which is forked from this one: to import the harness takes
    longer than most scripts. `programs` is a folder that is searched first. Drivers in Python are not known there: one
    that is installed here would really measure.
    """
    from shardfft_bench import campaign, libraries

    assert campaign  # with all that it imports

    def run(out: int, err: int) -> None:
        for number, stream, name in ((1, out, "stdout"), (2, err, "stderr")):
            os.dup2(stream, number)
            setattr(sys, name, os.fdopen(number, "w", closefd=False))
        libraries.PYTHON_DRIVERS.clear()
        if programs:
            os.environ["PATH"] = f"{programs}{os.pathsep}{os.environ['PATH']}"
        sys.argv = [str(script), *map(str, words)]
        sys.path.insert(0, str(script.parent))
        runpy.run_path(str(script), run_name="__main__")

    with contextlib.ExitStack() as open_ones:
        files = [open_ones.enter_context(tempfile.TemporaryFile("w+")) for _ in range(2)]
        child = multiprocessing.get_context("fork").Process(target=run, args=[file.fileno() for file in files])
        child.start()
        child.join()
        said = []
        for file in files:
            file.seek(0)
            said.append(file.read())
    return subprocess.CompletedProcess(sys.argv, child.exitcode, *said)


@pytest.fixture
def fake_drivers(tmp_path):
    """A folder with one driver for each way to behave and a manifest, as a build leaves it."""
    folder = tmp_path / "bin"
    folder.mkdir()
    libraries = {f"fake-{kind}": {"driver": make_driver(folder, kind).name} for kind in KINDS}
    libraries["fake-absent"] = {"missing": "nobody has built it"}
    (folder / "bench-manifest.json").write_text(json.dumps({"schema": 1, "libraries": libraries}))
    return folder


@pytest.fixture
def plain_launcher(tmp_path):
    """A launcher that starts the driver once, without MPI."""
    path = tmp_path / "plain.yaml"
    path.write_text("command: [env]\n")
    return str(path)


@pytest.fixture
def experiment(tmp_path):
    def write(libraries, **more):
        import yaml

        path = tmp_path / "test.yaml"
        content = {"name": "test", "ranks": [1], "sizes": [8], "rounds": 2, "time_limit": 20, "libraries": libraries}
        path.write_text(yaml.safe_dump({**content, **more}))
        return str(path)

    return write


def built_drivers(folder: Path) -> dict[str, Path]:
    """The drivers of a bin folder by library. The manifest is as old as the configuration: it may name some unbuilt."""
    manifest = folder / "bench-manifest.json"
    entries = json.loads(manifest.read_text())["libraries"] if manifest.is_file() else {}
    drivers = {name: folder / entry["driver"] for name, entry in entries.items() if "driver" in entry}
    return {name: driver for name, driver in drivers.items() if driver.is_file()}


@pytest.fixture(scope="session")
def real_drivers():
    """The bin folder of a build of bench/, from SHARDFFT_BENCH_DRIVERS or the repository's build folders."""
    given = os.environ.get("SHARDFFT_BENCH_DRIVERS")
    found = [Path(text) for text in given.split(os.pathsep)] if given else []
    found += [path.parent for path in ROOT.glob("build*/**/bench-manifest.json")]
    for folder in found:
        if built_drivers(folder):
            return folder
    pytest.skip("no build of bench/ was found (./run test makes one); SHARDFFT_BENCH_DRIVERS may name one")
