"""Heat maps of times: the number in each cell is the time, its colour how many times the best that is."""

from __future__ import annotations

import numpy as np

MOST = 4.0  # ratios above this share the darkest colour


def heat_map(axis, times: np.ndarray, ratios: np.ndarray):
    """Draws the cells that are not NaN and returns the image for a colour bar."""
    image = axis.imshow(np.log2(ratios), cmap="cividis_r", vmin=0, vmax=np.log2(MOST), aspect="auto")
    for row, column in zip(*np.nonzero(~np.isnan(times))):
        ratio = ratios[row, column]
        time = times[row, column]
        axis.text(column, row, f"{time:.0f}" if time >= 1000 else f"{time:.3g}", ha="center", va="center", fontsize=8,
                  fontweight="bold" if ratio == 1 else "normal", color="white" if ratio > 2 else "black")  # fmt: skip
    axis.tick_params(length=0)
    axis.grid(visible=False)
    axis.spines[:].set_visible(False)
    return image


def time_over_best(figure, image, axes, label: str) -> None:
    """The colour bar."""
    ticks = [1, 1.5, 2, 3, MOST]
    bar = figure.colorbar(image, ax=axes, label=label)
    bar.set_ticks(np.log2(ticks), labels=[f"{tick:g}" if tick < MOST else f"≥ {tick:g}" for tick in ticks])
