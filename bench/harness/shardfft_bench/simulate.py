"""`simulate`: the library's own code on machines that you do not have, under SimGrid's SMPI (docs/simulation.md).

Each number of ranks, and each process grid, is one run of the simulator; a finished run is a line of JSON, and is not
run again.
"""

from __future__ import annotations

import argparse
import concurrent.futures
import contextlib
import json
import math
import os
import random
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from . import beyond, machines
from .errors import BenchError

LAYOUTS = ("slab", "pencil", "brick")
#: SimGrid's stock factors are of one Ethernet cluster, and bend times that are bound by bandwidth by up to two.
FLAGS = {
    "smpi/simulate-computation": "no",
    "smpi/bw-factor": "0:1",
    "smpi/lat-factor": "0:1",
    "smpi/send-is-detached-thresh": "0",
    "smpi/shared-malloc-blocksize": "16777216",
    "smpi/test": "0",
    "smpi/iprobe": "0",
    "smpi/grow-injected-times": "no",
    # Its own waits for all messages at once: the cube of the ranks in steps, though plans alone call it.
    "smpi/allgather": "bruck",
    "smpi/allgatherv": "ompi_bruck",
    "smpi/wtime": "0",
    "network/crosstraffic": "0",
    "network/weight-S": "0",
    "contexts/stack-size": "1024",
}
#: Tasks with their results.
Results = list[tuple[dict[str, Any], dict[str, Any]]]
#: Words of the program that no option has.
MORE: dict[str, str] = {}


def program() -> Path:
    """The folder with the simulator: SHARDFFT_SIM, else that of the repository's `./run simulator`."""
    own = os.environ.get("SHARDFFT_SIM")
    found = Path(own) if own else Path(__file__).resolve().parents[3] / "build" / "sim" / "sim"
    if not (found / "shardfft_sim.so").exists() or shutil.which("smpirun") is None:
        raise BenchError(f"no simulator in {found}: build it with `./run simulator`, or name its folder: SHARDFFT_SIM")
    return found


def numbers(text: str, separator: str, what: str) -> list[int]:
    """Whole numbers above 0: 1024^3 or 90x80x70 for x, 4,8,16 for a comma."""
    if separator == "x" and (power := re.fullmatch(r"(\d+)\^([1-4])", text)):
        text = "x".join([power[1]] * int(power[2]))
    found = text.split(separator)
    if not all(one.isdecimal() and 0 < int(one) < 2**31 for one in found):
        like = "1024^3 or 90x80x70" if separator == "x" else "4,8,16"
        raise BenchError(f"--{what} is '{text}'; it must be like {like}")
    return [int(one) for one in found]


def places(machine: machines.Machine, nodes: int, ranks: int, placement: str) -> list[str]:
    """The host of each rank: nodes in order, or in one that `random:SEED` draws."""
    order = list(range(nodes))
    if placement.startswith("random"):
        random.Random(placement).shuffle(order)
    together = machine.ranks_per_node
    return [f"n{order[rank // together]}r{rank % together}" for rank in range(ranks)]


