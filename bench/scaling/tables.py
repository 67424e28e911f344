"""Markdown tables of bench/results/measurements.md, out of measured files.

tables.py strategies RESULTS --floor memory_floor.jsonl  exchange strategies against the memory's speed
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from shardfft_bench import results
from shardfft_bench.report import collect
from shardfft_bench.report.collect import Cell

PASSES = 6  # a pair of 3-D transforms in two stages each, slab by slab: three reads and writes a way, see docs


def row(*cells: object) -> str:
    return "| " + " | ".join(str(cell) for cell in cells) + " |"


def ratio_of(cell: Cell) -> str:
    """Mean of both directions' communication ratio, as the plan reported it."""
    ratios = [cell.middle("breakdown", "plan", direction, "ratio") for direction in ("forward", "backward")]
    found = [ratio for ratio in ratios if ratio is not None]
    return f"{sum(found) / len(found):.2f}" if found else ""


def strategies(options: argparse.Namespace) -> None:
    cells = collect.cells(results.load(options.file))
    floors = [json.loads(line) for line in results.lines(options.floor)]
    speed = max(one["copy_gb_per_s"] for one in floors)
    shape = cells[0].point["shape"]
    array = 16 * shape[0] * shape[1] * shape[2]
    floor = PASSES * array / speed / 1e6
    print(row("strategy", "median ms", "least ms", f"times the {PASSES} passes ({floor:.0f} ms)", "r"))
    print("|---" * 5 + "|")
    for cell in sorted(cells, key=lambda one: one.median):
        median = 1e3 * cell.median
        least = 1e3 * min(cell.samples)
        print(row(cell.label, f"{median:.1f}", f"{least:.1f}", f"{median / floor:.2f}", ratio_of(cell)))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    two = commands.add_parser("strategies")
    two.add_argument("file", type=Path)
    two.add_argument("--floor", type=Path, required=True)
    two.set_defaults(act=strategies)
    options = parser.parse_args()
    options.act(options)


if __name__ == "__main__":
    main()
