"""Arrays change their layout without a transform."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

from .. import _core
from .._ground import mpi
from .._layouts.cut_array import CutArray
from .._layouts.infer import check_layout, layout_for, layout_of, processor_of
from .._layouts.layout import Layout, named
from .._layouts.part import Part
from .._libraries.array_libraries import as_array
from .._libraries.gpu_arrays import device_of, dtype_of
from .._plans.call import Call, Place
from .._plans.options import convert
from .._plans.recent import MOVES, asked_again, asking, kept
from .distribute import check_dtype, fields_of

if TYPE_CHECKING:
    import numpy as np
    from mpi4py import MPI

    from .._ground.words import LayoutName

Array = TypeVar("Array")
Cut = TypeVar("Cut", bound=CutArray)


def redistribute(
    local: Array,
    start: LayoutName | Layout | None,
    to: LayoutName | Layout,
    comm: MPI.Comm | None = None,
    **options: Any,
) -> Array:
    """Move an array that is cut over the ranks from one layout to another. Collective.

    Args:
        local: this rank's part in the layout ``start``, which may have one more axis before the others (fields); any
            dtype without Python objects. A NumPy array, or one on a GPU of any library that :meth:`Plan.forward` takes;
            if one rank's array is on a GPU, all must be.
        start: how the array is cut: ``slab``, ``pencil``, ``brick``, ``cyclic`` or a :class:`Layout`; None: along axis
            0 in the order of the ranks, each with the rows that it gives.
        to: how the result is to be cut: a name or a :class:`Layout`.
        comm: an mpi4py communicator; None is ``MPI.COMM_WORLD``.
        options: options of :func:`plan` that do not concern transforms, such as ``exchange``; with ``processor="gpu"``
            arrays in host memory are copied to GPUs, and move between these.

    Returns:
        This rank's part in the layout ``to``, of the kind of ``local``, dense in the layout's memory order; flat if it
        is not one product of slices. It is there when the call returns.

    Example:
        >>> import numpy as np
        >>> import shardfft
        >>> from mpi4py import MPI
        >>> rows = np.ones((4, 6), dtype="int16")
        >>> columns = shardfft.redistribute(rows, None, shardfft.Layout.slab(
        ...     (4 * MPI.COMM_WORLD.size, 6), MPI.COMM_WORLD.size, axis=1))
        >>> columns.shape[0] == 4 * MPI.COMM_WORLD.size
        True
    """
    return _moved(local, start, to, mpi.communicator(comm), options)


def _look(local: Any) -> tuple[Any, int | None]:
    array = as_array(local)
    return array, device_of(array)


def _moved(local: Any, start: Any, to: Any, comm: MPI.Comm, options: dict[str, Any]) -> Any:
    try:
        array, device = _look(local)
        ask = asking((tuple(array.shape), dtype_of(array), device), start, to, options)
    except Exception:
        ask = None  # it is raised again when all ranks are told
    found = asked_again(comm, ask, lambda move: move.call(array, None), MOVES)
    return first_moved(lambda: local, start, to, comm, options, ask) if found is None else found[0].run(found[1])


def first_moved(
    local: Callable[[], Any], start: Any, to: Any, comm: MPI.Comm, options: dict[str, Any], ask: Any, out: Any = None
) -> Any:
    """As :func:`redistribute`, after the ranks have met and not all of them have made this very call before.

    ``local`` may raise, of which all ranks are told; ``out``: the array to write, or None.
    """
    array, device = mpi.agree(comm, lambda: _look(local()))
    options = {**processor_of(comm.allgather(device is not None), device), **options}
    cut = layout_of(array.shape, start, comm)

    def prepare() -> tuple[tuple[Part, Part, _core.Options], np.dtype[Any]]:
        target = to if isinstance(to, Layout) else named(to, cut.shape, comm.size)
        for layout in (cut, target):
            check_layout(layout, comm)
        dtype = dtype_of(array)
        check_dtype(dtype)
        fields, batched = fields_of(array.shape, cut, comm.rank)
        source, destination = (Part(layout, dtype, comm.rank, fields, batched) for layout in (cut, target))
        return (source, destination, convert({**options, "batch": fields})), dtype

    source, destination, told = mpi.agree_same(comm, prepare, "the ranks' arrays differ in dtype")
    key = (cut, destination.layout, source.dtype, source.fields, source._batched, *sorted(options.items()))
    move, stays = kept(comm, key, lambda: Move(comm, source, destination, told), ask, limit=MOVES)
    try:
        return move.run(mpi.agree(comm, lambda: move.call(array, out)))
    finally:
        if not stays:
            move.close()


class Move:
    """A redistribution that was planned, and the shapes of its arrays."""

    closed = False

    def __init__(self, comm: MPI.Comm, source: Part, destination: Part, told: _core.Options) -> None:
        self._source, self._destination = source, destination
        self._core = _core.Redistribution(
            mpi.address(comm), source.layout._core, destination.layout._core, source.dtype.itemsize, told
        )
        self._place = Place(self._core.device, self._core.stream, told.get("memory"))

    def call(self, array: Any, out: Any) -> Call:
        return Call(array, out, self._place, self._source, self._destination, self._core.allocate_output)

    def run(self, call: Call) -> Any:
        self._core.run(call.source, call.destination, call)
        return call.finish()

    def close(self) -> None:
        self.closed = True
        self._core.close()

    def _abandon(self) -> None:
        """Never end it, for exits in which the other ranks may not end it too."""
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(self._core))


def redistributed(self: Cut, layout: LayoutName | Layout, **options: Any) -> Cut:
    """Give the same array cut otherwise; itself if it lies so already. Collective.

    Args:
        layout: ``slab``, ``pencil``, ``brick``, ``cyclic`` or a :class:`Layout`.
        options: as for :func:`redistribute`.
    """
    target = layout_for(layout, self.layout.shape, self.comm)
    if target == self.layout:
        return self
    local = redistribute(self.local, self.layout, target, self.comm, **options)
    made = self._wrap(local, self._part._moved(target), self.comm)
    made.attrs = dict(self.attrs)
    return made