def grids(shape: list[int], ranks: int) -> list[list[int]]:
    """All process grids of pencils in which no rank has nothing."""
    sides = [a for a in range(1, ranks + 1) if ranks % a == 0]
    return [[a, ranks // a] for a in sides if max(a, ranks // a) <= min(shape)]


def expected(task: dict[str, Any]) -> tuple[float, float]:
    """About how many seconds of a processor and bytes of memory a simulation takes.

    Nearly all time goes to messages: 0.1 to 1.3 ms each were measured, more if their ranks are not in step.
    """
    ranks, algorithm = task["ranks"], task["algorithm"]
    sides = task["grid"] or [math.isqrt(ranks), ranks / max(1, math.isqrt(ranks))]
    peers = ranks if algorithm == "slab" else 2 * max(sides)
    return 1 + 6e-4 * 2 * ranks * peers * task["chunks"], 150e6 + ranks * (0.4e6 + 1e3 * peers)


def _limited(most: float) -> None:
    """Addresses of arrays count too, though nobody touches them."""
    resource.setrlimit(resource.RLIMIT_DATA, (int(most), int(most)))


def run(machine: machines.Machine, task: dict[str, Any], most_memory: float, limit: float) -> dict[str, Any]:
    """One simulation: the output of the program, or {"failed": why}."""
    folder = program()
    platform, nodes = machine.platform(task["ranks"])
    words = {**machine.words(task["ranks"]), "input": task["layout"], **MORE}
    words |= {
        name: task[name] for name in ("mode", "kind", "precision", "algorithm", "exchange", "chunks", "tolerance")
    }
    words |= {name: ",".join(map(str, task[name])) for name in ("shape", "grid") if task[name]}
    with tempfile.NamedTemporaryFile("w", suffix=".hosts") as hosts:
        hosts.write("\n".join(places(machine, nodes, task["ranks"], task["placement"])) + "\n")
        hosts.flush()
        command = ["smpirun", "-no-privatize", "-np", str(task["ranks"]), "-hostfile", hosts.name, "-platform"]
        command += [str(folder / "shardfft_platform.so"), "--log=root.thresh:critical"]
        command += [f"--cfg={name}:{value}" for name, value in FLAGS.items()]
        command += [str(folder / "shardfft_sim.so"), *(f"{name}={value}" for name, value in words.items())]
        environment = {**os.environ, "SHARDFFT_SIM_PLATFORM": platform, "SHARDFFT_SIM_WAY": task["way"]}
        environment["OMP_NUM_THREADS"] = "1"
        began = time.monotonic()
        most_memory += 200 * math.prod(task["shape"]) / task["ranks"]
        process = subprocess.Popen(
            command,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
            preexec_fn=lambda: _limited(most_memory),
        )
        try:
            output, errors = process.communicate(timeout=limit)
        except subprocess.TimeoutExpired:
            return {"failed": f"it took more than {limit:g} s"}
        finally:  # smpirun is a script: its simulator would go on
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
    lines = [line for line in output.splitlines() if line.startswith("{")]
    if process.returncode != 0 or not lines:
        said = [line for line in errors.splitlines() if line.startswith("error: ")] or errors.splitlines()[-1:]
        return {"failed": said[0].removeprefix("error: ") if said else f"the simulator ended with {process.returncode}"}
    return {**json.loads(lines[-1]), "wall_seconds": time.monotonic() - began}


class Kept:
    """A file of JSON lines: the finished runs by their arguments."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.found: dict[str, dict[str, Any]] = {}
        if path.exists():
            for line in path.read_text(encoding="utf-8").splitlines():
                try:
                    entry = json.loads(line)
                    self.found[self.key(entry["task"])] = entry["result"]
                except (json.JSONDecodeError, KeyError, TypeError):
                    continue  # cut off when the last run was killed

    @staticmethod
    def key(task: dict[str, Any]) -> str:
        return json.dumps(task, sort_keys=True)

    def add(self, task: dict[str, Any], result: dict[str, Any]) -> None:
        self.found[self.key(task)] = result
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with self.path.open("a", encoding="utf-8") as file:
            file.write(json.dumps({"task": task, "result": result}) + "\n")


def of_way(path: str | None) -> dict[str, Any]:
    """The choices of the line that a plan's report shows as its way, by the names of tasks; none without a file."""
    if path is None:
        return {"way": ""}
    try:
        line = Path(path).read_text(encoding="utf-8").strip().removeprefix("way: ")
    except OSError as error:
        raise BenchError(f"--way: {error}") from error
    said = dict(entry.split("=", 1) for entry in line.split("; ")[1:] if "=" in entry)
    if "\n" in line or not {"algorithm", "exchange", "chunks", "grid"} <= set(said):
        raise BenchError(f"--way {path}: it must hold one line, the way of a plan's report")
    grid = [numbers(said["grid"], ",", "way")] if said["grid"] else [[]]
    return {name: said[name] for name in ("algorithm", "exchange", "chunks")} | {"grids": grid, "way": line}


def tasks(machine: machines.Machine, options: argparse.Namespace, simulated: bool = True) -> list[dict[str, Any]]:
    """One for each number of ranks, each algorithm and each grid."""
    shape, way = numbers(options.shape, "x", "shape"), of_way(options.way)
    if options.check and (options.kind, options.precision) != ("c2c", "double"):
        raise BenchError("--check transforms complex doubles: leave out --kind and --precision")
    result = []
    for ranks in numbers(options.ranks, ",", "ranks"):
        (machine.platform if simulated else machine.needed)(ranks)  # refuses
        for algorithm in way.get("algorithm", options.algorithm).split(","):
            layout = options.layout or ("brick" if "cannon" in algorithm or "brick" in algorithm else "pencil")
            if algorithm == "slab" and options.layout is None:
                layout = "slab"
            chosen: list[list[int]] = [[]]
            if options.grid == "all":
                chosen = grids(shape, ranks)
            elif options.grid:
                chosen = [numbers(options.grid, "x", "grid")]
            elif "cannon" in algorithm:
                chosen = [machines.near_cube(ranks, len(shape))]
            chosen = way.get("grids", chosen)
            for grid in chosen:
                result.append(
                    {
                        "machine": machine.name,
                        "figures": machine.figures,
                        "network": machine.network,
                        "topology": machine.network["topology"],
                        "shape": shape,
                        "kind": options.kind,
                        "precision": options.precision,
                        "ranks": ranks,
                        "algorithm": algorithm,
                        "exchange": way.get("exchange", options.exchange),
                        "chunks": int(way.get("chunks", options.chunks)),
                        "tolerance": options.tolerance,
                        "way": way["way"],
                        "layout": layout,
                        "grid": grid,
                        "placement": options.placement,
                        "mode": "check" if options.check else "model",
                    }
                )
    return result


def told_before(waiting: list[dict[str, Any]], options: argparse.Namespace) -> str:
    """The time and memory of the runs; throws if one needs more memory than allowed."""
    costs = [expected(task) for task in waiting]
    seconds, most = sum(cost[0] for cost in costs) / options.jobs, max((cost[1] for cost in costs), default=0)
    if most > options.memory * 1e9:
        raise BenchError(
            f"a simulation needs about {most / 1e9:.2g} GB of memory; --memory allows {options.memory:g} GB"
        )
    each = f"{options.jobs} at once with {most / 1e9:.2g} GB at most each"
    return f"{len(waiting)} simulations, about {seconds:.3g} s, {each}"


def simulate(options: argparse.Namespace) -> int:
    """The command: makes the runs that are missing, and shows all."""
    machine = machines.read(options.machine).with_figures(options.figure)
    every = tasks(machine, options)
    kept = Kept(Path(options.into) / f"{machine.name}.jsonl")
    waiting = [task for task in every if Kept.key(task) not in kept.found]
    print(told_before(waiting, options), file=sys.stderr)
    program()
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        started = {pool.submit(run, machine, task, options.memory * 1e9, options.limit): task for task in waiting}
        for number, done in enumerate(concurrent.futures.as_completed(started), 1):
            task, result = started[done], done.result()
            if "failed" not in result:
                kept.add(task, result)
            else:
                kept.found[Kept.key(task)] = result
            print(f"{number} of {len(waiting)}: {label(task)}: {outcome(result)}", file=sys.stderr)
    results = [(task, kept.found[Kept.key(task)]) for task in every]
    try:
        results += past_simulation(machine, results, options, kept) if options.beyond else []
    finally:
        print(table(results))
    if not options.check and not options.no_plot:
        print(plot(results, Path(options.into) / f"{machine.name}.png"))
    return 0 if all("failed" not in result and result.get("error", 0) < 1e-12 for _, result in results) else 3


def past_simulation(machine: machines.Machine, results: Results, options: argparse.Namespace, kept: Kept) -> Results:
    """The runs of --beyond, by the cost model alone; throws if it disagrees with the simulated ones."""
    other = {"ranks": options.beyond, "shape": options.beyond_shape or options.shape}
    words = argparse.Namespace(**{**vars(options), **other})
    wanted, found = tasks(machine, words, simulated=False), []
    for algorithm in dict.fromkeys(task["algorithm"] for task in wanted):
        done = {
            task["ranks"]: (task, seconds(result))
            for task, result in results
            if task["algorithm"] == algorithm and "forward" in result
        }
        differs = beyond.disagreement(machine, done)
        for task in (one for one in wanted if one["algorithm"] == algorithm):
            task["mode"] = "cost model"
            time = beyond.seconds(machine, task)
            result = {"ranks": task["ranks"], "forward": time, "backward": time, "differs": differs}
            kept.add(task, result | {"report": {"forward": {}}})
            found.append((task, kept.found[Kept.key(task)]))
    return found


def label(task: dict[str, Any]) -> str:
    grid = " " + "x".join(map(str, task["grid"])) if task["grid"] else ""
    return f"{task['algorithm']}{grid} {task['exchange']} on {task['ranks']} ranks"


def seconds(result: dict[str, Any]) -> float:
    """Of one transform: the mean of the way there and the way back."""
    return (result["forward"] + result["backward"]) / 2


def outcome(result: dict[str, Any]) -> str:
    if "failed" in result:
        return f"failed: {result['failed']}"
    return f"error {result['error']:.1e}" if "error" in result else f"{seconds(result):.4g} s"


def kind(task: dict[str, Any]) -> str:
    """Algorithm and shape: runs of a kind differ in ranks and grid."""
    return f"{task['algorithm']} {task['shape']}"


def table(results: Results) -> str:
    """Time, efficiency beside the fewest ranks of the same algorithm and shape, share of communication; * the best
    grid, ~ the cost model alone."""
    lines = [f" ranks {'algorithm':18s} {'grid':>12s} {'exchange':14s} {'seconds':>10s} efficiency      r"]
    best: dict[tuple[str, int], float] = {}
    for task, result in results:
        if "forward" in result:
            key = (kind(task), task["ranks"])
            best[key] = min(best.get(key, math.inf), seconds(result))
    for task, result in results:
        grid = "x".join(map(str, task["grid"])) or "auto"
        start = f"{task['ranks']:6d} {task['algorithm']:18s} {grid:>12s} {task['exchange']:14s}"
        if "forward" not in result:
            lines.append(f"{start} {outcome(result)}")
            continue
        fewest = min(ranks for name, ranks in best if name == kind(task))
        efficiency = best[kind(task), fewest] * fewest / (seconds(result) * task["ranks"])
        ratio = result["report"]["forward"].get("ratio")
        share = "" if ratio is None else f"{ratio:.2f}"
        share = f"~{result['differs']:.0%}" if "differs" in result else share
        star = "*" if task["grid"] and seconds(result) == best[kind(task), task["ranks"]] else ""
        lines.append(f"{start} {seconds(result):10.4g} {efficiency:10.2f} {share:>6s}{star}")
    return "\n".join(lines)


def plot(results: Results, path: Path) -> str:
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(6, 4))
    for algorithm in sorted({task["algorithm"] for task, _ in results}):
        points: dict[int, float] = {}
        for task, result in results:
            if kind(task) == f"{algorithm} {results[0][0]['shape']}" and "forward" in result:
                points[task["ranks"]] = min(points.get(task["ranks"], math.inf), seconds(result))
        axes.loglog(sorted(points), [points[ranks] for ranks in sorted(points)], marker="o", label=algorithm)
    task = results[0][0]
    axes.set_title(
        f"{'x'.join(map(str, task['shape']))} {task['kind']} {task['precision']} on {task['machine']}, simulated"
    )
    axes.set_xlabel("ranks")
    axes.set_ylabel("seconds of one transform")
    axes.legend()
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=120, bbox_inches="tight")
    pyplot.close(figure)
    return str(path)


