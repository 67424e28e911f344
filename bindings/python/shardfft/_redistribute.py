"""Arrays change their layout without a transform."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from . import _core, _distribute, _mpi, _options
from ._gpu_arrays import device_of, is_array
from ._infer import layout_of
from ._layout import Layout, named

if TYPE_CHECKING:
    from mpi4py import MPI
    from numpy.typing import NDArray

    from ._words import LayoutName


def redistribute(
    local: NDArray[Any],
    start: LayoutName | Layout | None,
    to: LayoutName | Layout,
    comm: MPI.Comm | None = None,
    **options: Any,
) -> NDArray[Any]:
    """Move an array that is cut over the ranks from one layout to another. Collective.

    Args:
        local: this rank's part in the layout ``start``, a NumPy array of any dtype without Python objects, or with one
            axis more before the others (fields).
        start: how it is cut: ``slab``, ``pencil``, ``brick``, ``cyclic`` or a :class:`Layout`; None: along axis 0, in
            the ranks' order, as their shapes tell.
        to: how it is to be cut.
        comm: an mpi4py communicator; None is ``MPI.COMM_WORLD``.
        options: how data moves: those options of :func:`plan` that do not concern transforms, as ``exchange``; with
            ``processor="gpu"`` from GPU to GPU, by way of copies there.

    Returns:
        This rank's part in the layout ``to``, dense in its memory order; flat where it is not one product of slices.
    """
    comm = _mpi.communicator(comm)
    array = _mpi.agree(comm, lambda: _on_host(local))
    cut = start if isinstance(start, Layout) else layout_of(array.shape, start, comm)

    def prepare() -> tuple[Layout, NDArray[Any], bool, _core.Options]:
        target = to if isinstance(to, Layout) else named(to, cut.shape, comm.size)
        for layout in (cut, target):
            _distribute._check_layout(layout, comm, 0)
        if array.dtype.hasobject or array.dtype.itemsize == 0:
            raise TypeError(f"arrays of dtype {array.dtype} cannot be sent to other ranks")
        flat = np.ascontiguousarray(_distribute._flatten(array, cut, comm.rank))
        batched = array.ndim > len(cut.local_shape(comm.rank))
        return target, flat, batched, _options.convert({**options, "batch": flat.shape[0]})

    target, flat, batched, told = _mpi.agree(comm, prepare)
    dtypes = set(comm.allgather(flat.dtype.str))
    if len(dtypes) != 1:
        raise ValueError(f"the ranks' arrays differ in dtype: {sorted(dtypes)}")
    moved = np.empty((flat.shape[0], target.count(comm.rank)), flat.dtype)
    _core.redistribute(
        _mpi.address(comm),
        cut._core,
        target._core,
        flat.dtype.itemsize,
        flat.ctypes.data,
        moved.ctypes.data,
        told,
        (flat, moved),
    )
    return _distribute._shaped(moved, target, comm.rank, batched)


def _on_host(local: Any) -> NDArray[Any]:
    if is_array(local) and device_of(local) is not None:
        raise TypeError("redistribute takes arrays in host memory; arrays on GPUs move with Redistribution in C++")
    return np.asarray(local)
