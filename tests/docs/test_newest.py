"""README's rows: of each machine, experiment and number of ranks the newest set in which the rival ran, all points."""

import json

import newest
import pytest
import stated


@pytest.fixture
def sets(tmp_path, monkeypatch):
    """Sets of two machines over time; times of ours and of two rivals, in seconds."""
    monkeypatch.setattr(newest, "RESULTS", tmp_path)
    monkeypatch.setattr(stated, "RESULTS", tmp_path)
    monkeypatch.setattr(stated, "version", lambda: "1.0")
    stated.read.cache_clear()
    newest._began.cache_clear()

    def put(folder, began, ranks, **times):
        at = tmp_path / folder
        at.mkdir(parents=True, exist_ok=True)
        one = {"status": "ok", "case": {}, "started": began, "version": f"0.{began[-1]} (x)"}
        with (at / "results.jsonl").open("a") as file:
            for label, seconds in times.items():
                said = {"point": {"shape": [8, 8, 8], "ranks": ranks}, "label": label.replace("_", " ")}
                file.write(json.dumps({**one, **said, "samples": [seconds]}) + "\n")

    put("xeon/2026-01-01/cpu-sizes/2-ranks", "2026-01-01", 2, shardfft=1, fftw=9, mkl=9)
    put("xeon/2026-01-02/seed-1/cpu-sizes/2-ranks", "2026-01-02", 2, shardfft=1, fftw=1.5)
    put("xeon/2026-01-02/seed-2/cpu-sizes/2-ranks", "2026-01-02", 2, shardfft=1, fftw=0.5)
    put("xeon/2026-01-01/cpu-sizes/4-ranks", "2026-01-01", 4, shardfft=1, fftw=0.8)
    put("xeon/2026-01-03/other", "2026-01-03", 2, shardfft=1, fftw=0.1)
    put("2xh9/2026-01-04/cpu-sizes", "2026-01-04", 2, shardfft=1, fftw=7)
    put("4xh9/2026-01-05/cpu-sizes", "2026-01-05", 2, shardfft=1, fftw=6)
    yield stated.Row(())
    stated.read.cache_clear()
    newest._began.cache_clear()


def test_worst_and_best_are_of_all_points_of_the_newest_sets(sets):
    assert sets.spread("shardfft", "cpu-sizes", "xeon", ranks=[2]) == [0.5, 1.5], "both seeds, not the older 9"
    assert sets.spread("shardfft", "cpu-sizes", "xeon") == [0.5, 1.5], "and 0.8 on four ranks, whose set is older"
    assert sets.versions("shardfft", "cpu-sizes", "xeon") == "0.1, 0.2"
    assert sets.spread("shardfft", "cpu-sizes|other", "xeon")[0] == pytest.approx(0.1)


def test_sets_of_earlier_versions_count_only_where_this_version_has_none(sets, monkeypatch):
    monkeypatch.setattr(stated, "version", lambda: "0.1")
    assert sets.spread("shardfft", "cpu-sizes", "xeon") == [0.8, 0.8], "four ranks alone ran in 0.1"
    assert sets.versions("shardfft", "cpu-sizes", "xeon") == "0.1"
    monkeypatch.setattr(stated, "version", lambda: "0.2")
    assert sets.spread("shardfft", "cpu-sizes", "xeon") == [0.5, 1.5]


def test_a_rival_that_did_not_run_since_counts_where_it_ran_last(sets):
    assert sets.spread("shardfft", "cpu-sizes", "xeon", "mkl") == [9, 9]


def test_machines_with_gpus_are_told_by_their_chip(sets):
    assert sets.spread("shardfft", "cpu-sizes", "h9") == [6, 6]
