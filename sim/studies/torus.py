"""Draws docs/torus.png, the answer to the torus question of Malapally et al., from torus.jsonl.xz (keep.py)."""

from __future__ import annotations

from pathlib import Path

import keep

NETWORKS = {"juwels": "fat tree", "juwels_torus": "torus", "juwels_dragonfly": "dragonfly"}
ALONE = {"products": 1e18}  # products take no time: messages alone
SHAPE = [840, 840, 840]


def draw(entries: list[dict], path: Path) -> None:
    """Bars by network and number of ranks, in a logarithmic scale."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    drawn = [entry for entry in entries if entry["shape"] == SHAPE and entry["machine"] in NETWORKS]
    linear = [entry for entry in drawn if entry["placement"] == "linear"]
    counts = sorted({entry["ranks"] for entry in linear})
    figure, every = pyplot.subplots(1, len(counts), figsize=(4.5 * len(counts), 3.6), sharey=True, squeeze=False)
    kinds = {
        "Cannon": lambda e: e["algorithm"] == "cannon" and not e["figures"],
        "its messages alone": lambda e: e["algorithm"] == "cannon" and e["figures"] == ALONE,
        "pencil": lambda e: e["algorithm"] == "pencil",
        "slab": lambda e: e["algorithm"] == "slab",
    }
    for axes, ranks in zip(every[0], counts, strict=True):
        for number, (name, fits) in enumerate(kinds.items()):
            times = {e["machine"]: 1e3 * e["seconds"] for e in linear if e["ranks"] == ranks and fits(e)}
            places = [place + 0.2 * number for place, machine in enumerate(NETWORKS) if machine in times]
            axes.bar(places, [times[machine] for machine in NETWORKS if machine in times], 0.2, label=name)
        axes.set_yscale("log")
        axes.set_ylim(bottom=5)
        axes.set_xticks([place + 0.3 for place in range(len(NETWORKS))], NETWORKS.values())
        axes.set_title(f"{ranks} nodes")
    every[0][0].set_ylabel("ms of one transform of 840^3, simulated")
    labels = every[0][0].get_legend_handles_labels()
    figure.legend(*labels, loc="upper center", ncols=len(kinds), bbox_to_anchor=(0.5, 1.08))
    figure.savefig(path, dpi=110, bbox_inches="tight")


def main() -> None:
    """See above."""
    draw(keep.read("torus"), Path(__file__).resolve().parents[2] / "docs" / "torus.png")


if __name__ == "__main__":
    main()
