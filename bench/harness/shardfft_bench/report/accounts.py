"""The libraries' own accounts of their time, of those that keep one."""

from __future__ import annotations

import html

from .collect import Cell, groups
from .style import COLOURS, Palette, grid_of_axes, plt

# In this order in every bar; parts that are not named here come after.
ORDER = ["fft", "fft and copy", "copy", "pack", "unpack", "exchange", "reshape", "wait"]
HATCHES = ["", "//", "..", "xx"]


def accounts(cells: list[Cell], _: Palette):
    """Bars of the median time, cut as each library's own timers tell: shares of their sum."""
    told = [cell for cell in cells if cell.own_times and not cell.one_process and cell.ranks > 1]
    named = groups(told, {"ranks", "placement", "grid"})
    named = {name: members for name, members in named.items() if len({cell.label for cell in members}) > 1}
    if not named or len(named) > 12:
        return None
    parts = sorted({part for cell in told for part in cell.own_times}, key=_place)
    looks = {
        part: {"facecolor": COLOURS[place % len(COLOURS)], "hatch": HATCHES[place % len(HATCHES)]}
        for place, part in enumerate(parts)
    }
    figure, axes = grid_of_axes(len(named), 5.8, 1.0 + 0.3 * max(len(members) for members in named.values()))
    for axis, (name, members) in zip(axes, named.items()):
        members = sorted(members, key=lambda cell: (cell.label, -cell.ranks))[::-1]
        for place, cell in enumerate(members):
            left = 0.0
            for part in sorted(cell.own_times, key=_place):
                length = cell.own_times[part] * cell.median * 1e3
                axis.barh(place, length, left=left, edgecolor="black", linewidth=0.5, **looks[part])
                left += length
        axis.set_yticks(range(len(members)), [cell.with_ranks() for cell in members])
        axis.grid(axis="y", visible=False)
        axis.margins(y=0.02)
        axis.set_xlabel("time, ms (median; parts in the library's own words)")
        axis.set_title(name)
    figure.set_layout_engine("constrained")
    patches = [plt.Rectangle((0, 0), 1, 1, edgecolor="black", linewidth=0.5, **look) for look in looks.values()]
    figure.legend(patches, parts, loc="outside upper right", ncols=min(8, len(parts)))
    return figure


def _place(part: str) -> tuple[int, str]:
    return (ORDER.index(part) if part in ORDER else len(ORDER)), part


def texts(cells: list[Cell]) -> str:
    """The libraries' own words about their plans and times, folded away."""
    found = ""
    for cell in cells:
        said = (cell.records[0].get("breakdown") or {}).get("report")
        if said:
            title = f"{cell.with_ranks()}: {'×'.join(map(str, cell.point['shape']))}, in its own words"
            found += f"<details><summary>{html.escape(title)}</summary><pre>{html.escape(said)}</pre></details>"
    return found
