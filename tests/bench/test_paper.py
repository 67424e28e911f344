"""The GPU paper's exponents and tables, from records made up so that the answers are known."""

import json

import pytest

from shardfft_bench import paper
from shardfft_bench.cli import main
from shardfft_bench.errors import BenchError


def record(schedule, n, precision, gpus, computation, communication, **more):
    made = {
        "schedule": schedule, "n": n, "precision": precision, "gpus": gpus,
        "pair_ms": computation + communication, "computation_ms": computation, "communication_ms": communication,
        "tflops": 1.0, "field_error": 1e-15, "spectrum_error": 1e-16,
    }  # fmt: skip
    return {**made, **more}


def family():
    """Computation falls as p^-1 and communication as p^-1/2, on grids of two sizes, both precisions."""
    made = []
    for n in (512, 1024):
        for precision, weight in (("single", 1), ("double", 2)):
            for gpus in (1, 2, 4, 8):
                made.append(record("paper", n, precision, gpus, weight * 8 / gpus, weight * 4 / gpus**0.5))
                made.append({**record("cufft", n, precision, gpus, 10, 10), "computation_ms": None})
    return made


def line(label, gpus, seconds, breakdown, error=1e-16, status="ok"):
    """A record of the harness."""
    point = {"shape": [64, 64, 64], "kind": "r2c", "precision": "double", "ranks": gpus}
    made = {
        "schema": 1, "key": f"{label} {gpus}", "experiment": "paper-gpu", "library": "shardfft-group", "version": "0",
        "label": label, "status": status, "case": {"shape": [64, 64, 64]}, "ranks": 1, "point": point, "round": 0,
        "revision": "abc",
    }  # fmt: skip
    if status != "ok":
        return {**made, "reason": "out of memory"}
    side = {"l2": error, "max": error}
    errors = {"forward": side, "backward": side, "after_timing": side}
    machine = {"machine": {}, "environment": {}, "plan_seconds": 0, "flop": 1}
    return {**made, **machine, "samples": [seconds], "error": errors, "breakdown": {"seconds": breakdown}}


def test_exponent_of_an_exact_power():
    found = paper.exponent({p: 3 * p**-0.75 for p in (1, 2, 4, 8)})
    assert found.gamma == pytest.approx(0.75) and found.error == pytest.approx(0, abs=1e-12)
    assert str(paper.exponent({1: 8.0, 2: 4.0})) == "1.00"


def test_exponent_with_an_error():
    # By hand: log2 T = 2, 1, 1 at log2 p = 0, 1, 2: slope -1/2, residuals 1/6, -1/3, 1/6, standard error sqrt(1/12).
    found = paper.exponent({1: 4.0, 2: 2.0, 4: 2.0})
    assert found.gamma == pytest.approx(0.5) and found.error == pytest.approx((1 / 12) ** 0.5)


def test_exponent_needs_two_counts():
    assert paper.exponent({2: 1.0}) is None
    assert paper.exponent({1: 0.0, 2: 1.0}) is None  # no communication on one GPU


def test_tables():
    text = paper.tables(family())
    lines = text.splitlines()
    assert "| grid | γ1 SP | γ1 DP | γ2 SP | γ2 DP | γ SP | γ DP |" in lines
    row = next(line for line in lines if line.startswith("| 512^3 |"))
    cells = [cell.strip() for cell in row.strip("|").split("|")]
    assert cells[1:5] == ["1.00 ± 0.00", "1.00 ± 0.00", "0.50 ± 0.00", "0.50 ± 0.00"]
    assert 0.5 < float(cells[5].split()[0]) < 1
    ratios = lines[lines.index("**Table 2 (paper): communication over total time**") + 4 :][:4]
    assert ratios[0] == "| 1 | 0.33 | 0.33 | 0.33 | 0.33 |"
    assert ratios[2] == "| 4 | 0.50 | 0.50 | 0.50 | 0.50 |"
    last = [line for line in lines if line.startswith("| 8 | 20.00 | 20.00 | 2.41 | 4.83 |")]
    assert len(last) == 1  # cuFFT first, then ours


def test_one_gpu_is_no_point_of_communication():
    found = [record("paper", 512, "double", gpus, 8 / gpus, 0.01 if gpus == 1 else 4 / gpus) for gpus in (1, 2, 4)]
    row = next(line for line in paper.tables(found).splitlines() if line.startswith("| 512^3 |"))
    assert row.split("|")[5].strip() == "1.00" and row.split("|")[3].strip() == "1.00 ± 0.00"


def test_errors_above_the_paper_s_bound_are_named():
    bad = [record("paper", 64, "double", 2, 1, 1, field_error=1.1e-14)]
    assert paper.wrong(bad) == ["paper 64^3 double on 2 GPUs: error of the field 1.1e-14"]
    assert paper.wrong([record("paper", 64, "double", 2, 1, 1, spectrum_error=float("nan"))])
    assert paper.wrong([record("paper", 64, "double", 2, 1, 1, spectrum_error=None)])
    assert paper.wrong(family()) == []


def test_records_of_the_harness_become_figures():
    told = [
        line("paper", 2, 3e-3, {"fft": 1e-3, "exchange": 2e-3}), line("fused", 2, 2e-3, {"other": 2e-3}),
        line("cufft", 2, 4e-3, {}), line("fused", 4, 0, {}, status="missing"),
    ]  # fmt: skip
    one, fused, cufft = paper.read(told)
    assert one["pair_ms"] == pytest.approx(3) and one["communication_ms"] == pytest.approx(2)
    assert one["computation_ms"] == pytest.approx(1) and one["tflops"] == pytest.approx(10 * 64**3 * 18 / 3e-3 * 1e-12)
    assert "communication_ms" not in fused and "communication_ms" not in cufft
    assert paper.wrong([one, fused, cufft]) == []
    text = paper.tables([one, fused, cufft])
    assert "| 2 | - | 4.00 | - | 2.00 | - | 3.00 |" in text.splitlines()


def test_command_reads_records_and_says_what_is_wrong(tmp_path, capsys):
    file = tmp_path / "results.jsonl"
    told = [line("paper", 2, 3e-3, {"fft": 1e-3, "exchange": 2e-3}), line("paper", 1, 1e-3, {"fft": 1e-3})]
    file.write_text("".join(json.dumps(one) + "\n" for one in told))
    assert main(["paper-gpu", str(file), "--into", str(tmp_path / "out")]) == 0
    assert "Table 4" in capsys.readouterr().out and "Table 1" in (tmp_path / "out" / "tables.md").read_text()
    told.append(line("paper", 4, 3e-3, {"fft": 1e-3}, error=1.0))
    told.append(line("fused", 4, 0, {}, status="crashed"))
    file.write_text("".join(json.dumps(one) + "\n" for one in told))
    assert main(["paper-gpu", str(file)]) == 3
    said = capsys.readouterr().err
    assert "error of the field 1.0e+00" in said and "out of memory" in said


def test_without_cubes_there_are_no_tables():
    with pytest.raises(BenchError, match="no record"):
        paper.read([])
