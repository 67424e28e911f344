"""Figures of this machine in a few seconds: memory, messages, local transforms; and a transform against its floor."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import _core
from .._plans.planning import plan

if TYPE_CHECKING:
    from mpi4py import MPI

    from .._plans.plan import Plan

#: Seconds that one figure may take, and the repetitions whose best or median counts.
_SECONDS = 0.15
_MOST = 1000


def _meet(comm: MPI.Comm) -> None:
    if comm.size > 1:
        comm.Barrier()


def _repeat(comm: MPI.Comm, work: Callable[[], object], seconds: float = _SECONDS) -> list[float]:
    """Time ``work`` on all ranks at once, as often as it fits: of each time the slowest rank's. Collective."""
    work()
    times: list[float] = []
    end = time.perf_counter() + seconds
    while True:
        _meet(comm)
        begin = time.perf_counter()
        work()
        now = time.perf_counter()
        told = comm.allgather((now - begin, now < end))
        times.append(max(took for took, _ in told))
        if len(times) == _MOST or not told[0][1]:  # rank 0 says when it is enough
            return times


def memory(comm: MPI.Comm, together: bool, mebibytes: int = 32) -> float:
    """Bytes that all ranks (rank 0, unless ``together``) read and write in a second while they copy arrays."""
    source, target = (np.ones(mebibytes << 17) for _ in range(2))
    active = together or comm.rank == 0
    best = min(_repeat(comm, lambda: np.copyto(target, source) if active else None))
    return 2 * source.nbytes * (comm.size if together else 1) / best


def _ping(comm: MPI.Comm, a: int, b: int, words: int, turns: int) -> float:
    """Seconds of a message of ``words`` numbers between two ranks, there and back halved; 0 on the others."""
    message = np.ones(words)
    best = math.inf
    for _ in range(5):
        begin = time.perf_counter()
        for _ in range(turns):
            if comm.rank == a:
                comm.Send(message, b)
                comm.Recv(message, b)
            elif comm.rank == b:
                comm.Recv(message, a)
                comm.Send(message, a)
        best = min(best, (time.perf_counter() - begin) / turns / 2)
    return best if comm.rank == a else 0.0


def link(comm: MPI.Comm, a: int, b: int) -> dict[str, float]:
    """Latency and bandwidth of messages between two ranks while the others wait. Collective."""
    pair = comm.Split(0 if comm.rank in (a, b) else 1, comm.rank)
    small, large, words = 0.0, 0.0, 1 << 19
    if comm.rank in (a, b):
        mine = [pair.allgather(comm.rank).index(rank) for rank in (a, b)]
        _ping(pair, *mine, 1, 2)
        # Ranks that share a core take milliseconds for a message.
        turns = pair.bcast(1 + int(min(100, 0.02 / max(_ping(pair, *mine, 1, 2), 1e-7))), mine[0])
        small = _ping(pair, *mine, 1, turns)
        large = _ping(pair, *mine, words, 3)
    pair.Free()
    small, large = comm.bcast((small, large), a)
    return {"latency_seconds": small, "bytes_per_second": 8 * words / large}


def all_to_all(comm: MPI.Comm, mebibytes: int = 4) -> float:
    """Bytes that each rank sends to others in a second while all send to all."""
    each = max(1, (mebibytes << 17) // comm.size)
    send, receive = (np.ones(each * comm.size) for _ in range(2))
    times = _repeat(comm, lambda: comm.Alltoall(send, receive))
    return 8 * each * (comm.size - 1) / min(times)


def local_ffts(comm: MPI.Comm, alone: MPI.Comm, extent: int = 48) -> list[dict[str, Any]]:
    """For each local library its version, and the arithmetic (5 N log2 N) of a cube a second, of one rank of all."""
    found = []
    for name in _core.local_fft_names():
        if name == "reference":
            continue
        with plan((extent,) * 3, comm=alone, local_fft=name, effort="estimate") as one:
            x, y = one.input.zeros(), one.output.empty()
            times = _repeat(comm, lambda: one.forward(x, out=y), _SECONDS / 2)  # noqa: B023
            said = one.report()["local_fft"]
        flops = 5 * extent**3 * math.log2(extent**3)
        found.append({"name": name, "version": said, "flops_per_second": flops / float(np.median(times))})
    return found


def core_share(comm: MPI.Comm) -> float:
    """Share of a core that a rank has while all ranks compute; the worst rank's. Less than 1: others run there too."""
    work = np.ones(1 << 12)
    begin, used = time.perf_counter(), time.process_time()
    while time.perf_counter() - begin < 0.1:
        work *= 1.0
    share = (time.process_time() - used) / (time.perf_counter() - begin)
    return min(comm.allgather(min(1.0, share)))


def pair_seconds(comm: MPI.Comm, one: Plan) -> float:
    """Time a forward and a backward run of a plan, of zeros. Collective."""
    x, y, z = one.input.zeros(), one.output.empty(), one.input.empty()
    return float(np.median(_repeat(comm, lambda: one.backward(one.forward(x, out=y), out=z))))


def step(comm: MPI.Comm) -> float:
    """Seconds of a step that has nearly no work: the ranks meet, and Python calls the library."""
    with plan((comm.size, comm.size), comm=comm, effort="estimate") as one:
        steps = one.report()["forward"]["steps"]
        starts = sum(1 if told["role"] == "computes" else 2 for told in steps)  # as the cost model counts them
        return pair_seconds(comm, one) / (2 * starts)


def reference(comm: MPI.Comm, bandwidth: float | None, **options: Any) -> dict[str, Any]:
    """Time a pair of transforms; its floor is the time of each step as a copy of its array.

    ``bandwidth``: bytes that all ranks read and write in a second; None if it was not measured.
    """
    with plan(comm=comm, **options) as one:
        x = (np.arange(np.prod(one.input.shape, dtype=int)) % 1009 / 504 - 1).reshape(one.input.shape)
        x = x.astype(one.input.dtype)
        y, z = one.output.empty(), one.input.empty()

        def pair() -> None:
            one.backward(one.forward(x, out=y), out=z)

        times = _repeat(comm, pair, 4 * _SECONDS)
        whole = comm.allgather((float(np.abs(z - x).max(initial=0)), x.nbytes + y.nbytes))
        report = one.report()
        steps = len(report["forward"]["steps"]) + len(report["backward"]["steps"])
        floor = None if bandwidth is None else steps * sum(moved for _, moved in whole) / bandwidth / 2
        return {
            "seconds": float(np.median(times)) / 2,
            "floor_seconds": floor,
            "steps": steps // 2,
            "error": max(error for error, _ in whole),
            "epsilon": float(np.finfo(x.dtype).eps),
            "exchange": report["exchange"],
            "local_fft": report["local_fft"],
            "reads": {
                way: sum(report[run]["input_reads"][way] for run in ("forward", "backward"))
                for way in ("across", "staged")
            },
            "way": report["way"],
        }
