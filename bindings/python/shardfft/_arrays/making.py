"""How arrays that are cut over ranks come about, and how they become whole."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from .._ground import mpi
from .._ground.arguments import axis_of, integer, no_communicator, shape_of
from .._layouts.cut_array import CutArray
from .._layouts.infer import check_layout, identity, layout_for, layout_of
from .._layouts.layout import Layout
from .._layouts.part import Part
from .._libraries.array_libraries import as_array, numpy_array
from .._libraries.gpu_arrays import dtype_of
from .distribute import gathered, root_of, scatter, shaped, views

if TYPE_CHECKING:
    from mpi4py import MPI
    from numpy.typing import ArrayLike, DTypeLike, NDArray

    from .._ground.words import LayoutName

Array = TypeVar("Array", bound=CutArray)
_MESSAGE_BYTES = 1 << 30
_LISTED_RANKS = 8
_DIFFERENT = "the ranks gave different shapes, layouts or types"


def _identity(part: Part) -> str:
    return f"{part.fields if part._batched else 'no'} components of {part.dtype} in {identity(part.layout)}"


def _count(components: int | None) -> int | None:
    if components is None:
        return None
    number = integer(components, "components")
    if number < 1:
        raise ValueError(f"components must be 1 at least, or None for a scalar field, not {number}")
    return number


def _side_or_layout(shape: Any, layout: LayoutName | Layout, components: int | None, comm: MPI.Comm) -> Part:
    """The part of this rank: of a plan's side, or of an array of a shape."""
    count = _count(components)
    if isinstance(shape, Part):
        return shape if count is None else shape._with_fields(count)
    made = layout_for(layout, shape_of(shape), comm)
    return Part(made, np.dtype(float), comm.rank, count or 1, count is not None)


def from_local(
    cls: type[Array],
    local: Any,
    comm: MPI.Comm | None = None,
    layout: LayoutName | Layout | None = None,
    *,
    axis: int = 0,
    components: bool = False,
) -> Array:
    """Make an array of the ranks' blocks, which are not copied. Collective.

    Args:
        local: this rank's block, of NumPy, CuPy, PyTorch or JAX.
        comm: an mpi4py communicator; None is ``MPI.COMM_WORLD``.
        layout: how the array is cut: ``slab``, ``pencil``, ``brick``, ``cyclic`` or a :class:`Layout`; None: along
            ``axis`` in the order of the ranks, each with as many indices as it gives.
        axis: the cut axis, if there is no layout; of a vector field not counting that of the components.
        components: whether the block's first axis counts the components of a vector field.

    Raises:
        ValueError: on every rank if the blocks cannot be combined.
    """
    comm = mpi.communicator(comm)

    def look() -> tuple[Any, tuple[int, ...], int]:
        array = as_array(local)
        shape = tuple(array.shape)
        if len(shape) < 1 + components:
            raise ValueError(f"a block of shape {shape} has no axis to cut")
        inner = shape[1:] if components else shape
        return array, inner, axis_of(axis, len(inner))

    array, inner, cut = mpi.agree(comm, look)
    made = layout_of(inner, layout, comm, cut)
    fields = array.shape[0] if components else None

    def check() -> tuple[Part, Any]:
        check_layout(made, comm)
        part = Part(made, dtype_of(array), comm.rank, fields or 1, components)
        both_empty = 0 in part.shape and 0 in array.shape
        if fields == 0 or (part.shape != tuple(array.shape) and not both_empty):
            raise ValueError(
                f"the block of rank {comm.rank} must have the shape {part.shape}, not {tuple(array.shape)}"
            )
        return part, (str(part.dtype), fields)

    part = mpi.agree_same(comm, check, "the ranks' blocks differ in dtype or components")
    return cls._wrap(array if tuple(array.shape) == part.shape else array.reshape(part.shape), part, comm)


def from_global(
    cls: type[Array],
    array: ArrayLike | None,
    comm: MPI.Comm | None = None,
    layout: LayoutName | Layout = "slab",
    *,
    root: int | None = None,
    components: bool = False,
) -> Array:
    """Cut a whole array: each rank copies its part of the one it has, or ``root`` deals out the one it alone has.

    Collective.

    Args:
        array: the whole array, on all ranks; with ``root`` on that rank.
        comm: an mpi4py communicator; None is ``MPI.COMM_WORLD``.
        layout: how to cut it: ``slab``, ``pencil``, ``brick``, ``cyclic`` or a :class:`Layout`.
        root: the rank that has it; None: all have it.
        components: whether its first axis counts the components of a vector field.
    """
    comm = mpi.communicator(comm)
    owner = None if root is None else mpi.agree(comm, lambda: root_of(root, comm))

    def look() -> tuple[int, ...]:
        if owner is not None and comm.rank != owner:
            return ()
        return numpy_array(array).shape

    said = "the ranks gave whole arrays of different shapes"
    shape = mpi.agree_same(comm, lambda: ((mine := look()), mine if owner is None else None), said)
    shape = shape if owner is None else comm.bcast(shape, root=owner)

    def cut() -> tuple[Layout, str]:
        found = layout_for(layout, shape[1:] if components else shape, comm)
        return found, identity(found)

    made = mpi.agree_same(comm, cut, _DIFFERENT)
    if owner is not None:
        local = scatter(array, made, comm, owner)  # type: ignore[arg-type]
    else:
        part = Part(made, np.dtype(float), comm.rank, shape[0] if components else 1, components)
        local = _taken(numpy_array(array), part)
    return cls._wrap(local, Part(made, local.dtype, comm.rank, shape[0] if components else 1, components), comm)


