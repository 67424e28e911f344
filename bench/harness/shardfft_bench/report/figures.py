"""The pictures of a report: each function takes the cells and returns a figure, or None when it has nothing to show."""

from __future__ import annotations

import json

import numpy as np
from matplotlib.ticker import NullFormatter

from .accounts import accounts
from .collect import Cell, curves, groups
from .exponents import weak
from .heat import LEGEND, heat_map, standing, time_over_best, times_of
from .overview import overview
from .style import Palette, grid_of_axes, plain_log, plt, rank_ticks, shared_legend

MOST_PANELS = 24  # a picture of more is no picture; the tables have it all


def _scaling_groups(cells: list[Cell]) -> dict[str, list[Cell]]:
    named = groups(cells, {"ranks", "grid"})
    return {name: members for name, members in named.items() if len({cell.ranks for cell in members}) > 1}


def scaling(cells: list[Cell], palette: Palette):
    """Time over ranks with the ideal line through the best time at the fewest ranks."""
    named = _scaling_groups(cells)
    if not named:
        return None
    figure, axes = grid_of_axes(len(named), 5.6, 4.0)
    for axis, (name, members) in zip(axes, named.items()):
        for label, line in curves(members).items():
            low, high = np.array([cell.interval for cell in line]).T * 1e3
            medians = np.array([cell.median for cell in line]) * 1e3
            axis.errorbar(
                [cell.ranks for cell in line], medians, yerr=[medians - low, high - medians], label=label,
                capsize=2, elinewidth=0.8, **palette.line(label),
            )  # fmt: skip
        ranks = sorted({cell.ranks for cell in members})
        distributed = [cell for cell in members if not cell.one_process] or members
        first = (
            min(cell.median for cell in distributed if cell.ranks == ranks[0])
            if any(cell.ranks == ranks[0] for cell in distributed)
            else None
        )
        if first:
            ideal = [first * 1e3 * ranks[0] / n for n in ranks]
            axis.plot(ranks, ideal, color="0.6", linewidth=1, linestyle=(0, (2, 2)), label="ideal", zorder=0)
        rank_ticks(axis, members)
        plain_log(axis)
        axis.set_ylabel("time, ms (median, 95 % interval)")
        axis.set_title(name)
    shared_legend(figure, axes)
    return figure


def efficiency(cells: list[Cell], palette: Palette):
    """The report's efficiency e = t1 / (N tN), t1 the fastest time of all libraries at the fewest ranks."""
    named = _scaling_groups(cells)
    if not named:
        return None
    figure, axes = grid_of_axes(len(named), 5.6, 3.4)
    for axis, (name, members) in zip(axes, named.items()):
        ranks = sorted({cell.ranks for cell in members})
        best = min(cell.median for cell in members if cell.ranks == ranks[0])
        for label, line in curves(members).items():
            values = [100 * best * ranks[0] / (cell.ranks * cell.median) for cell in line]
            ends = np.array([cell.interval for cell in line]).T
            high, low = 100 * best * ranks[0] / (np.array([cell.ranks for cell in line]) * ends)
            axis.errorbar(
                [cell.ranks for cell in line], values, yerr=np.maximum(0, [values - low, high - values]), label=label,
                capsize=2, elinewidth=0.8, **palette.line(label),
            )  # fmt: skip
        axis.axhline(100, color="0.6", linewidth=1, linestyle=(0, (2, 2)))
        rank_ticks(axis, members)
        axis.set_ylabel("efficiency, %")
        axis.set_ylim(bottom=0)
        axis.set_title(name)
    shared_legend(figure, axes)
    return figure


