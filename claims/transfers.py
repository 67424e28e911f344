"""Changes of layout from Python beside mpi4py-fft's, in turns, on every rank; if it is missing, beside ours."""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
from mpi4py import MPI

import shardfft
from shardfft.compat import mpi4py_fft as twin

#: By shape: times mpi4py-fft's time that a call may take, and seconds beside it.
BARS = {(64, 64, 64): (1.2, 0.0), (8, 9, 10): (1.0, 5e-5)}
COMM = MPI.COMM_WORLD


class Case(NamedTuple):
    """The same work done by ours and by mpi4py-fft."""

    name: str
    shape: tuple[int, ...]
    ours: Callable[[], object]
    theirs: Callable[[], object]


def arrays_of(module, shape: tuple[int, ...], dtype: str):
    """An array with its last axis whole, one with the axis before it whole, and the transfer between."""
    first = module.DistArray(shape, dtype=dtype, alignment=len(shape) - 1, subcomm=[0] + [1] * (len(shape) - 1))
    other, transfer = first.get_pencil_and_transfer(0)
    first[...] = COMM.rank + np.arange(first.size).reshape(first.shape)
    second = module.DistArray(shape, other.subcomm, dtype=dtype, alignment=0)
    return first, second, transfer


def cases(rival, shape: tuple[int, ...], dtype: str) -> Iterator[Case]:
    """Transfers both ways, arrays of the twin, and the package's own calls beside a transfer into a new array."""
    mine, back, transfer = arrays_of(twin, shape, dtype)
    first, second, other = arrays_of(rival, shape, dtype)
    transfer.forward(mine, back)
    other.forward(first, second)
    if not np.array_equal(np.asarray(back), np.asarray(second)):
        raise SystemExit(f"transfers of {shape} {dtype} differ")
    pair = (transfer.forward, mine, back), (other.forward, first, second)
    yield Case("Transfer.forward", shape, *(lambda call=call: call[0](*call[1:]) for call in pair))
    pair = (transfer.backward, back, mine), (other.backward, second, first)
    yield Case("Transfer.backward", shape, *(lambda call=call: call[0](*call[1:]) for call in pair))
    yield Case("the twin's DistArray.redistribute", shape, lambda: mine.redistribute(0), lambda: first.redistribute(0))
    rows, columns = mine._p0._layout(), back._p0._layout()
    local = mine.v
    fresh = lambda: other.forward(first, np.empty_like(second))  # noqa: E731
    yield Case("shardfft.redistribute", shape, lambda: shardfft.redistribute(local, rows, columns, COMM), fresh)
    own = shardfft.DistArray.from_local(local, COMM, rows)
    yield Case("DistArray.redistribute", shape, lambda: own.redistribute(columns), lambda: first.redistribute(0))


def spent(work: Callable[[], object], calls: int) -> float:
    """Seconds of one of so many calls in a row, on the rank that takes longest."""
    COMM.Barrier()
    began = time.perf_counter()
    for _ in range(calls):
        work()
    return COMM.allreduce(time.perf_counter() - began, MPI.MAX) / calls


def compare(case: Case, dtype: str, turns: int) -> dict:
    """Both in turns, after calls that plan: medians, and the least times, which a loaded machine disturbs least."""
    for work in (case.ours, case.theirs):
        spent(work, 3)
    calls = COMM.bcast(max(1, min(200, int(0.005 / max(spent(case.theirs, 3), 1e-6)))))
    times = [(spent(case.theirs, calls), spent(case.ours, calls)) for _ in range(turns)]
    theirs, ours = zip(*times, strict=True)
    return {
        "case": case.name, "shape": case.shape, "dtype": dtype, "calls": calls, "turns": turns,
        "ours": statistics.median(ours), "theirs": statistics.median(theirs),
        "least": [min(ours), min(theirs)], "ratio": statistics.median(mine / other for other, mine in times),
    }  # fmt: skip


def main() -> int:
    """Measure, print, and return the exit code."""
    made = argparse.ArgumentParser(description=__doc__)
    made.add_argument("--into", type=Path, help="folder of a result set: the record goes to INTO/transfers")
    made.add_argument("--turns", type=int, default=20)
    made.add_argument("--dtypes", nargs="+", default=["float64", "complex128"])
    made.add_argument("--tiny", action="store_true", help="the whole way at a tiny size, in seconds: judges nothing")
    given = made.parse_args()
    try:
        import mpi4py_fft as rival
    except ImportError:
        if not given.tiny:
            sys.exit("transfers: mpi4py-fft is missing: pip install mpi4py-fft")
        rival = twin
    lines = []
    for shape in [(4, 6, 5)] if given.tiny else list(BARS):
        for dtype in given.dtypes:
            for case in cases(rival, shape, dtype):
                lines.append(compare(case, dtype, 2 if given.tiny else given.turns))
    if COMM.rank != 0:
        return 0
    into = (given.into or Path("results", "claims", time.strftime("%Y-%m-%dT%H%M%SZ", time.gmtime()))) / "transfers"
    into.mkdir(parents=True, exist_ok=True)
    (into / "transfers.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    held = 0
    for line in lines:
        times, more = BARS.get(tuple(line["shape"]), (np.inf, 0.0))
        holds = line["ours"] <= times * line["theirs"] + more
        held += holds
        print(f"{line['case']}, {'x'.join(map(str, line['shape']))} {line['dtype']}: {1e3 * line['ours']:.4f} ms, "
              f"mpi4py-fft {1e3 * line['theirs']:.4f} ms, ratio {line['ratio']:.2f}; least "
              f"{1e3 * line['least'][0]:.4f} and {1e3 * line['least'][1]:.4f}"
              + ("" if holds or given.tiny else "   <- DOES NOT HOLD"))  # fmt: skip
    print(f"  records: {into}")
    if given.tiny:
        print("transfers tiny=1: nothing is judged at this size")
        return 0
    print(f"transfers held={held} of={len(lines)} turns={given.turns} ranks={COMM.size}")
    return 0 if held == len(lines) else 1


if __name__ == "__main__":
    sys.exit(main())
