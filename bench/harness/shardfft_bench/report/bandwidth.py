"""Pictures and tables of the MPI library's own bandwidth."""

from __future__ import annotations

import html

from .collect import Cell
from .style import Palette, grid_of_axes, shared_legend


def _series(probes: list[Cell]) -> dict[str, dict[str, list[tuple[int, float, float]]]]:
    """pattern -> 'label, ranks' -> (bytes of a message, bytes/s of a rank, seconds)."""
    found: dict[str, dict[str, list]] = {}
    for cell in probes:
        probe = cell.records[0]["bandwidth"]
        line = found.setdefault(probe["pattern"], {}).setdefault(f"{cell.label}, {cell.ranks} ranks", [])
        line.append((probe["message_bytes"], probe["bytes_sent_by_a_rank"] / cell.median, cell.median))
    for lines in found.values():
        for line in lines.values():
            line.sort()
    return found


def draw(probes: list[Cell], palette: Palette):
    """Bandwidth of a rank over the size of a message, a panel a pattern."""
    series = _series(probes)
    names = Palette(sorted({name for lines in series.values() for name in lines}))
    figure, axes = grid_of_axes(len(series), 5.6, 3.6)
    for axis, (pattern, lines) in zip(axes, sorted(series.items())):
        for name, line in lines.items():
            axis.plot([one[0] for one in line], [one[1] * 1e-9 for one in line], label=name, **names.line(name))
        axis.set_xscale("log", base=2)
        axis.set_yscale("log")
        axis.set_xlabel("bytes of a message")
        axis.set_ylabel("GB/s sent by a rank")
        axis.set_title(pattern)
    shared_legend(figure, axes)
    return figure


def table(probes: list[Cell]) -> str:
    rows = []
    for pattern, lines in sorted(_series(probes).items()):
        for name, line in lines.items():
            for size, rate, seconds in line:
                rows.append(
                    f"<tr><td>{html.escape(pattern)}</td><td class=text>{html.escape(name)}</td><td>{size}</td>"
                    f"<td>{seconds * 1e6:.4g}</td><td>{rate * 1e-9:.4g}</td></tr>"
                )
    head = "<tr><th>pattern</th><th class=text>library</th><th>bytes</th><th>µs</th><th>GB/s a rank</th></tr>"
    return f"<details><summary>Figures</summary><table>{head}{''.join(rows)}</table></details>"
