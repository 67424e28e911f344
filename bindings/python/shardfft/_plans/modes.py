"""Sums over the modes of a spectrum, which know how many waves each number stands for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from .._ground import mpi
from .._libraries.array_libraries import host_array, library_of
from .._libraries.gpu_arrays import dtype_of

if TYPE_CHECKING:
    from mpi4py import MPI
    from numpy.typing import NDArray

    from .._layouts.cut_array import CutArray
    from .._layouts.side import Side


def _check_ranks(side: Side, comm: MPI.Comm) -> None:
    if side.layout.ranks != comm.size:
        raise ValueError(f"the values lie on {side.layout.ranks} ranks, but the sum is over {comm.size}")


def spectrum_sum(values: Any, side: Side, comm: MPI.Comm) -> Any:
    """Add up weights times values over all ranks. Collective."""

    def mine() -> Any:
        _check_ranks(side, comm)
        library = library_of(values)
        block = library.refuse_gradients(values) if library.computes else host_array(values)
        if tuple(block.shape) != side.shape:
            raise ValueError(f"the values must have the shape {side.shape} on rank {side.rank}, not {block.shape}")
        weights = side.weights(np.float64)
        if isinstance(block, np.ndarray):
            return np.sum(weights * block)
        return host_array((block * library.bring(block, weights)).sum())[()]  # one number comes from the GPU

    return np.sum(mpi.meet(comm, lambda: (None, mine()))[1])


def shells(
    values: Any, side: Side, comm: MPI.Comm, lengths: float | Sequence[float], width: float | None
) -> tuple[NDArray[Any], NDArray[Any]]:
    """Add up weights times values in shells of wavenumbers. Collective."""

    def mine() -> tuple[NDArray[Any], float]:
        _check_ranks(side, comm)
        library = library_of(values)
        block = library.refuse_gradients(values) if library.computes else host_array(values)
        library = library_of(block)
        if dtype_of(block).kind == "c":
            raise TypeError("shells add up real numbers, such as abs(spectrum)**2")
        k = side.wavenumbers(lengths, np.float64)
        step = width if width is not None else 2 * np.pi / np.max(lengths)
        if not 0 < step < np.inf:
            raise ValueError(f"width must be finite and above 0, not {width}")
        functions = library.functions()
        radius = functions.sqrt(sum(library.bring(block, one**2) for one in k))
        shell = library.astype(radius / step + 0.5, np.dtype(np.int64))
        weighted = block * library.bring(block, side.weights(np.float64))
        weighted = weighted.sum(axis=0) if side._batched else weighted
        # On the processor of the array: a number for each shell comes from the GPU.
        flat = functions.broadcast_to(shell, tuple(weighted.shape)).reshape(-1)
        return host_array(functions.bincount(flat, weighted.reshape(-1))), step

    here, step = mpi.agree(comm, mine)
    count = max(1, *comm.allgather(here.size))
    sums = sum(comm.allgather(np.pad(here, (0, count - here.size))))
    return np.arange(count) * step, sums


def sum_of(self: CutArray) -> Any:
    """Add up these numbers of a spectrum, each as often as it stands for a wave (:meth:`weights`). Collective.

    ``(abs(s) ** 2).spectrum_sum()`` with ``norm="forward"`` is the mean of ``abs(x) ** 2`` over all points.
    """
    return spectrum_sum(self.local, self._spectrum(), self.comm)


def shells_of(
    self: CutArray, lengths: float | Sequence[float] = 2 * np.pi, width: float | None = None
) -> tuple[NDArray[Any], NDArray[Any]]:
    """Add up these numbers of a spectrum in shells of equal wavenumber, components together. Collective.

    Args:
        lengths: of the domain, one number or one for each transformed axis.
        width: of a shell; None is the wavenumber of the longest wave.

    Returns:
        The wavenumbers 0, width, 2 width, ... in the middle of the shells, and their sums; the same on all ranks.
    """
    return shells(self.local, self._spectrum(), self.comm, lengths, width)
