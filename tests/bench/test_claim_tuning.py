"""The claim tuning: its draws, its judgement of picks, and its fit of the cost model."""

import importlib.metadata
import json
import subprocess
import sys

import pytest
from conftest import ROOT

sys.path.insert(0, str(ROOT / "claims"))
tuning = pytest.importorskip("tuning")
tuning_judge = pytest.importorskip("tuning_judge")
_core = pytest.importorskip("shardfft._core")

FACTS = {"revision": "abc", "seed": 1, "cores": 2, "processor": "some", "load_before": 0.1}


def test_problems_are_the_same_for_a_seed_and_fit_the_host():
    drawn = [tuning.drawn(64, number, 16) for number in range(200)]
    assert drawn == [tuning.drawn(64, number, 16) for number in range(200)]
    assert {one["ranks"] for one in drawn} == {2, 4, 8, 16} and {one["kind"] for one in drawn} == {"c2c", "r2c"}
    assert {len(one["shape"]) for one in drawn} == {2, 3}
    sizes = [tuning_judge.points({"problem": one}) for one in drawn]
    assert min(sizes) < 1 << 15 and 1 << 21 < max(sizes) < 1 << 24


def step(size):
    """Numbers of a step: bytes moved, of arrays, operations, products, sent near and far, messages, starts, pieces."""
    return [2.0 * size, size, 9.0 * size, 0.0, size / 2, 0.0, 1.0, 0.0, 1.0, 1]


def problem(number, slower=1.0, wrong=1.0):
    """One whose times are those of some figures; the pick of estimate is `slower` than the best way."""
    size = 1 << (14 + number)
    figures = {"memory": 5e9, "host_memory": 8e9, "flops": 2e9, "near_bandwidth": 4e9, "near_latency": 3e-6}
    seconds = _core.seconds_of_steps([step(size)], figures, 2) * wrong
    timed = [
        {
            "way": way,
            "samples": [times * seconds * (1 + 0.001 * i) for i in range(-5, 6)],
            "steps": [step(size * times)],
        }
        for way, times in (("best", 1), ("other", slower))
    ]
    picks = {"estimate": {"way": "other", "planning": 0.01}, "measure": {"way": "best", "planning": 0.1}}
    about = {"number": number, "shape": [size], "kind": "c2c", "dtype": "float64", "layout": "slab"}
    return {"problem": {**about, "output": "slab", "ranks": 2}, "picks": picks, "best": ["best"], "timed": timed}


def judged(tmp_path, problems):
    record = tmp_path / "tuning.jsonl"
    record.write_text("".join(json.dumps(one) + "\n" for one in [FACTS, *problems]))
    script, fitted = ROOT / "claims" / "tuning.py", tmp_path / "model.json"
    command = [sys.executable, script, "--record", record, "--fitted", fitted]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout, json.loads(fitted.read_text()), (tmp_path / "tuning.txt").read_text()


def test_figures_are_found_again_and_all_bars_hold(tmp_path):
    code, said, figures, table = judged(tmp_path, [problem(number, 1.2) for number in range(10)])
    assert code == 0 and said.splitlines()[-1] == "tuning held=4/4 machines=1"
    assert figures["error"] == 0.05 and "| c2c 16384 float64 slab to slab | 2 | 1.20 | 1.00 | 10, 100 |" in table


def test_gpus_have_all_their_memory():
    about = {"steps": [[4e12, 4e12, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 1]], "seconds": 1.0}
    figures = tuning_judge.fit([tuning_judge.Timed(0, 1, **about)], True)
    assert figures["memory"] == pytest.approx(4e12, rel=0.05) and figures["host_memory"] == tuning_judge.ALONE


@pytest.mark.parametrize(
    ("change", "missed"),
    [
        ({"slower": 1.3}, ["estimate within 25 %"]),
        ({"wrong": 1.5}, ["worst error of predictions"]),
    ],
)
def test_bars_that_do_not_hold_are_told(tmp_path, change, missed):
    problems = [problem(number, 1.2) for number in range(10)]
    changed = [9] if "wrong" in change else range(0, 10, 2)
    for number in changed:
        problems[number] = problem(number, **{"slower": 1.2, **change})
    code, said, _, table = judged(tmp_path, problems)
    rows = [line.split("|")[1].strip() for line in table.splitlines() if line.endswith("| no |")]
    assert code == 1 and rows == missed and said.splitlines()[-1] == "tuning held=3/4 machines=1"


