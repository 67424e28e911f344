"""The torus question of Malapally et al.: keeps the simulated runs, and draws docs/torus.png.

python sim/studies/torus.py FOLDER   # of `shardfft simulate --into FOLDER`: adds its runs to torus.jsonl
python sim/studies/torus.py          # draws
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
RECORD = HERE / "torus.jsonl"
NETWORKS = {"juwels": "fat tree", "juwels_torus": "torus", "juwels_dragonfly": "dragonfly"}
MESSAGES_ALONE = 1e18
SHAPE = [840, 840, 840]


def kept(folder: Path) -> list[dict]:
    """One short line a run; the last one of each counts."""
    found = {}
    for file in sorted(folder.glob("*.jsonl")):
        for line in file.read_text(encoding="utf-8").splitlines():
            task, result = (json.loads(line)[name] for name in ("task", "result"))
            entry = {
                name: task[name]
                for name in ("machine", "network", "shape", "ranks", "algorithm", "exchange", "placement")
            }
            entry["products"] = task["figures"]["products"]
            found[json.dumps({**entry, "network": None})] = {
                **entry,
                "seconds": (result["forward"] + result["backward"]) / 2,
                "r": result["report"]["forward"].get("ratio"),
            }
    return list(found.values())


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
        "Cannon": lambda e: e["algorithm"] == "cannon" and e["products"] < MESSAGES_ALONE,
        "its messages alone": lambda e: e["algorithm"] == "cannon" and e["products"] >= MESSAGES_ALONE,
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
    if len(sys.argv) > 1:
        RECORD.write_text("".join(json.dumps(entry) + "\n" for entry in kept(Path(sys.argv[1]))), encoding="utf-8")
    entries = [json.loads(line) for line in RECORD.read_text(encoding="utf-8").splitlines()]
    draw(entries, HERE.parents[1] / "docs" / "torus.png")
    for entry in sorted(
        entries, key=lambda e: (e["ranks"], e["machine"], e["placement"], e["algorithm"], e["products"])
    ):
        alone = " messages alone" if entry["products"] >= MESSAGES_ALONE else ""
        words = f"{entry['ranks']:4d} {entry['machine']:17s} {entry['placement']:9s} {entry['algorithm']}{alone}"
        print(f"{words:60s} {1e3 * entry['seconds']:8.1f} ms  r {entry['r'] or 0:.2f}")


if __name__ == "__main__":
    main()
