"""Simulates plans of this library that records have measured: sent by messages, in one chunk (docs/simulation.md).

PYTHONPATH=bench/harness:claims python sim/studies/validation.py FOLDER  # for its runs; writes validation.jsonl.xz
"""

from __future__ import annotations

import argparse
import json
import lzma
import sys
from pathlib import Path
from statistics import median

import keep
import stated

from shardfft_bench import machines, simulate

#: Records, the label of ours there, the machine, the runs to which its figures were fitted.
SETS = [
    (
        "two-core-amd/2026-11-25-network/network",
        "shardfft, chunks 1",
        "amd_network",
        {"shape": [128] * 3, "kind": "c2c"},
    ),
    ("32-core-xeon/2026-11-27-studies/weak-scaling", "shardfft alltoallv", "xeon_32", {}),
    ("32-core-xeon/2026-11-27-studies/in-and-out-of-place", "shardfft alltoallv", "xeon_32", None),
    ("32-core-xeon/2026-11-27-studies/process-grids", "shardfft alltoallv", "xeon_32", None),
    ("4xh100/2026-11-27-studies/weak-scaling", "shardfft alltoallv", "xeon_16_h100", {}),
    ("4xh100/2026-11-27-studies/exchanges", "shardfft alltoallv", "xeon_16_h100", None),
    ("4xh100/2026-11-27-studies/cpus", "shardfft alltoallv", "xeon_16_h100", None),
    ("64-core-xeon/2026-11-27-studies/communication-ratio", "shardfft alltoallv", "xeon_64", None),
]
LINKS = {"1 Gbit/s": ["link_bandwidth=0.119e9"]}  # in place of the machine's


def measured(records: str, label: str) -> dict[str, dict]:
    """Each plan of a set, with the median of its samples: seconds of a pair."""
    found: dict[str, dict] = {}
    for one in stated.read(records):
        point = one["point"]
        if one.get("status") == "ok" and one["label"] == label and point.get("placement") != "in":
            algorithm = one["breakdown"]["plan"]["algorithm"].split()[0]
            network = stated.value_of(one, "network")
            plan = {name: point.get(name) for name in ("shape", "kind", "ranks", "grid", "layout")}
            plan |= {"algorithm": algorithm, "network": network}
            found.setdefault(json.dumps(plan), {**plan, "samples": []})["samples"] += one["samples"]
    return found


def task_of(machine: machines.Machine, plan: dict) -> dict:
    """The simulation of a plan."""
    words = {name: plan[name] for name in ("kind", "algorithm", "layout")}
    words["shape"], words["ranks"] = "x".join(map(str, plan["shape"])), str(plan["ranks"])
    words["grid"] = "x".join(map(str, plan["grid"])) if plan["grid"] else None
    rest = {"precision": "double", "exchange": "alltoallv", "chunks": 1, "placement": "linear", "tolerance": 0.0}
    return simulate.tasks(machine, argparse.Namespace(**words, **rest, way=None, check=False))[0]


def main() -> None:
    """See above."""
    lines, kept = [], simulate.Kept(Path(sys.argv[1]) / "validation.jsonl")
    for records, label, name, fitted in SETS:
        for plan in measured(records, label).values():
            machine = machines.read(name).with_figures(LINKS.get(plan["network"], []))
            task, samples = task_of(machine, plan), plan.pop("samples")
            if simulate.Kept.key(task) not in kept.found:
                kept.add(task, simulate.run(machine, task, 4e9, 600))
            pair = 2 * simulate.seconds(kept.found[simulate.Kept.key(task)])
            fit = fitted is not None and all(plan[name] == value for name, value in fitted.items())
            line = {"records": records, "machine": name, **plan, "fitted": fit, "measured": median(samples)}
            error = pair / median(samples) - 1
            lines.append({**line, "simulated": pair, "error": error, "off": 100 * abs(error)})
            print(f"{name:13s} {task['shape']} {plan} {1e3 * median(samples):.1f} {1e3 * pair:.1f} {error:+.0%}")
    text = "".join(json.dumps(line) + "\n" for line in lines)
    (keep.HERE / "validation.jsonl.xz").write_bytes(lzma.compress(text.encode("utf-8"), preset=9))
    errors = [abs(line["error"]) for line in lines if not line["fitted"]]
    print(f"{len(errors)} judged: median {median(errors):.1%}, worst {max(errors):.1%}")


if __name__ == "__main__":
    main()
