"""Gradient steps on CPUs beside torch.fft's on as many cores: mpirun --bind-to none -n 2 python3 cpu_steps.py

A step is (transform(x).abs() ** 2).sum().backward(). Ours runs on all ranks, each with one core and a slab of the cube.
PyTorch's runs on the first rank with one thread for each rank, while the others sleep. A JSON line for each case:
seconds of a step, least and median of turns in which ours and the rival's follow each other, and the ratio of the
least. `bound` compares with the plan's calls and the same pointwise work without a graph. Cases:

    functions   rfftn or fftn of shardfft.torch beside torch.fft
    plan        shardfft.torch.forward(plan, x) beside torch.fft
    bound       the same beside plan.forward, the loss and its gradient, plan.backward
"""

from __future__ import annotations

import argparse
import gc
import json
import statistics
import time
from collections.abc import Callable, Iterator
from typing import Any

import torch
from mpi4py import MPI

import shardfft
import shardfft.torch

COMM = MPI.COMM_WORLD
BARS = {"functions": 1.3, "plan": 1.3, "bound": 1.15}


def meet() -> None:
    """Meet all ranks; who waits leaves its core to the others."""
    request = COMM.Ibarrier()
    while not request.Test():
        time.sleep(1e-3)


def loss(spectrum: torch.Tensor) -> torch.Tensor:
    return (spectrum.abs() ** 2).sum()


def step(transform: Callable[[torch.Tensor], torch.Tensor], x: torch.Tensor) -> Callable[[], torch.Tensor]:
    """A loss and its gradient."""
    x = x.clone().requires_grad_()

    def once() -> torch.Tensor:
        x.grad = None
        loss(transform(x)).backward()
        return x.grad

    return once


def spent(work: Callable[[], Any], calls: int, together: bool) -> float:
    """Seconds of a call, of the slowest rank; without `together` of the first rank, on as many threads as ranks."""
    meet()
    seconds = 0.0
    if together or COMM.rank == 0:
        torch.set_num_threads(1 if together else COMM.size)
        if together:
            COMM.Barrier()
        begin = time.perf_counter()
        for _ in range(calls):
            work()
        seconds = (time.perf_counter() - begin) / calls
    meet()
    return COMM.allreduce(seconds, MPI.MAX)


def compare(what: str, ours: Callable, theirs: Callable, together: bool, rounds: int) -> dict[str, Any]:
    """Both in turns; `together`: all ranks make the rival's calls too."""
    for work, all_ranks in ((ours, True), (theirs, together)):
        spent(work, 3, all_ranks)
    calls = max(1, min(200, round(0.02 / max(spent(theirs, 2, together), 1e-6))))
    gc.disable()
    times = [(spent(ours, calls, True), spent(theirs, calls, together)) for _ in range(rounds)]
    gc.enable()
    mine, other = zip(*times, strict=True)
    ratio = min(mine) / min(other)
    return {
        "what": what, "ours": min(mine), "theirs": min(other), "ours_median": statistics.median(mine),
        "theirs_median": statistics.median(other), "ratio": ratio, "bar": BARS[what], "within": ratio <= BARS[what],
    }  # fmt: skip


def right(ours: torch.Tensor, theirs: torch.Tensor, rows: slice) -> bool:
    """Whether the gradients of this rank's rows are equal to rounding, on all ranks."""
    bar = 1e-10 if ours.dtype in (torch.float64, torch.complex128) else 2e-4
    here = bool((ours - theirs[rows]).abs().max() <= bar * theirs.abs().max())
    return COMM.allreduce(here, MPI.LAND)


def cases(edge: int, dtype: str, rounds: int) -> Iterator[dict[str, Any]]:
    """All cases of one cube and one type of numbers."""
    whole = torch.randn((edge,) * 3, dtype=getattr(torch, dtype), generator=torch.Generator().manual_seed(edge))
    real = not whole.is_complex()
    kind, name = ("r2c", "rfftn") if real else ("c2c", "fftn")
    with shardfft.plan(whole.shape, kind, dtype, COMM, output="natural") as plan:
        rows = plan.input.slices[0]
        x = whole[rows].clone()
        theirs, through = step(getattr(torch.fft, name), whole), step(lambda y: shardfft.torch.forward(plan, y), x)
        ours = step(getattr(shardfft.torch, name), x)

        def least() -> torch.Tensor:
            spectrum = plan.forward(x).requires_grad_()
            return plan.backward(torch.autograd.grad(loss(spectrum), spectrum)[0] * 1.0) * 1.0

        told = {
            "edge": edge, "dtype": dtype, "ranks": COMM.size,
            "right": right(ours(), theirs(), rows) and right(through(), theirs(), rows),
        }  # fmt: skip
        for what, mine, other, together in (
            ("functions", ours, theirs, False),
            ("plan", through, theirs, False),
            ("bound", through, least, True),
        ):
            yield {**told, **compare(what, mine, other, together, rounds)}
    shardfft.clear_plans()


def main() -> None:
    """Measure and print."""
    made = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    made.add_argument("--edges", default="32,48,64,96,128,192", help="of the cubes")
    made.add_argument("--dtypes", default="float32,float64,complex64,complex128")
    made.add_argument("--rounds", type=int, default=9, help="turns of each case")
    options = made.parse_args()
    lines = []
    for edge in map(int, options.edges.split(",")):
        for dtype in options.dtypes.split(","):
            for line in cases(edge, dtype, options.rounds):
                lines.append(line)
                if COMM.rank == 0:
                    print(json.dumps({"driver": "cpu_steps", "torch": torch.__version__, **line}), flush=True)
    if COMM.rank == 0:
        bad = [line for line in lines if not (line["within"] and line["right"])]
        print(f"cpu_steps ranks={COMM.size} cases={len(lines)} missed={len(bad)}")


if __name__ == "__main__":
    main()
