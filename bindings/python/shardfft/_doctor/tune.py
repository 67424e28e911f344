"""``shardfft tune``: measure the ways of plans of a shape, and keep the fastest as wisdom."""

from __future__ import annotations

import argparse
import math
import os
import re
import shlex
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from .. import _core
from .._ground import mpi
from .._layouts.drawing import new_figure
from .._plans.planning import plan
from .measure import pair_seconds
from .words import plan_options, shape_of

if TYPE_CHECKING:
    from mpi4py import MPI

_MOST_BYTES = 1 << 28  #: of an array that fewer ranks are tried with
_ROWS = 20


class Timed(NamedTuple):
    """A way and the seconds of a forward and a backward run."""

    seconds: float
    algorithm: str
    exchange: str
    chunks: str


class Tuned(NamedTuple):
    """The measurements of one problem."""

    title: str
    ways: list[Timed]  #: the fastest first
    taken: Timed | None
    seconds: float
    alone: list[tuple[int, float]]  #: times of the whole array on fewer ranks


def words(parser: argparse.ArgumentParser) -> None:
    """Describe the command."""
    parser.add_argument("shape", nargs="+", help="of the arrays, as 90x80x70 or 512^3")
    parser.add_argument("--ranks", type=int, help="start so many, unless a launcher has started this")
    parser.add_argument("--launcher", default="mpirun", help="that starts them (%(default)s)")
    parser.add_argument("--budget", default="60s", help="for each shape and output, as 90s or 5min (%(default)s)")
    parser.add_argument("--kind", choices=["c2c", "r2c"], default="c2c", help="of the plans (%(default)s)")
    parser.add_argument("--dtype", choices=["float32", "float64"], default="float64", help="(%(default)s)")
    parser.add_argument("--layout", default="slab", help="of the input: slab, pencil, brick or cyclic (%(default)s)")
    parser.add_argument("--output", help="default, natural or a layout (both default and natural)")
    parser.add_argument("--set", action="append", default=[], metavar="OPTION=VALUE", help="of all plans")
    parser.add_argument("--picture", metavar="FILE", help="draw times by grid and exchange there, as PNG")
    parser.add_argument("--file", default="", help="keep the ways there (the file that plans here read)")
    parser.add_argument("--forget", action="store_true", help="keep nothing")


def seconds_of(word: str) -> float:
    """Read 90s, 5min or 2.5."""
    found = re.fullmatch(r"(\d+(?:\.\d+)?)(s|min)?", word)
    if not found or float(found[1]) == 0:
        raise ValueError(f"'{word}' is no time like 90s or 5min")
    return float(found[1]) * (60 if found[2] == "min" else 1)


