"""Pictures and tables of the MPI library's own bandwidth."""

from __future__ import annotations

import html

from .collect import Cell
from .style import Palette, grid_of_axes, plain_log, shared_legend

# Pattern -> heading, and the times that a rank's bytes pass its link: both ways count twice, as in FFT-ECP.
PATTERNS = {
    "pair": ("point to point, one way", 1),
    "exchange": ("point to point, both ways", 2),
    "all_to_all": ("all to all, collective", 2),
    "point_to_point": ("all to all, point to point", 2),
}


def _name(cell: Cell) -> str:
    network = cell.point.get("network")
    return f"{cell.label}, {cell.ranks} ranks" + (f", {network['name']}" if network else "")


def _series(probes: list[Cell]) -> dict[str, dict[str, list[tuple[int, float, float]]]]:
    """pattern -> 'label, ranks' -> (bytes of a message, bytes/s through a rank's link, seconds)."""
    found: dict[str, dict[str, list]] = {pattern: {} for pattern in PATTERNS}
    for cell in probes:
        probe = cell.records[0]["bandwidth"]
        line = found[probe["pattern"]].setdefault(_name(cell), [])
        rate = PATTERNS[probe["pattern"]][1] * probe["bytes_sent_by_a_rank"] / cell.median
        line.append((probe["message_bytes"], rate, cell.median))
    for lines in found.values():
        for line in lines.values():
            line.sort()
    return {pattern: lines for pattern, lines in found.items() if lines}


def _bytes(value: int) -> str:
    for unit, size in (("MiB", 2**20), ("KiB", 2**10)):
        if value >= size:
            return f"{value / size:g} {unit}"
    return f"{value:g} B"


def draw(probes: list[Cell], _: Palette):
    """Bandwidth of a rank over the size of a message, a panel a pattern."""
    series = _series(probes)
    names = Palette(sorted({name for lines in series.values() for name in lines}))
    figure, axes = grid_of_axes(len(series), 5.0, 3.4)
    for axis, (pattern, lines) in zip(axes, series.items()):
        for name, line in lines.items():
            axis.plot([one[0] for one in line], [one[1] * 1e-9 for one in line], label=name, **names.line(name))
        axis.set_xscale("log", base=2)
        axis.set_yscale("log")
        sizes = sorted({one[0] for line in lines.values() for one in line})
        axis.set_xticks(sizes, [_bytes(size) for size in sizes])
        axis.xaxis.minorticks_off()
        axis.set_xlabel("size of a message")
        axis.set_ylabel("GB/s through a rank" + (", both directions" if PATTERNS[pattern][1] == 2 else ""))
        axis.set_title(PATTERNS[pattern][0])
    limits = [axis.get_ylim() for axis in axes]
    for axis in axes:
        axis.set_ylim(min(low for low, _ in limits), max(high for _, high in limits))
        plain_log(axis)
    shared_legend(figure, axes)
    return figure


def summary(probes: list[Cell]) -> str:
    """FFT-ECP's table 3.1: the best bandwidth over the message sizes, for each pattern."""
    series = _series(probes)
    names = sorted({name for lines in series.values() for name in lines})
    rows = []
    for name in names:
        best = [max((one[1] for one in lines.get(name, [])), default=None) for lines in series.values()]
        cells = "".join("<td>–</td>" if one is None else f"<td>{one * 1e-9:.3g}</td>" for one in best)
        rows.append(f"<tr><td>{html.escape(name)}</td>{cells}</tr>")
    heads = "".join(f"<th>{PATTERNS[pattern][0]}</th>" for pattern in series)
    words = (
        "<p class=note>Best GB/s through a rank over the message sizes; all but the first column count both directions."
        "</p>"
    )
    return f"{words}<table><tr><th>MPI</th>{heads}</tr>{''.join(rows)}</table>"


def table(probes: list[Cell]) -> str:
    rows = []
    for pattern, lines in _series(probes).items():
        for name, line in lines.items():
            for size, rate, seconds in line:
                rows.append(
                    f"<tr><td>{PATTERNS[pattern][0]}</td><td class=text>{html.escape(name)}</td><td>{size}</td>"
                    f"<td>{seconds * 1e6:.4g}</td><td>{rate * 1e-9:.4g}</td></tr>"
                )
    head = "<tr><th>pattern</th><th class=text>library</th><th>bytes</th><th>µs</th><th>GB/s a rank</th></tr>"
    return f"<details><summary>Figures</summary><table>{head}{''.join(rows)}</table></details>"
