"""Heat maps of times: the number in each cell is the time, its colour how many times the best that is."""

from __future__ import annotations

import numpy as np

MOST = 4.0  # ratios above this share the darkest colour
LEGEND = "bold: the fastest; ≈: as fast, by intervals that meet its own"


def times_of(cells: list, place, shape: tuple[int, int]) -> tuple[np.ndarray, np.ndarray]:
    """Medians of cells in ms at their places, and both ends of their intervals; NaN where there is no cell."""
    times, ends = np.full(shape, np.nan), np.full((2, *shape), np.nan)
    for cell in cells:
        times[place(cell)] = cell.median * 1e3
        ends[(slice(None), *place(cell))] = np.array(cell.interval) * 1e3
    return times, ends


def standing(times: np.ndarray, ends: np.ndarray, axis: int) -> np.ndarray:
    """Of cells that are compared along an axis: 1 for the best, or 2 for it and all whose intervals meet its; else 0.

    `ends`: both ends of each interval.
    """
    best = times == np.nanmin(times, axis=axis, keepdims=True)
    meets = ends[0] <= np.max(np.where(best, ends[1], -np.inf), axis=axis, keepdims=True)
    return np.where(meets & ~np.isnan(times), np.where(meets.sum(axis=axis, keepdims=True) > 1, 2, 1), 0)


def heat_map(axis, times: np.ndarray, ratios: np.ndarray, stand: np.ndarray):
    """Draws the cells that are not NaN and returns the image for a colour bar; `stand` as from standing()."""
    image = axis.imshow(np.log2(ratios), cmap="cividis_r", vmin=0, vmax=np.log2(MOST), aspect="auto")
    for row, column in zip(*np.nonzero(~np.isnan(times))):
        ratio = ratios[row, column]
        time = times[row, column]
        text = ("≈ " if stand[row, column] == 2 else "") + (f"{time:.0f}" if time >= 1000 else f"{time:.3g}")
        axis.text(column, row, text, ha="center", va="center", fontsize=8, color="white" if ratio > 2 else "black",
                  fontweight="bold" if stand[row, column] == 1 else "normal")  # fmt: skip
    axis.tick_params(length=0)
    axis.grid(visible=False)
    axis.spines[:].set_visible(False)
    return image


def time_over_best(figure, image, axes, label: str) -> None:
    """The colour bar."""
    ticks = [1, 1.5, 2, 3, MOST]
    bar = figure.colorbar(image, ax=axes, label=label)
    bar.set_ticks(np.log2(ticks), labels=[f"{tick:g}" if tick < MOST else f"≥ {tick:g}" for tick in ticks])
