"""Pairs of plans over GPUs, one a rank, of named cases and drawn ones: mpirun -n 2 python3 layouts.py [--drawn]

With --descriptors each case runs twice with memory that ranks share by CUDA IPC and twice by file descriptors, in turn,
in arrays that the plan allocates.
"""

from __future__ import annotations

import json
import os
import random
import sys
import time

import torch
from mpi4py import MPI

import shardfft

WORLD = MPI.COMM_WORLD
NAMED = [
    ([1024] * 3, "c2c", "float64", "slab", "default", 2),
    ([1024] * 3, "r2c", "float64", "slab", "natural", 2),
    ([1024] * 3, "r2c", "float64", "pencil", "default", 2),
    ([1024] * 3, "r2c", "float64", "pencil", "natural", 2),
    ([750] * 3, "r2c", "float64", "brick", "default", 2),
    ([750] * 3, "c2c", "float64", "brick", "default", 2),
    ([750] * 3, "r2c", "float64", "brick", "natural", 2),
]


def drawn(count: int) -> list[tuple]:
    """Cases of 160 to 699 points an axis, without prime factors over 7."""
    draw = random.Random(60)
    good = [n for n in range(160, 700) if 210**9 % n == 0]
    kinds = [("c2c", "float64"), ("r2c", "float64"), ("c2c", "float32"), ("r2c", "float32")]
    cases = []
    for _ in range(count):
        shape = [draw.choice(good) for _ in range(3)]
        kind, precision = draw.choice(kinds)
        cases.append(
            (shape, kind, precision, draw.choice(["slab", "pencil", "brick"]), draw.choice(["default", "natural"]), 4)
        )
    return cases


def slowest(value: float) -> float:
    return WORLD.allreduce(value, MPI.MAX)


def measure(
    shape: list[int], kind: str, precision: str, layout: str, output: str, count: int, own: bool = False
) -> dict:
    """Least and median ms a pair, of nine samples of `count` pairs; workspace in arrays as large as input or output."""
    stream = torch.cuda.Stream()
    options = {"comm": WORLD, "layout": layout, "output": output, "processor": "gpu", "stream": stream.cuda_stream}
    begin = time.perf_counter()
    plan = shardfft.plan(shape, kind, precision, **options)
    planned = slowest(time.perf_counter() - begin)
    if own:
        x, y = (torch.from_dlpack(array).zero_() for array in (plan.allocate_input(), plan.allocate_output()))
    else:
        x, y = (
            torch.zeros(tuple(part.shape), dtype=getattr(torch, part.dtype.name), device="cuda")
            for part in (plan.input, plan.output)
        )

    def pairs(number: int) -> None:
        for _ in range(number):
            plan.forward(x, out=y)
            plan.backward(y, out=x)

    pairs(4)
    torch.cuda.synchronize()
    times = []
    for _ in range(9):
        WORLD.barrier()
        begin = time.perf_counter()
        pairs(count)
        stream.synchronize()
        times.append(1e3 * slowest((time.perf_counter() - begin) / count))
    row = {"shape": shape, "kind": kind, "precision": precision, "layout": layout, "output": output}
    row |= {"ms": round(min(times), 4), "median": round(sorted(times)[4], 4), "plan_s": round(planned, 2)}
    row["workspace"] = round(slowest(plan.workspace_bytes / max(x.nbytes, y.nbytes)), 3)
    plan.close()
    return row


def main() -> None:
    torch.cuda.set_device(WORLD.rank % torch.cuda.device_count())
    for case in ([] if "--drawn" in sys.argv else NAMED) + drawn(6):
        for descriptors in "0101" if "--descriptors" in sys.argv else [None]:
            if descriptors is not None:
                os.environ["SHARDFFT_DESCRIPTORS"] = descriptors
            row = measure(*case, own=descriptors is not None)
            torch.cuda.empty_cache()
            if WORLD.rank == 0:
                print(json.dumps(row | ({"descriptors": descriptors} if descriptors else {})), flush=True)


if __name__ == "__main__":
    main()
