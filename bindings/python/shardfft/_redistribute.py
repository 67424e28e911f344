"""Arrays change their layout without a transform."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar, overload

from . import _core, _distribute, _mpi, _options
from ._array_libraries import as_array
from ._call import Call, Place
from ._gpu_arrays import device_of, dtype_of
from ._infer import layout_of, processor_of
from ._layout import Layout, named
from ._part import Part

if TYPE_CHECKING:
    from mpi4py import MPI
    from numpy.typing import NDArray

    from ._words import LayoutName

Array = TypeVar("Array")


@overload
def redistribute(
    local: NDArray[Any],
    start: LayoutName | Layout | None,
    to: LayoutName | Layout,
    comm: MPI.Comm | None = None,
    **options: Any,
) -> NDArray[Any]: ...
@overload
def redistribute(
    local: Array,
    start: LayoutName | Layout | None,
    to: LayoutName | Layout,
    comm: MPI.Comm | None = None,
    **options: Any,
) -> Array: ...
def redistribute(
    local: Any,
    start: LayoutName | Layout | None,
    to: LayoutName | Layout,
    comm: MPI.Comm | None = None,
    **options: Any,
) -> Any:
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
    comm = _mpi.communicator(comm)

    def look() -> tuple[Any, int | None]:
        array = as_array(local)
        return array, device_of(array)

    array, device = _mpi.agree(comm, look)
    options = {**processor_of(comm.allgather(device is not None), device), **options}
    cut = layout_of(array.shape, start, comm)

    def prepare() -> tuple[Part, Part, _core.Options]:
        target = to if isinstance(to, Layout) else named(to, cut.shape, comm.size)
        for layout in (cut, target):
            _distribute._check_layout(layout, comm)
        dtype = dtype_of(array)
        _distribute._check_dtype(dtype)
        fields, batched = _distribute._fields(array.shape, cut, comm.rank)
        source, destination = (Part(layout, dtype, comm.rank, fields, batched) for layout in (cut, target))
        return source, destination, _options.convert({**options, "batch": fields})

    source, destination, told = _mpi.agree(comm, prepare)
    dtypes = set(comm.allgather(str(source.dtype)))
    if len(dtypes) != 1:
        raise ValueError(f"the ranks' arrays differ in dtype: {sorted(dtypes)}")
    planned = _core.Redistribution(_mpi.address(comm), cut._core, destination.layout._core, source.dtype.itemsize, told)
    try:
        place = Place(planned.device, planned.stream, told.get("memory"))
        call = _mpi.agree(comm, lambda: Call(place, array, None, source, destination, planned.allocate_output))
        planned.run(call.source, call.destination, call)
    finally:
        planned.close()
    return call.finish()
