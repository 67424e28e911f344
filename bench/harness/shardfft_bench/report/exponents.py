"""Weak scaling, and the exponents of all scaling curves."""

from __future__ import annotations

import html
import math

import numpy as np

from .collect import Cell, curves, groups
from .style import Palette, grid_of_axes, rank_ticks, shared_legend


def weak_groups(cells: list[Cell]) -> dict[str, list[Cell]]:
    """Cells whose points for each rank stay the same while the ranks grow."""
    found: dict[str, list[Cell]] = {}
    for name, members in groups(cells, {"ranks", "grid", "shape"}).items():
        by_load: dict[int, list[Cell]] = {}
        for cell in members:
            by_load.setdefault(math.prod(cell.point["shape"]) // cell.ranks, []).append(cell)
        for load, line in by_load.items():
            if len({cell.ranks for cell in line}) > 1 and len({tuple(cell.point["shape"]) for cell in line}) > 1:
                # Without the size, which comes first.
                found[f"{load:_} points a rank, {name.split(', ', 1)[1]}".replace("_", " ")] = line
    return found


def weak(cells: list[Cell], palette: Palette):
    """Time over ranks at the same work for each; the ideal is level."""
    named = weak_groups(cells)
    if not named:
        return None
    figure, axes = grid_of_axes(len(named), 5.6, 3.6)
    for axis, (name, members) in zip(axes, named.items()):
        for label, line in _lines(members).items():
            low, high = np.array([cell.interval for cell in line]).T * 1e3
            medians = np.array([cell.median for cell in line]) * 1e3
            ranks = [cell.ranks for cell in line]
            bars = [medians - low, high - medians]
            axis.errorbar(ranks, medians, yerr=bars, label=label, capsize=2, elinewidth=0.8, **palette.line(label))
        rank_ticks(axis, members)
        axis.set_ylim(bottom=0)
        axis.set_ylabel("time, ms (median, 95 % interval)")
        axis.set_title(name)
    shared_legend(figure, axes)
    return figure


def _lines(members: list[Cell]) -> dict[str, list[Cell]]:
    return {label: line for label, line in curves(members).items() if len(line) > 1}


def fit(line: list[Cell]) -> tuple[float, float | None]:
    """Slope of log time over log ranks and its standard error; no error from two points."""
    x = np.log([cell.ranks for cell in line])
    y = np.log([cell.median for cell in line])
    slope, offset = np.polyfit(x, y, 1)
    if len(line) < 3:
        return float(slope), None
    left = y - slope * x - offset
    return float(slope), float(np.sqrt((left**2).sum() / (len(line) - 2) / ((x - x.mean()) ** 2).sum()))


def table(cells: list[Cell]) -> str:
    """Exponents b of time ~ ranks^b: -1 is ideal strong scaling, 0 ideal weak scaling."""
    strong = {
        name: members
        for name, members in groups(cells, {"ranks", "grid"}).items()
        if len({cell.ranks for cell in members}) > 1
    }
    rows = []
    for kind, named in (("strong", strong), ("weak", weak_groups(cells))):
        for name, members in named.items():
            for label, line in _lines(members).items():
                slope, error = fit(line)
                if error is None:
                    continue  # two points fit any exponent
                spread = f"± {error:.2f}"
                rows.append(
                    f"<tr><td>{html.escape(label)}</td><td class=text>{kind}</td>"
                    f"<td class=text>{html.escape(name)}</td>"
                    f"<td>{slope:+.2f}</td><td>{spread}</td><td>{line[0].ranks} to {line[-1].ranks}</td></tr>"
                )
    if not rows:
        return ""
    head = (
        "<tr><th>library</th><th class=text>scaling</th><th class=text>case</th><th>b</th><th></th><th>ranks</th></tr>"
    )
    words = "<p class=note>Time ~ ranks<sup>b</sup>: b = −1 is ideal strong scaling, b = 0 ideal weak scaling.</p>"
    return f"<h3>Fitted exponents</h3>{words}<table>{head}{''.join(rows)}</table>"
