"""Whole arrays to local ones and back, through one rank: for tests, small data and files."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .._ground import mpi
from .._ground.arguments import integer
from .._layouts.infer import check_layout, identity, layout_of
from .._layouts.layout import Layout, named
from .._libraries.array_libraries import as_array, host_array, numpy_array

if TYPE_CHECKING:
    from mpi4py import MPI
    from numpy.typing import NDArray

    from .._ground.words import LayoutName

_TAG = 77
_MESSAGE_BYTES = 1 << 30


def _ask(layout: LayoutName | Layout, root: int, comm: MPI.Comm, word: str) -> tuple[int, bool]:
    """Give the root, and whether the layout is a name; both must be the same on all ranks. Collective."""

    def mine() -> tuple[int, str]:
        number = root_of(root, comm)
        return number, f"{word} with root {number} and layout {identity(layout)}"

    number = mpi.agree_same(comm, mine, "the ranks gave different roots or different layouts")
    return number, isinstance(layout, str)


def _named_on(root: int, name: str, array: Any, comm: MPI.Comm) -> Layout:
    """The layout called ``name`` of the array that ``root`` has. Collective."""
    shape = mpi.agree(comm, lambda: numpy_array(array).shape if comm.rank == root else None)
    return named(name, comm.bcast(shape, root=root), comm.size)


def root_of(root: int, comm: MPI.Comm) -> int:
    number = integer(root, "root")
    if not 0 <= number < comm.size:
        raise ValueError(f"root {number} is not one of the {comm.size} ranks")
    return number


def check_dtype(dtype: np.dtype[Any]) -> None:
    if dtype.hasobject or dtype.itemsize == 0:
        raise TypeError(f"arrays of dtype {dtype} cannot be sent to other ranks")


def views(flat: NDArray[Any], layout: Layout, rank: int) -> list[tuple[tuple[slice, ...], NDArray[Any]]]:
    """Pair the slices of every piece of ``rank`` with the view of it in ``flat`` (fields x count)."""
    result = []
    for piece in layout.pieces(rank):
        shape = tuple(len(range(part.start, part.stop, part.step)) for part in piece.slices)
        if 0 in shape:
            continue
        strides = (flat.strides[0], *(stride * flat.itemsize for stride in piece.strides))
        view = np.lib.stride_tricks.as_strided(flat[:, piece.offset :], (flat.shape[0], *shape), strides)
        result.append(((slice(None), *piece.slices), view))
    return result


def fields_of(shape: tuple[int, ...], layout: Layout, rank: int) -> tuple[int, bool]:
    """How many fields a local array of this shape has, and whether along an axis of their own."""
    local, shape = layout.local_shape(rank), tuple(shape)
    batched = len(shape) == len(local) + 1
    own = shape[1:] if batched else shape
    if own != local and not (0 in own and layout.count(rank) == 0):  # no elements have no shape to refuse
        raise ValueError(f"the local array of rank {rank} must have the shape {local}, not {shape}")
    return (shape[0] if batched else 1), batched


def _flatten(local: NDArray[Any], layout: Layout, rank: int) -> NDArray[Any]:
    """Give ``local`` as fields x count elements in memory order; a copy only if it is not dense in that order."""
    shape, (fields, _) = layout.local_shape(rank), fields_of(local.shape, layout, rank)
    order = layout.order if len(shape) == layout.ndim and layout.local(rank) is not None else (0,)
    by_field = local.reshape((fields, *shape))
    return by_field.transpose((0, *(axis + 1 for axis in order))).reshape(fields, layout.count(rank))


def _move(comm: MPI.Comm, data: NDArray[Any], peer: int, send: bool) -> None:
    """Send or receive a dense array in messages below MPI's limit of 2^31."""
    raw = data.reshape(-1).view(np.uint8)
    for start in range(0, raw.size, _MESSAGE_BYTES):
        part = raw[start : start + _MESSAGE_BYTES]
        if send:
            comm.Send(part, dest=peer, tag=_TAG)
        else:
            comm.Recv(part, source=peer, tag=_TAG)


