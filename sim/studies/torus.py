"""Draws docs/torus.png, the answer to the torus question of Malapally et al., from torus.jsonl.xz (keep.py)."""

from __future__ import annotations

from pathlib import Path

import keep

NETWORKS = {
    "fat tree": ["juwels"],
    "torus": ["juwels_torus"],
    "dragonfly": ["juwels_dragonfly", "juwels_dragonfly_16"],
}
COUNTS = (64, 216, 512, 1000)
ALONE = {"products": 1e18}  # products take no time: messages alone
SHAPE = [840, 840, 840]


def draw(entries: list[dict], path: Path) -> None:
    """Bars by network and number of ranks, in a logarithmic scale: of each the fastest exchange that was simulated."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    linear = [entry for entry in entries if entry["shape"] == SHAPE and entry["placement"] == "linear"]
    figure, every = pyplot.subplots(2, 2, figsize=(9, 6.5), sharey=True, gridspec_kw={"hspace": 0.3})
    kinds = {
        "Cannon": lambda e: e["algorithm"] == "cannon" and not e["figures"],
        "its messages alone": lambda e: e["algorithm"] == "cannon" and e["figures"] == ALONE,
        "pencil": lambda e: e["algorithm"] == "pencil",
        "slab": lambda e: e["algorithm"] == "slab",
    }
    for axes, ranks in zip(every.flat, COUNTS, strict=True):
        for number, (name, fits) in enumerate(kinds.items()):
            times = [
                [1e3 * e["seconds"] for e in linear if e["machine"] in machines and e["ranks"] == ranks and fits(e)]
                for machines in NETWORKS.values()
            ]
            places = [place + 0.2 * number for place, found in enumerate(times) if found]
            axes.bar(places, [min(found) for found in times if found], 0.2, label=name)
        axes.set_yscale("log")
        axes.set_xlim(-0.2, 2.8)
        axes.set_ylim(bottom=3)
        axes.set_xticks([place + 0.3 for place in range(len(NETWORKS))], NETWORKS)
        axes.set_title(f"{ranks} nodes")
        axes.set_ylabel("ms of 840^3, simulated")
    labels = every[0][0].get_legend_handles_labels()
    figure.legend(*labels, loc="upper center", ncols=len(kinds), bbox_to_anchor=(0.5, 0.97))
    figure.savefig(path, dpi=110, bbox_inches="tight")


def main() -> None:
    """See above."""
    draw(keep.read("torus"), Path(__file__).resolve().parents[2] / "docs" / "torus.png")


if __name__ == "__main__":
    main()
