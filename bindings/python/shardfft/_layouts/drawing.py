"""Pictures of layouts; needs matplotlib."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from .cut_array import CutArray
    from .layout import Layout

_PIXELS = 256


def _owners(layout: Layout, axes: tuple[int, int]) -> Any:
    """The owner of each element of the plane of two axes that goes through index 0 of the others."""
    plane = np.full(layout.shape, -1) if layout.ndim == 1 else np.full([layout.shape[axis] for axis in axes], -1)
    for rank in range(layout.ranks):
        for piece in layout.pieces(rank):
            others = [part for axis, part in enumerate(piece.slices) if axis not in axes]
            if all(part.start == 0 and part.stop > 0 for part in others):
                plane[tuple(piece.slices[axis] for axis in sorted(set(axes)))] = rank
    plane = plane.reshape(1, -1) if layout.ndim == 1 else plane
    return plane[tuple(slice(None, None, -(-extent // _PIXELS)) for extent in plane.shape)]


def new_figure(**words: Any) -> Any:
    """Make a figure of pyplot; in a notebook, which shows it as the value of a cell, one that pyplot does not draw."""
    import matplotlib
    from matplotlib import pyplot

    made = pyplot.figure(**words)
    if "inline" in matplotlib.get_backend():
        pyplot.close(made)
    return made


def draw_layout(layout: Layout, figure: Any = None) -> Any:
    """Draw the planes of every two axes through the first index of the others, in a colour for each rank."""
    from matplotlib.colors import BoundaryNorm

    pairs = list(combinations(range(layout.ndim), 2)) or [(0, 0)]
    made = new_figure(figsize=(3.2 * len(pairs) + 1, 3.4), layout="constrained") if figure is None else figure
    colours = BoundaryNorm(np.arange(-0.5, layout.ranks + 0.5), 256)
    image = None
    for place, axes in zip(made.subplots(1, len(pairs), squeeze=False)[0], pairs, strict=True):
        high, wide = (1, layout.shape[0]) if layout.ndim == 1 else (layout.shape[axis] for axis in axes)
        image = place.imshow(
            _owners(layout, axes),
            norm=colours,
            cmap="turbo",
            aspect="auto",
            extent=(0, wide, high, 0),
            interpolation="nearest",
        )
        place.set_xlabel(f"axis {axes[1]}")
        place.set_ylabel("" if layout.ndim == 1 else f"axis {axes[0]}")
    step = max(1, layout.ranks // 8)
    made.colorbar(image, label="rank", ticks=range(0, layout.ranks, step))
    made.suptitle(layout._core.describe())
    return made


def plot_layout(self: CutArray, figure: Any = None) -> Any:
    """Draw the parts of the ranks, plane by plane, and return matplotlib's figure. Not collective.

    Args:
        figure: matplotlib's figure to draw in; None makes one.
    """
    return draw_layout(self.layout, figure)
