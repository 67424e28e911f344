"""Fair comparisons: searches of the same length, the state of single copies, other builds of rivals."""

import json
import os
import subprocess
import sys

import pytest
from conftest import ROOT

from shardfft_bench import campaign, cli, experiments, results, single_copy
from shardfft_bench.launch import Launcher
from shardfft_bench.libraries import find_libraries

# A driver whose time is its option `delay`, a second less with COLOUR=red; `nap` is how long it takes to start.
DRIVER = """#!{python}
import json, os, sys, time
if sys.argv[1:] == ["--describe"]:
    print(json.dumps({{"library": "{name}", "version": "1", "capabilities": {{}}, "distributed": True}}))
    raise SystemExit
case = json.loads(sys.argv[1])
options = case.get("options", {{}})
time.sleep(options.get("nap", 0))
error = {{"max": 1e-15, "l2": 1e-16}}
told = {{name: os.environ[name] for name in ("COLOUR", "LD_LIBRARY_PATH") if name in os.environ}}
delay = options.get("delay", 9) - (1 if told.get("COLOUR") == "red" else 0)
record = {{"schema": 1, "library": "{name}", "version": "1", "status": "ok", "case": case, "ranks": 1,
    "samples": [delay], "plan_seconds": 0, "flop": 1, "error": {{"after_timing": error}},
    "machine": {{}}, "environment": told}}
with open(sys.argv[2], "a") as file:
    file.write(json.dumps(record) + "\\n")
"""


@pytest.fixture
def drivers(tmp_path):
    """Makes drivers of these names."""

    def make(*names):
        folder = tmp_path / "bin"
        folder.mkdir()
        for name in names:
            program = folder / f"bench-{name}"
            program.write_text(DRIVER.format(python=sys.executable, name=name))
            program.chmod(0o755)
        entries = {name: {"driver": f"bench-{name}"} for name in names}
        (folder / "bench-manifest.json").write_text(json.dumps({"libraries": entries}))
        return find_libraries([str(folder)])

    return make


def test_every_search_has_the_same_seconds_and_its_own_setting_first(tmp_path, drivers, plain_launcher, experiment):
    """Ours and six rivals: none begins a setting when its seconds are over, and the record has all tried settings."""
    names = ["ours", *(f"rival{n}" for n in range(6))]
    delays = [5, 4, 3, 2, 1]
    entries = [{"library": name, "search": {"options": {"delay": delays, "nap": [0.3]}}} for name in names]
    loaded = experiments.load(experiment(entries, search_seconds=0.8))
    runs = experiments.runs(loaded)
    into, launcher, libraries = tmp_path / "set", Launcher(plain_launcher), drivers(*names)
    campaign.carry_out(runs, libraries, launcher, into, loaded)
    records = results.load(into)
    for name in names:
        tried = [one for one in records if one["library"] == name and one["round"] == 0]
        [tuned] = [one for one in records if one["label"] == f"{name} tuned"]
        assert tried[0]["case"]["options"]["delay"] == 5, "the library's own setting is tried whatever the seconds"
        assert 1 <= len(tried) <= 3 and tuned["search"]["tried"] == len(tried), "each takes 0.3 s and more"
        assert tuned["search"]["budget_seconds"] == 0.8 and tuned["search"]["settings"] == 5
        seconds = [one["launch"]["wall_seconds"] for one in tried]
        assert tuned["search"]["seconds"] == pytest.approx(sum(seconds)) and sum(seconds[:-1]) < 0.8
        least = min(tried, key=lambda one: one["samples"])
        assert tuned["case"]["options"] == least["case"]["options"] and tuned["search"]["setting"] == least["label"]
    assert campaign.carry_out(experiments.runs(loaded), libraries, launcher, into, loaded) == {}, "nothing is left"


def test_the_order_of_a_search_is_drawn_but_for_its_first(experiment):
    entry = {"library": "a", "search": {"options": {"delay": list(range(9))}}}
    loaded = experiments.load(experiment([entry, "b"], search_seconds=1, rounds=1, ranks=[1, 2, 3, 4]))
    orders = {}
    for run in experiments.runs(loaded):
        if run.search:
            orders.setdefault(run.ranks, []).append(run.case["options"]["delay"])
    assert all(order[0] == 0 and sorted(order) == list(range(9)) for order in orders.values())
    assert len({tuple(order) for order in orders.values()}) > 1


