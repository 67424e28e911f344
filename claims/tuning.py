"""Drawn problems: the picks of estimate and measure against the best of all ways, and predicted times against measured.

A problem is drawn by a seed: shape, kind, precision, layouts, ranks. For each one, processes of its ranks (this file
again, with --worker) make plans with both efforts, time all ways of the search, and then the picks and the five best in
turns. One line of tuning.jsonl a problem: a run that was ended goes on with the next one. Needs Python, NumPy, mpi4py,
the package and mpirun alone.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import platform
import random
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

FILE, TABLE = "tuning.jsonl", "tuning.txt"
MOST_POINTS, LEAST_POINTS = 1 << 22, 1 << 14
BEST = 5  # ways that are timed again
LIBRARIES = 3  # ways that are tried with each library too


def lengths(most: int) -> list[int]:
    """Lengths without a prime factor above 13."""
    kept = []
    for n in range(4, most + 1):
        rest = n
        for prime in (2, 3, 5, 7, 11, 13):
            while rest % prime == 0:
                rest //= prime
        if rest == 1:
            kept.append(n)
    return kept


def drawn(seed: int, number: int, cores: int, most: int = MOST_POINTS) -> dict[str, Any]:
    """Problem `number` of the seed, for a host of so many cores."""
    dice = random.Random(f"{seed}/{number}")
    points = 2 ** dice.uniform(math.log2(min(LEAST_POINTS, most)), math.log2(most))
    axes = dice.choice([2, 3, 3])
    shape: list[int] = []
    for axis in range(axes):
        left = axes - axis
        wish = (points / math.prod(shape)) ** (1 / left) * (2 ** dice.uniform(-1, 1) if left > 1 else 1)
        shape.append(min(lengths(max(4, int(4 * wish))), key=lambda n: abs(n - wish)))
    layouts = ["slab", "pencil", "brick"] if axes == 3 else ["slab", "brick"]
    powers = [2**k for k in range(cores.bit_length()) if 2**k <= cores]
    return {
        "number": number, "shape": shape, "kind": dice.choice(["c2c", "r2c"]),
        "dtype": dice.choice(["float64", "float64", "float32"]), "layout": dice.choice(layouts),
        "output": dice.choice(["natural", *layouts]), "ranks": dice.choice(powers[1:] or powers),
    }  # fmt: skip


class Bench:
    """Plans of one problem on the ranks of the job, and their times."""

    def __init__(self, problem: dict[str, Any]) -> None:
        import numpy as np
        from mpi4py import MPI

        import shardfft

        self.np, self.comm, self.shardfft = np, MPI.COMM_WORLD, shardfft
        self.arguments = {name: problem[name] for name in ("shape", "kind", "dtype", "layout", "output")}

    def plan(self, **options: Any) -> Any:
        """Make a plan; None on all ranks if it is refused."""
        try:
            return self.shardfft.plan(comm=self.comm, **self.arguments, **options)
        except (self.shardfft.Error, ValueError):
            return None

    def arrays(self, plan: Any) -> tuple[Any, Any, Any]:
        """Arrays of the user's own memory: input, output, input again."""
        np = self.np
        if not hasattr(self, "_kept"):
            dice = np.random.default_rng(self.comm.rank)
            source = dice.standard_normal(plan.input.shape).astype(plan.input.dtype)
            self._kept = source, np.zeros(plan.output.shape, plan.output.dtype), np.zeros_like(source)
        return self._kept

    def spent(self, plan: Any, pairs: int = 1) -> float:
        """Seconds of a forward and a backward run, of the slowest rank."""
        x, y, z = self.arrays(plan)
        self.comm.Barrier()
        begin = time.perf_counter()
        for _ in range(pairs):
            plan.forward(x, out=y)
            plan.backward(y, out=z)
        return max(self.comm.allgather((time.perf_counter() - begin) / pairs))


def candidates(shardfft: Any, axes: int, ranks: int) -> list[dict[str, Any]]:
    """Options of all ways of the search but the libraries'."""
    grids = [None]
    if axes == 3:
        grids += [(a, ranks // a) for a in range(1, ranks + 1) if ranks % a == 0]
    found = []
    for algorithm in shardfft._core.algorithm_names():
        if algorithm == "auto":
            continue
        for exchange in shardfft._core.exchange_names() if ranks > 1 else ["auto"]:
            for grid in grids if algorithm in ("pencil", "brick") and ranks > 3 else [None]:
                for chunks in (1, 4) if ranks > 1 and exchange not in ("shared_window", "auto") else (1,):
                    one = {"algorithm": algorithm, "exchange": exchange, "chunks": chunks}
                    found.append(one | ({"grid": grid} if grid else {}))
    return found


def search(bench: Bench, axes: int, seconds: float) -> tuple[dict[str, float], int, int]:
    """Least seconds of each way, by its line; how many were tried, and how many there were no seconds for."""
    least: dict[str, float] = {}
    options: dict[str, dict[str, Any]] = {}
    end = time.perf_counter() + seconds
    tried = left = 0

    def attempt(said: dict[str, Any]) -> None:
        nonlocal tried, left
        if not bench.comm.bcast(time.perf_counter() < end):
            left += 1
            return
        plan = bench.plan(effort="estimate", **said)
        if plan is None:
            return
        with plan:
            way = plan.report()["way"]
            tried += 1
            if way in least:
                return
            times = [bench.spent(plan), bench.spent(plan)]
            for _ in range(5):
                if min(times) > 1.5 * min([*least.values(), min(times)]):
                    break
                times.append(bench.spent(plan))
            least[way], options[way] = min(times), said

    for said in candidates(bench.shardfft, axes, bench.comm.size):
        attempt(said)
    names = [name for name in bench.shardfft._core.local_fft_names() if name not in ("auto", "reference")]
    for way in sorted(least, key=least.__getitem__)[:LIBRARIES]:
        for name in names:
            attempt(options[way] | {"local_fft": name})
    return least, tried, left


def loads(bench: Bench, way: str) -> list[list[float]]:
    """The work of a way's steps, as the cost model takes it."""
    from shardfft._plans.problem import problem

    told = problem(bench.comm.size, axes=None, n=None, way=way, **bench.arguments)
    output = None if told.output is None else told.output._core
    _, cost = bench.shardfft._core.predict(
        told.transform, told.input._core, output, told.natural, told.options, bench.comm.size, False, {}
    )
    said = json.loads(cost)
    return [list(step.values())[1:] for run in ("forward", "backward") for step in said[run]]


def work(problem: dict[str, Any], seconds: float, rounds: int) -> dict[str, Any]:
    """Measure one problem. Collective."""
    bench = Bench(problem)
    picks: dict[str, Any] = {}
    for effort in ("estimate", "measure"):
        bench.comm.Barrier()
        begin = time.perf_counter()
        with bench.plan(effort=effort) as plan:
            took = max(bench.comm.allgather(time.perf_counter() - begin))
            picks[effort] = {"way": plan.report()["way"], "planning": took}
    least, tried, left = search(bench, len(problem["shape"]), seconds)
    best = sorted(least, key=least.__getitem__)[:BEST]
    ways = list(dict.fromkeys([*(pick["way"] for pick in picks.values()), *best]))
    plans = [bench.plan(way=way) for way in ways]
    pairs = max(1, math.ceil(1e-3 / least[best[0]]))
    samples: dict[str, list[float]] = {way: [] for way in ways}
    for _ in range(rounds):
        for way, plan in zip(ways, plans, strict=True):
            samples[way].append(bench.spent(plan, pairs))
    for plan in plans:
        plan.close()
    timed = [{"way": way, "samples": samples[way], "steps": loads(bench, way)} for way in ways]
    return {"problem": problem, "picks": picks, "best": best, "timed": timed, "tried": tried, "left": left}


def facts(seed: int) -> dict[str, Any]:
    """The first line of a record."""
    told = subprocess.run(
        ["git", "describe", "--always", "--dirty", "--tags", "--abbrev=12"],
        cwd=Path(__file__).parent, capture_output=True, text=True,
    )  # fmt: skip
    names = [line for line in Path("/proc/cpuinfo").read_text().splitlines() if line.startswith("model name")]
    return {
        "driver": "tuning", "revision": told.stdout.strip() or "unknown", "seed": seed, "cores": os.cpu_count(),
        "processor": names[0].partition(": ")[2] if names else platform.processor(),
        "load_before": os.getloadavg()[0], "started": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
    }  # fmt: skip


def launcher() -> str:
    """Give mpirun with the words that Open MPI needs on machines of few cores."""
    said = subprocess.run(["mpirun", "--version"], capture_output=True, text=True, check=False).stdout
    return "mpirun --allow-run-as-root --oversubscribe" if "Open MPI" in said else "mpirun"


def launch(options: argparse.Namespace, problem: dict[str, Any]) -> dict[str, Any]:
    """Run the worker of one problem on its ranks."""
    flags = options.mpirun.split()
    command = [
        *flags, "-n", str(problem["ranks"]), sys.executable, __file__, "--worker", json.dumps(problem),
        "--seconds", str(options.seconds), "--rounds", str(options.rounds),
    ]  # fmt: skip
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "SHARDFFT_CACHE": ""}
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, env=environment, timeout=60 + 4 * options.seconds
        )
    except subprocess.TimeoutExpired:
        return {"problem": problem, "error": "took too long"}
    lines = [line for line in done.stdout.splitlines() if line.startswith('{"problem"')]
    return json.loads(lines[-1]) if lines else {"problem": problem, "error": done.stderr[-500:]}


def measure(options: argparse.Namespace) -> Path:
    """Go on with the record, problem by problem, until all are there or the minutes are over."""
    into = options.into / "tuning"
    into.mkdir(parents=True, exist_ok=True)
    record = into / FILE
    if not record.exists():
        record.write_text(json.dumps(facts(options.seed)) + "\n")
    first, *known = map(json.loads, record.read_text().splitlines())
    if first["seed"] != options.seed:
        raise SystemExit(f"tuning: {record} is of seed {first['seed']}, not {options.seed}")
    done = {one["problem"]["number"] for one in known}
    end = time.monotonic() + 60 * options.minutes
    for number in range(options.count):
        problem = drawn(options.seed, number, options.cores, options.points)
        if number in done:
            continue
        if time.monotonic() > end:
            print(f"  {number} of {options.count} problems; the same folder again goes on")
            break
        begin = time.monotonic()
        result = launch(options, problem)
        with record.open("a") as file:
            file.write(json.dumps(result) + "\n")
        words = "x".join(map(str, problem["shape"]))
        said = result.get("error") or f"{result['tried']} ways, {result['left']} left out"
        print(
            f"  {number + 1}/{options.count} {problem['kind']} {words} {problem['dtype']} {problem['layout']} to "
            f"{problem['output']} on {problem['ranks']}: {said}, {time.monotonic() - begin:.0f} s",
            flush=True,
        )
    return record


def main() -> int:
    """Measure or read, judge, and return the exit code."""
    made = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    made.add_argument("--into", type=Path, help="folder of a result set: the record goes to INTO/tuning, or goes on")
    made.add_argument("--record", type=Path, nargs="+", help="judge these records and measure nothing")
    made.add_argument("--seed", type=int, default=64, help="of the problems")
    made.add_argument("--count", type=int, default=32, help="problems (%(default)s)")
    made.add_argument("--cores", type=int, default=os.cpu_count(), help="ranks are powers of two up to it")
    made.add_argument("--points", type=int, default=MOST_POINTS, help="of an array, at most (%(default)s)")
    made.add_argument("--seconds", type=float, default=12, help="of the search of a problem (%(default)s)")
    made.add_argument("--rounds", type=int, default=20, help="in which the best are timed again (%(default)s)")
    made.add_argument("--minutes", type=float, default=15, help="after which no other problem begins (%(default)s)")
    made.add_argument("--mpirun", default=launcher(), help="(%(default)s)")
    made.add_argument(
        "--fitted", type=Path, help="write the fitted figures there, as the member `model` of a machine file"
    )
    made.add_argument("--tiny", action="store_true", help="two problems in seconds: judges nothing")
    made.add_argument("--worker", help=argparse.SUPPRESS)
    options = made.parse_args()
    if options.worker:
        result = work(json.loads(options.worker), options.seconds, options.rounds)
        from mpi4py import MPI

        if MPI.COMM_WORLD.rank == 0:
            print(json.dumps(result))
        return 0
    if options.tiny:
        options.count, options.points, options.seconds, options.rounds = 2, 1 << 12, 1, 2
    options.into = options.into or Path("results", "claims", time.strftime("%Y-%m-%dT%H%M%SZ", time.gmtime()))
    records = options.record or [measure(options)]
    from tuning_judge import judge

    return judge(records, options.tiny, options.fitted)


if __name__ == "__main__":
    sys.exit(main())
