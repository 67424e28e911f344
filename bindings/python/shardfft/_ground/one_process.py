"""The communicator of a process without MPI: this package's part of mpi4py's interface, for one rank."""

from __future__ import annotations

from typing import Any, TypeVar

import numpy as np

T = TypeVar("T")


class OneProcess:
    """One rank, which has nobody to talk to. There is one such object: ``plan.comm`` of plans without MPI."""

    rank = 0
    size = 1
    #: MPI_COMM_WORLD of bindings/python/mpi/one_process/mpi.h.
    handle = np.ones(1, np.int32)

    def allgather(self, value: T) -> list[T]:
        return [value]

    def bcast(self, value: T, root: int = 0) -> T:
        return value

    def Bcast(self, buffer: Any, root: int = 0) -> None:  # noqa: N802  (mpi4py's name)
        """Leave the buffer as it is."""

    def __repr__(self) -> str:
        return "<one process without MPI>"


COMM = OneProcess()