def test_a_search_without_seconds_is_refused(experiment, capsys, fake_drivers):
    path = experiment([{"library": "fake-good", "search": {"effort": ["patient"]}}])
    assert cli.main(["bench", "run", path, "--drivers", str(fake_drivers)]) == cli.MISTAKE
    assert "a search wants search_seconds, the same for every library" in capsys.readouterr().err


def test_shipped_searches_tune_ours_and_six_rivals():
    """By the options of their drivers, and for single copies, which rivals need most."""
    tuned = experiments.load("tuned")
    searched = {
        one["library"]: one["search"] for one in tuned["libraries"] if isinstance(one, dict) and "search" in one
    }
    assert "shardfft" in searched and len(searched) >= 7
    assert all("single_copy" in search["mpi"] for search in searched.values())
    default = {one if isinstance(one, str) else one["library"] for one in tuned["libraries"] if "search" not in one}
    assert default == set(searched), "each has both rows"


def test_timed_experiments_plan_by_measuring():
    """Rivals' plans are measured, as a case is by default; who asks for less says that no times are compared."""
    asks = [experiments.load(name) for name in experiments.available()]
    hasty = {one["name"] for one in asks if one.get("case", {}).get("effort") == "estimate"}
    assert hasty == {"features", "micro", "smoke"}


def test_variables_and_words_of_the_mpi_library_are_searched(tmp_path, drivers, experiment):
    launcher = tmp_path / "words.yaml"
    launcher.write_text("command: [env]\nsettings: {colour: {red: {COLOUR: red}, blue: {COLOUR: blue}}}\n")
    search = {"mpi": {"colour": ["blue", "red", "green"]}, "environment": {"SHADE": [1, 2]}, "options": {"delay": [3]}}
    loaded = experiments.load(experiment([{"library": "a", "search": search}], search_seconds=60))
    into = tmp_path / "set"
    campaign.carry_out(experiments.runs(loaded), drivers("a"), Launcher(str(launcher)), into, loaded)
    records = results.load(into)
    green = [one for one in records if one.get("mpi") == {"colour": "green"}]
    assert {one["status"] for one in green} == {"unsupported"}
    assert "does not know how to set colour to green" in green[0]["reason"]
    [tuned] = [one for one in records if one["label"] == "a tuned"]
    assert tuned["mpi"] == {"colour": "red"} and tuned["environment"] == {"COLOUR": "red"} and tuned["samples"] == [2]
    assert "delay=3 SHADE=" in tuned["search"]["setting"] and "colour=red" in tuned["search"]["setting"]


def test_another_build_of_a_library_is_loaded_first(tmp_path, drivers, plain_launcher, experiment, monkeypatch):
    loaded = experiments.load(experiment(["a", {"library": "a", "label": "a wide", "variant": "wide"}], rounds=1))
    libraries, launcher, into = drivers("a"), Launcher(plain_launcher), tmp_path / "set"
    monkeypatch.delenv("SHARDFFT_BENCH_VARIANTS", raising=False)
    campaign.carry_out(experiments.runs(loaded), libraries, launcher, into, loaded)
    missing = next(one for one in results.load(into) if one["label"] == "a wide")
    assert missing["status"] == "missing" and "SHARDFFT_BENCH_VARIANTS has no folder wide" in missing["reason"]
    (tmp_path / "variants" / "wide" / "lib").mkdir(parents=True)
    monkeypatch.setenv("SHARDFFT_BENCH_VARIANTS", str(tmp_path / "variants"))
    assert campaign.carry_out(experiments.runs(loaded), libraries, launcher, into, loaded) == {"ok": 1}
    wide = results.load(into)[-1]
    assert wide["variant"] == "wide" and str(tmp_path) not in " ".join(wide["launch"]["command"])
    assert wide["environment"]["LD_LIBRARY_PATH"].startswith(str(tmp_path / "variants" / "wide" / "lib"))


