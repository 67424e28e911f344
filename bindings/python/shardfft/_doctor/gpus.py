"""GPUs: which of them reach each other's memory, and how messages move between the others."""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from typing import TYPE_CHECKING

from .._plans.planning import plan
from .findings import Facts, Finding, found

if TYPE_CHECKING:
    from mpi4py import MPI

_SHAPE = (16, 16, 16)
_EXCHANGES = ("mpi_device", "nccl")


def peers(devices: Iterable[int]) -> list[tuple[int, int]]:
    """Pairs of this process's GPUs that cannot use each other's memory, as plans over them find."""
    apart = []
    for a, b in itertools.combinations(devices, 2):
        with plan(_SHAPE, devices=[a, b], effort="estimate") as one:
            if one.report()["exchange"] != "cuda_peer":
                apart.append((a, b))
    return apart


def refusals(comm: MPI.Comm) -> dict[str, str]:
    """Why plans refuse to send between GPUs by MPI and by NCCL, which they try by a message; empty if they do not."""
    told = {}
    for name in _EXCHANGES:
        try:
            plan(_SHAPE, comm=comm, processor="gpu", exchange=name, effort="estimate").close()
        except (ValueError, RuntimeError) as error:
            told[name] = str(error)
        else:
            told[name] = ""
    return told


def findings(comm: MPI.Comm, ranks: list[Facts]) -> tuple[list[Finding], list[str]]:
    """Findings, and facts beside them. Collective; all processes must have a GPU."""
    told, known = [], []
    mine = ranks[comm.rank]
    first = [rank["host"] for rank in ranks].index(mine["host"])
    pairs_of = comm.allgather(peers(range(len(mine["gpus"]))) if first == comm.rank else [])
    for rank, pairs in enumerate(pairs_of):
        if pairs:
            named = ", ".join(f"{a} and {b}" for a, b in pairs)
            told.append(
                found("no-peers", f"on {ranks[rank]['name']} these GPUs cannot use each other's memory: {named}")
            )
    if comm.size > 1:
        refused = refusals(comm)
        known = [f"messages between GPUs by {name}: {why or 'work'}" for name, why in refused.items()]
        if all(refused.values()):
            told += [found(f"no-{name.replace('_', '-')}", why) for name, why in refused.items()]
    return told, known
