"""The claim gpu: its bounds, and the record that it judges without a GPU."""

import json

import pytest
from conftest import ROOT, run_claim

SCRIPT = ROOT / "claims" / "gpu.py"
ERROR = {"max": 1e-15, "l2": 1e-16}


def line(label, n, kind, precision, gpus, ms, status="ok"):
    point = {"shape": [n, n, n], "kind": kind, "precision": precision, "layout": "slab", "ranks": gpus}
    made = {
        "schema": 1, "key": f"{label}{point}", "experiment": "x", "library": label, "label": label, "version": "1",
        "status": status, "case": {"shape": [n, n, n]}, "ranks": gpus, "point": point, "round": 0, "revision": "abc",
    }  # fmt: skip
    if status != "ok":
        return {**made, "reason": "it was made so"}
    return {
        **made, "samples": [1e-3 * ms], "plan_seconds": 0, "flop": 1, "machine": {}, "environment": {},
        "error": {"after_timing": ERROR},
    }  # fmt: skip


def good():
    """Records of which every bound is met, by the key of each line."""
    lines = {}
    for precision in ("single", "double"):
        for n in (256, 1024, 1536):
            for kind, ms in (("c2c", 10.0), ("r2c", 5.5)):
                lines["ours", n, kind, precision] = line("shardfft-gpu", n, kind, precision, 2, ms)
                lines["xt", n, kind, precision] = line("cufftxt", n, kind, precision, 2, 12.0)
        lines["one", 512, "c2c", precision] = line("shardfft-gpu", 512, "c2c", precision, 1, 20.0)
        lines["floor", 512, "c2c", precision] = line("cufft", 512, "c2c", precision, 1, 20.0)
    return lines


def judge(tmp_path, lines, date="2026-01-02"):
    for count in (1, 2):
        folder = tmp_path / f"{count}xTEST" / date / ("one-gpu" if count == 1 else "two-gpu")
        folder.mkdir(parents=True, exist_ok=True)
        mine = [json.dumps(one) + "\n" for one in lines.values() if one["point"]["ranks"] == count]
        (folder / "results.jsonl").write_text("".join(mine))
    return run(tmp_path)


def run(folder):
    return run_claim(SCRIPT, "--recorded", folder)


def test_good_record(tmp_path):
    done = judge(tmp_path, good())
    assert done.returncode == 0, done.stdout + done.stderr
    assert "What follows was recorded on 2xTEST on 2026-01-02." in done.stdout.splitlines()[0]
    last = done.stdout.splitlines()[-1].split()
    assert last[0] == "gpu" and {"ratio_1024=1.20", "ratio_1536=1.20", "source=recorded"} <= set(last)


@pytest.mark.parametrize(
    "key, ms",
    [
        (("ours", 1024, "c2c", "single"), 11.0),  # 1.09 times
        (("ours", 256, "c2c", "double"), 12.1),  # slower
        (("ours", 1024, "r2c", "double"), 6.6),
        (("one", 512, "c2c", "double"), 20.5),
    ],
)
def test_each_bound_spoils_it(tmp_path, key, ms):
    lines = good()
    lines[key]["samples"] = [1e-3 * ms]
    done = judge(tmp_path, lines)
    assert done.returncode == 1 and done.stdout.count("<- not met") == 1


@pytest.mark.parametrize("missing", [1536, "r2c", 512])
def test_what_is_not_in_the_record_spoils_it(tmp_path, missing):
    done = judge(tmp_path, {key: one for key, one in good().items() if missing not in key})
    assert done.returncode == 1 and "not in the record" in done.stdout


def test_wrong_numbers_are_no_figures(tmp_path):
    lines = good()
    for key in [key for key in lines if key[:2] == ("ours", 1536)]:
        lines[key] = line("shardfft-gpu", 1536, key[2], key[3], 2, 1.0, status="wrong")
    done = judge(tmp_path, lines)
    assert done.returncode == 1 and "1536^3: not in the record" in done.stdout


def test_the_best_rival_counts_and_what_is_no_plan_is_none(tmp_path):
    lines = good()
    lines["mp"] = line("cufftmp", 1024, "c2c", "double", 2, 10.0)
    lines["no plan"] = line("shardfft-slab", 1536, "c2c", "double", 2, 1.0)
    done = judge(tmp_path, lines)
    assert done.returncode == 1 and "ratio_1024=1.00" in done.stdout and "ratio_1536=1.20" in done.stdout


def test_the_newest_record_is_judged(tmp_path):
    bad = {key: one for key, one in good().items() if key[2] != "r2c"}
    assert judge(tmp_path, bad).returncode == 1
    assert judge(tmp_path, good(), "2026-01-10").returncode == 0
    assert judge(tmp_path, bad, "2025-12-31").returncode == 0


def test_without_any_record(tmp_path):
    done = run(tmp_path)
    assert done.returncode == 1 and "there is no record" in done.stderr


def test_the_committed_record_holds():
    done = run(ROOT / "bench" / "results")
    assert done.returncode == 0, done.stdout