def _launched() -> bool:
    names = ("OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "PMIX_RANK", "SLURM_STEP_NUM_TASKS")
    return any(name in os.environ for name in names)


def _start(chosen: argparse.Namespace) -> int:
    """Start the ranks that were asked for, with the words of this command; give their exit status."""
    launcher = shlex.split(chosen.launcher)
    if chosen.ranks < 1:
        raise ValueError(f"--ranks is {chosen.ranks}, and at least 1 is needed")
    if not launcher or shutil.which(launcher[0]) is None:
        raise ValueError(f"the launcher '{chosen.launcher}' is not found: name it by --launcher, or use it yourself")
    command = [*launcher, "-n", str(chosen.ranks), sys.executable, "-m", "shardfft", *sys.argv[1:]]
    return subprocess.call(command)


@contextmanager
def _bar(title: str, seconds: float, shown: bool) -> Iterator[None]:
    """Draw how much of the time has passed, on a terminal."""
    if not shown or not sys.stderr.isatty():
        yield
        return
    begin, ended = time.monotonic(), threading.Event()

    def draw() -> None:
        while not ended.wait(0.2):
            passed = time.monotonic() - begin
            done = min(30, int(30 * passed / seconds))
            bar = f"[{'#' * done}{' ' * (30 - done)}] {passed:.0f} of {seconds:.0f} s"
            print(f"\r{title} {bar}", end="", file=sys.stderr)

    thread = threading.Thread(target=draw, daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()
        print(f"\r{' ' * (len(title) + 60)}\r", end="", file=sys.stderr, flush=True)


def timed(way: str, seconds: float) -> Timed:
    """Read the line of a way."""
    said = dict(part.partition("=")[::2] for part in way.split("; ")[1:])
    grid = " " + said["grid"].replace(",", "x") if said["grid"] else ""
    resting = f" on {said['active']} rank{'s' if said['active'] != '1' else ''}" if said["active"] != "0" else ""
    chunks = "by size" if said["chunks"] == "0" else said["chunks"]
    return Timed(seconds, said["algorithm"] + grid + resting, said["exchange"], chunks)


def _fewer(comm: MPI.Comm, arguments: dict[str, Any], budget: float) -> Iterator[tuple[int, float]]:
    """Time the same array on fewer ranks."""
    for ranks in sorted({1, comm.size // 2} - {0, comm.size}):
        part = comm.Split(0 if comm.rank < ranks else 1, comm.rank)
        seconds = 0.0
        if comm.rank < ranks:
            with plan(comm=part, **{**arguments, "effort": "measure", "budget": budget, "wisdom": "none"}) as one:
                seconds = pair_seconds(part, one)
        yield ranks, comm.bcast(seconds)
        part.Free()


def _tune(comm: MPI.Comm, arguments: dict[str, Any], budget: float) -> Tuned:
    """Measure one problem. Collective."""
    begin = time.perf_counter()
    shape = arguments["shape"]
    title = f"{'x'.join(map(str, shape))} {arguments['kind']} {arguments['dtype']}, {arguments['layout']} to "
    title += f"{arguments['output']}, {comm.size} rank{'s' if comm.size > 1 else ''}"
    with (
        _bar(title, budget, comm.rank == 0),
        plan(comm=comm, **{"effort": "patient", **arguments, "budget": 0.8 * budget, "wisdom": "none"}) as one,
    ):
        report, way = one.report(), one.way()
        all_seconds = {entry["way"]: entry["seconds"] for entry in report["tried"]}
        taken = timed(way, all_seconds.get(way) or pair_seconds(comm, one))
    ways = sorted({timed(*entry) for entry in all_seconds.items()} | {taken})
    small = 16 * math.prod(shape) <= _MOST_BYTES and comm.size > 1 and "processor" not in arguments
    alone = list(_fewer(comm, arguments, 0.1 * budget)) if small else []
    return Tuned(title, ways, taken, time.perf_counter() - begin, alone)


def lines(tuned: Tuned) -> Iterator[str]:
    """Describe the measurements, the fastest way first."""
    yield f"{tuned.title}: {len(tuned.ways)} ways in {tuned.seconds:.1f} s"
    yield f"  {'ms':>9}  {'of best':>7}  {'algorithm':24} {'exchange':16} chunks"
    best = tuned.ways[0].seconds
    for way in tuned.ways[:_ROWS]:
        sign = "*" if way == tuned.taken else " "
        share = f"{way.seconds / best:7.2f}"
        yield f"{sign} {way.seconds * 1e3:9.3f}  {share}  {way.algorithm:24} {way.exchange:16} {way.chunks}"
    if len(tuned.ways) > _ROWS:
        yield f"  and {len(tuned.ways) - _ROWS} slower ones"
    for ranks, seconds in tuned.alone:
        if tuned.taken and seconds < tuned.taken.seconds:
            job = f"a job of {ranks} rank{'s' if ranks > 1 else ''}"
            yield f"  {job} takes {seconds * 1e3:.3f} ms: {tuned.taken.seconds / seconds:.3g} times as fast"


def draw(all_tuned: list[Tuned], file: str) -> None:
    """Draw times in ms by algorithm and exchange, a panel for each problem."""
    figure = new_figure(figsize=(8, 1 + 3 * len(all_tuned)), layout="constrained")
    for place, tuned in zip(figure.subplots(len(all_tuned), 1, squeeze=False)[:, 0], all_tuned, strict=True):
        rows, columns = (sorted({getattr(way, name) for way in tuned.ways}) for name in ("algorithm", "exchange"))
        times = [[math.nan] * len(columns) for _ in rows]
        for way in reversed(tuned.ways):
            times[rows.index(way.algorithm)][columns.index(way.exchange)] = way.seconds * 1e3
        shown = place.imshow(times, aspect="auto", cmap="summer", norm="log")
        figure.colorbar(shown, ax=place, label="ms")
        place.set(title=tuned.title, yticks=range(len(rows)), yticklabels=rows)
        place.set_xticks(range(len(columns)), columns, rotation=20, ha="right")
        for y, row in enumerate(times):
            for x, one in enumerate(row):
                if not math.isnan(one):
                    place.text(x, y, f"{one:.3g}", ha="center", va="center")
    figure.savefig(file, format="png")


def run(chosen: argparse.Namespace) -> int:
    """Measure, tell and keep; the exit status."""
    if chosen.ranks is not None and not _launched():
        return _start(chosen)
    comm = mpi.communicator(None)

    def read() -> tuple[list[dict[str, Any]], float]:
        if chosen.ranks not in (None, comm.size):
            raise ValueError(f"--ranks is {chosen.ranks}, but the launcher has started {comm.size}")
        options = plan_options(chosen.set)
        if fixed := sorted({"effort", "budget", "way", "wisdom"} & set(options)):
            raise ValueError(f"tune decides {fixed[0]} itself, so it cannot be set")
        file = chosen.file or _core.wisdom_path()
        if not chosen.forget and not file:
            raise ValueError("there is no file to keep ways in: give --file, or --forget to keep none")
        picture = Path(chosen.picture or "x.png")
        if picture.suffix != ".png" or not picture.resolve().parent.is_dir():
            raise ValueError(f"--picture takes a file that ends in .png, in a folder that exists, not {chosen.picture}")
        if not chosen.forget and comm.rank == 0:
            _core.keep_wisdom(_core.export_wisdom(), chosen.file)  # before anything is measured
        same = {"kind": chosen.kind, "dtype": chosen.dtype, "layout": chosen.layout, **options}
        outputs = [chosen.output] if chosen.output else ["default", "natural"]
        shapes = [shape_of(word) for word in chosen.shape]
        return [{**same, "shape": s, "output": o} for s in shapes for o in outputs], seconds_of(chosen.budget)

    problems, budget = mpi.agree(comm, read)
    all_tuned = []
    for problem in problems:
        all_tuned.append(_tune(comm, problem, budget))
        if comm.rank == 0:
            print("\n".join(lines(all_tuned[-1])), flush=True)

    def keep() -> None:
        if comm.rank > 0:
            return
        if chosen.picture:
            draw(all_tuned, chosen.picture)
            print(f"drawn: {chosen.picture}")
        if not chosen.forget:
            _core.keep_wisdom(_core.export_wisdom(), chosen.file)
            print(f"kept: {chosen.file or _core.wisdom_path()}", flush=True)

    mpi.agree(comm, keep)
    return 0
