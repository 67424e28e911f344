"""The claim gpu-sizes: its draws, its bounds, and the records that it judges without a GPU."""

import importlib.util
import json

import pytest
from conftest import ROOT, run_claim
from test_claim_gpu import line

SCRIPT = ROOT / "claims" / "gpu_sizes.py"


@pytest.fixture
def claim(monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "claims")
    spec = importlib.util.spec_from_file_location("gpu_sizes", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def judge(tmp_path, lines, *options, machine="1xTEST", date="2026-01-02"):
    folder = tmp_path / machine / date / "gpu-sizes" / "some-gpus"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "results.jsonl").write_text("".join(json.dumps(one) + "\n" for one in lines))
    return run_claim(SCRIPT, "--recorded", tmp_path, *options)


def pair(gpus, ours, rival):
    name = "cufft" if gpus == 1 else "cufftxt"
    return [line("shardfft-gpu", 320, "c2c", "double", gpus, ours), line(name, 320, "c2c", "double", gpus, rival)]


def test_sizes_are_even_and_smooth_and_fit(claim, monkeypatch):
    monkeypatch.setattr(claim, "memory_bytes", lambda: 20 * 2**30)
    drawn = [case["shape"] for case in claim.draw(3, 40, 2, False)]
    assert drawn == [case["shape"] for case in claim.draw(3, 40, 2, False)]
    assert drawn != [case["shape"] for case in claim.draw(4, 40, 2, False)]
    for shape in drawn:
        assert all(n % 2 == 0 and claim.is_smooth(n) and 320 <= n <= 1536 for n in shape)
        assert 16 * 3.5 * shape[0] * shape[1] * shape[2] <= 2 * 20 * 2**30
    assert 10 <= sum(len(set(shape)) == 1 for shape in drawn) <= 30


@pytest.mark.parametrize(
    ("gpus", "rival", "holds"), [(1, 0.99, True), (1, 0.97, False), (2, 1.2, True), (2, 1.1, False)]
)
def test_bounds(tmp_path, gpus, rival, holds):
    done = judge(tmp_path, pair(gpus, 10.0, 10.0 * rival))
    assert done.returncode == (0 if holds else 1), done.stdout + done.stderr
    assert f"cases=1 hold={int(holds)} least_ratio={rival:.2f} source=recorded" in done.stdout.splitlines()[-1]


def test_tiny_judges_nothing(tmp_path):
    done = judge(tmp_path, pair(2, 10.0, 9.0), "--tiny")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "nothing is judged" in done.stdout.splitlines()[-1]


def test_the_newest_record_of_every_machine_counts(tmp_path):
    judge(tmp_path, pair(1, 10.0, 5.0), date="2026-01-01")
    judge(tmp_path, pair(2, 10.0, 20.0), machine="2xTEST")
    done = judge(tmp_path, pair(1, 10.0, 15.0))
    assert "cases=2 hold=2 least_ratio=1.50" in done.stdout.splitlines()[-1], done.stdout


def test_without_records_it_says_so(tmp_path):
    done = judge(tmp_path, [line("shardfft-gpu", 320, "c2c", "double", 1, 0, status="wrong")])
    assert done.returncode == 1 and "failed=nothing_measured" in done.stdout.splitlines()[-1]
