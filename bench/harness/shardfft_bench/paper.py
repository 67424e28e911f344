"""The experiment of Verma et al., Scalable Multi-node Fast Fourier Transform on GPUs, as one command.

The driver paper_slab measures pairs of transforms of the paper's field over GPU counts and grids; here its records
become scaling exponents and the paper's tables 1 to 4.
"""

from __future__ import annotations

import json
import math
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from .errors import BenchError

# Errors that pass: the paper's own bound in double precision; single has 24 bits instead of 53.
BOUNDS = {"double": 1e-14, "single": 1e-14 * 2.0**29}
PRECISIONS = {"single": "SP", "double": "DP"}


@dataclass
class Exponent:
    """T = C p^-gamma: gamma, and its standard error where there are points to tell it."""

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


def read(lines: list[str]) -> list[dict]:
    """The driver's records; its error lines raise BenchError."""
    records = []
    for line in lines:
        if not line.startswith("{"):
            continue
        try:
            record = json.loads(line)
        except json.JSONDecodeError as error:
            raise BenchError(f"not a record of paper_slab: {line[:80]}") from error
        if "error" in record:
            raise BenchError(f"paper_slab failed: {record['error']}")
        if record.get("driver") == "paper_slab" and "pair_ms" in record:
            records.append(record)
    if not records:
        raise BenchError("no record of paper_slab")
    return records


def wrong(records: list[dict]) -> list[str]:
    """A sentence for every record whose field or spectrum is worse than the bound, or was not looked at (-1)."""
    found = []
    for record in records:
        for side in ("field", "spectrum"):
            error = record.get(f"{side}_error", -1)
            if error < 0:
                found.append(f"{_title(record)}: the {side} was not checked, so its time is no figure")
            elif not error <= BOUNDS[record["precision"]]:
                found.append(f"{_title(record)}: error of the {side} {error:.1e}")
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
            "fused: transforms hide transfers, so communication is the part of the pair in which no transform runs; "
            "the copy engines do both transposes while they send, and normalisation is part of the last pass."
        )
    return "\n\n".join(parts) + "\n"


def run(driver: Path, arguments: list[str], into: Path | None) -> list[dict]:
    """Runs the driver and keeps its lines."""
    try:
        done = subprocess.run([str(driver), *arguments], capture_output=True, text=True, check=False)
    except OSError as error:
        raise BenchError(f"cannot start {driver}: {error.strerror}") from error
    if into:
        into.mkdir(parents=True, exist_ok=True)
        (into / "paper_slab.jsonl").write_text(done.stdout, encoding="utf-8")
    return read(done.stdout.splitlines())
