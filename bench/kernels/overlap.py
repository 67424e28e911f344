"""Draws the slab_trace.jsonl of a record: a row a stream, so that one sees what hides behind what.

python bench/kernels/overlap.py RECORDS.jsonl PICTURE.png   (the first trace, or the one of --shape and --type)
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from shardfft_bench.results import lines

# Okabe and Ito's colours, and hatches for print.
LOOKS = {
    "z lines": ("#56B4E9", ""),
    "planes": ("#56B4E9", ""),
    "y lines": ("#009E73", "//"),
    "x lines": ("#E69F00", "\\\\"),
    "send": ("#D55E00", ""),
}


def traces(path: Path) -> list[dict]:
    """All records of a file that have a trace."""
    records = (json.loads(line) for line in lines(path) if line.startswith("{"))
    return [record for record in records if record.get("trace")]


def rows(trace: list[list]) -> list[tuple[str, list[tuple[str, float, float]]]]:
    """(name of the stream, its pieces), GPU by GPU, transforms above copies."""
    streams: dict[tuple[int, bool, int], list] = {}
    for what, device, stream, begin, end in trace:
        streams.setdefault((device, what == "send", stream), []).append((what, begin, end))
    return [(f"GPU {key[0]} {'links' if key[1] else 'transforms'}", streams[key]) for key in sorted(streams)]


def hidden_share(trace: list[list]) -> float:
    """Share of the time with copies on the links during which transforms run on the same GPU, over all GPUs."""
    hidden = total = 0.0
    for what, device, _, begin, end in trace:
        if what != "send":
            continue
        total += end - begin
        for other, here, _, first, last in trace:
            if other != "send" and here == device:
                hidden += max(0.0, min(end, last) - max(begin, first))
    return hidden / total if total else 0.0


def draw(record: dict, target: Path) -> None:
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot
    from matplotlib.patches import Patch

    named = rows(record["trace"])
    figure, axes = pyplot.subplots(figsize=(10, 1.2 + 0.45 * len(named)), layout="constrained")
    seen = []
    for place, (_, pieces) in enumerate(named):
        for what, begin, end in pieces:
            colour, hatch = LOOKS[what]
            axes.barh(place, end - begin, 0.7, begin, color=colour, hatch=hatch, edgecolor="white", linewidth=0.4)
            if what not in seen:
                seen.append(what)
    axes.set_yticks(range(len(named)), [name for name, _ in named])
    axes.invert_yaxis()
    axes.set_xlabel("ms from the begin of the pair")
    shape = "x".join(str(n) for n in record["shape"])
    share = hidden_share(record["trace"])
    axes.set_title(f"{shape} {record['type']}, {record['gpus']} GPUs: {share:.0%} of the transfers hidden", fontsize=11)
    handles = [Patch(facecolor=LOOKS[what][0], hatch=LOOKS[what][1], edgecolor="white", label=what) for what in seen]
    axes.legend(handles=handles, ncols=len(seen), loc="upper left", bbox_to_anchor=(0, -0.3), frameon=False)
    figure.savefig(target, dpi=150)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("records", type=Path)
    parser.add_argument("picture", type=Path)
    parser.add_argument("--shape", help="as 1024x1024x1024")
    parser.add_argument("--type", help="Z2Z, C2C, D2Z or R2C")
    options = parser.parse_args()
    for record in traces(options.records):
        shape = "x".join(str(n) for n in record["shape"])
        if options.shape in (None, shape) and options.type in (None, record["type"]):
            draw(record, options.picture)
            print(f"{options.picture}: {hidden_share(record['trace']):.3f} of the transfers hidden")
            return 0
    print(f"no such trace in {options.records}", file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main())
