"""Time in MPI and in local FFTs of a Python driver, by the wrappers that are preloaded; as ratio.cpp does it."""

from __future__ import annotations

import ctypes
from collections.abc import Callable

ROUNDS = 3


def measure(comm, prepare: Callable[[], object], work: Callable[[], object]) -> dict:
    """`communication` and `local_ffts` of a record."""
    loaded = ctypes.CDLL(None)
    if not hasattr(loaded, "shardfft_bench_start_ffts"):
        why = {"unavailable": "nothing was preloaded: no build of bench/ has libbench_profile.so"}
        return {"communication": why}
    from mpi4py import MPI

    spent, inside, in_mpi, most = 0.0, 0.0, 0.0, (0, 0)
    for round_ in range(ROUNDS):
        prepare()
        comm.Barrier()
        loaded.shardfft_bench_start_mpi()
        loaded.shardfft_bench_start_ffts(int(round_ == 0))
        start = MPI.Wtime()
        work()
        spent += MPI.Wtime() - start
        ffts, executions = _stop(loaded.shardfft_bench_stop_ffts, 1)
        seconds, size, calls = _stop(loaded.shardfft_bench_stop_mpi, 2)
        inside, in_mpi, most = inside + ffts, in_mpi + seconds, (size, calls)
    whole = comm.allreduce(spent) / comm.size / ROUNDS
    told = comm.allreduce(inside) / comm.size / ROUNDS
    found = {
        "communication": {
            "seconds": comm.allreduce(in_mpi / ROUNDS, MPI.MAX), "ratio": comm.allreduce(in_mpi / spent, MPI.MAX),
            "bytes_sent_largest_rank": comm.allreduce(most[0], MPI.MAX), "calls": comm.allreduce(most[1], MPI.MAX),
            "source": "MPI profiling interface",
        }
    }  # fmt: skip
    if not comm.allreduce(executions):
        why = {"unavailable": "it calls neither FFTW nor MKL from outside"}
        return {**found, "local_ffts": {"seconds": whole, "told": why, "replayed": why}}
    loaded.shardfft_bench_replay_ffts.restype = ctypes.c_int64
    alone = 0.0
    for round_ in range(ROUNDS + 1):
        prepare()
        comm.Barrier()
        start = MPI.Wtime()
        loaded.shardfft_bench_replay_ffts()
        alone += MPI.Wtime() - start if round_ else 0.0  # the first one warms up
    replayed = comm.allreduce(alone) / comm.size / ROUNDS
    shares = {
        "told": (told, "its calls of FFTW and MKL"),
        "replayed": (replayed, "its calls, run again"),
    }
    said = {
        name: {"seconds": seconds, "r": 1 - seconds / whole, "source": source}
        for name, (seconds, source) in shares.items()
    }
    return {**found, "local_ffts": {"seconds": whole, **said}}


def _stop(function, counts: int) -> tuple:
    """The results of a function that ends counting: seconds and whole numbers."""
    seconds = ctypes.c_double()
    numbers = [ctypes.c_int64() for _ in range(counts)]
    function(ctypes.byref(seconds), *map(ctypes.byref, numbers))
    return (seconds.value, *(one.value for one in numbers))