def scatter(
    array: NDArray[Any] | None, layout: LayoutName | Layout, comm: MPI.Comm | None = None, root: int = 0
) -> NDArray[Any]:
    """Deal ``array`` of rank ``root`` to all ranks. Collective.

    Args:
        array: on ``root`` an array of ``layout.shape``, which may have one more axis before the others (fields);
            ignored elsewhere.
        layout: the parts of the ranks; for an array without fields also ``slab``, ``pencil``, ``brick`` or ``cyclic``.
        comm: an mpi4py communicator; None is ``MPI.COMM_WORLD``.
        root: the rank that has the array.

    Returns:
        This rank's local array, dense in the layout's memory order; flat if its part is not one product of slices.

    Example:
        >>> import numpy as np
        >>> import shardfft
        >>> from mpi4py import MPI
        >>> whole = np.arange(24.0).reshape(4, 6) if MPI.COMM_WORLD.rank == 0 else None
        >>> rows = shardfft.scatter(whole, "slab")
        >>> rows.shape[1]
        6
    """
    comm = mpi.communicator(comm)
    root, is_name = _ask(layout, root, comm, "scatter")
    if is_name:
        layout = _named_on(root, layout, array, comm)

    def describe() -> tuple[Any, int, bool] | None:
        check_layout(layout, comm)
        if comm.rank != root:
            return None
        whole = numpy_array(array)
        batched = whole.ndim == layout.ndim + 1
        check_dtype(whole.dtype)
        if whole.shape[1 if batched else 0 :] != layout.shape:
            raise ValueError(f"array has the shape {whole.shape}, layout {layout.shape}")
        return whole.dtype, whole.shape[0] if batched else 1, batched

    dtype, fields, batched = comm.bcast(mpi.agree(comm, describe), root=root)
    mine = np.empty((fields, layout.count(comm.rank)), dtype)
    if comm.rank == root:
        whole = numpy_array(array).reshape((fields, *layout.shape))
        for rank in range(comm.size):
            part = mine if rank == root else np.empty((fields, layout.count(rank)), dtype)
            for slices, view in views(part, layout, rank):
                view[...] = whole[slices]
            if rank != root:
                _move(comm, part, rank, send=True)
    else:
        _move(comm, mine, root, send=False)
    return shaped(mine, layout, comm.rank, batched)


def shaped(flat: NDArray[Any], layout: Layout, rank: int, batched: bool) -> NDArray[Any]:
    if layout.local(rank) is None:
        return flat if batched else flat[0]
    shape, order = layout.local_shape(rank), layout.order
    in_memory = flat.reshape((flat.shape[0], *(shape[axis] for axis in order)))
    local = in_memory.transpose((0, *(int(axis) + 1 for axis in np.argsort(order))))
    return local if batched else local[0]


def gather(
    local: NDArray[Any], layout: LayoutName | Layout, comm: MPI.Comm | None = None, root: int = 0
) -> NDArray[Any] | None:
    """Bring the local arrays together on rank ``root``. Collective.

    Args:
        local: this rank's part of an array in ``layout``, which may have one more axis before the others (fields);
            it is copied.
        layout: the parts of the ranks; for an array without fields also ``slab``, ``pencil``, ``brick`` or ``cyclic``.
        comm: an mpi4py communicator; None is ``MPI.COMM_WORLD``.
        root: the rank that gets the whole array.

    Returns:
        The global array on ``root``, None on the other ranks.

    Example:
        >>> import numpy as np
        >>> import shardfft
        >>> from mpi4py import MPI
        >>> whole = shardfft.gather(np.ones((4, 6)), "slab")
        >>> whole.shape == (4 * MPI.COMM_WORLD.size, 6) if MPI.COMM_WORLD.rank == 0 else whole is None
        True
    """
    return gathered(local, layout, mpi.communicator(comm), root, "gather")


def gathered(local: Any, layout: LayoutName | Layout, comm: MPI.Comm, root: int, word: str) -> NDArray[Any] | None:
    """Gather for a call that is told apart from others by a word. Collective."""
    root, is_name = _ask(layout, root, comm, word)
    if is_name:
        layout = layout_of(mpi.agree(comm, lambda: tuple(as_array(local).shape)), layout, comm)

    def flatten() -> tuple[tuple[NDArray[Any], bool], Any]:
        check_layout(layout, comm)
        part = host_array(local)
        check_dtype(part.dtype)
        mine = np.ascontiguousarray(_flatten(part, layout, comm.rank))
        return (mine, part.ndim > len(layout.local_shape(comm.rank))), (str(mine.dtype), mine.shape[0])

    mine, batched = mpi.agree_same(comm, flatten, "the ranks' arrays differ in dtype or number of fields")
    if comm.rank != root:
        _move(comm, mine, root, send=True)
        return None
    whole = np.empty((mine.shape[0], *layout.shape), mine.dtype)
    for rank in range(comm.size):
        part = mine
        if rank != root:
            part = np.empty((mine.shape[0], layout.count(rank)), mine.dtype)
            _move(comm, part, rank, send=False)
        for slices, view in views(part, layout, rank):
            whole[slices] = view
    return whole if batched else whole[0]
