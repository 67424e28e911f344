"""The claims of the CPUs from start to last line, with drivers that only report times."""

import json
import stat
import subprocess

import pytest
from conftest import ROOT, make_driver, run_claim

OURS = {"shardfft": 0.01}
ONE_HOST = {**OURS, "fftw": 0.01, "mkl": 0.01, "fftw-mpi": 0.02, "mkl-cluster": 0.03}
ONE_HOST_FFTW = {**OURS, "fftw": 0.01, "fftw-mpi": 0.02}
TWO = {**OURS, "fftw-mpi": 0.02}
NAMES = [*ONE_HOST, "accfft", "pfft", "heffte", "spfft", "mpi4py-fft", "dtfft", "share"]

# Starts once the command behind the launcher's own words; the command begins with a path.
LAUNCHER = '#!/bin/sh\nwhile case "$1" in /*) false ;; esac; do shift; done\nexec "$@"\n'


def claim(tmp_path, name, times, *more, kinds=None):
    folder = tmp_path / "bin"
    libraries = {library: {"missing": "not here"} for library in NAMES}
    for library, time in times.items():
        (folder / library).mkdir(parents=True)
        driver = make_driver(folder / library, (kinds or {}).get(library, "good"), time)
        libraries[library] = {"driver": f"{library}/{driver.name}"}
    (folder / "bench-manifest.json").write_text(json.dumps({"libraries": libraries}))
    mpirun = tmp_path / "mpirun"
    mpirun.write_text(LAUNCHER)
    mpirun.chmod(mpirun.stat().st_mode | stat.S_IXUSR)
    file = ROOT / "claims" / f"{name.replace('-', '_')}.py"
    words = ["--drivers", folder, "--rounds", "1", "--into", tmp_path / "set", *more]
    return run_claim(file, *words, programs=tmp_path)


@pytest.mark.parametrize(
    "name, times, more, last",
    [
        ("one-host", ONE_HOST, [], "best_rival=fftw-mpi ratio_rival=2.00 ratio_threads=1.00"),
        ("one-host-fftw", ONE_HOST_FFTW, [], "best_rival=fftw-mpi ratio_rival=2.00 ratio_threads=1.00"),
        ("cpu-vs-fftw", TWO, [], "ratio=0.500 ours_ms=10.0 fftw_mpi_ms=20.0"),
        ("strong-scaling", TWO, ["--ranks", "1", "2", "8"], "ratio_1=2.00 ratio_2=2.00 ratio_8=2.00"),
    ],
)
def test_a_claim_holds_and_keeps_its_records(tmp_path, name, times, more, last):
    done = claim(tmp_path, name, times, *more)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.splitlines()[-1] == f"{name} {last}"
    folder = tmp_path / "set" / name
    assert f"records: {folder}" in done.stdout
    assert (folder / "results.jsonl").is_file() and json.loads((folder / "experiment.json").read_text())["name"] == name


@pytest.mark.parametrize(
    "name, times, more",
    [
        ("one-host", {**ONE_HOST, "fftw-mpi": 0.018}, []),  # 1.8 at 256^3
        ("one-host-fftw", {**ONE_HOST_FFTW, "shardfft": 0.02}, []),
        ("one-host-fftw", {**ONE_HOST_FFTW, "fftw": 0.005}, []),
        ("one-host-fftw", {**ONE_HOST_FFTW, "fftw-mpi": 0.011}, []),
        ("cpu-vs-fftw", {**TWO, "fftw-mpi": 0.009}, []),
        ("strong-scaling", {**TWO, "fftw-mpi": 0.009}, ["--ranks", "2"]),
    ],
)
def test_a_bound_that_is_missed_spoils_it(tmp_path, name, times, more):
    done = claim(tmp_path, name, times, *more)
    assert done.returncode == 1 and done.stdout.splitlines()[-1].startswith(f"{name} "), done.stdout + done.stderr


def test_drawn_sizes_hold_and_keep_their_records(tmp_path):
    times = {"shardfft": 0.01, "fftw": 0.01, "mkl": 0.01, "fftw-mpi": 0.02, "heffte": 0.02}
    done = claim(tmp_path, "cpu-sizes", times, "--ranks", "2", "--cases", "4", "--seed", "7")
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.splitlines()[-1] == "cpu-sizes seed=7 cases=4 hold=4 least_ratio=2.00"
    kept = json.loads((tmp_path / "set" / "cpu-sizes" / "2-ranks" / "experiment.json").read_text())["cases"]
    again = claim(tmp_path / "again", "cpu-sizes", times, "--ranks", "2", "--cases", "4", "--seed", "7")
    assert again.stdout.splitlines()[:-3] == done.stdout.splitlines()[:-3]
    assert len(kept) == 4 and len({tuple(one["shape"]) for one in kept}) > 1