def bars(cells: list[Cell], palette: Palette):
    """Medians at each point as bars, the fastest on top; one process with threads is drawn hollow."""
    named = groups(cells, set())
    named = {name: members for name, members in named.items() if len(members) > 1}
    if not named or len(named) > MOST_PANELS:
        return None
    most = max(len(members) for members in named.values())
    figure, axes = grid_of_axes(len(named), 5.8, 0.9 + 0.3 * most)
    for axis, (name, members) in zip(axes, named.items()):
        members = sorted(members, key=lambda cell: -cell.median)
        for place, cell in enumerate(members):
            low, high = cell.interval
            colour = palette.colour(cell.label)
            look = {"facecolor": "white", "hatch": "///"} if cell.one_process else {"facecolor": colour}
            axis.barh(
                place, cell.median * 1e3, edgecolor=colour, linewidth=1.1, height=0.68,
                xerr=[[(cell.median - low) * 1e3], [(high - cell.median) * 1e3]],
                error_kw={"elinewidth": 0.9, "capsize": 2}, **look,
            )  # fmt: skip
            axis.annotate(
                f"{cell.median * 1e3:.4g}", (high * 1e3, place), xytext=(4, 0), textcoords="offset points",
                va="center", fontsize=8,
            )  # fmt: skip
        axis.set_yticks(range(len(members)), [cell.label for cell in members])
        axis.grid(axis="y", visible=False)
        axis.margins(x=0.14, y=0.02)
        axis.set_xlim(left=0)
        axis.set_xlabel("time, ms (median, 95 % interval)")
        axis.set_title(name)
    figure.tight_layout()
    return figure


def breakdown(cells: list[Cell], palette: Palette):
    """Time inside MPI and outside it, as far as the profiling interface could see both; grey if it saw nothing."""
    rivals = [cell for cell in cells if not cell.one_process and cell.ranks > 1]
    named = {
        name: members
        for name, members in groups(rivals, {"ranks", "placement", "grid"}).items()
        if len(members) > 1 and any(_ratio(cell) is not None for cell in members)
    }
    if not named or len(named) > MOST_PANELS:
        return None
    figure, axes = grid_of_axes(len(named), 5.8, 1.0 + 0.3 * max(len(members) for members in named.values()))
    for axis, (name, members) in zip(axes, named.items()):
        members = sorted(members, key=lambda cell: (cell.label, -cell.ranks))[::-1]
        for place, cell in enumerate(members):
            _split_bar(axis, place, cell)
        axis.set_yticks(range(len(members)), [cell.with_ranks() for cell in members])
        axis.grid(axis="y", visible=False)
        axis.margins(x=0.16, y=0.02)
        axis.set_xlabel("time, ms (median; share of MPI from separate runs)")
        axis.set_title(name)
    figure.set_layout_engine("constrained")
    patches = [plt.Rectangle((0, 0), 1, 1, edgecolor="black", linewidth=0.5, **look) for look in LOOKS.values()]
    figure.legend(patches, list(LOOKS), loc="outside upper right", ncols=3)
    return figure


LOOKS = {
    "outside MPI": {"facecolor": "#56B4E9"},
    "inside MPI": {"facecolor": "#E69F00", "hatch": "//"},
    "no MPI call seen": {"facecolor": "0.85"},
}


def _ratio(cell: Cell) -> float | None:
    return cell.middle("communication", "ratio")


def _split_bar(axis, place: int, cell: Cell) -> None:
    time, ratio = cell.median * 1e3, _ratio(cell)
    inside = time * (ratio or 0)
    look = LOOKS["no MPI call seen" if ratio is None else "outside MPI"]
    axis.barh(place, time - inside, edgecolor="black", linewidth=0.5, **look)
    axis.barh(place, inside, left=time - inside, edgecolor="black", linewidth=0.5, **LOOKS["inside MPI"])
    said = "" if ratio is None else f"{100 * ratio:.0f} % in MPI"
    axis.annotate(said, (time, place), xytext=(3, 0), textcoords="offset points", va="center", fontsize=8)


def ratio_over_ranks(cells: list[Cell], palette: Palette):
    """The share of the time inside MPI calls over the number of processes; local transposition is not in it."""
    return _share_over_ranks(cells, palette, ("communication", "ratio"), "share of time in MPI")


