"""Times on more ranks than the simulator can run: the library's cost model alone, where it agrees with simulations.

The same plan is made on imagined ranks; its steps take times by the machine's figures (docs/simulation.md).
"""

from __future__ import annotations

import argparse
from typing import Any

from . import machines
from .errors import BenchError

COUNTS = 4  # of ranks, at which both must agree
AGREES = 0.10
#: Links between two nodes, as long as these routes get.
LINKS = {"switch": 1, "fat_tree": 4, "dragonfly": 5}


def figures(machine: machines.Machine, ranks: int) -> dict[str, float]:
    """The machine's figures by the names of the cost model."""
    topology, own = machine.network["topology"], machine.figures
    if topology not in LINKS:
        raise BenchError(f"{machine.name} is a {topology}, whose shared links the cost model does not know")
    shared = 1.0
    if topology == "fat_tree" and ranks > machine.ranks_per_node * machine.network["nodes_per_switch"]:
        shared = min(1.0, machine.network["uplinks"] / machine.network["nodes_per_switch"])
    same = ("memory", "host_memory", "cache", "cache_bytes", "flops", "products", "near_bandwidth")
    return {name: own[name] for name in same} | {
        "near_latency": own["near_latency"] + 2 * own["overhead"],
        "far_latency": own["link_latency"] * LINKS[topology] + 2 * own["overhead"],
        "far_bandwidth": own["link_bandwidth"] * shared,
        "start": own["overhead"],
    }


def seconds(machine: machines.Machine, task: dict[str, Any]) -> float:
    """Of one transform, the mean of both ways, by the cost model."""
    try:
        from shardfft._doctor import predict
    except ImportError as error:
        raise BenchError(f"--beyond needs the package shardfft, which has the cost model: {error}") from error
    own = [f"chunks={task['chunks']}", f"tolerance={task['tolerance']}"]
    words = argparse.Namespace(
        **{name: task[name] for name in ("kind", "precision", "layout", "algorithm", "exchange")},
        shape="x".join(map(str, task["shape"])),
        output="default",
        set=own + ([f"grid={','.join(map(str, task['grid']))}"] if task["grid"] else []),
        gpus_per_node=None,
        ranks_per_node=machine.ranks_per_node,
    )
    try:
        return predict.foretell(words, task["ranks"], figures(machine, task["ranks"]))["seconds"] / 2
    except (ValueError, RuntimeError) as error:
        raise BenchError(f"the cost model refuses {task['ranks']} ranks: {error}") from error


def disagreement(machine: machines.Machine, simulated: dict[int, tuple[dict[str, Any], float]]) -> float:
    """By how much the model and simulations differ at the four largest numbers of ranks at most; `simulated` has the
    task and the seconds of each."""
    largest = sorted(simulated)[-COUNTS:]
    if len(largest) < COUNTS:
        raise BenchError(f"--beyond needs simulations on {COUNTS} numbers of ranks of each algorithm, in --ranks")
    worst, where = max((abs(seconds(machine, simulated[n][0]) / simulated[n][1] - 1), n) for n in largest)
    if worst > AGREES:
        raise BenchError(
            f"the cost model differs from the simulation by {worst:.0%} on {where} ranks; up to {AGREES:.0%} would do"
        )
    return worst
