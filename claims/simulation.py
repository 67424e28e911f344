"""Simulated beside measured times of plans on this machine, whose figures `shardfft doctor` measures at another size.

Exchanges are of messages: simulated ranks share no memory. Nothing is fitted to the times that are judged.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import time
from pathlib import Path

from shardfft_bench import machines, simulate

CASES = [
    (shape, algorithm) for shape in ("60x72x80", "128^3", "200x150x180", "256^3") for algorithm in ("slab", "pencil")
]
MEDIAN, WORST = 0.15, 0.40
MPIRUN = ["mpirun", "--allow-run-as-root", "--bind-to", "core"]

MEASURE = """
import json, sys, time
from mpi4py import MPI
import shardfft
shape, algorithm, runs = json.loads(sys.argv[1])
comm, best = MPI.COMM_WORLD, []
options = {"exchange": "alltoallv", "effort": "estimate", "chunks": 1, "algorithm": algorithm, "layout": algorithm}
with shardfft.plan(shape, comm=comm, **options) as plan:
    field, spectrum = plan.input.zeros(), plan.output.zeros()
    for _ in range(runs):
        comm.Barrier()
        began = time.perf_counter()
        plan.forward(field, out=spectrum)
        plan.backward(spectrum, out=field)
        best.append(comm.allreduce(time.perf_counter() - began, MPI.MAX) / 2)
if comm.rank == 0:
    print(json.dumps(sorted(best)[len(best) // 2]))
"""


def measured(shape: list[int], algorithm: str, ranks: int) -> float:
    """Seconds of one transform, the median of runs."""
    words = json.dumps([shape, algorithm, 15])
    command = [*MPIRUN, "-n", str(ranks), sys.executable, "-c", MEASURE, words]
    said = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return float(said.splitlines()[-1])


def simulated(machine: machines.Machine, shape: str, algorithm: str, ranks: int, into: Path) -> float:
    """The same, simulated."""
    words = argparse.Namespace(
        shape=shape, ranks=str(ranks), algorithm=algorithm, exchange="alltoallv", layout=None, grid=None, chunks=1,
        placement="linear", check=False, kind="c2c", precision="double", way=None, tolerance=0,
    )  # fmt: skip
    (task,) = simulate.tasks(machine, words)
    result = simulate.run(machine, task, 4e9, 600)
    simulate.Kept(into / "simulated.jsonl").add(task, result)
    if "failed" in result:
        raise SystemExit(f"the simulation of {shape} on {ranks} ranks failed: {result['failed']}")
    return simulate.seconds(result)


def main() -> int:
    """Measure, simulate, judge."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--into", type=Path, default=Path("results/claims") / time.strftime("%Y-%m-%dT%H%M%S"))
    options = parser.parse_args()
    into = options.into / "simulation"
    into.mkdir(parents=True, exist_ok=True)
    file = into / "machine.json"
    # Exit code 1 says that there are findings.
    doctor = [*MPIRUN, "-n", "2", "shardfft", "doctor", "--machine", str(file)]
    subprocess.run(doctor, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    machine = machines.read(str(file))
    errors = []
    for ranks in (1, 2):
        for shape, algorithm in CASES:
            real = measured(simulate.numbers(shape, "x", "shape"), algorithm, ranks)
            told = simulated(machine, shape, algorithm, ranks, into)
            errors.append(abs(told / real - 1))
            times = f"measured {real * 1e3:8.2f} ms, simulated {told * 1e3:8.2f} ms"
            print(f"{ranks} ranks {shape:12s} {algorithm:6s} {times}", flush=True)
    median, worst = statistics.median(errors), max(errors)
    holds = median <= MEDIAN and worst <= WORST
    print(f"simulation median={median:.2f} worst={worst:.2f} holds={str(holds).lower()}")
    return 0 if holds else 1


if __name__ == "__main__":
    sys.exit(main())
