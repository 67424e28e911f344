"""Two result sets against each other: ratios with confidence, and whether anything got worse."""

from __future__ import annotations

from dataclasses import dataclass

from . import statistics
from .errors import BenchError
from .report.collect import cells, point_key, point_name


@dataclass
class Line:
    """One label at one point in both sets."""

    label: str
    point: str
    ratio: float | None  # time of the second set over the first
    low: float | None
    high: float | None
    verdict: str  # faster, slower, same, broken, only in A, only in B

    @property
    def regression(self) -> bool:
        return self.verdict in ("slower", "broken")

    def __str__(self) -> str:
        if self.ratio is None:
            return f"{self.verdict:10s} {self.label}: {self.point}"
        return f"{self.verdict:10s} {self.label}: {self.point}: {self.ratio:.3f} [{self.low:.3f}, {self.high:.3f}]"


def compare(before: list[dict], after: list[dict], threshold: float, confidence: float = 0.95) -> list[Line]:
    """A line for every label and point of either set. `slower`: the whole interval lies above 1 + threshold."""
    if not threshold >= 0:
        raise BenchError("--threshold must not be negative")
    if not 0 < confidence < 1:
        raise BenchError("--confidence must lie between 0 and 1")
    first = {(cell.label, point_key(cell.point)): cell for cell in cells(before)}
    second = {(cell.label, point_key(cell.point)): cell for cell in cells(after)}
    tried = {(record["label"], point_key(record["point"])) for record in after}
    lines = []
    for key in dict.fromkeys([*first, *second]):
        known = first.get(key) or second[key]
        name = point_name(known.point)
        if key not in first:
            lines.append(Line(known.label, name, None, None, None, "only in B"))
        elif key not in second:
            # Tried and without good records: it worked before and does not now.
            lines.append(Line(known.label, name, None, None, None, "broken" if key in tried else "only in A"))
        else:
            ratio, low, high = statistics.ratio_interval(second[key].rounds, first[key].rounds, confidence)
            verdict = "slower" if low > 1 + threshold else "faster" if high < 1 / (1 + threshold) else "same"
            lines.append(Line(known.label, name, ratio, low, high, verdict))
    if not lines:
        raise BenchError("neither set has good records")
    return lines