def test_failed_problems_are_left_out(tmp_path):
    record = tmp_path / "tuning.jsonl"
    record.write_text("".join(json.dumps(one) + "\n" for one in [FACTS, problem(0), {"problem": {}, "error": "died"}]))
    assert len(tuning_judge.load(record)[1]) == 1


def test_problems_of_gpus_are_larger():
    drawn = [tuning.drawn(64, number, 2, ranks=1, processor="gpu") for number in range(100)]
    sizes = [tuning_judge.points({"problem": one}) for one in drawn]
    assert {one["ranks"] for one in drawn} == {1} and min(sizes) > 1 << 16 and 1 << 24 < max(sizes) < 1 << 28


class Timed:
    """A search whose ways take the seconds that stand for their passes."""

    def __init__(self, seconds):
        self.seconds, self.lines = seconds, []

    def attempt(self, said):
        self.lines.append(said["way"])
        return sum(seconds for name, seconds in self.seconds.items() if f"={name}" in said["way"])


def test_all_measured_passes_are_tried_and_the_fastest_together():
    search = Timed({"planes 8 8 + lines 8": 3, "cufft 8 8 8": 1, "lines 8 8": 2})
    told = {
        "way": "shardfft 1.0; algorithm=slab; passes c2r 8=cufft 8 8 8; passes r2c 8=planes 8 8 + lines 8",
        "choices": [
            {"what": "algorithm", "why": "one rank needs no exchange"},
            {"what": "passes of r2c 8", "why": "measured: planes 8 8 + lines 8 1.2 ms, cufft 8 8 8 1e+03 ms"},
            {"what": "passes of c2r 8", "why": "measured: cufft 8 8 8 3 ms, lines 8 8 2.5 ms"},
        ],
    }
    tuning.try_passes(search, told)
    head = "shardfft 1.0; algorithm=slab; passes c2r 8="
    lines = {
        f"{head}{one}; passes r2c 8={other}"
        for one in ("cufft 8 8 8", "lines 8 8")
        for other in ("planes 8 8 + lines 8", "cufft 8 8 8")
    }
    assert set(search.lines) == lines


def test_predictions_by_a_machine_file_are_judged(tmp_path):
    machine = tmp_path / "machine.json"
    figures = {"memory": 5e9, "host_memory": 8e9, "flops": 2e9, "near_bandwidth": 4e9, "near_latency": 3e-6}
    told = dict.fromkeys(("made", "shardfft", "mpi"), "") | {"hosts": [], "gpus": [], "libraries": [], "memory": []}
    told |= {"format": "shardfft machine", "version": 1, "ranks": 2, "core_share": 1.0, "links": [], "alltoall": []}
    machine.write_text(json.dumps(told | {"model": figures}))
    record = tmp_path / "tuning.jsonl"
    record.write_text("".join(json.dumps(one) + "\n" for one in [FACTS, *(problem(number) for number in range(4))]))
    found = tuning_judge.judge_machine(record, None, machine)
    assert found["worst error by the machine file"][0] < 0.02 and found["worst error by the machine file"][1]


def test_work_is_taken_again_by_the_model_of_the_library(tmp_path):
    problems = [problem(number) for number in range(4)]
    for one in problems:
        one["problem"]["kind"] = "c2c"
    record, again = tmp_path / "tuning.jsonl", []
    record.write_text("".join(json.dumps(one) + "\n" for one in [FACTS, *problems]))
    found = tuning_judge.judge_machine(
        record, None, None, lambda one, way: again.append((one["number"], way)) or [step(one["shape"][0])]
    )
    gpu = {"shape": [96, 80], "kind": "c2c", "dtype": "float64", "layout": "slab", "output": "slab", "ranks": 1}
    head = f"shardfft {importlib.metadata.version('shardfft')}; algorithm=slab; exchange=cuda_peer; chunks=0; grid=; "
    way = head + "active=0; room=fast; past_cache=0; passes c2c 96 80 forward="
    starts = [
        tuning.loads(gpu | {"processor": "gpu"}, way + passes)[0][8] for passes in ("cufft 96 80", "copy + cufft 96 80")
    ]
    assert starts == [2, 3], "kernels"
    assert len(again) == 8 and found["worst error of predictions"][0] < 0.02
    assert tuning.loads({"shape": [16, 12], "kind": "c2c", "dtype": "float64", "layout": "slab", "output": "slab",
                         "ranks": 2}, "")  # fmt: skip