def add_commands(commands: Any) -> None:
    """Adds `machines` and `simulate`."""
    listing = commands.add_parser("machines", help="machines that can be simulated")
    listing.add_argument("name", nargs="?", help="one of them, or a file: all its figures and their sources")
    listing.set_defaults(act=_machines)
    words = commands.add_parser("simulate", help="run the library on a machine one does not have")
    words.add_argument("--machine", required=True, help="of `machines`, or the path of a YAML file")
    words.add_argument("--shape", required=True, help="of the array, as 1024^3 or 90x80x70")
    words.add_argument("--kind", choices=["c2c", "r2c"], default="c2c", help="(%(default)s)")
    words.add_argument("--precision", choices=["double", "single"], default="double", help="(%(default)s)")
    words.add_argument("--ranks", required=True, help="as 24,48,96")
    words.add_argument("--beyond", metavar="RANKS", help="as 8192,16384: by the cost model alone, if it agrees")
    words.add_argument("--beyond-shape", metavar="SHAPE", help="of --beyond, if it is not --shape")
    words.add_argument("--algorithm", default="pencil", help="one or several, as pencil,slab (%(default)s)")
    words.add_argument("--exchange", default="alltoallv", help="of messages (%(default)s)")
    words.add_argument("--layout", choices=LAYOUTS, help="of the input (by the algorithm)")
    words.add_argument("--grid", help="of processes, as 8x16; all: every one, for pencils")
    words.add_argument("--chunks", type=int, default=1, help="(%(default)s)")
    words.add_argument("--tolerance", type=float, default=0, help="of shortened messages (%(default)s: none are)")
    words.add_argument("--way", metavar="FILE", help="the line that a plan's report shows as its way")
    words.add_argument("--placement", default="linear", help="of ranks on nodes: linear, or random:SEED")
    words.add_argument("--figure", action="append", default=[], metavar="NAME=VALUE", help="in place of the machine's")
    words.add_argument("--check", action="store_true", help="move real data, and compare with a serial transform")
    words.add_argument("--into", default="results/simulated", help="folder of results; what is there is not run again")
    words.add_argument("--jobs", type=int, default=1, help="simulations at once (%(default)s)")
    words.add_argument("--memory", type=float, default=4, help="GB that one simulation may take (%(default)s)")
    words.add_argument("--limit", type=float, default=1800, help="seconds that one may take (%(default)s)")
    words.add_argument("--no-plot", action="store_true")
    words.set_defaults(act=simulate)


def _machines(options: argparse.Namespace) -> int:
    print(machines.description(machines.read(options.name)) if options.name else machines.listing())
    return 0
