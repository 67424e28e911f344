"""Communicators: mpi4py's handles for the library, and errors that no rank is left alone with."""

from __future__ import annotations

import os
import sys
import warnings
import zlib
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, TypeVar, cast

from .. import _core
from . import one_process
from .errors import ArgumentError, Error
from .telling import told_by, users_line

if TYPE_CHECKING:
    from mpi4py import MPI

T = TypeVar("T")
V = TypeVar("V")
#: Wheels have an extension module for one process on machines without MPI.
WITHOUT_MPI = _core.mpi_compiled() == "no MPI"
_FAMILIES = ("Open MPI", "MPICH", "Intel(R) MPI", "MVAPICH", "HPE", "CRAY MPICH")


def _family(version: str) -> str:
    """Name the kind of MPI library in a version text; the text itself when it is none we know."""
    return next((name for name in _FAMILIES if name.lower() in version.lower()), version)


def mismatch() -> str | None:
    """Say why mpi4py and this package cannot work together; None when they can."""
    from mpi4py import MPI

    theirs, loaded, compiled = MPI.Get_library_version(), _core.mpi_loaded(), _core.mpi_compiled()
    # The standard's own binary interface is the same in libraries of all families.
    same_family = _family(theirs) == _family(loaded) and (
        compiled.startswith("MPI ABI") or _family(compiled) == _family(loaded)
    )
    same_library = theirs.rstrip("\0 \n") == loaded.rstrip("\0 \n")
    if same_family and same_library and MPI._sizeof(MPI.Comm) == _core.sizeof_comm:
        return None
    return (
        f"mpi4py uses {_first_line(theirs)}, but shardfft was built with {compiled} and runs with "
        f"{_first_line(loaded)}; both must use one MPI library. Build mpi4py with the wrapper that built shardfft "
        "(MPICC=mpicc pip install --force-reinstall --no-binary mpi4py mpi4py), or shardfft with mpi4py's MPI"
    )


def _first_line(text: str) -> str:
    lines = text.strip("\0 \n").splitlines() or ["an unknown MPI"]
    return " ".join(lines[0].split(", package")[0].split())


#: Variables that launchers set for the processes that they start together.
_STARTED = ("OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_STEP_NUM_TASKS")


def strangers() -> str | None:
    """Say so if a launcher has started several processes, each of which is alone in its MPI_COMM_WORLD."""
    from mpi4py import MPI

    counts = {name: os.environ[name] for name in _STARTED if os.environ.get(name, "").isdigit()}
    name = next((name for name, count in counts.items() if int(count) > 1), None)
    if name is None or MPI.COMM_WORLD.size > 1:
        return None
    return (
        f"the launcher started {counts[name]} processes ({name}), but each is alone in MPI.COMM_WORLD: the launcher is "
        f"of another MPI than mpi4py's, {_first_line(MPI.Get_library_version())}, or srun needs another --mpi"
    )


world: MPI.Comm | None = None  #: MPI.COMM_WORLD, after the check


def _not_running() -> Error:
    return Error("MPI is not initialised, or was finalised already", "mpi_failure")


def require_running() -> None:
    """Raise unless MPI can be used: its own calls would end the process."""
    if not (WITHOUT_MPI or _core.mpi_running()):
        raise _not_running()


def communicator(comm: MPI.Comm | None) -> MPI.Comm:
    """Give ``comm``, or ``MPI.COMM_WORLD`` for None, after checking that the library can use it."""
    global world
    if WITHOUT_MPI:
        if comm is not None and comm is not one_process.COMM:
            raise TypeError(f"shardfft runs in one process without MPI ({_core.why_no_mpi}); comm must then be None")
        return cast("MPI.Comm", one_process.COMM)
    # Before anything is asked of MPI: its connections are the parent's.
    if _core.mpi_inherited():
        raise ArgumentError(
            "this process was forked from one that had initialised MPI, and cannot use MPI itself: transform "
            "there, or in newly started processes (multiprocessing.get_context('spawn'))"
        )
    if comm is None and world is not None and _core.mpi_running():
        return world
    from mpi4py import MPI

    if world is None:
        why = mismatch()
        if why is not None:
            raise ImportError(why)
        world = MPI.COMM_WORLD
        if _core.mpi_running() and (alone := strangers()) is not None:
            warnings.warn(alone, RuntimeWarning, stacklevel=3)
    if comm is None:
        comm = MPI.COMM_WORLD
    if not isinstance(comm, MPI.Comm):
        raise TypeError(f"comm must be an mpi4py communicator, not {type(comm).__name__}")
    if not _core.mpi_running():
        raise _not_running()
    if comm == MPI.COMM_NULL or comm.Is_inter():
        raise ValueError("comm must be an intracommunicator that this process belongs to")
    return comm


