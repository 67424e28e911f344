"""How much of an exchange hides behind transforms with the option chunks, out of traces.

mpirun -n 4 python bench/scaling/chunk_overlap.py [--size 128] [--layout slab] [--batch 1] [--runs 5]

Messages are under way from the first call that sends or receives to the end of the last wait of a step; hidden is the
share of that time in which the rank transforms. Means over ranks and runs of a forward and a backward transform.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections import defaultdict
from pathlib import Path

import numpy as np
from mpi4py import MPI

import shardfft


def steps_of(events: list[dict]) -> list[tuple[dict, list[dict]]]:
    """Every step of every rank with the spans in it, both in the order of time."""
    found = []
    by_rank = defaultdict(list)
    for event in events:
        if event["ph"] == "X":
            by_rank[event["pid"]].append(event)
    for mine in by_rank.values():
        spans = sorted((e for e in mine if e["cat"] in ("communication", "computation")), key=lambda e: e["ts"])
        for step in (e for e in mine if e["cat"] == "step"):
            end = step["ts"] + step["dur"]
            found.append((step, [e for e in spans if step["ts"] <= e["ts"] <= end]))
    return found


def overlap(path: Path) -> tuple[float, float, float]:
    """Milliseconds that messages are under way, of them in transforms, and waiting; sums over ranks and runs."""
    under_way = hidden = waiting = 0.0
    for _, spans in steps_of(json.loads(path.read_text())["traceEvents"]):
        sends = [e for e in spans if e["name"].endswith(" exchange") and e["cat"] == "communication"]
        waits = [e for e in spans if e["name"].endswith(" wait")]
        if not sends or not waits:
            continue
        begin, end = sends[0]["ts"], max(e["ts"] + e["dur"] for e in waits)
        under_way += end - begin
        waiting += sum(e["dur"] for e in waits)
        for fft in (e for e in spans if e["name"].endswith(" fft")):
            hidden += max(0.0, min(end, fft["ts"] + fft["dur"]) - max(begin, fft["ts"]))
    return under_way / 1e3, hidden / 1e3, waiting / 1e3


def measure(options: argparse.Namespace, exchange: str, chunks: int, path: Path) -> tuple[float, float, float]:
    """Run a plan that traces itself, and give what its trace says on rank 0."""
    shape = (options.size,) * 3
    with shardfft.plan(
        shape,
        "c2c",
        layout=options.layout,
        batch=options.batch,
        exchange=exchange,
        chunks=chunks,
        threads=options.threads,
        trace=str(path),
    ) as plan:
        x = plan.input.zeros()
        spectrum = plan.output.zeros()
        for _ in range(options.runs):
            plan.forward(x, spectrum)
            plan.backward(spectrum, x)
    return overlap(path) if MPI.COMM_WORLD.rank == 0 else (0.0, 0.0, 0.0)


def main() -> None:
    """Print one table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--size", type=int, default=128)
    parser.add_argument("--layout", default="slab", choices=["slab", "pencil", "brick"])
    parser.add_argument("--batch", type=int, default=1)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--exchanges", nargs="+", default=["alltoallv", "p2p"])
    parser.add_argument("--chunks", nargs="+", type=int, default=[1, 2, 4, 8])
    options = parser.parse_args()
    comm = MPI.COMM_WORLD
    with tempfile.TemporaryDirectory() as folder:
        path = Path(comm.bcast(folder)) / "trace.json"
        if comm.rank == 0:
            print("| exchange | chunks | messages under way, ms | hidden | waiting, ms |\n|---|---|---|---|---|")
        for exchange in options.exchanges:
            for chunks in options.chunks:
                sums = np.array(measure(options, exchange, chunks, path)) / (comm.size * options.runs)
                if comm.rank == 0:
                    hidden = sums[1] / sums[0] if sums[0] > 0 else 0.0
                    print(
                        f"| {exchange} | {chunks} | {sums[0]:.2f} | {100 * hidden:.0f} % | {sums[2]:.2f} |", flush=True
                    )


if __name__ == "__main__":
    main()
