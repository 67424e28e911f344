"""Draw the data of brain.py: slices before and after, and the radial power spectrum."""

from __future__ import annotations

import argparse
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

# Okabe and Ito's colours keep apart in every kind of colour vision.
BLUE, VERMILION, GREY = "#0072B2", "#D55E00", "#666666"
PLANES = (("sagittal", 0, ("y", "z")), ("coronal", 1, ("x", "z")), ("axial", 2, ("x", "y")))


def draw_slices(data: dict[str, np.ndarray], file: Path) -> None:
    """Middle planes: before, after, and their difference."""
    before, after, voxel = data["before"], data["after"], data["voxel"]
    taken = before - after
    top, swing = np.percentile(before, 99.9), np.percentile(np.abs(taken), 99.5)
    rows = [
        ("before", before, {"cmap": "gray", "vmin": 0, "vmax": top}),
        (f"after (Gaussian, {float(data['sigma']):g} mm)", after, {"cmap": "gray", "vmin": 0, "vmax": top}),
        ("before - after", taken, {"cmap": "PuOr", "vmin": -swing, "vmax": swing}),
    ]
    figure, axes = plt.subplots(3, 3, figsize=(10, 9.6), layout="constrained")
    for row, (title, volume, colours) in zip(axes, rows, strict=True):
        for axis, (plane, normal, names) in zip(row, PLANES, strict=True):
            middle = volume.shape[normal] // 2
            cut = np.take(volume, middle, axis=normal)
            across, up = np.delete(voxel, normal)
            image = axis.imshow(
                cut.T, origin="lower", extent=(0, cut.shape[0] * across, 0, cut.shape[1] * up), **colours
            )
            axis.set_title(f"{title}, {plane}", fontsize=10)
            axis.set_xlabel(f"{names[0]} / mm")
            axis.set_ylabel(f"{names[1]} / mm")
        figure.colorbar(image, ax=row, label="T1 intensity / arbitrary units")
    figure.savefig(file, dpi=120)
    plt.close(figure)


def draw_spectrum(data: dict[str, np.ndarray], file: Path) -> None:
    """Mean power of a mode over its wavenumber."""
    edges = data["edges"]
    middle = (edges[1:] + edges[:-1]) / 2
    figure, axis = plt.subplots(figsize=(7, 4.6), layout="constrained")
    for name, label, colour, style in (
        ("power_before", "before", BLUE, "-"),
        ("power_after", "after", VERMILION, "--"),
    ):
        energy, modes = data[name]
        axis.loglog(
            middle[modes > 0], (energy / np.maximum(modes, 1))[modes > 0], style, color=colour, lw=2, label=label
        )
    half = np.sqrt(np.log(2)) / (2 * np.pi * float(data["sigma"]))
    axis.axvline(half, color=GREY, ls=":", label=f"filter halves the power, {half:.3f} cycles/mm")
    top = axis.get_ylim()[1]
    axis.set_ylim(top * 1e-16, top)
    axis.set_xlabel("wavenumber |k| / (cycles/mm)")
    axis.set_ylabel("mean |mode|² / (T1 intensity)²")
    axis.set_title(f"Radial power spectrum of the MNI152 template, {int(data['ranks'])} ranks")
    axis.grid(True, which="major", color="#dddddd")
    axis.legend()
    figure.savefig(file, dpi=120)
    plt.close(figure)


def main() -> None:
    """Draw both figures into the folder of the results."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    folder = parser.parse_args().folder
    with np.load(folder / "volume.npz") as data:
        arrays = dict(data)
    draw_slices(arrays, folder / "slices.png")
    draw_spectrum(arrays, folder / "power_spectrum.png")


if __name__ == "__main__":
    main()
