"""Numbers of a whole array that is cut over ranks. All of them are collective."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from .._ground import mpi
from .._ground.arguments import axes_of, axis_of
from .._ground.naming import named
from .._layouts.alike import check_alike
from .._layouts.infer import identity
from .._libraries.array_libraries import host_array, library_of
from .distribute import views

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from .._layouts.cut_array import CutArray

Axis = int | Sequence[int] | None


#: The known reductions, and the methods of arrays on GPUs for them.
_KNOWN = {
    np.add: "sum",
    np.multiply: "prod",
    np.minimum: "min",
    np.maximum: "max",
    np.logical_or: "any",
    np.logical_and: "all",
}

#: Calls that join all numbers only.
_OF_ALL = ("var", "std")


def _first(ufunc: np.ufunc, dtype: np.dtype[Any]) -> Any:
    """The neutral element of a reduction."""
    if ufunc not in (np.minimum, np.maximum):
        return ufunc.identity
    if dtype.kind == "b":
        return ufunc is np.minimum
    if dtype.kind in "mM":
        return np.array(np.iinfo(np.int64).max * (1 if ufunc is np.minimum else -1)).view(dtype)
    limits = (-np.inf, np.inf) if dtype.kind == "f" else (np.iinfo(dtype).min, np.iinfo(dtype).max)
    return limits[ufunc is np.minimum]


def wide(array: CutArray) -> Any:
    """The array in a type whose means and squares overflow only if NumPy's do."""
    half = array.dtype == np.float16
    if not half and array.dtype.kind not in "biu":
        return array
    return array.astype(np.float32 if half or not library_of(array.local).has_double() else np.float64)


def _narrow(value: Any, array: CutArray) -> Any:
    """A result of ``wide``, in half precision if the array is."""
    return np.asarray(value).astype(np.float16)[()] if array.dtype == np.float16 else value


def reduce(array: CutArray, ufunc: np.ufunc, axis: Axis, name: str | None = None) -> Any:
    """Join all numbers, or those along some axes; the result is the same on all ranks, a number or a NumPy array.

    Raises on every rank unless all give like arrays, the same axes and the same ``name`` of the call.
    """

    def mine() -> tuple[None, tuple[str, NDArray[Any]]]:
        if axis is not None and name in _OF_ALL:
            raise NotImplementedError(f"{name} is that of all numbers; along axes take mean(axis)")
        gone = range(array.ndim) if axis is None else axes_of(axis)
        if ufunc not in _KNOWN:
            raise TypeError(f"{ufunc.__name__}.reduce has no version for arrays over ranks")
        axes = tuple(sorted({axis_of(one, array.ndim) for one in gone}))
        kind = ufunc.reduce(np.empty(1, array.dtype)).dtype
        if kind.kind == "c" and ufunc in (np.minimum, np.maximum):
            raise TypeError("complex numbers have no order")
        said = f"{name or _KNOWN[ufunc]} along axes {axes} of {array.components or 'no'} components of {kind} in "
        return None, (said + identity(array.layout), joined(axes, kind))

    def joined(axes: tuple[int, ...], kind: np.dtype[Any]) -> NDArray[Any]:
        left = [axis for axis in range(array.ndim) if axis not in axes]
        library = library_of(array.local)
        if not left and library.computes and not isinstance(array.local, np.ndarray) and 0 not in array.local.shape:
            # On the processor of the array: one number comes from the GPU.
            return host_array(getattr(library.refuse_gradients(array.local), _KNOWN[ufunc])()).astype(kind)
        block = host_array(array.local)
        result = np.full([array.shape[axis] for axis in left], _first(ufunc, kind), kind)
        for slices, view in _pieces(block, array):
            into = result[(*(slices[axis] for axis in left), ...)]
            ufunc(into, ufunc.reduce(view, axis=axes), out=into)
        return result

    _, told = mpi.meet(array.comm, mine)
    mpi.require_same([said for said, _ in told], "the ranks asked for different numbers")
    return ufunc.reduce(np.stack([numbers for _, numbers in told]), axis=0)


def _pieces(block: NDArray[Any], array: CutArray) -> list[tuple[tuple[slice, ...], NDArray[Any]]]:
    """This rank's pieces as views, and their places in the whole array."""
    part = array._part
    if part.slices is not None:
        lead = (slice(None),) if part._batched else ()
        return [((*lead, *part.slices), block)] if block.size else []
    found = views(block if part._batched else block[None], part.layout, part.rank)
    return found if part._batched else [(slices[1:], view[0]) for slices, view in found]


def _joining(name: str, ufunc: np.ufunc, says: str) -> Callable[..., Any]:
    def function(self: CutArray, axis: Axis = None) -> Any:
        return reduce(self, ufunc, axis)

    return named(function, name, f"{says}, or those along some axes: a number, or a NumPy array. Collective.")


sum = _joining("sum", np.add, "Add up all numbers")
prod = _joining("prod", np.multiply, "Multiply all numbers")
min = _joining("min", np.minimum, "Find the smallest number")
max = _joining("max", np.maximum, "Find the largest number")
any = _joining("any", np.logical_or, "Whether a number is not zero, of all")
all = _joining("all", np.logical_and, "Whether no number is zero, of all")


def _mean(array: CutArray, axis: Axis, name: str) -> Any:
    added = reduce(wide(array), np.add, axis, name)
    return added / (array.size // np.size(added))


def mean(self: CutArray, axis: Axis = None) -> Any:
    """Give the mean of all numbers, or of those along some axes. Collective."""
    return _narrow(_mean(self, axis, "mean"), self)


def _variance(self: CutArray, axis: Axis, name: str) -> Any:
    array = wide(self)
    return _narrow(_mean(abs(array - _mean(array, axis, name)) ** 2, None, name), self)


def var(self: CutArray, axis: Axis = None) -> Any:
    """Give the mean square of the distance from the mean, of all numbers. Collective."""
    return _variance(self, axis, "var")


def std(self: CutArray, axis: Axis = None) -> Any:
    """Give the square root of :meth:`var`. Collective."""
    return np.sqrt(_variance(self, axis, "std"))


def vdot(self: CutArray, other: CutArray) -> Any:
    """Add up conj(self) * other. Collective."""
    mpi.agree(self.comm, lambda: check_alike(self, other))
    return reduce(self.conj() * other, np.add, None, "vdot")


def norm(self: CutArray) -> Any:
    """Give the square root of the sum of squares. Collective."""
    return _narrow(np.sqrt(reduce(abs(wide(self)) ** 2, np.add, None, "norm")), self)
