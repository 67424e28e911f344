"""Result sets as tables of text: aligned columns, Markdown, CSV or LaTeX."""

from __future__ import annotations

from . import statistics
from .errors import BenchError
from .report import export
from .report.collect import Cell, cells, point_name

COLUMNS = ["library", "median ms", "fastest ms", "slowest ms", "error L2", "samples", "version"]
NUMBERS = range(1, 6)  # columns that stand at the right


def _row(cell: Cell) -> list[str]:
    summary = statistics.summary(cell.samples)
    times = [f"{1e3 * summary[key]:.4g}" for key in ("median", "min", "max")]
    error = cell.largest("error", "after_timing", "l2")
    told = f"{error:.1e}" if error is not None else ""
    return [cell.label, *times, told, str(summary["count"]), cell.records[0]["version"]]


def _points(records: list[dict]) -> dict[str, list[list[str]]]:
    """The rows of every point, the fastest first."""
    found: dict[str, list[Cell]] = {}
    for cell in cells(records):
        found.setdefault(point_name(cell.point, unit=cell.unit), []).append(cell)
    if not found:
        raise BenchError("there are no good records")
    return {name: [_row(cell) for cell in sorted(some, key=lambda one: one.median)] for name, some in found.items()}


def _aligned(rows: list[list[str]]) -> list[str]:
    widths = [max(len(row[column]) for row in rows) for column in range(len(COLUMNS))]
    lines = []
    for row in rows:
        padded = [
            cell.rjust(width) if column in NUMBERS else cell.ljust(width)
            for column, (cell, width) in enumerate(zip(row, widths))
        ]
        lines.append("  ".join(padded).rstrip())
    return lines


def _markdown(rows: list[list[str]]) -> list[str]:
    lines = ["| " + " | ".join(row) + " |" for row in rows]
    return [lines[0], "|---" * len(COLUMNS) + "|", *lines[1:]]


def text_table(records: list[dict], form: str = "text") -> str:
    """The good records of a set, pooled over the rounds. Forms: text, markdown, csv, latex."""
    points = _points(records)
    if form == "csv":
        return export.csv_text(["point", *COLUMNS], [[name, *row] for name, rows in points.items() for row in rows])
    if form == "latex":
        return "\n".join(export.latex_text(COLUMNS, rows, name) for name, rows in points.items())
    draw = _markdown if form == "markdown" else _aligned
    return "\n\n".join("\n".join([name, "", *draw([COLUMNS, *rows])]) for name, rows in points.items()) + "\n"
