"""Two result sets against each other: ratios with confidence, and whether anything got worse.

With a reference, a label's time counts in units of the reference's time at the same point of the same set, so that sets
of different machines can be compared: a project can commit one and test against it anywhere.
"""

from __future__ import annotations

from dataclasses import dataclass

from . import statistics
from .errors import BenchError
from .report.collect import Cell, cells, point_key, point_name

VERDICTS = ["broken", "slower", "unknown", "same", "faster", "only in A", "only in B"]  # in the order of the lines


@dataclass
class Line:
    """One label at one point in both sets."""

    label: str
    point: str
    ratio: float | None  # time of the second set over the first
    low: float | None
    high: float | None
    verdict: str  # faster, slower, same, unknown, broken, only in A, only in B

    @property
    def regression(self) -> bool:
        return self.verdict in ("slower", "broken")

    def __str__(self) -> str:
        if self.ratio is None:
            return f"{self.verdict:10s} {self.label}: {self.point}"
        return f"{self.verdict:10s} {self.label}: {self.point}: {self.ratio:.3f} [{self.low:.3f}, {self.high:.3f}]"


class _Set:
    """One result set: its good cells by label and point."""

    def __init__(self, name: str, records: list[dict], reference: str | None):
        self._name, self._reference = name, reference
        self.cells = {(cell.label, point_key(cell.point)): cell for cell in cells(records)}
        self.tried = {(record["label"], point_key(record["point"])) for record in records}
        if reference and not any(label == reference for label, _ in self.cells):
            labels = ", ".join(sorted({label for label, _ in self.cells})) or "none"
            raise BenchError(f"set {name} has no good record of the reference '{reference}'; its labels: {labels}")

    def rounds(self, key: tuple[str, str]) -> list[list[list[float]]]:
        """The samples of the cell, followed by those of the reference at its point when there is one."""
        cell = self.cells[key]
        if not self._reference:
            return [cell.rounds]
        unit: Cell | None = self.cells.get((self._reference, key[1]))
        if not unit:
            where = point_name(cell.point)
            raise BenchError(f"set {self._name} has no good record of the reference '{self._reference}' at {where}")
        return [cell.rounds, unit.rounds]


def _verdict(low: float, high: float, threshold: float) -> str:
    """Out of the interval of a ratio. `same` wants it within the threshold: a wide one says nothing."""
    above, below = 1 + threshold, 1 / (1 + threshold)
    if low > above:
        return "slower"
    if high < below:
        return "faster"
    return "same" if low >= below and high <= above else "unknown"


def compare(
    before: list[dict], after: list[dict], threshold: float, confidence: float = 0.95, reference: str | None = None
) -> list[Line]:
    """A line for every label and point of either set, the worst first.

    `slower`: the whole interval lies above 1 + threshold; `same`: within it; `unknown`: it reaches beyond.
    """
    if not threshold >= 0:
        raise BenchError("--threshold must not be negative")
    if not 0 < confidence < 1:
        raise BenchError("--confidence must lie between 0 and 1")
    first, second = _Set("A", before, reference), _Set("B", after, reference)
    lines = []
    for key in dict.fromkeys([*first.cells, *second.cells]):
        known = first.cells.get(key) or second.cells[key]
        name = point_name(known.point)
        if key[0] == reference:
            continue
        if key not in first.cells:
            lines.append(Line(known.label, name, None, None, None, "only in B"))
        elif key not in second.cells:
            # Tried and without good records: it worked before and does not now.
            verdict = "broken" if key in second.tried else "only in A"
            lines.append(Line(known.label, name, None, None, None, verdict))
        else:
            above, below = second.rounds(key), first.rounds(key)
            # (B / reference of B) / (A / reference of A)
            ratio, low, high = statistics.ratio_interval(above[:1] + below[1:], below[:1] + above[1:], confidence)
            lines.append(Line(known.label, name, ratio, low, high, _verdict(low, high, threshold)))
    if not lines:
        raise BenchError("neither set has good records")
    return sorted(lines, key=lambda line: (VERDICTS.index(line.verdict), -(line.ratio or 0)))
