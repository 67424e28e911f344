"""All libraries at all points in one picture: how many times the best time each took."""

from __future__ import annotations

import numpy as np

from .collect import Cell, point_key, point_name
from .heat import heat_map, time_over_best
from .style import Palette, plt


def _short(names: list[str]) -> tuple[str, list[str]]:
    """What all names share, and each name without it."""
    split = [name.split(", ") for name in names]
    shared = [word for word in split[0] if all(word in words for words in split)]
    return ", ".join(shared), ["\n".join(word for word in words if word not in shared) for words in split]


def overview(cells: list[Cell], _: Palette):
    """Rows are labels, the quickest on average first; columns are points; a cell has the time and the ratio as colour.

    One process with threads stands below a line: a floor, not a rival; ratios are over the best rival.
    """
    points = list(dict.fromkeys(point_key(cell.point) for cell in cells))
    labels = list(dict.fromkeys(cell.label for cell in cells))
    if not 2 <= len(points) <= 12 or not 3 <= len(labels) <= 30:
        return None
    floors = {cell.label for cell in cells if cell.one_process}
    medians = np.full((len(labels), len(points)), np.nan)
    for cell in cells:
        medians[labels.index(cell.label), points.index(point_key(cell.point))] = cell.median * 1e3
    rivals = np.array([label not in floors for label in labels])
    if not rivals.any() or np.isnan(medians[rivals]).all(axis=0).any():
        return None
    ratios = medians / np.nanmin(medians[rivals], axis=0)
    rank = [(label in floors, float(np.nanmean(np.log(ratios[row])))) for row, label in enumerate(labels)]
    order = sorted(range(len(labels)), key=rank.__getitem__)
    ratios, medians = ratios[order], medians[order]
    named = {point_key(cell.point): point_name(cell.point) for cell in cells}
    shared, columns = _short([named[point] for point in points])
    figure, axis = plt.subplots(figsize=(3.2 + 0.95 * len(points), 1.8 + 0.3 * len(labels)), layout="constrained")
    image = heat_map(axis, medians, ratios)
    if floors:
        axis.axhline(len(labels) - len(floors) - 0.5, color="black", linewidth=1.2)
    axis.set_yticks(range(len(labels)), [labels[row] for row in order])
    axis.set_xticks(range(len(points)), columns)
    axis.set_title(f"{shared}\ntime in ms (median)" + ("; below the line: threads of one process" if floors else ""))
    time_over_best(figure, image, axis, "time over that of the fastest distributed library")
    return figure
