"""The folders that are searched for drivers: by an installed harness, in no repository, and by one inside it."""

import json
import os
import re
import shutil
import subprocess
import sys

import pytest
from conftest import ROOT


@pytest.fixture
def installed(tmp_path):
    """Runs the harness as a wheel would leave it, without drivers in Python, in a working folder of its own."""
    site = tmp_path / "site"
    shutil.copytree(ROOT / "bench" / "harness" / "shardfft_bench", site / "shardfft_bench")
    for name in ("experiments", "launchers", "schema"):
        shutil.copytree(ROOT / "bench" / name, site / "shardfft_bench" / "data" / name)
    here = tmp_path / "here"
    here.mkdir()
    clear = "import sys, shardfft_bench.libraries as drivers; drivers.PYTHON_DRIVERS.clear()"
    code = f"{clear}; from shardfft_bench.cli import main; sys.exit(main())"

    def run(*arguments):
        environment = {key: value for key, value in os.environ.items() if key != "SHARDFFT_BENCH_DRIVERS"}
        return subprocess.run(
            [sys.executable, "-c", code, *arguments], cwd=here, env={**environment, "PYTHONPATH": str(site)},
            capture_output=True, text=True, check=False,
        )  # fmt: skip

    run.here = here
    return run


@pytest.mark.parametrize("place", ["build/bin", "build-bench/bin", "build/rivals/bin"])
def test_builds_below_the_working_folder_are_found(installed, fake_drivers, place):
    shutil.copytree(fake_drivers, installed.here / place)
    done = installed("libraries")
    assert done.returncode == 0 and done.stdout.splitlines()[1].startswith("fake-complain"), done.stderr


def test_no_drivers_at_all_is_an_error_that_tells_the_way_out(installed):
    for arguments in (["libraries"], ["bench", "run", "one-host"]):
        done = installed(*arguments)
        assert done.returncode == 2 and done.stdout == ""
        assert "--drivers" in done.stderr and "cmake -S bench" in done.stderr and str(installed.here) in done.stderr


def test_every_unknown_library_is_named_once(installed, fake_drivers):
    done = installed("bench", "run", "micro", "--drivers", str(fake_drivers))
    assert done.returncode == 2
    assert "unknown libraries 'fftw-mpi', 'shardfft'; known: fake-absent" in done.stderr and "--drivers" in done.stderr


def test_a_manifest_that_is_none_is_named(installed):
    folder = installed.here / "build" / "bin"
    folder.mkdir(parents=True)
    (folder / "bench-manifest.json").write_text(json.dumps({"libraries": 5})[:-3])
    done = installed("libraries")
    assert done.returncode == 2 and "is not a driver manifest" in done.stderr


def test_the_package_carries_the_licence():
    assert (ROOT / "bench" / "harness" / "LICENSE").read_text() == (ROOT / "LICENSE").read_text()


def test_python_drivers_keep_the_environment_that_native_ones_keep():
    from shardfft_bench.python_drivers import driver

    text = (ROOT / "bench" / "native" / "facts.cpp").read_text(encoding="utf-8")
    for name in ("prefixes", "wiring"):
        words = re.findall(r'"(\w+)"', re.search(rf"{name}\[\] = {{(.*?)}};", text, re.DOTALL)[1])
        assert words == list(getattr(driver, name.upper())), name
