"""What the option verify costs: processor time and wall time of a forward and a backward transform, with and without.

mpirun -n 2 python bench/scaling/verify_cost.py [--shapes 256x256x256 ...] [--kinds c2c r2c] [--dtypes ...] [--rounds 9]

Both plans are in one process and take turns, each first in every other round, so that what else the machine does hits
both alike. Times are medians over rounds, those of all ranks together; processor time is the program's own and that of
the system for it.
"""

from __future__ import annotations

import argparse
import resource
import statistics

import numpy as np
from mpi4py import MPI

import shardfft


def seconds_of_processor() -> float:
    """Of this process so far."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def run(plan: shardfft.Plan, x: np.ndarray, spectrum: np.ndarray) -> tuple[float, float]:
    """Seconds of processor and of wall time of a forward and a backward run, over all ranks."""
    comm = MPI.COMM_WORLD
    comm.Barrier()
    wall, processor = MPI.Wtime(), seconds_of_processor()
    plan.forward(x, spectrum)
    plan.backward(spectrum, x)
    processor, wall = seconds_of_processor() - processor, MPI.Wtime() - wall
    return comm.allreduce(processor), comm.allreduce(wall, op=MPI.MAX)


def measure(shape: tuple[int, ...], kind: str, dtype: str, options: argparse.Namespace) -> None:
    """One line of the table."""
    common = {"layout": options.layout, "local_fft": options.local_fft, "exchange": options.exchange, "dtype": dtype}
    with (
        shardfft.plan(shape, kind, **common) as plain,
        shardfft.plan(shape, kind, verify=True, **common) as verifying,
    ):
        x, spectrum = plain.input.zeros(), plain.output.zeros()
        random = np.random.default_rng(MPI.COMM_WORLD.rank)
        x.reshape(-1).view(x.real.dtype)[:] = random.standard_normal(x.size * (2 if kind == "c2c" else 1))
        times: list[list[tuple[float, float]]] = [[], []]
        for i in range(options.rounds + 1):
            for which in (0, 1) if i % 2 == 0 else (1, 0):
                taken = run((plain, verifying)[which], x, spectrum)
                if i > 0:
                    times[which].append(taken)
        checks = verifying.report()["forward"]["checks"] // (options.rounds + 1)
    if MPI.COMM_WORLD.rank == 0:
        (cpu, wall), (cpu_verify, wall_verify) = (
            [1e3 * statistics.median(column) for column in zip(*list_of_times, strict=True)] for list_of_times in times
        )
        print(
            f"| {'x'.join(map(str, shape))} {kind} {dtype} | {cpu:.1f} | {cpu_verify:.1f} | {cpu_verify / cpu:.3f} "
            f"| {wall_verify / wall:.3f} | {checks} |",
            flush=True,
        )


def main() -> None:
    """Print one table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--shapes", nargs="+", default=["256x256x256"])
    parser.add_argument("--kinds", nargs="+", default=["c2c", "r2c"])
    parser.add_argument("--dtypes", nargs="+", default=["float64", "float32"])
    parser.add_argument("--layout", default="slab", choices=["slab", "pencil", "brick"])
    parser.add_argument("--local-fft", default="auto")
    parser.add_argument("--exchange", default="auto")
    parser.add_argument("--rounds", type=int, default=9)
    options = parser.parse_args()
    if MPI.COMM_WORLD.rank == 0:
        print(
            "| transform | processor, ms | with verify | factor | wall, factor | sums a forward run |\n"
            "|---|---|---|---|---|---|"
        )
    for shape in options.shapes:
        for kind in options.kinds:
            for dtype in options.dtypes:
                measure(tuple(map(int, shape.split("x"))), kind, dtype, options)


if __name__ == "__main__":
    main()
