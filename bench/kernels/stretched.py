"""Time of a stretched axis of `Poisson` over that of the transforms it replaces: mpirun -n 2 python3 stretched.py N ...

Cubes of N^3 doubles in slabs. In turns, 24 times: a periodic solve, solves with walls along the first or the last axis,
and a plan's pair over the two axes that both transform. A JSON line for each N: medians of the slowest rank's time.
"""

from __future__ import annotations

import json
import statistics
import sys
import time
from collections.abc import Callable

import numpy as np
from mpi4py import MPI

import shardfft

WORLD = MPI.COMM_WORLD
ENDS = {0: ("neumann", "periodic", "periodic"), 2: ("periodic", "periodic", "neumann")}


def solve(n: int, axis: int | None) -> Callable[[], object]:
    """A solve with a stretched axis, or a periodic one."""
    faces = 1 + np.tanh(1.8 * np.linspace(-1, 1, n + 1)) / np.tanh(1.8)
    lengths = [np.diff(faces) if a == axis else 1.0 for a in range(3)]
    ends = "periodic" if axis is None else ENDS[axis]
    plan = shardfft.poisson((n,) * 3, lengths, ends, comm=WORLD, wrong_mean="remove")
    f = plan.zeros()
    f[...] = np.random.default_rng(WORLD.rank).standard_normal(f.shape)
    return lambda: plan.solve(f)


def pair(n: int, axes: tuple[int, int]) -> Callable[[], object]:
    """Forward and backward transforms along two axes."""
    plan = shardfft.plan((n,) * 3, "r2c", axes=axes, comm=WORLD)
    x, y = plan.input.empty(), plan.output.empty()
    x[...] = np.random.default_rng(WORLD.rank).standard_normal(x.shape)
    return lambda: plan.backward(plan.forward(x, out=y), out=x)


def slowest(work: Callable[[], object]) -> float:
    """Milliseconds of the slowest rank."""
    WORLD.barrier()
    began = time.perf_counter()
    work()
    return 1e3 * WORLD.allreduce(time.perf_counter() - began, MPI.MAX)


for n in map(int, sys.argv[1:]):
    works = {"periodic": solve(n, None), "first": solve(n, 0), "last": solve(n, 2)}
    works |= {"without_first": pair(n, (1, 2)), "without_last": pair(n, (0, 1))}
    turns = [[slowest(work) for work in works.values()] for _ in range(26)][2:]
    ms = {name: round(statistics.median(times), 3) for name, times in zip(works, zip(*turns, strict=True), strict=True)}
    if WORLD.rank == 0:
        row = {"n": n, "ranks": WORLD.size, **{f"{name}_ms": time for name, time in ms.items()}}
        for axis in ("first", "last"):
            without = ms[f"without_{axis}"]
            row[f"{axis}_of_transform"] = round((ms[axis] - without) / (ms["periodic"] - without), 3)
        print(json.dumps(row), flush=True)
