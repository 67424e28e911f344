"""One look for all pictures: Okabe and Ito's colours, a marker and a dash of its own for each label."""

from __future__ import annotations

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
from matplotlib.ticker import LogLocator, MaxNLocator, NullLocator

COLOURS = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#7F7F7F"]
MARKERS = ["o", "s", "^", "D", "v", "P", "X", "*", "<", ">", "h", "p"]
DASHES = ["-", "--", "-.", ":"]
BOUND = "bound: 3 exchanges\nat measured bandwidth"
REFERENCES = {"ideal", "tolerance", BOUND}  # lines that are no library: last in legends

plt.rcParams.update(
    {
        "figure.dpi": 110, "savefig.dpi": 160, "font.size": 9.5, "axes.titlesize": 10, "axes.grid": True,
        "grid.alpha": 0.35, "grid.linewidth": 0.6, "axes.axisbelow": True,
        "axes.spines.top": False, "axes.spines.right": False,
        "legend.frameon": False, "legend.fontsize": 8.5, "svg.fonttype": "path", "svg.hashsalt": "shardfft",
    }
)  # fmt: skip


class Palette:
    """The same look for the same label in every picture of a report."""

    def __init__(self, labels: list[str]):
        # Ours first, so that it has the first colour in every page.
        self._order = sorted(labels, key=lambda label: (not label.startswith("shardfft"), label))

    def place(self, label: str) -> int:
        return self._order.index(label)

    def colour(self, label: str) -> str:
        return COLOURS[self.place(label) % len(COLOURS)]

    def line(self, label: str) -> dict:
        place = self.place(label)
        return {
            "color": self.colour(label), "marker": MARKERS[place % len(MARKERS)],
            "linestyle": DASHES[place // len(COLOURS) % len(DASHES)], "markersize": 5, "linewidth": 1.4,
        }  # fmt: skip


def grid_of_axes(count: int, width: float = 5.0, height: float = 3.4, columns: int = 2):
    """A figure with `count` axes, unused ones hidden."""
    columns = min(columns, count)
    rows = -(-count // columns)
    figure, axes = plt.subplots(rows, columns, figsize=(width * columns, height * rows), squeeze=False)
    flat = list(axes.flat)
    for unused in flat[count:]:
        unused.set_visible(False)
    return figure, flat[:count]


def rank_ticks(axis, cells) -> None:
    """The cells' numbers of ranks on a logarithmic axis."""
    ranks = sorted({cell.ranks for cell in cells})
    axis.set_xscale("log", base=2)
    axis.set_xticks(ranks, [str(n) for n in ranks])
    axis.minorticks_off()
    axis.set_xlabel(" and ".join(sorted({f"{cell.unit}s" for cell in cells}, reverse=True)))


def plain_log(axis) -> None:
    """A logarithmic vertical axis whose ticks are plain numbers, also if it spans less than a decade."""
    axis.set_yscale("log")
    low, high = axis.get_ylim()
    # Less than a decade: ticks as on a plain axis. Many: the decades alone.
    few = MaxNLocator(6, steps=[1, 2, 5, 10])
    axis.yaxis.set_major_locator(few if high < 8 * low else LogLocator(subs=(1, 2, 5) if high < 1000 * low else (1,)))
    axis.yaxis.set_major_formatter("{x:g}")
    axis.yaxis.set_minor_locator(NullLocator())


def shared_legend(figure, axes) -> None:
    """One legend beside all panels, so that it covers no curve."""
    found = {}
    for axis in axes:
        handles, labels = axis.get_legend_handles_labels()
        for label, handle in zip(labels, handles):
            found.setdefault(label, handle)
    names = sorted(found, key=lambda label: (label in REFERENCES, not label.startswith("shardfft"), label))
    figure.set_layout_engine("constrained")
    figure.legend([found[name] for name in names], names, loc="outside right upper")