def told_over_ranks(cells: list[Cell], palette: Palette):
    """The papers' ratio r over the number of processes, by the libraries' own times of their local FFTs."""
    return _share_over_ranks(cells, palette, ("local_ffts", "told", "r"), "r, told")


def replayed_over_ranks(cells: list[Cell], palette: Palette):
    """The papers' ratio r over the number of processes, by local FFTs alone, run again on all ranks at once."""
    return _share_over_ranks(cells, palette, ("local_ffts", "replayed", "r"), "r, replayed")


def _share_over_ranks(cells: list[Cell], palette: Palette, path: tuple[str, ...], words: str):
    seen = [cell for cell in cells if cell.middle(*path) is not None and not cell.one_process]
    several = {cell.label for cell in seen if cell.ranks > 1}
    named = _scaling_groups([cell for cell in seen if cell.label in several])
    if not named:
        return None
    # A row of panels for each layout, a column for each network.
    networks = {json.dumps(cell.point.get("network")) for cell in seen}
    figure, axes = grid_of_axes(len(named), 4.6, 3.2, min(3, max(2, len(networks))))
    for axis, (name, members) in zip(axes, named.items()):
        for label, line in curves(members).items():
            values = np.array([cell.middle(*path) for cell in line])
            ends = np.array([cell.extremes(*path) for cell in line]).T
            axis.errorbar(
                [cell.ranks for cell in line], values, yerr=[values - ends[0], ends[1] - values], label=label,
                capsize=2, elinewidth=0.8, **palette.line(label),
            )  # fmt: skip
        rank_ticks(axis, members)
        axis.set_ylim(0, 1)
        axis.set_ylabel(words)
        axis.set_title(name)
    shared_legend(figure, axes)
    return figure


def process_grids(cells: list[Cell], palette: Palette):
    """Heat maps of the time over process grids, rows by ranks, columns by the extent of the first grid axis."""
    swept = [cell for cell in cells if len(cell.point.get("grid") or []) == 2]
    named = groups(swept, {"grid", "ranks"})
    panels = {}
    for name, members in named.items():
        for label, line in _grids_by_label(members).items():
            if len({tuple(cell.point["grid"]) for cell in line}) > 1:
                panels[f"{label}: {name}"] = line
    if not panels:
        return None
    most = max(len({cell.ranks for cell in line}) for line in panels.values())
    figure, axes = grid_of_axes(len(panels), 5.0, 1.5 + 0.45 * most)
    for axis, (name, line) in zip(axes, panels.items()):
        image = _grid_map(axis, line)
        axis.set_title(f"{name}\ntime in ms; {LEGEND}")
    figure.set_layout_engine("constrained")
    time_over_best(figure, image, axes, "time over the best of the row")
    return figure


def _grids_by_label(members: list[Cell]) -> dict[str, list[Cell]]:
    found: dict[str, list[Cell]] = {}
    for cell in members:
        found.setdefault(cell.label, []).append(cell)
    return dict(sorted(found.items()))


def _grid_map(axis, line: list[Cell]):
    rows = sorted({cell.ranks for cell in line})
    columns = sorted({cell.point["grid"][0] for cell in line})
    values, ends = times_of(
        line, lambda cell: (rows.index(cell.ranks), columns.index(cell.point["grid"][0])), (len(rows), len(columns))
    )
    # Each row against its own best: more ranks must not hide the effect of the shape.
    image = heat_map(axis, values, values / np.nanmin(values, axis=1, keepdims=True), standing(values, ends, 1))
    axis.set_xticks(range(len(columns)), [str(n) for n in columns])
    axis.set_yticks(range(len(rows)), [str(n) for n in rows])
    axis.set_xlabel("rows of the process grid")
    axis.set_ylabel("ranks")
    return image