@pytest.mark.parametrize("slow", [{"fftw-mpi": 0.0105, "heffte": 0.0105}, {"fftw": 0.009}])
def test_drawn_sizes_spoiled_by_rivals_or_threads(tmp_path, slow):
    times = {"shardfft": 0.01, "fftw": 0.01, "fftw-mpi": 0.02, "heffte": 0.02, **slow}
    done = claim(tmp_path, "cpu-sizes", times, "--ranks", "2", "--cases", "3")
    assert done.returncode == 1 and "DOES NOT HOLD" in done.stdout


def test_drawn_sizes_stand_beside_their_transforms_alone(tmp_path):
    times = {"shardfft": 0.01, "share": 0.008, "fftw": 0.01, "fftw-mpi": 0.02, "heffte": 0.02}
    done = claim(tmp_path, "cpu-sizes", times, "--ranks", "2", "--cases", "2")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "transforms alone 8.00 ms, ours 1.25 times" in done.stdout


@pytest.mark.parametrize("auto, pencil, holds", [(0.0103, 0.01, True), (0.0103, 0.012, True), (0.012, 0.01, False)])
def test_the_default_algorithm_may_be_a_little_behind_the_best(tmp_path, auto, pencil, holds):
    time = f"{{'pencil': {pencil}, 'slab': 0.02, 'brick': 0.03}}.get(case['options'].get('algorithm'), {auto})"
    done = claim(tmp_path, "algorithms", {"shardfft": time}, "--ranks", "2", "--cases", "5", "--seed", "7")
    assert (done.returncode == 0) == holds, done.stdout + done.stderr
    figures = f"seed=7 cases=5 hold={5 if holds else 0} most_ratio={auto / pencil:.3f}"
    assert done.stdout.splitlines()[-1] == f"algorithms {figures}"
    assert ("DOES NOT HOLD" in done.stdout) != holds
    kept = json.loads((tmp_path / "set" / "algorithms" / "2-ranks" / "experiment.json").read_text())["cases"]
    assert len({(one["layout"], one["output"]) for one in kept}) == 5


@pytest.mark.parametrize("name", ["one-host", "one-host-fftw", "cpu-vs-fftw", "strong-scaling"])
def test_wrong_numbers_and_missing_rivals_spoil_it(tmp_path, name):
    done = claim(tmp_path, name, TWO, kinds={"shardfft": "wrong"})
    assert done.returncode == 1 and "left out, shardfft" in done.stdout and "wrong" in done.stdout
    assert done.stdout.splitlines()[-1].startswith(f"{name} failed=nothing_measured")


@pytest.mark.parametrize("name", ["one-host", "one-host-fftw", "cpu-vs-fftw", "strong-scaling"])
def test_tiny_runs_the_whole_way_and_judges_nothing(tmp_path, name):
    times = {**TWO, "fftw": 0.001, "fftw-mpi": 0.001}
    done = claim(tmp_path, name, times, "--tiny")
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.splitlines()[-1].endswith("nothing is judged at this size; failed=none")
    records = [json.loads(line) for line in (tmp_path / "set" / name / "results.jsonl").read_text().splitlines()]
    assert {tuple(one["point"]["shape"]) for one in records} == {(16, 16, 16)}


def test_tiny_fails_where_a_driver_fails(tmp_path):
    done = claim(tmp_path, "cpu-vs-fftw", TWO, "--tiny", kinds={"fftw-mpi": "die"})
    assert done.returncode == 1 and "failed=fftw-mpi crashed" in done.stdout.splitlines()[-1]


def test_every_claim_is_listed_with_what_it_says():
    done = subprocess.run(["bash", ROOT / "tools" / "claim.sh", "list"], capture_output=True, text=True, check=True)
    names = [line.split()[0] for line in done.stdout.splitlines()]
    cpus = ["algorithms", "cannon-overlap", "cpu-sizes", "cpu-vs-fftw", "one-host", "one-host-fftw"]
    assert names == [
        "gpu",
        "gpu-python",
        "gpu-sizes",
        "lines",
        "simulation",
        "transfers",
        "tuning",
        *cpus,
        "shims",
        "strong-scaling",
        "studies",
    ]
    assert all(len(line) > 40 for line in done.stdout.splitlines())
