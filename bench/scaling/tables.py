"""Markdown tables and the plot of docs/performance.md, out of measured files.

tables.py strong cpu_strong.jsonl [--plot FILE.svg]     strong scaling against FFTW-MPI
tables.py strategies RESULTS --floor memory_floor.jsonl  exchange strategies against the memory's speed
"""

from __future__ import annotations

import argparse
import json
import math
import re
import statistics
from pathlib import Path

PASSES = 6  # a pair of 3-D transforms in two stages each, slab by slab: three reads and writes a way, see docs


def lines(path: Path) -> list[dict]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]


def row(*cells: object) -> str:
    return "| " + " | ".join(str(cell) for cell in cells) + " |"


def strong(options: argparse.Namespace) -> None:
    records = {(one["library"], one["ranks"]): one for one in lines(options.file)}
    counts = sorted(ranks for library, ranks in records if library == "shardfft" and ("fftw-mpi", ranks) in records)
    print(row("ranks", "ours ms: median (least)", "FFTW-MPI ms: median (least)", "ratio", "our speedup", "rounds"))
    print("|---" * 6 + "|")
    first = records["shardfft", counts[0]]
    for ranks in counts:
        ours, theirs = records["shardfft", ranks], records["fftw-mpi", ranks]
        print(
            row(
                ranks,
                f"{ours['median_ms']:.0f} ({ours['min_ms']:.0f})",
                f"{theirs['median_ms']:.0f} ({theirs['min_ms']:.0f})",
                f"{theirs['median_ms'] / ours['median_ms']:.2f}",
                f"{first['median_ms'] * counts[0] / ours['median_ms']:.1f}",
                len(ours["samples_ms"]),
            )
        )
    if options.plot:
        draw(records, counts, options.plot)


def nice_ticks(limits):
    """Positions 1, 2, 5 of every decade within the limits of a logarithmic axis, and their texts."""
    low, high = limits
    decades = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    ticks = [digit * 10**decade for decade in decades for digit in (1, 2, 5) if low <= digit * 10**decade <= high]
    return ticks, [f"{tick:g}" for tick in ticks]


def draw(records: dict, counts: list[int], path: Path) -> None:
    import matplotlib

    matplotlib.use("svg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(6, 4))
    for library, style in (("shardfft", "o-"), ("fftw-mpi", "s--")):
        axes.plot(counts, [records[library, ranks]["median_ms"] for ranks in counts], style, label=library)
    start = records["shardfft", counts[0]]["median_ms"] * counts[0]
    axes.plot(counts, [start / ranks for ranks in counts], ":", color="grey", label="ideal")
    n = records["shardfft", counts[0]]["n"]
    axes.set(xscale="log", yscale="log", xlabel="ranks", ylabel="ms, forward + backward", title=f"{n}^3 complex double")
    axes.set_xticks(counts, [str(ranks) for ranks in counts])
    axes.minorticks_off()
    axes.set_yticks(*nice_ticks(axes.get_ylim()))
    axes.legend()
    figure.tight_layout()
    figure.savefig(path)


def ratio_of(record: dict) -> str:
    """Mean of both directions' communication ratio, out of the driver's report."""
    report = (record.get("breakdown") or {}).get("report", "")
    found = [float(text) for text in re.findall(r"T_comm / T_total = ([0-9.e+-]+)", report)]
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
    one = commands.add_parser("strong")
    one.add_argument("file", type=Path)
    one.add_argument("--plot", type=Path)
    one.set_defaults(act=strong)
    two = commands.add_parser("strategies")
    two.add_argument("file", type=Path)
    two.add_argument("--floor", type=Path, required=True)
    two.set_defaults(act=strategies)
    options = parser.parse_args()
    options.act(options)


if __name__ == "__main__":
    main()