def accuracy(cells: list[Cell], palette: Palette):
    """Error after the timed repeats over the number of points, with the bound that conformance asks for."""
    named = groups(cells, {"ranks", "shape", "grid"})
    named = {
        name.split(", ", 1)[1]: members
        for name, members in named.items()
        if len({tuple(cell.point["shape"]) for cell in members}) > 2
    }
    if not named:
        return None
    figure, axes = grid_of_axes(len(named), 5.6, 3.6)
    for axis, (name, members) in zip(axes, named.items()):
        labels = sorted({cell.label for cell in members}, key=palette.place)
        for label in labels:
            worst: dict[float, float] = {}
            for cell in members:
                error = cell.largest("error", "after_timing", "l2")
                if cell.label == label and error is not None:
                    points = float(np.prod([float(n) for n in cell.point["shape"]]))
                    worst[points] = max(worst.get(points, 0), error)
            xs = sorted(worst)
            axis.plot(xs, [worst[x] for x in xs], label=label, **palette.line(label))
        bound = sorted(
            (float(np.prod([float(n) for n in cell.point["shape"]])), cell.largest("error", "tolerance", "l2"))
            for cell in members
        )
        axis.plot(*zip(*bound), color="0.4", linestyle=(0, (2, 2)), linewidth=1, label="tolerance")
        axis.set_xscale("log")
        axis.set_yscale("log")
        axis.set_ylim(top=2 * max(tolerance for _, tolerance in bound))
        axis.yaxis.set_minor_formatter(NullFormatter())
        axis.set_xlabel("points")
        axis.set_ylabel("relative error, L2")
        axis.set_title(name)
    shared_legend(figure, axes)
    return figure


def energy(cells: list[Cell], palette: Palette):
    """Joules of a repeat at each point, if the counters of packages (RAPL) or GPUs (NVML) were there."""
    kinds = {"energy": "", "device_energy": "//"}
    seen = [cell for cell in cells if any(cell.joules(kind) is not None for kind in kinds)]
    named = {name: members for name, members in groups(seen, {"ranks"}).items() if len(members) > 1}
    if not named or len(named) > MOST_PANELS:
        return None
    figure, axes = grid_of_axes(len(named), 5.8, 1.0 + 0.3 * max(len(members) for members in named.values()))
    for axis, (name, members) in zip(axes, named.items()):
        members = sorted(members, key=lambda cell: (palette.place(cell.label), cell.ranks))[::-1]
        for place, cell in enumerate(members):
            left = 0.0
            for kind, hatch in kinds.items():
                joules = cell.joules(kind) or 0
                axis.barh(place, joules, left=left, color=palette.colour(cell.label), edgecolor="black", linewidth=0.5,
                          hatch=hatch)  # fmt: skip
                left += joules
            axis.annotate(f"{left:.3g}", (left, place), xytext=(3, 0), textcoords="offset points", va="center",
                          fontsize=8)  # fmt: skip
        axis.set_yticks(range(len(members)), [cell.with_ranks() for cell in members])
        axis.grid(axis="y", visible=False)
        axis.margins(x=0.14, y=0.02)
        axis.set_xlabel("energy of one repeat, J (hatched: GPUs)")
        axis.set_title(name)
    figure.tight_layout()
    return figure


# Name of the file, heading in the page, function.
ALL = [
    ("overview", "All libraries at all points", overview),
    ("scaling", "Time over ranks", scaling),
    ("efficiency", "Efficiency", efficiency),
    ("weak", "Weak scaling", weak),
    ("bars", "Time at each point", bars),
    ("breakdown", "Inside and outside MPI", breakdown),
    ("accounts", "The libraries' own accounts", accounts),
    ("ratio", "Share of time in MPI", ratio_over_ranks),
    ("told", "Ratio of communication r, told", told_over_ranks),
    ("replayed", "Ratio of communication r, replayed", replayed_over_ranks),
    ("grids", "Process grids", process_grids),
    ("accuracy", "Accuracy", accuracy),
    ("energy", "Energy", energy),
]
