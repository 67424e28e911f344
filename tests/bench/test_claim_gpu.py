"""The claim gpu: its bounds, and which record it judges where there is no GPU."""

import json
import subprocess
import sys

import pytest
from conftest import ROOT

SCRIPT = ROOT / "claims" / "gpu.py"


def pair(library, n, kind, gpus, ms, **more):
    record = {"driver": "slab_pair", "library": library, "shape": [n, n, n], "type": kind, "gpus": gpus, "pair_ms": ms}
    return {**record, **({"round_trip": 1e-16, "joules_pair": 5.0} if library == "shardfft" else {}), **more}


def good():
    """A record of which every bound is met, by the key of each line."""
    lines = {}
    for kind in ("Z2Z", "C2C"):
        for n in (256, 1024, 1536):
            lines["ours", n, kind] = pair("shardfft", n, kind, 2, 10.0)
            lines["xt", n, kind] = pair("cufftxt", n, kind, 2, 12.0)
        lines["one", kind] = pair("shardfft", 512, kind, 1, 20.0)
        lines["floor", kind] = pair("cufft3d", 512, kind, 1, 20.0)
    for kind in ("D2Z", "R2C"):
        lines["real", kind] = pair("shardfft", 1024, kind, 2, 5.5)
    return lines


def judge(tmp_path, lines, date="2026-01-02"):
    folder = tmp_path / "2xTEST" / date
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "slab_pair.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines.values()))
    return subprocess.run(
        [sys.executable, SCRIPT, "recorded", tmp_path, "--because", "no GPU"],
        capture_output=True, text=True, check=False,
    )  # fmt: skip


def test_good_record(tmp_path):
    done = judge(tmp_path, good())
    assert done.returncode == 0, done.stdout
    assert done.stdout.startswith("not measured: no GPU. What follows was recorded on 2xTEST on 2026-01-02.")
    last = done.stdout.splitlines()[-1].split()
    assert last[0] == "gpu" and {"ratio_1024=1.20", "ratio_1536=1.20", "source=recorded"} <= set(last)


@pytest.mark.parametrize(
    "key, change",
    [
        (("ours", 1024, "C2C"), {"pair_ms": 11.0}),  # 1.09 times
        (("ours", 256, "Z2Z"), {"pair_ms": 12.1}),  # slower
        (("real", "D2Z"), {"pair_ms": 6.1}),
        (("one", "Z2Z"), {"pair_ms": 20.5}),
        (("ours", 1536, "Z2Z"), {"round_trip": 2e-14}),
        (("ours", 256, "C2C"), {"round_trip": float("nan")}),
    ],
)
def test_each_bound_spoils_it(tmp_path, key, change):
    lines = good()
    lines[key] = {**lines[key], **change}
    assert judge(tmp_path, lines).returncode == 1


@pytest.mark.parametrize("missing", [1536, "D2Z", 512])
def test_what_is_not_in_the_record_spoils_it(tmp_path, missing):
    lines = {key: line for key, line in good().items() if missing not in (line["shape"][0], line["type"])}
    assert judge(tmp_path, lines).returncode == 1


def test_cufftmp_is_a_rival(tmp_path):
    lines = good()
    lines["mp"] = {
        "library": "cufftmp", "status": "ok", "ranks": 2, "samples": [9e-3, 10e-3, 11e-3],
        "case": {"shape": [1024] * 3, "precision": "double"},
    }  # fmt: skip
    done = judge(tmp_path, lines)
    assert done.returncode == 1 and "ratio_1024=1.00" in done.stdout


def test_the_newest_record_is_judged(tmp_path):
    bad = {key: line for key, line in good().items() if key[0] != "real"}
    assert judge(tmp_path, bad).returncode == 1
    assert judge(tmp_path, good(), "2026-01-10").returncode == 0
    assert judge(tmp_path, bad, "2025-12-31").returncode == 0


def test_without_any_record(tmp_path):
    done = subprocess.run(
        [sys.executable, SCRIPT, "recorded", tmp_path, "--because", "no GPU"],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 1 and "there is no record" in done.stderr


def test_the_committed_record_holds():
    done = subprocess.run(
        [sys.executable, SCRIPT, "recorded", ROOT / "bench" / "results", "--because", "a test"],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout
