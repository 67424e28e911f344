"""Drawn problems: the picks of estimate and measure against the best of all ways, and predicted times against measured.

A problem is drawn by a seed: shape, kind, precision, layouts, ranks. For each one, processes of its ranks (this file
again, with --worker) make plans with both efforts, time all ways of the search, and then the picks and the five best in
turns. One line of tuning.jsonl a problem: a run that was ended goes on with the next one. Needs Python, NumPy, mpi4py,
the package and mpirun alone. With --processor gpu plans are on GPUs, and the search has all passes too.
"""

from __future__ import annotations

import argparse
import itertools
import json
import math
import os
import platform
import random
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

FILE = "tuning.jsonl"
NAMES = ("shape", "kind", "dtype", "layout", "output", "processor")  # of a plan's arguments
MOST_POINTS, LEAST_POINTS = {"cpu": 1 << 22, "gpu": 1 << 26}, {"cpu": 1 << 14, "gpu": 1 << 18}
BEST = 5  # ways that are timed again
LIBRARIES = 3  # ways that are tried with each library, and passes of each transform that are tried together


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


def drawn(seed: int, number: int, cores: int, most: int = 0, ranks: int = 0, processor: str = "cpu") -> dict[str, Any]:
    """Problem `number` of the seed, for a host of so many cores; on so many ranks, or a drawn number."""
    dice = random.Random(f"{seed}/{number}")
    most = most or MOST_POINTS[processor]
    points = 2 ** dice.uniform(math.log2(min(LEAST_POINTS[processor], most)), math.log2(most))
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
        "output": dice.choice(["natural", *layouts]), "ranks": ranks or dice.choice(powers[1:] or powers),
        "processor": processor,
    }  # fmt: skip


class Bench:
    """Plans of one problem on the ranks of the job, and their times."""

    def __init__(self, problem: dict[str, Any]) -> None:
        import numpy as np
        from mpi4py import MPI

        import shardfft

        self.np, self.comm, self.shardfft = np, MPI.COMM_WORLD, shardfft
        self.arguments = {name: problem[name] for name in NAMES}
        self.on_gpu = problem["processor"] == "gpu"

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
            if self.on_gpu:
                there, back, again = plan.allocate_input(), plan.allocate_output(), plan.allocate_input()
                plan.forward(source, out=back)
                plan.backward(back, out=there)
                self._kept = there, back, again
        return self._kept

    def warm(self, plan: Any) -> float:
        """Make the first runs, which load kernels and make graphs of GPUs; give the seconds of another one."""
        for _ in range(3 if self.on_gpu else 0):
            self.spent(plan)
        return self.spent(plan)

    def spent(self, plan: Any, pairs: int = 1) -> float:
        """Seconds of a forward and a backward run, of the slowest rank."""
        x, y, z = self.arrays(plan)
        self.comm.Barrier()
        begin = time.perf_counter()
        for _ in range(pairs):
            plan.forward(x, out=y)
            plan.backward(y, out=z)
        if self.on_gpu:
            plan.synchronize()
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


class Search:
    """The least seconds of each way, by its line, found while there is time. Collective."""

    def __init__(self, bench: Bench, seconds: float) -> None:
        self.bench, self.end = bench, time.perf_counter() + seconds
        self.least: dict[str, float] = {}
        self.options: dict[str, dict[str, Any]] = {}
        self.known: dict[Any, str] = {}
        self.tried = self.left = 0  # ways, and those that there were no seconds for

    def attempt(self, said: dict[str, Any]) -> float:
        """Time a plan of these options; give its seconds, infinite if there are none."""
        if not self.bench.comm.bcast(time.perf_counter() < self.end):
            self.left += 1
            return math.inf
        plan = self.bench.plan(effort="estimate", **said)
        if plan is None:
            return math.inf
        with plan:
            report = plan.report()
            way = self.known.setdefault(self.outline(report), report["way"])
            self.tried += 1
            if way not in self.least:
                times = [self.bench.warm(plan)]
                pairs = max(1, math.ceil(1e-3 / times[0])) if self.bench.on_gpu else 1
                for _ in range(6):
                    if len(times) > 1 and min(times) > 1.5 * min([*self.least.values(), min(times)]):
                        break
                    times.append(self.bench.spent(plan, pairs))
                self.least[way], self.options[way] = min(times), said
            return self.least[way]

    def outline(self, report: dict[str, Any]) -> Any:
        """Give what distinguishes ways: of one GPU, on which most algorithms are one, the steps and their passes."""
        if not self.bench.on_gpu or self.bench.comm.size > 1:
            return report["way"]
        steps = tuple(step["text"] for run in ("forward", "backward") for step in report[run]["steps"])
        return steps, tuple(part for part in report["way"].split("; ") if part.startswith("passes"))

    def best(self, count: int) -> list[str]:
        """Give the fastest ways."""
        return sorted(self.least, key=self.least.__getitem__)[:count]


def search(bench: Bench, axes: int, seconds: float, measured: dict[str, Any]) -> Search:
    """Time all ways: first each algorithm and grid in one piece, then the other exchanges, the fastest grids' first."""
    found = Search(bench, seconds)
    found.attempt({})
    if bench.on_gpu:
        try_passes(found, measured)
    named = candidates(bench.shardfft, axes, bench.comm.size)
    grids: dict[tuple[Any, Any], list[dict[str, Any]]] = {}
    for said in named:
        grids.setdefault((said["algorithm"], said.get("grid")), []).append(said)
    first = {grid: found.attempt(ways[0]) for grid, ways in grids.items()}
    rounds = itertools.zip_longest(*(grids[grid][1:] for grid in sorted(grids, key=first.__getitem__)[:LIBRARIES]))
    early = [said for one in rounds for said in one if said]
    for said in early:
        found.attempt(said)
    names = [name for name in bench.shardfft._core.local_fft_names() if name not in ("auto", "reference")]
    for way in found.best(LIBRARIES):
        for name in names if not bench.on_gpu else []:
            found.attempt(found.options[way] | {"local_fft": name})
    for grid in sorted(grids, key=first.__getitem__)[LIBRARIES:]:
        for said in grids[grid][1:]:
            found.attempt(said)
    return found


def try_passes(found: Search, measured: dict[str, Any]) -> None:
    """Time the passes that a measured plan has tried for each transform, alone and the fastest ones together."""
    _, *parts = measured["way"].split("; ")
    base = dict(part.split("=", 1) for part in parts)
    head = "passes of "
    passes = {
        "passes " + choice["what"].removeprefix(head): re.findall(r"(?:measured:|,) (.+?) [0-9.e+-]+ ms", choice["why"])
        for choice in measured["choices"]
        if choice["what"].startswith(head)
    }

    def timed(changed: dict[str, str]) -> float:
        line = "; ".join(
            [measured["way"].split("; ")[0], *(f"{key}={value}" for key, value in (base | changed).items())]
        )
        return found.attempt({"way": line})

    timed({})
    fastest = [
        sorted(texts, key=lambda text, name=name: timed({name: text}))[:LIBRARIES] for name, texts in passes.items()
    ]
    for texts in itertools.product(*fastest):
        timed(dict(zip(passes, texts, strict=True)))


def loads(problem: dict[str, Any], way: str) -> list[list[float]]:
    """The work of a way's steps, as the cost model takes it. Needs no GPU."""
    from shardfft import _core
    from shardfft._plans.problem import problem as plan_of

    arguments = {name: problem[name] for name in NAMES if name in problem}
    gpus = arguments.pop("processor", "cpu") == "gpu"
    told = plan_of(problem["ranks"], axes=None, n=None, way=way, **arguments)
    output = None if told.output is None else told.output._core
    _, cost = _core.predict(
        told.transform, told.input._core, output, told.natural, told.options, problem["ranks"], gpus, {}
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
            report = plan.report()
            picks[effort] = {"way": report["way"], "planning": took}
    found = search(bench, len(problem["shape"]), seconds, report)
    best = found.best(BEST)
    ways = list(dict.fromkeys([*(pick["way"] for pick in picks.values()), *best]))
    plans = [bench.plan(way=way) for way in ways]
    pairs = max(1, math.ceil((1e-2 if bench.on_gpu else 1e-3) / found.least[best[0]]))
    for plan in plans:
        bench.warm(plan)
    samples: dict[str, list[float]] = {way: [] for way in ways}
    for _ in range(rounds):
        for way, plan in zip(ways, plans, strict=True):
            samples[way].append(bench.spent(plan, pairs))
    for plan in plans:
        plan.close()
    steps = {way: loads(problem, way) if bench.comm.rank == 0 else [] for way in ways}
    timed = [{"way": way, "samples": samples[way], "steps": steps[way]} for way in ways]
    tried = {"tried": found.tried, "left": found.left, "machine": report["machine"]}
    return {"problem": problem, "picks": picks, "best": best, "timed": timed} | tried


def facts(seed: int) -> dict[str, Any]:
    """The first line of a record."""
    told = subprocess.run(
        ["git", "describe", "--always", "--dirty", "--tags", "--abbrev=12"],
        cwd=Path(__file__).parent, capture_output=True, text=True,
    )  # fmt: skip
    names = [line for line in Path("/proc/cpuinfo").read_text().splitlines() if line.startswith("model name")]
    return {
        "driver": "tuning", "revision": told.stdout.strip() or "unknown", "seed": seed,
        "cores": len(os.sched_getaffinity(0)),
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
    with tempfile.TemporaryDirectory() as empty:  # plans are timed as those that a user makes first
        environment = {**os.environ, "OMP_NUM_THREADS": "1", "SHARDFFT_CACHE": empty, "SHARDFFT_WISDOM": ""}
        try:
            done = subprocess.run(
                command, capture_output=True, text=True, env=environment, timeout=60 + 4 * options.seconds
            )
        except subprocess.TimeoutExpired:
            return {"problem": problem, "error": "took too long"}
    lines = [line for line in done.stdout.splitlines() if line.startswith('{"problem"')]
    said = done.stderr.partition("-" * 20)[0]  # without the launcher's own words
    return json.loads(lines[-1]) if lines else {"problem": problem, "error": said[-500:] or done.stderr[-500:]}


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
        problem = drawn(options.seed, number, options.cores, options.points, options.ranks, options.processor)
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
    made.add_argument(
        "--cores", type=int, default=len(os.sched_getaffinity(0)), help="ranks are powers of two up to it"
    )
    made.add_argument("--ranks", type=int, default=0, help="of all problems (drawn; 1 on GPUs)")
    made.add_argument("--processor", choices=["cpu", "gpu"], default="cpu", help="of the plans (%(default)s)")
    made.add_argument("--points", type=int, default=0, help="of an array, at most (2^22, on GPUs 2^26)")
    made.add_argument("--seconds", type=float, default=12, help="of the search of a problem (%(default)s)")
    made.add_argument("--rounds", type=int, default=20, help="in which the best are timed again (%(default)s)")
    made.add_argument("--minutes", type=float, default=15, help="after which no other problem begins (%(default)s)")
    made.add_argument("--mpirun", default=launcher(), help="(%(default)s)")
    made.add_argument(
        "--fitted", type=Path, help="write the fitted figures there, as the member `model` of a machine file"
    )
    made.add_argument("--machine", type=Path, help="judge predictions by the figures of this machine file too")
    made.add_argument(
        "--again", action="store_true", help="take the work of ways by this library's model, not by that of the record"
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
    if options.processor == "gpu":
        options.ranks = options.ranks or 1
    if options.tiny:
        options.count, options.points, options.seconds, options.rounds = 2, 1 << 12, 1, 2
    options.into = options.into or Path("results", "claims", time.strftime("%Y-%m-%dT%H%M%SZ", time.gmtime()))
    records = options.record or [measure(options)]
    from tuning_judge import judge

    return judge(records, options.tiny, options.fitted, options.machine, loads if options.again else None)


if __name__ == "__main__":
    sys.exit(main())
