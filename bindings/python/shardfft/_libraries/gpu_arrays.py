"""Type and place of an array of any library, from DLPack or ``__cuda_array_interface__``."""

from __future__ import annotations

import functools
import math
from typing import Any, NamedTuple

import numpy as np

from .. import _core
from . import streams

# DLPack's words for an array's memory, and for its numbers.
_CPU, GPU, _PINNED, _MANAGED = 1, 2, 3, 13
KINDS = {0: "i", 1: "u", 2: "f", 5: "c", 6: "b"}

#: DLPack's word for "no order of streams is asked for".
NO_ORDER = -1


class Seen(NamedTuple):
    """An array, for code that only needs its address."""

    address: int
    shape: tuple[int, ...]
    strides: tuple[int, ...]  #: bytes
    dtype: np.dtype[Any]
    writeable: bool = True

    @property
    def nbytes(self) -> int:
        """Bytes of all elements."""
        return math.prod(self.shape) * self.dtype.itemsize

    def transpose(self, axes: tuple[int, ...]) -> Seen:
        """See the same memory with its axes in another order."""
        shape, strides = (tuple(values[axis] for axis in axes) for values in (self.shape, self.strides))
        return self._replace(shape=shape, strides=strides)


def refuse_mask(x: Any, name: str = "an array") -> None:
    """Raise TypeError if elements of a NumPy array are masked: numbers under the mask would be taken for data."""
    if isinstance(x, np.ma.MaskedArray) and 1 in np.ma.getmask(x).tobytes():
        raise TypeError(f"{name} has masked elements, which cannot be left out: fill them first")


def is_array(x: Any) -> bool:
    """Whether ``x`` is an array that a plan can use in place."""
    return isinstance(x, np.ndarray) or _speaks_dlpack(x) or hasattr(x, "__cuda_array_interface__")


def _speaks_dlpack(x: Any) -> bool:
    return hasattr(x, "__dlpack__") and hasattr(x, "__dlpack_device__")


def device_of(x: Any) -> int | None:
    """Give the GPU that an array lies on; None for host memory."""
    if isinstance(x, np.ndarray):
        return None
    if _speaks_dlpack(x):
        kind, number = x.__dlpack_device__()
        return int(number) if int(kind) in (GPU, _MANAGED) else None
    place, number = _core.memory_place(x.__cuda_array_interface__["data"][0] or 0)
    return None if place == "pinned" else max(number, 0)


def dtype_of(x: Any) -> np.dtype[Any]:
    """Give NumPy's type for the elements of an array of any library."""
    dtype = getattr(x, "dtype", None)
    if dtype is None:
        return np.dtype(x.__cuda_array_interface__["typestr"])
    return dtype if isinstance(dtype, np.dtype) else numpy_type(dtype)


@functools.cache
def numpy_type(dtype: Any) -> np.dtype[Any]:
    """Give NumPy's type for one of another library's."""
    try:
        return np.dtype(dtype)
    except TypeError:  # PyTorch has types of its own
        return np.dtype(str(dtype).rpartition(".")[2])


def see(x: Any, name: str, device: int, stream: int) -> Seen:
    """Describe an array for a plan on GPU ``device``, or on CPUs (-1).

    Later work of ``stream`` begins after the work on the array that its library has under way: DLPack has
    the library do that, ``__cuda_array_interface__`` tells the stream to wait for.
    """
    if isinstance(x, np.ndarray):
        refuse_mask(x, name)
        return Seen(x.ctypes.data, x.shape, x.strides, x.dtype, x.flags.writeable)
    if _speaks_dlpack(x):
        return _see_dlpack(x, name, device, stream)
    if hasattr(x, "__cuda_array_interface__"):
        return _see_interface(x.__cuda_array_interface__, name, device, stream)
    raise TypeError(
        f"{name} must be a NumPy array, or one with DLPack or __cuda_array_interface__, not {type(x).__name__}"
    )


def _check_device(name: str, there: int, device: int) -> None:
    if device < 0:
        raise TypeError(f"{name} lies on GPU {there}, but the plan runs on CPUs: plan with processor='gpu'")
    if there != device:
        raise ValueError(f"{name} lies on GPU {there}, but the plan runs on GPU {device} here")


def _see_dlpack(x: Any, name: str, device: int, stream: int) -> Seen:
    kind, number = (int(word) for word in x.__dlpack_device__())
    if kind in (_CPU, _PINNED):
        capsule = x.__dlpack__()
    elif kind in (GPU, _MANAGED):
        _check_device(name, device if kind == _MANAGED and device >= 0 else number, device)
        # Libraries mean the current stream of the current GPU, and some refuse arrays of another one.
        with streams.current_gpu(number):
            capsule = x.__dlpack__(stream=stream)
    else:
        raise TypeError(f"{name} lies on a device that plans cannot use (number {kind} in DLPack)")
    address, shape, steps, (code, bits, lanes), _ = _core.inspect(capsule)
    if code not in KINDS or lanes != 1 or bits % 8 != 0:
        raise TypeError(f"{name} has elements that plans cannot use: {getattr(x, 'dtype', 'unknown')}")
    dtype = np.dtype(f"{KINDS[code]}{bits // 8}")
    return Seen(address, shape, tuple(step * dtype.itemsize for step in steps), dtype)


def _see_interface(interface: dict[str, Any], name: str, device: int, stream: int) -> Seen:
    if interface.get("mask") is not None:
        raise TypeError(f"{name} has a mask, and plans do not support masks")
    address, fixed = interface["data"]
    shape, dtype = tuple(interface["shape"]), np.dtype(interface["typestr"])
    place, there = _core.memory_place(address or 0)
    if device < 0 or place == "device":
        _check_device(name, max(there, 0), device)
    strides = interface.get("strides")
    if strides is None:
        strides = (math.prod(shape[axis + 1 :]) * dtype.itemsize for axis in range(len(shape)))
    # Before version 3 nothing was told: the default stream waits for all others that do not say otherwise.
    earlier = interface.get("stream") if interface.get("version", 0) >= 3 else streams.LEGACY
    if earlier is not None and stream != NO_ORDER:
        _core.order_streams(device, earlier, stream)
    return Seen(address or 0, shape, tuple(strides), dtype, not fixed)
