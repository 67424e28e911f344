"""Scaling exponents and tables 1 to 4 of Verma et al., Scalable Multi-node Fast Fourier Transform on GPUs.

The harness measures (bench/experiments/paper-gpu.yaml); here its records become the paper's tables. The labels of the
experiment are the schedules: `fused` hides transfers behind transforms, `paper` makes one after the other.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from .errors import BenchError
from .statistics import summary

# Errors that pass: the paper's own bound in double precision; single has 24 bits instead of 53.
BOUNDS = {"double": 1e-14, "single": 1e-14 * 2.0**29}
PRECISIONS = {"single": "SP", "double": "DP"}


@dataclass
class Exponent:
    """T = C p^-gamma: gamma, and its standard error if there are enough points."""

    gamma: float
    error: float | None

    def __str__(self) -> str:
        return f"{self.gamma:.2f}" if self.error is None else f"{self.gamma:.2f} ± {self.error:.2f}"


def exponent(times: dict[int, float]) -> Exponent | None:
    """Least squares through log T over log p; None with fewer than two GPU counts or without time."""
    points = [(math.log(p), math.log(t)) for p, t in times.items() if t > 0]
    if len(points) < 2:
        return None
    n = len(points)
    mean_x, mean_y = sum(x for x, _ in points) / n, sum(y for _, y in points) / n
    spread = sum((x - mean_x) ** 2 for x, _ in points)
    slope = sum((x - mean_x) * (y - mean_y) for x, y in points) / spread
    left = sum((y - mean_y - slope * (x - mean_x)) ** 2 for x, y in points)
    return Exponent(-slope, math.sqrt(left / (n - 2) / spread) if n > 2 else None)


def read(records: list[dict]) -> list[dict]:
    """The times in ms of which the tables are made, from records of the harness; failed ones have none."""
    there = [one for one in records if one["status"] not in ("missing", "unsupported")]
    found = [_figures(one) for one in there if len(set(one["point"]["shape"])) == 1]
    if not found:
        raise BenchError("no record of a cube: run the experiment paper-gpu")
    return found


def _figures(record: dict) -> dict:
    point = record["point"]
    n = point["shape"][0]
    made = {"schedule": record["label"], "n": n, "precision": point["precision"], "gpus": point["ranks"]}
    if record["status"] != "ok":
        return {**made, "failed": f"{record['status']}: {record.get('reason', '')}"}
    pair = summary(record["samples"])["median"]
    made |= {
        "pair_ms": 1e3 * pair,
        "tflops": 10 * n**3 * math.log2(n**3) / pair * 1e-12,
        "field_error": record["error"]["after_timing"]["l2"],
        "spectrum_error": record["error"]["forward"]["l2"],
    }
    seconds = (record.get("breakdown") or {}).get("seconds", {})
    if seconds and "other" not in seconds:  # else transforms run while messages travel
        made["communication_ms"] = 1e3 * seconds.get("exchange", 0.0)
        made["computation_ms"] = 1e3 * sum(value for key, value in seconds.items() if key != "exchange")
    return made


def wrong(records: list[dict]) -> list[str]:
    """A sentence for every record that failed, or whose field or spectrum is worse than the bound."""
    found = []
    for record in records:
        if "failed" in record:
            found.append(f"{_title(record)}: {record['failed']}")
            continue
        for side in ("field", "spectrum"):
            error = record[f"{side}_error"]
            if error is None or not error <= BOUNDS[record["precision"]]:
                found.append(f"{_title(record)}: error of the {side} {math.nan if error is None else error:.1e}")
    return found


def _title(record: dict) -> str:
    return f"{record['schedule']} {record['n']}^3 {record['precision']} on {record['gpus']} GPUs"


class Records:
    """Records by schedule, grid, precision and GPU count; the last one of several counts."""

    def __init__(self, records: list[dict]):
        self._by = {(r["schedule"], r["n"], r["precision"], r["gpus"]): r for r in records}
        self.grids = sorted({r["n"] for r in records})
        self.gpus = sorted({r["gpus"] for r in records})
        self.schedules = [s for s in ("fused", "paper") if any(key[0] == s for key in self._by)]

    def value(self, schedule: str, n: int, precision: str, gpus: int, key: str) -> float | None:
        return self._by.get((schedule, n, precision, gpus), {}).get(key)

    def times(self, schedule: str, n: int, precision: str, key: str) -> dict[int, float]:
        found = {p: self.value(schedule, n, precision, p, key) for p in self.gpus}
        return {p: t for p, t in found.items() if t is not None}


def _table(title: str, head: list[str], rows: list[list[str]]) -> str:
    lines = [f"**{title}**", "", "| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    return "\n".join([*lines, *("| " + " | ".join(row) + " |" for row in rows)])


def _scaling(records: Records, schedule: str, n: int, precision: str, key: str) -> dict[int, float]:
    """Times to fit: one GPU has nobody to communicate with."""
    times = records.times(schedule, n, precision, key)
    return {p: t for p, t in times.items() if p > 1} if key == "communication_ms" else times


def _exponents(records: Records, schedule: str) -> str:
    kinds = {"γ1": "computation_ms", "γ2": "communication_ms", "γ": "pair_ms"}
    head = ["grid", *(f"{name} {short}" for name in kinds for short in PRECISIONS.values())]
    rows = []
    for n in records.grids:
        found = [exponent(_scaling(records, schedule, n, p, key)) for key in kinds.values() for p in PRECISIONS]
        rows.append([f"{n}^3", *(str(one) if one else "-" for one in found)])
    return _table(f"Table 1 ({schedule}): exponents of computation, communication and total time", head, rows)


def _by_gpus(records: Records, title: str, cell: Callable[[int, str, int], float | None], digits: int) -> str:
    head = ["GPUs", *(f"{n}^3 {short}" for n in records.grids for short in PRECISIONS.values())]
    rows = []
    for gpus in records.gpus:
        values = [cell(n, precision, gpus) for n in records.grids for precision in PRECISIONS]
        rows.append([str(gpus), *("-" if v is None else f"{v:.{digits}f}" for v in values)])
    return _table(title, head, rows)


def _ratio(records: Records, schedule: str) -> Callable[[int, str, int], float | None]:
    def cell(n: int, precision: str, gpus: int) -> float | None:
        part = records.value(schedule, n, precision, gpus, "communication_ms")
        return None if part is None else part / records.value(schedule, n, precision, gpus, "pair_ms")

    return cell


def _of(records: Records, schedule: str, key: str) -> Callable[[int, str, int], float | None]:
    return lambda n, precision, gpus: records.value(schedule, n, precision, gpus, key)


def _against_cufft(records: Records) -> str:
    columns = [s for s in ("cufft", *records.schedules)]
    head = ["GPUs", *(f"{n}^3 {s} {short}" for n in records.grids for s in columns for short in PRECISIONS.values())]
    rows = []
    for gpus in records.gpus:
        values = [records.value(s, n, p, gpus, "pair_ms") for n in records.grids for s in columns for p in PRECISIONS]
        rows.append([str(gpus), *("-" if v is None else f"{v:.2f}" for v in values)])
    return _table("Table 4: ms for a pair; cufft is cuFFTXt, on one GPU cuFFT, without normalisation", head, rows)


def tables(found: list[dict]) -> str:
    """The paper's tables 1 to 4 in Markdown."""
    records = Records(found)
    parts = []
    for schedule in records.schedules:
        parts.append(_exponents(records, schedule))
        title = f"Table 2 ({schedule}): communication over total time"
        parts.append(_by_gpus(records, title, _ratio(records, schedule), 2))
        title = f"Table 3 ({schedule}): TFLOPS, 10 N^3 log2(N^3) over the time of a pair"
        parts.append(_by_gpus(records, title, _of(records, schedule, "tflops"), 2))
    parts.append(_against_cufft(records))
    if "fused" in records.schedules:
        parts.append(
            "fused: transforms hide transfers, so neither has a time of its own; the copy engines do both transposes "
            "while they send."
        )
    return "\n\n".join(parts) + "\n"
