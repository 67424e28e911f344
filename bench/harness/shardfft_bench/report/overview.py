"""All libraries at all points in one picture: how many times the best time each took."""

from __future__ import annotations

import numpy as np

from .collect import Cell, point_key, point_name
from .heat import LEGEND, heat_map, standing, time_over_best, times_of
from .style import Palette, plt

WIDE = 12  # more points than this stand below each other, with the libraries as columns
MOST = 40


def _short(names: list[str], between: str) -> tuple[str, list[str]]:
    """The beginning that all names share, and each name without it."""
    split = [name.split(", ") for name in names]
    shared = [word for word in split[0] if all(word in words for words in split)]
    return ", ".join(shared), [between.join(word for word in words if word not in shared) for words in split]


def overview(cells: list[Cell], _: Palette):
    """A label a row, the quickest on average first, and a point a column; a cell has the time, its colour the ratio.

    One process with threads stands beyond a line: a floor, not a rival; ratios are over the best rival.
    """
    points = list(dict.fromkeys(point_key(cell.point) for cell in cells))
    labels = list(dict.fromkeys(cell.label for cell in cells))
    if not 2 <= len(points) <= MOST or not 3 <= len(labels) <= 30:
        return None
    floors = {cell.label for cell in cells if cell.one_process}
    medians, ends = times_of(
        cells, lambda cell: (labels.index(cell.label), points.index(point_key(cell.point))), (len(labels), len(points))
    )
    rivals = np.array([label not in floors for label in labels])
    if not rivals.any() or np.isnan(medians[rivals]).all(axis=0).any():
        return None
    ratios = medians / np.nanmin(medians[rivals], axis=0)
    stand = np.zeros(medians.shape, int)
    stand[rivals] = standing(medians[rivals], ends[:, rivals], 0)
    rank = [(label in floors, float(np.nanmean(np.log(ratios[row])))) for row, label in enumerate(labels)]
    order = sorted(range(len(labels)), key=rank.__getitem__)
    named = {point_key(cell.point): point_name(cell.point, unit=cell.unit) for cell in cells}
    maps = (medians[order], ratios[order], stand[order])
    return _draw(maps, [labels[row] for row in order], [named[one] for one in points], floors)


def _draw(maps: tuple[np.ndarray, ...], labels: list[str], points: list[str], floors: set[str]):
    upright = len(points) > WIDE
    shared, points = _short(points, ", " if upright else "\n")
    rows, columns = (points, labels) if upright else (labels, points)
    width = 3.2 + 0.95 * len(columns) + (0.8 if upright else 0)
    figure, axis = plt.subplots(figsize=(width, 1.8 + 0.3 * len(rows)), layout="constrained")
    image = heat_map(axis, *((one.T for one in maps) if upright else maps))
    if floors:
        line = axis.axvline if upright else axis.axhline
        line(len(labels) - len(floors) - 0.5, color="black", linewidth=1.2)
    axis.set_yticks(range(len(rows)), rows)
    axis.set_xticks(range(len(columns)), columns)
    beyond = "; beyond the line: threads of one process" if floors else ""
    blank = "; blank: not run there" if np.isnan(maps[0]).any() else ""
    axis.set_title(f"{shared}\ntime in ms (median){beyond}{blank}\n{LEGEND}")
    time_over_best(figure, image, axis, f"time over that of the fastest {'distributed ' if floors else ''}library")
    return figure
