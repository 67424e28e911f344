"""Markdown tables of docs/performance.md, out of measured files.

tables.py strategies RESULTS --floor memory_floor.jsonl  exchange strategies against the memory's speed
"""

from __future__ import annotations

import argparse
import json
import statistics
from pathlib import Path

PASSES = 6  # a pair of 3-D transforms in two stages each, slab by slab: three reads and writes a way, see docs


def lines(path: Path) -> list[dict]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]


def row(*cells: object) -> str:
    return "| " + " | ".join(str(cell) for cell in cells) + " |"


def ratio_of(record: dict) -> str:
    """Mean of both directions' communication ratio, as the plan reported it."""
    plan = (record.get("breakdown") or {}).get("plan") or {}
    ratios = [(plan.get(direction) or {}).get("ratio") for direction in ("forward", "backward")]
    found = [ratio for ratio in ratios if ratio is not None]
    return f"{statistics.mean(found):.2f}" if found else ""


def strategies(options: argparse.Namespace) -> None:
    path = options.file / "results.jsonl" if options.file.is_dir() else options.file
    good = [one for one in lines(path) if one["status"] == "ok"]
    samples: dict[str, list[float]] = {}
    for one in good:
        samples.setdefault(one["label"], []).extend(one["samples"])
    reports = {one["label"]: one for one in good}
    speed = max(one["copy_gb_per_s"] for one in lines(options.floor))
    shape = good[0]["case"]["shape"]
    array = 16 * shape[0] * shape[1] * shape[2]
    floor = PASSES * array / speed / 1e6
    print(row("strategy", "median ms", "least ms", f"times the {PASSES} passes ({floor:.0f} ms)", "r"))
    print("|---" * 5 + "|")
    for label, times in sorted(samples.items(), key=lambda one: statistics.median(one[1])):
        median = 1e3 * statistics.median(times)
        print(row(label, f"{median:.1f}", f"{1e3 * min(times):.1f}", f"{median / floor:.2f}", ratio_of(reports[label])))


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