def alone() -> MPI.Comm:
    """Give a communicator of this process alone: ``MPI.COMM_WORLD`` if that is so."""
    comm = communicator(None)
    if comm.size == 1:
        return comm
    from mpi4py import MPI

    return MPI.COMM_SELF


def address(comm: MPI.Comm) -> int:
    """Give the address of the MPI handle inside ``comm``."""
    if WITHOUT_MPI:
        return int(one_process.OneProcess.handle.ctypes.data)
    return int(sys.modules["mpi4py.MPI"]._addressof(comm))


#: Numbers of calls are below, and words of meetings are not.
_WORDS = 1 << 62


def extremes(comm: MPI.Comm, number: int) -> tuple[int, int]:
    """Give the least and the greatest number of all ranks: the smallest meeting. Collective.

    Raises on every rank if they meet for different calls, of which one at least gives its word.
    """
    if comm.size == 1:
        return number, number
    least, most = _core.extremes(address(comm), number)
    if most >= _WORDS and least != most:
        calls = comm.allgather((number, users_line()))
        other = next(rank for rank, (one, _) in enumerate(calls) if one != calls[0][0])
        error = f"the ranks make different calls (rank 0 in {calls[0][1]}; rank {other} in {calls[other][1]})"
        raise told_by(ArgumentError(f"{error}; all must make the same", "mismatch"), 0)
    return least, most


def _name(work: Callable[[], object]) -> str:
    return f"{work.__module__}.{work.__qualname__}"


def meet(comm: MPI.Comm, work: Callable[[], tuple[T, V]], word: str | None = None) -> tuple[T, list[V]]:
    """Run ``work``, which must not communicate; give its first result, and the second of every rank. Collective.

    If it raises on any rank, every rank raises, and so they do if they meet for different calls. ``word`` tells these
    apart; None: the name of ``work``.
    """
    require_running()
    extremes(comm, _WORDS + zlib.crc32((word or _name(work)).encode()))
    result: T | None = None
    value: V | None = None
    caught: Exception | None = None
    try:
        result, value = work()
    except Exception as error:
        caught = error
    told = comm.allgather((None if caught is None else f"{type(caught).__name__}: {caught}", value))
    texts = [text for text, _ in told]
    if caught is not None:
        raise told_by(caught, texts.index(texts[comm.rank]))
    for rank, text in enumerate(texts):
        if text is not None:
            raise told_by(ArgumentError(f"rank {rank} failed with {text}"), rank)
    return result, [one for _, one in told]  # type: ignore[return-value]


def agree(comm: MPI.Comm, work: Callable[[], T], word: str | None = None) -> T:
    """Run ``work`` as :func:`meet` does, and give its result. Collective."""
    return meet(comm, lambda: (work(), None), word or _name(work))[0]


def require_same(told: Sequence[object], says: str) -> None:
    """Raise what ``says`` unless all ranks told the same, on every rank."""
    other = next((rank for rank, one in enumerate(told) if one != told[0]), None)
    if other is not None:
        error = f"{says} (rank 0: {told[0]}; rank {other}: {told[other]})"
        raise told_by(ArgumentError(error, "mismatch"), 0)


def agree_same(comm: MPI.Comm, work: Callable[[], tuple[T, V]], says: str) -> T:
    """Run ``work`` as :func:`meet` does; also raise on every rank unless its second result is the same. Collective."""
    result, told = meet(comm, work)
    require_same(told, says)
    return result


def agree_alike(comm: MPI.Comm, work: Callable[[], object], what: str) -> None:
    """Run ``work`` as :func:`meet` does; also raise on every rank unless it tells all ranks the same. Collective."""
    _, told = meet(comm, lambda: (None, repr(work())), _name(work))
    require_same(told, f"the ranks gave different {what}")
