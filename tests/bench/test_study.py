"""Sets of the papers."""

import os

import pytest
import yaml
from conftest import ROOT

from shardfft_bench import cli, experiments, results, study
from shardfft_bench.libraries import Library

MANIFEST = yaml.safe_load((ROOT / "docs" / "studies" / "manifest.yaml").read_text(encoding="utf-8"))
EVERY = [experiments.load(name) for name in experiments.available()]


def test_items_of_experiments_are_the_manifests():
    known = {item["id"] for item in MANIFEST["items"]}
    assert {item for one in EVERY for item in one.get("items", [])} <= known


def test_what_one_host_can_measure_has_an_experiment():
    """All that is missing: by an experiment, or it wants GPUs, another library, or a scheduler that is not there."""
    shown = {item for one in EVERY for item in one.get("items", [])}
    lacking = {item["id"] for item in MANIFEST["items"] if item["status"] == "missing"} - shown
    assert lacking == {"001-datatypes", "002-dag"}


@pytest.mark.parametrize("paper", study.PAPERS)
def test_the_way_through_a_paper_is_made_of_good_cases(paper):
    """Every library found: each gets cases that its driver knows, on few ranks and points."""
    chosen = study.experiments_of(paper)
    assert chosen
    for one in chosen:
        names = [entry if isinstance(entry, str) else entry["library"] for entry in one["libraries"]]
        runs = study.tiny_runs(one, {name: Library(name, ["driver"]) for name in names})
        assert {run.library for run in runs} <= set(names)
        assert runs and all(run.ranks <= 8 for run in runs), one["name"]
        assert all(not results.case_fault(run.case) for run in experiments.runs(one, rounds=2))


@pytest.mark.skipif("SHARDFFT_BENCH_STUDIES" not in os.environ, reason="minutes: SHARDFFT_BENCH_STUDIES=1 runs it")
@pytest.mark.parametrize("paper", study.PAPERS)
def test_each_paper_runs_at_a_tiny_size(real_drivers, tmp_path, paper):
    command = ["study", paper, "--tiny", "--drivers", str(real_drivers), "--into", str(tmp_path)]
    assert cli.main(command) == cli.OK


def test_a_paper_is_run_and_resumed(fake_drivers, plain_launcher, tmp_path, monkeypatch, capsys):
    folder = tmp_path / "experiments"
    folder.mkdir()
    one = {"ranks": [1, 2], "sizes": [64], "items": ["003-planner"], "libraries": ["fake-good", "fake-absent"]}
    (folder / "planner.yaml").write_text(yaml.safe_dump(one))
    monkeypatch.setattr(experiments, "folder", lambda name: folder if name == "experiments" else ROOT / "bench" / name)
    command = ["study", "003", "--tiny", "--drivers", str(fake_drivers), "--launcher", plain_launcher]
    assert cli.main([*command, "--into", str(tmp_path / "set")]) == cli.OK
    [record] = results.load(tmp_path / "set" / "planner")
    assert record["case"]["shape"] == [8, 8, 8] and record["point"]["ranks"] == 2
    assert cli.main([*command, "--into", str(tmp_path / "set")]) == cli.OK
    assert "nothing left to do" in capsys.readouterr().out
    (fake_drivers / "bench-fake-good").write_text("#!/bin/false\n")  # nothing can be run
    assert cli.main([*command, "--into", str(tmp_path / "none")]) == cli.FAILURES
    assert cli.main(["study"]) == cli.OK
    assert "003  planner" in capsys.readouterr().out
    assert cli.main(["study", "005", "--drivers", str(fake_drivers)]) == cli.MISTAKE


def test_features_of_libraries_are_a_table_for_documents(fake_drivers, capsys):
    assert cli.main(["libraries", "--drivers", str(fake_drivers), "--format", "markdown"]) == cli.OK
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("| library | version | language | licence |")
    assert {line.count("|") for line in lines} == {lines[0].count("|")} and "| fake-good | 1 | ? |" in "\n".join(lines)
