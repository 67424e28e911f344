"""A rank's part of an array: the form of its local array."""

from __future__ import annotations

import copy
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from .. import _core
from .._libraries import gpu_arrays
from .._libraries.array_libraries import as_array, library_of
from .._libraries.device_array import DeviceArray

if TYPE_CHECKING:
    from numpy.typing import DTypeLike, NDArray
    from typing_extensions import Self

    from .._libraries.gpu_arrays import Seen
    from .layout import Layout


def each_of(value: float | Sequence[float], count: int, what: str) -> list[float]:
    """Give a spacing or a length for each of ``count`` axes."""
    try:
        numbers = np.asarray(value, float)
    except (TypeError, ValueError):
        raise TypeError(f"{what} must be numbers, not {value!r}") from None
    if numbers.shape not in ((), (count,)):
        raise ValueError(f"{what} must be one number, or one for each of {count} axes, not {value!r}")
    values = [float(one) for one in np.broadcast_to(numbers, count)]
    if not all(0 < one < math.inf for one in values):
        raise ValueError(f"{what} must be finite and above 0, not {value}")
    return values


class Part:
    """The form of the local array of ``rank``; ``batched``: with an axis of the fields before the others."""

    _maker = "empty()"  #: the call that makes an array that fits

    def __init__(self, layout: Layout, dtype: np.dtype[Any], rank: int, fields: int, batched: bool) -> None:
        self.layout = layout
        self.dtype = dtype
        self.fields = fields
        self.rank = rank
        self.count = fields * layout.count(rank)
        self.nbytes = self.count * dtype.itemsize
        self.slices = layout.local(rank)
        local = layout.local_shape(rank)
        self._batched = batched
        self.shape = (fields, *local) if batched else local
        order = layout.order if self.slices is not None else (0,)
        # Axes of the local array from slowest to fastest in memory, and the place of each.
        self._order = (0, *(axis + 1 for axis in order)) if batched else tuple(order)
        self._places = tuple(np.argsort(self._order).tolist())
        self._memory_shape = tuple(self.shape[axis] for axis in self._order)
        self._in_order = self._places == tuple(range(len(self.shape)))
        steps = [math.prod(self._memory_shape[place + 1 :]) for place in range(len(self.shape))]
        self._steps = tuple(steps[place] for place in self._places)  #: strides in elements
        self._strides = tuple(dtype.itemsize * step for step in self._steps)  #: bytes
        self._alignment = dtype.alignment
        self._looks: dict[Any, _core.Look | None] = {}  #: see arrays of this form, of each library and device

    def __copy__(self) -> Self:
        made = object.__new__(type(self))
        made.__dict__.update(self.__dict__)
        return made

    def __deepcopy__(self, memo: object) -> Self:
        return copy.copy(self)

    def __reduce__(self) -> NoReturn:
        raise TypeError(f"a {type(self).__name__} cannot be pickled: pickle its layout, dtype and shape")

    def view(self, flat: NDArray[Any]) -> NDArray[Any]:
        """See a flat array of ``count`` elements as the local array; no copy."""
        return flat.reshape(self._memory_shape).transpose(self._places)

    def empty(self) -> NDArray[Any]:
        """Make a local NumPy array, not initialised."""
        return self.view(np.empty(self.count, self.dtype))

    def _empty_as(self, array: Any) -> Any:
        """Make one with the library of another array, on its device."""
        return library_of(array).new(array, self)

    def zeros(self) -> NDArray[Any]:
        """Make a local NumPy array of zeros."""
        return self.view(np.zeros(self.count, self.dtype))

    def asarray(self, x: Any) -> Any:
        """Give ``x`` in this side's dtype and memory order; a copy only if it has others.

        Arrays of other libraries stay on their device and keep their type; anything else becomes a NumPy array. Raises
        ValueError for an array of another shape, and TypeError for one whose numbers have no place in this dtype, as
        complex ones in float64.
        """
        array = as_array(x)
        library, shape, dtype = library_of(array), array.shape, gpu_arrays.dtype_of(array)
        if dtype == self.dtype and shape == self.shape and library.is_dense(array, self._order):
            return array
        if self.count == 0 and math.prod(shape) == 0:
            return self.empty() if isinstance(array, np.ndarray) else array  # no elements have no shape to refuse
        if shape != self.shape:
            raise ValueError(f"an array of shape {tuple(shape)} is no local array of shape {self.shape}")
        if not np.can_cast(dtype, self.dtype, "same_kind"):
            raise TypeError(f"an array of dtype {dtype} cannot become one of {self.dtype}")
        return library.convert(array, self._order, self.dtype)

    def would_fit(self, array: Seen) -> bool:
        """Whether the array can be used after a copy in this side's memory order, but not as it is."""
        alike = array.dtype.newbyteorder("=") == self.dtype and array.shape == self.shape and array.nbytes > 0
        return alike and not (array.dtype == self.dtype and self._is_dense(array))

    def note_copy(self) -> None:
        """Learn that a call had to copy its array."""

    def check(self, array: Seen, name: str, write: bool = False) -> None:
        """Raise TypeError or ValueError unless the array can be used as it is."""
        if array.dtype != self.dtype:
            raise TypeError(f"{name} must have dtype {self.dtype}, not {array.dtype}")
        if array.nbytes == self.nbytes == 0:
            return
        if array.shape != self.shape:
            raise ValueError(
                f"{name} must have the shape {self.shape} on rank {self.rank}, not {array.shape}"
                + self._advice(name, array.shape)
            )
        if not self._is_dense(array):
            advice = f"make it with {self._maker}" if write else "asarray() of the plan's input or output makes it so"
            raise ValueError(
                f"{name} must be dense in memory with its axes in the order {self._order} from slowest to fastest; "
                + advice
            )
        if write and not array.writeable:
            raise ValueError(f"{name} is read-only")

    def _advice(self, name: str, shape: tuple[int, ...]) -> str:
        """Say how an array of a wrong shape becomes a right one, if that is known."""
        return ""

    def _is_dense(self, array: Seen) -> bool:
        steps = zip(self.shape, array.strides, self._strides, strict=True)
        return array.address % self.dtype.alignment == 0 and all(n == 1 or step == own for n, step, own in steps)

    def _of_memory(self, memory: _core.Memory, pending: int = 0) -> Any:
        """See a plan's memory as an array in memory order: NumPy's, or a DeviceArray if it is a GPU's."""
        if memory.kind in ("device", "managed"):
            return DeviceArray(memory, self._memory_shape, self.dtype, None, pending)
        flat = memory.numpy()[: self.nbytes].view(self.dtype)  # it is longer for calls in place
        return flat[: self.count].reshape(self._memory_shape)

    def _placed(self, layout: Layout, dtype: np.dtype[Any], fields: int | None) -> Self:
        """The same of another layout, type or number of fields; None: without an axis for them."""
        made = copy.copy(self)
        Part.__init__(made, layout, dtype, self.rank, fields or 1, fields is not None)
        return made

    def _moved(self, layout: Layout) -> Self:
        return self._placed(layout, self.dtype, self.fields if self._batched else None)

    def _of_dtype(self, dtype: np.dtype[Any]) -> Self:
        return self._placed(self.layout, dtype, self.fields if self._batched else None)

    def _with_fields(self, fields: int | None) -> Self:
        return self._placed(self.layout, self.dtype, fields)

    def coordinates(self, spacing: float | Sequence[float] = 1.0, dtype: DTypeLike = None) -> tuple[NDArray[Any], ...]:
        """Positions of this rank's part, index times spacing: for each axis an array that broadcasts.

        All axes count, transformed or not. Points of cosine and sine transforms begin elsewhere: a plan's side has
        them (:meth:`points`).

        Args:
            spacing: distance between two samples; one number, or one for each axis.
            dtype: of the arrays; None is the real type of this part's.
        """
        steps = each_of(spacing, self.layout.ndim, "spacing")
        return tuple((self._indices(axis) * step).astype(self._real_type(dtype)) for axis, step in enumerate(steps))

    def points(self, length: float | Sequence[float], dtype: DTypeLike = None) -> tuple[NDArray[Any], ...]:
        """Positions of this rank's part in a domain, index times length / n: for each axis an array that broadcasts."""
        lengths = each_of(length, self.layout.ndim, "length")
        return self.coordinates([one / n for one, n in zip(lengths, self.layout.shape, strict=True)], dtype)

    def _real_type(self, dtype: DTypeLike) -> np.dtype[Any]:
        return np.empty(0, self.dtype).real.dtype if dtype is None else np.dtype(dtype)

    def _indices(self, axis: int) -> NDArray[np.int64]:
        """Global indices along an axis, in a shape that broadcasts to a field of this rank's part."""
        ndim = self.layout.ndim
        if self.slices is not None:
            part = self.slices[axis]
            shape = [-1 if other == axis else 1 for other in range(ndim)]
            return np.arange(part.start, part.stop, part.step, dtype=np.int64).reshape(shape)
        flat = np.empty(self.layout.count(self.rank), np.int64)
        for piece in self.layout.pieces(self.rank):
            shape = [len(range(part.start, part.stop, part.step)) for part in piece.slices]
            strides = [stride * flat.itemsize for stride in piece.strides]
            part = piece.slices[axis]
            index = np.arange(part.start, part.stop, part.step)
            view = np.lib.stride_tricks.as_strided(flat[piece.offset :], shape, strides)
            view[...] = index.reshape([-1 if other == axis else 1 for other in range(ndim)])
        return flat