def test_records_tell_how_messages_are_copied(tmp_path, fake_drivers, plain_launcher, experiment):
    into = tmp_path / "set"
    command = ["bench", "run", experiment(["fake-good"], rounds=1), "--drivers", str(fake_drivers)]
    assert cli.main([*command, "--launcher", plain_launcher, "--into", str(into)]) == cli.OK
    machine = results.load(into)[0]["machine"]
    assert machine["single_copy"] == single_copy.mechanism(dict(os.environ)) and machine["cma"]


OMPI_INFO = """#!/bin/sh
case "$*" in
*vader*) {vader} ;;
*smsc*) printf 'mca:smsc:cma:version:"5"\\n{smsc}:value:%s\\n{smsc}:source:env\\n' "$OMPI_MCA_smsc" ;;
esac
"""
SMSC = "mca:smsc:base:param:smsc"
VADER = "mca:btl:vader:param:btl_vader_single_copy_mechanism"


@pytest.mark.parametrize(
    ("vader", "asked", "told"),
    [
        (("cma", "default"), "", "cma (default)"),
        (("none", "env"), "", "none (environment)"),
        (("none", "file (/etc/params.conf)"), "", "none (file (/etc/params.conf))"),
        (None, "", "cma (environment)"),
        (None, "^cma,knem,xpmem", "none (environment)"),
        (None, "cma", "cma (environment)"),
    ],
)
def test_open_mpi_is_asked_what_is_in_effect(vader, asked, told, tmp_path):
    said = (
        "\\n".join(f"{VADER}:{key}:{one}" for key, one in zip(("value", "source"), vader, strict=True)) if vader else ""
    )
    for name, text in {
        "mpirun": "#!/bin/sh\n",
        "ompi_info": OMPI_INFO.format(vader=f"printf '{said}\\n'", smsc=SMSC),
    }.items():
        (tmp_path / name).write_text(text)
        (tmp_path / name).chmod(0o755)
    assert single_copy.mechanism({"PATH": f"{tmp_path}:{os.environ['PATH']}", "OMPI_MCA_smsc": asked}) == told


def test_other_mpi_libraries_tell_their_variables(tmp_path):
    (tmp_path / "mpirun").write_text("#!/bin/sh\n")
    (tmp_path / "mpirun").chmod(0o755)
    assert single_copy.mechanism({"PATH": str(tmp_path)}).startswith("not set")
    assert single_copy.mechanism({"PATH": str(tmp_path), "UCX_TLS": "tcp"}) == "UCX_TLS=tcp"


def test_what_linux_permits_is_tried():
    said = single_copy.permitted()
    assert said.split()[0] in ("permitted", "refused:") and ("ptrace_scope" in said)


@pytest.mark.parametrize("name", ["openmpi", "mpich"])
def test_launchers_know_both_ways_of_copying(name):
    launcher = Launcher(name)
    assert launcher.settings({"single_copy": "cma"}) != launcher.settings({"single_copy": "none"})
    assert all(isinstance(text, str) for text in launcher.settings({"single_copy": "none"}).values())


def test_settings_of_mpi_are_by_name_in_the_experiment_on_them():
    entries = experiments.load("mpi-settings")["libraries"]
    words = [one["mpi"] for one in entries if isinstance(one, dict) and "mpi" in one]
    assert {"single_copy": "cma"} in words and {"single_copy": "none"} in words
    launcher = Launcher("openmpi")
    assert all(launcher.settings(one) for one in words)


def test_fftw_with_wider_vectors_stands_beside_the_packaged_one():
    """In every set of CPUs that times FFTW-MPI beside ours and others."""
    beside = {
        "two-core",
        "one-host",
        "strong-scaling",
        "weak-scaling",
        "report-2-reshapes",
        "in-and-out-of-place",
        "s3dft",
    }
    for name in (*beside, "communication-ratio", "tuned"):
        rows = [one for one in experiments.load(name)["libraries"] if isinstance(one, dict)]
        assert any(
            one.get("variant") == "fftw-avx512" or "fftw-avx512" in one.get("search", {}).get("variant", [])
            for one in rows
            if one["library"] == "fftw-mpi"
        ), name
    script = ROOT / "bench" / "variants" / "fftw-avx512.sh"
    done = subprocess.run(["bash", script], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 2 and "usage: " in done.stderr, "without a folder it downloads nothing"