def _taken(whole: NDArray[Any], part: Part) -> NDArray[Any]:
    """Copy a rank's part of a whole array."""
    flat = np.empty((part.fields, part.layout.count(part.rank)), whole.dtype)
    by_field = whole if part._batched else whole[None]
    for slices, view in views(flat, part.layout, part.rank):
        view[...] = by_field[slices]
    return shaped(flat, part.layout, part.rank, part._batched)


def zeros(
    cls: type[Array],
    shape: int | Sequence[int] | Part,
    dtype: DTypeLike = None,
    comm: MPI.Comm | None = None,
    layout: LayoutName | Layout = "slab",
    *,
    components: int | None = None,
) -> Array:
    """Make an array of zeros in host memory.

    Args:
        shape: of the whole array without its components, 1 to 4 extents; or a side of a plan, as ``plan.input``.
        dtype: type of one element; None is float64, or the side's type.
        comm: an mpi4py communicator; None is ``MPI.COMM_WORLD``.
        layout: how it is cut: ``slab``, ``pencil``, ``brick``, ``cyclic`` or a :class:`Layout`.
        components: extent of an axis of components before the others; None for a scalar field.
    """
    comm = mpi.communicator(comm)

    def ask() -> tuple[Part, str]:
        no_communicator(dtype, "dtype is a type of numbers")
        part = _side_or_layout(shape, layout, components, comm)
        part = part._of_dtype(np.dtype(part.dtype if dtype is None else dtype))
        return part, _identity(part)

    part = mpi.agree_same(comm, ask, _DIFFERENT)
    return cls._wrap(part.zeros(), part, comm)


def from_function(
    cls: type[Array],
    function: Callable[..., ArrayLike],
    shape: int | Sequence[int] | Part,
    comm: MPI.Comm | None = None,
    layout: LayoutName | Layout = "slab",
    *,
    lengths: float | Sequence[float] | None = None,
    dtype: DTypeLike = None,
    components: int | None = None,
) -> Array:
    """Make an array from a function of its points.

    Args:
        function: is called once on each rank with an array for each axis, which broadcast to its block; of a vector
            field it gives a sequence of its components.
        shape: of the whole array without its components, 1 to 4 extents; or a side of a plan, whose transforms
            set the positions of the points.
        comm: an mpi4py communicator; None is ``MPI.COMM_WORLD``.
        layout: how it is cut: ``slab``, ``pencil``, ``brick``, ``cyclic`` or a :class:`Layout`.
        lengths: of the domain, one number or one for each axis: the function gets positions (``points``); None: it gets
            the indices, as in ``numpy.fromfunction``.
        dtype: type of one element; None is the function's own.
        components: how many there are; None for a scalar field.

    Raises:
        ValueError: on every rank if the function gives something else.
    """
    comm = mpi.communicator(comm)

    def ask() -> tuple[tuple[NDArray[Any], Part], str]:
        part = _side_or_layout(shape, layout, components, comm)
        indices = [part._indices(axis) for axis in range(part.layout.ndim)]
        given = function(*(indices if lengths is None else part.points(lengths, np.float64)))
        fields = list(given) if part._batched else [given]  # type: ignore[arg-type]
        if len(fields) != part.fields:
            raise ValueError(f"the function gave {len(fields)} components, not {part.fields}")
        block = part.shape[1:] if part._batched else part.shape
        try:
            blocks = [np.broadcast_to(numpy_array(one), block) for one in fields]
        except ValueError:
            raise ValueError(f"the function gave numbers that do not broadcast to this rank's block {block}") from None
        kind = np.result_type(*blocks) if dtype is None else np.dtype(dtype)
        part = part._of_dtype(kind)
        local = part.empty()
        local[...] = np.stack(blocks) if part._batched else blocks[0]
        return (local, part), _identity(part)

    local, part = mpi.agree_same(comm, ask, _DIFFERENT)
    return cls._wrap(local, part, comm)


def gather_all(self: CutArray, root: int | None = None) -> NDArray[Any] | None:
    """Give the whole array as one of NumPy: on all ranks, or on rank ``root`` and None elsewhere. Collective."""
    array = self
    word = "gather to all" if root is None else "gather"
    whole = gathered(array.local, array.layout, array.comm, 0 if root is None else root, word)
    if root is not None:
        return whole
    if whole is None:
        whole = np.empty(array.shape, array.dtype)
    raw = whole.reshape(-1).view(np.uint8)
    for start in range(0, raw.size, _MESSAGE_BYTES):
        array.comm.Bcast(raw[start : start + _MESSAGE_BYTES], root=0)
    return whole


def owners(array: CutArray) -> str:
    """List the parts of the first ranks."""
    layout = array.layout
    lines = [f"{layout._core.describe()} over {layout.ranks} rank{'s' if layout.ranks > 1 else ''}"]
    for rank in range(min(layout.ranks, _LISTED_RANKS)):
        slices = layout.local(rank)
        cuts = f"{layout.count(rank)} elements in several pieces"
        if slices is not None:
            cuts = "[" + ", ".join(_text(part) for part in slices) + "]" if layout.count(rank) else "nothing"
        lines.append(f"  rank {rank}: {cuts}" + (" (here)" if rank == array.rank else ""))
    if layout.ranks > _LISTED_RANKS:
        lines.append(f"  ... and {layout.ranks - _LISTED_RANKS} more")
    return "\n".join(lines)


def _text(part: slice) -> str:
    return f"{part.start}:{part.stop}" + (f":{part.step}" if part.step > 1 else "")
