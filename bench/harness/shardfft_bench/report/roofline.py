"""Speed against the bound that communication sets, with the bandwidth that was measured here.

FFT-ECP bounds a node's speed at N^3 points by P / (P - 1) * B * 5 / 32 * log2 N GFLOP/s, B its bandwidth in both
directions together, GB/s: 15 N^3 log2 N operations over three exchanges of 16 byte numbers, sent and received. Here a
node is a rank, and B twice the bytes that a rank sent in the best all-to-all exchange of the bandwidth experiment.
"""

from __future__ import annotations

import math

from .collect import Cell, curves, groups
from .style import BOUND, Palette, grid_of_axes, plain_log, rank_ticks, shared_legend


def bandwidths(probes: list[Cell]) -> dict[tuple[int, str], float]:
    """Ranks and network -> GB/s of a rank in both directions, the best over message sizes and all-to-all patterns."""
    found: dict[tuple[int, str], float] = {}
    for cell in probes:
        probe = cell.records[0]["bandwidth"]
        if probe["pattern"] in ("all_to_all", "point_to_point"):
            rate = 2e-9 * probe["bytes_sent_by_a_rank"] / cell.median
            place = (cell.ranks, cell.network)
            found[place] = max(found.get(place, 0), rate)
    return found


def bound(ranks: int, points: float, bandwidth: float, bytes_a_number: int) -> float:
    """GFLOP/s of all ranks together."""
    edge = math.log2(points) / 3
    return ranks * ranks / (ranks - 1) * bandwidth * 5 / 32 * edge * 16 / bytes_a_number


def roofline(cells: list[Cell], palette: Palette, probes: list[Cell]):
    """GFLOP/s over ranks with the bound, for cubes of complex data at rank counts whose bandwidth was measured."""
    rates = bandwidths(probes)
    fitting = [cell for cell in cells if (cell.ranks, cell.network) in rates and not cell.one_process
               and cell.point.get("kind", "c2c") == "c2c" and len(set(cell.point["shape"])) == 1]  # fmt: skip
    named = {
        name: members
        for name, members in groups(fitting, {"ranks", "grid"}).items()
        if len({cell.ranks for cell in members}) > 1
    }
    if not rates or not named or len(named) > 12:
        return None
    figure, axes = grid_of_axes(len(named), 5.6, 3.8)
    for axis, (name, members) in zip(axes, named.items()):
        for label, line in curves(members).items():
            speeds = [cell.records[0]["flop"] / cell.median * 1e-9 for cell in line]
            axis.plot([cell.ranks for cell in line], speeds, label=label, **palette.line(label))
        ranks = sorted({cell.ranks for cell in members})
        points = float(math.prod(members[0].point["shape"]))
        size = 8 if members[0].point.get("precision") == "single" else 16
        bounds = [bound(n, points, rates[n, members[0].network], size) for n in ranks]
        axis.plot(ranks, bounds, color="0.35", marker="_", markersize=14, linestyle=(0, (2, 2)), linewidth=1.2,
                  label=BOUND)  # fmt: skip
        rank_ticks(axis, members)
        plain_log(axis)
        axis.set_ylabel("GFLOP/s of all ranks")
        axis.set_title(name)
    shared_legend(figure, axes)
    return figure
