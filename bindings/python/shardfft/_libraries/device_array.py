"""Arrays in GPU memory of plans, for other libraries to use."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from .. import _core
from . import gpu_arrays, streams

_KINDS = {kind: code for code, kind in gpu_arrays.KINDS.items()}


class DeviceArray:
    """An array in a plan's GPU memory, for other libraries to use.

    ``cupy.asarray``, ``cupy.from_dlpack``, ``torch.from_dlpack``, ``jax.numpy.from_dlpack``, Numba and all others that
    know DLPack or ``__cuda_array_interface__`` use the memory in place, and keep it as long as they need it.

    Attributes:
        shape, strides: extents, and bytes between neighbours, one for each axis.
        dtype: type of one element.
        device: the GPU's number.

    Example:
        >>> import shardfft
        >>> with shardfft.plan((64, 64), processor="gpu") as plan:  # doctest: +SKIP
        ...     x = plan.allocate_input()
    """

    def __init__(
        self,
        memory: _core.Memory,
        shape: Sequence[int],
        dtype: np.dtype[Any],
        steps: Sequence[int] | None = None,
        pending: int = 0,
    ) -> None:
        self._memory = memory
        self._pending = pending  # the stream whose work now will write it; 0 for none
        self._steps = tuple(_dense_steps(shape) if steps is None else steps)  # strides in elements
        self.shape = tuple(shape)
        self.dtype = dtype
        self.device = memory.device

    @property
    def strides(self) -> tuple[int, ...]:
        """Bytes between neighbours, one an axis."""
        return tuple(step * self.dtype.itemsize for step in self._steps)

    @property
    def ndim(self) -> int:
        """Number of axes."""
        return len(self.shape)

    @property
    def size(self) -> int:
        """Number of elements."""
        return math.prod(self.shape)

    @property
    def nbytes(self) -> int:
        """Bytes of all elements."""
        return self.size * self.dtype.itemsize

    def transpose(self, axes: Sequence[int]) -> DeviceArray:
        """Show the same memory with its axes in another order."""
        shape, steps = ([values[axis] for axis in axes] for values in (self.shape, self._steps))
        return DeviceArray(self._memory, shape, self.dtype, steps, self._pending)

    def reshape(self, *shape: int) -> DeviceArray:
        """Show the same memory, dense in C order, in another shape."""
        if math.prod(shape) != self.size or (self.size > 0 and self._steps != _dense_steps(self.shape)):
            raise ValueError(f"an array of shape {self.shape} and strides {self.strides} cannot be seen as {shape}")
        return DeviceArray(self._memory, shape, self.dtype, None, self._pending)

    def __dlpack_device__(self) -> tuple[int, int]:
        return (gpu_arrays.GPU, self.device)

    def __dlpack__(
        self,
        *,
        stream: int | None = None,
        max_version: tuple[int, int] | None = None,
        dl_device: tuple[int, int] | None = None,
        copy: bool | None = None,
    ) -> Any:
        if copy or (dl_device is not None and tuple(dl_device) != self.__dlpack_device__()):
            raise BufferError("a shardfft.DeviceArray cannot move its memory to another device")
        if self._pending and stream != -1:
            _core.order_streams(self.device, self._pending, streams.LEGACY if stream is None else stream)
        if self.dtype.kind not in _KINDS:
            raise BufferError(f"DLPack has no type for elements of {self.dtype}")
        return self._memory.dlpack(_KINDS[self.dtype.kind], self.dtype.itemsize, self.shape, self._steps)

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        return {
            "shape": self.shape,
            "typestr": self.dtype.str,
            "data": (self._memory.address if self.size else 0, False),
            "strides": self.strides,
            "version": 3,
            "stream": self._pending or None,
        }

    def __repr__(self) -> str:
        return f"<shardfft.DeviceArray {self.dtype}, {self.shape} on GPU {self.device}>"


def _dense_steps(shape: Sequence[int]) -> tuple[int, ...]:
    return tuple(math.prod(shape[axis + 1 :]) for axis in range(len(shape)))
