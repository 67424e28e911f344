"""One side of a plan: what a rank's arrays must look like."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _core, _gpu_arrays
from ._array_libraries import as_array, library_of
from ._device_array import DeviceArray
from ._layout import Layout

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ._gpu_arrays import Seen

_DTYPES = {
    (_core.Precision.f32, False): np.dtype(np.float32),
    (_core.Precision.f32, True): np.dtype(np.complex64),
    (_core.Precision.f64, False): np.dtype(np.float64),
    (_core.Precision.f64, True): np.dtype(np.complex128),
}


class Side:
    """One side of a plan, as this rank sees it: what its local array must look like.

    Attributes:
        layout: which rank owns what.
        dtype: type of one element.
        fields: arrays transformed together; more than 1 puts a slowest axis before the others.
        rank: this rank.
        slices: the part of the global array that is here; None when it is not one product of slices.
        shape: shape of the local array, with the axis of the fields if there is one.
        count, nbytes: its elements and bytes.
    """

    def __init__(self, core: _core.Side, precision: _core.Precision) -> None:
        self.layout = Layout._wrap(core.layout)
        self.dtype = dtype = _DTYPES[precision, core.is_complex]
        self.fields = core.fields
        self.rank = core.rank
        self.count = core.count
        self.nbytes = core.count * dtype.itemsize
        self.slices = self.layout.local(self.rank)
        self._batched = self.fields > 1
        local = self.layout.local_shape(self.rank)
        self.shape = (self.fields, *local) if self._batched else local
        order = self.layout.order if self.slices is not None else (0,)
        # Axes of the local array from slowest to fastest in memory, and where they are found there.
        self._order = (0, *(axis + 1 for axis in order)) if self._batched else tuple(order)
        self._places = tuple(np.argsort(self._order).tolist())
        self._memory_shape = tuple(self.shape[axis] for axis in self._order)

    def view(self, flat: NDArray[Any]) -> NDArray[Any]:
        """See a flat array of ``count`` elements as the local array; no copy."""
        return flat.reshape(self._memory_shape).transpose(self._places)

    def empty(self) -> NDArray[Any]:
        """Make a local NumPy array, not initialised."""
        return self.view(np.empty(self.count, self.dtype))

    def zeros(self) -> NDArray[Any]:
        """Make a local NumPy array of zeros."""
        return self.view(np.zeros(self.count, self.dtype))

    def asarray(self, x: Any) -> Any:
        """Give ``x`` in this side's type and memory order, copied only if it is not so already.

        Arrays of other libraries stay where they are and of their kind; anything else becomes a NumPy array.
        """
        array = as_array(x)
        library, shape = library_of(array), tuple(array.shape)
        if self.count == 0 and math.prod(shape) == 0:
            return self.empty() if isinstance(array, np.ndarray) else array  # no elements have no shape to refuse
        if shape != self.shape:
            raise ValueError(f"an array of shape {shape} is no local array of shape {self.shape}")
        if _gpu_arrays.dtype_of(array) == self.dtype and library.is_dense(array, self._order):
            return array
        return library.convert(array, self._order, self.dtype)

    def check(self, array: Seen, name: str, write: bool = False) -> None:
        """Raise TypeError or ValueError unless the array can be used as it is."""
        if array.dtype != self.dtype:
            raise TypeError(f"{name} must have dtype {self.dtype}, not {array.dtype}")
        if array.nbytes == self.nbytes == 0:
            return
        if array.shape != self.shape:
            raise ValueError(f"{name} must have the shape {self.shape} on rank {self.rank}, not {array.shape}")
        if not self._is_dense(array):
            raise ValueError(
                f"{name} must be dense in memory with its axes in the order {self._order} from slowest to fastest; "
                "asarray() of the plan's input or output makes it so"
            )
        if write and not array.writeable:
            raise ValueError(f"{name} is read-only")

    def _is_dense(self, array: Seen) -> bool:
        step = self.dtype.itemsize
        for axis in reversed(self._order):
            if array.shape[axis] > 1 and array.strides[axis] != step:
                return False
            step *= array.shape[axis]
        return array.address % self.dtype.alignment == 0

    def _of_memory(self, memory: _core.Memory, pending: int = 0) -> Any:
        """See a plan's memory as an array in memory order: NumPy's, or a DeviceArray where it is a GPU's."""
        if memory.kind in ("device", "managed"):
            return DeviceArray(memory, self._memory_shape, self.dtype, None, pending)
        return memory.numpy(self.dtype.kind == "c", self.dtype.itemsize).reshape(self._memory_shape)

    def __repr__(self) -> str:
        return f"<shardfft.Side {self.dtype}, {self.shape} on rank {self.rank}, {self.layout!r}>"
