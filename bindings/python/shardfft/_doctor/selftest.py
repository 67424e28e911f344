"""``shardfft selftest``: check that transforms are right here, in each way that this job could choose."""

from __future__ import annotations

import argparse
import json
import math
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .. import _core
from .._ground import mpi
from .._ground.errors import ArgumentError, Error
from .._plans.planning import plan
from .checks import check
from .words import plan_options, shape_of

if TYPE_CHECKING:
    from mpi4py import MPI

_FORMAT = "shardfft selftest"
_LAYOUTS = ("slab", "pencil", "brick", "cyclic")
#: Options that change how a plan runs on CPUs, each tried by itself.
_ALONE = ("in_place=yes", "overwrite_input=yes", "workspace=least", "datatypes=basic", "chunks=3", "threads=2",
          "verify=yes", "fake_ranks_per_host=1")  # fmt: skip


def words(parser: argparse.ArgumentParser) -> None:
    """Describe the command."""
    parser.add_argument("--shape", default="24x20x18", help="of the transforms, as 90x80x70 or 512^3 (%(default)s)")
    parser.add_argument("--gpu", action="store_true", help="of plans on GPUs")
    parser.add_argument("--set", action="append", default=[], metavar="OPTION=VALUE", help="of all plans")
    parser.add_argument(
        "--only", default="", metavar="WORDS", help='of the checks those with all words, "exchange=ring"'
    )
    parser.add_argument("--state", metavar="FILE", help="keep there which checks have passed; they are not made again")


#: Options that make another transform.
_FIXED = {"axes", "batch", "lone_mode", "modes", "norm", "real_extent", "tolerance", "transforms"}


def _options(said: list[str]) -> dict[str, Any]:
    told = plan_options(said)
    if fixed := sorted(_FIXED & set(told)):
        raise ValueError(f"the self-test checks whole transforms without a factor, so {fixed[0]} cannot be set")
    return told


def _cases(gpu: bool) -> Iterator[str]:
    """Options of each plan that is checked, as ``--set`` takes them."""
    exchanges = _core.device_exchange_names() if gpu else _core.exchange_names()
    for exchange in ["auto", *(name for name in exchanges if name != "auto")]:
        for layout in _LAYOUTS:
            for output in ("default", "natural"):
                for kind in ("c2c", "r2c"):
                    yield f"exchange={exchange} layout={layout} output={output} kind={kind}"
    for layout in _LAYOUTS:
        yield from (f"layout={layout} kind={kind} dtype=float32" for kind in ("c2c", "r2c"))
    yield from (f"algorithm={name}" for name in _core.algorithm_names())
    if not gpu:
        yield from (f"local_fft={name}" for name in _core.local_fft_names())
        yield from _ALONE
    yield from ("effort=measure", "effort=measure layout=pencil kind=r2c")


def _split(case: str) -> tuple[dict[str, Any], list[str]]:
    """Give the arguments of ``plan`` of a case, and its options."""
    said = dict(word.split("=") for word in case.split())
    arguments = {name: said.pop(name) for name in ("layout", "output", "kind", "dtype") if name in said}
    return arguments, [f"{name}={value}" for name, value in said.items()]


def _try(comm: MPI.Comm, shape: tuple[int, ...], case: str, options: dict[str, Any]) -> tuple[str, str]:
    """Check one plan: "passed", "failed" or "refused", and why. Collective; every rank gets the same."""
    arguments, said = _split(case)
    try:
        with plan(shape, comm=comm, **{"effort": "estimate", **options, **arguments, **plan_options(said)}) as one:
            told = comm.allgather(check(one, bool({"in_place=yes", "workspace=least"} & {*said})))
    except ArgumentError as error:
        return "refused", str(error)
    except Error as error:
        return ("refused" if error.status in ("unsupported", "out_of_memory") else "failed"), str(error)
    worst = {name: max((rank[name] for rank in told), key=lambda e: (math.isnan(e), e)) for name in told[0]}
    text = ", ".join(f"{name} {error:.2g}" for name, error in worst.items())
    return ("passed" if all(error <= 1 for error in worst.values()) else "failed"), text


class _State:
    """Which checks have passed, in a file of lines of JSON; of rank 0."""

    def __init__(self, path: str | None, job: dict[str, Any]) -> None:
        self._path = None if path is None else Path(path)
        self.passed: set[str] = set()
        if self._path is None:
            return
        head = {"format": _FORMAT, "job": job}
        if not self._path.exists():
            self._path.write_text(json.dumps(head) + "\n")
            return
        try:
            first, *rest = [json.loads(line) for line in self._path.read_text().splitlines()]
            theirs, self.passed = dict(first)["job"], {one["check"] for one in rest}
        except (ValueError, KeyError, TypeError):
            raise ValueError(f"{path} is no state of shardfft selftest; remove it, or name another file") from None
        if first != head:
            raise ValueError(f"{path} is of another job ({theirs}), and this one is {job}; name another file")

    def note(self, case: str) -> None:
        if self._path is not None:
            with self._path.open("a") as file:
                file.write(json.dumps({"check": case}) + "\n")


def run(chosen: argparse.Namespace) -> int:
    """Check all; the exit status: 1 if a check fails."""
    begin = time.perf_counter()
    comm = mpi.communicator(None)
    gpu = {"processor": "gpu"} if chosen.gpu else {}
    shape, options = mpi.agree(comm, lambda: (shape_of(chosen.shape), _options(chosen.set) | gpu))
    job = {
        "shardfft": sys.modules["shardfft"].__version__,
        "mpi": mpi._first_line(_core.mpi_loaded()),
        "ranks": comm.size,
        "shape": list(shape),
        "options": {name: str(value) for name, value in options.items()},
    }
    state = mpi.agree(comm, lambda: _State(chosen.state if comm.rank == 0 else None, job))
    passed = comm.bcast(state.passed)
    cases = [case for case in _cases(chosen.gpu) if set(chosen.only.split()) <= set(case.split())]
    counts = {"passed": 0, "failed": 0, "refused": 0, "before": 0}
    for number, case in enumerate(cases, 1):
        verdict, why = ("before", "") if case in passed else _try(comm, shape, case, options)
        counts[verdict] += 1
        if comm.rank == 0 and verdict != "before":
            if verdict == "passed":
                state.note(case)
            print(f"[{number:3}/{len(cases)}] {case}: {verdict}: {why}", flush=True)
    if comm.rank == 0:
        told = ", ".join(f"{count} {verdict}" for verdict, count in counts.items() if count or verdict != "before")
        print(f"{len(cases)} checks: {told}; {time.perf_counter() - begin:.1f} s", flush=True)
    return 1 if counts["failed"] else 0
