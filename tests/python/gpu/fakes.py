"""Libraries that do not exist, with arrays on the stand-in's devices, whose memory plain host code can read."""

import ctypes
import types
from pathlib import Path

import numpy as np

import shardfft
from shardfft import _core

_standin = None
_pinned = []  # sources of copies that may not have been made yet


def standin():
    global _standin
    if _standin is None:
        _standin = ctypes.CDLL(str(Path(_core.__file__).parent.parent / "libstandin_for_python.so"))
        size, address, integer = ctypes.c_size_t, ctypes.c_void_p, ctypes.c_int
        _standin.standin_stream.restype, _standin.standin_stream.argtypes = address, [integer]
        _standin.standin_memory.restype = address
        _standin.standin_memory.argtypes = [ctypes.c_char_p, integer, size]
        _standin.standin_copy.argtypes = [address, address, size, integer, address]
    return _standin


def make_stream(device=0):
    return standin().standin_stream(device)


def make_memory(kind, device, nbytes):
    """Address of memory that nobody frees."""
    return standin().standin_memory(kind.encode(), device, max(nbytes, 1))


def host_view(address, shape, strides, dtype):
    """See memory of a fake device as a NumPy array."""
    dtype = np.dtype(dtype)
    if 0 in shape:
        return np.empty(shape, dtype)
    span = sum((n - 1) * step for n, step in zip(shape, strides, strict=True)) + dtype.itemsize
    raw = np.ctypeslib.as_array((ctypes.c_uint8 * span).from_address(address))
    return np.lib.stride_tricks.as_strided(raw[: dtype.itemsize].view(dtype), shape, strides)


def put(array, values):
    """Write values into an array of a fake device while nothing is under way on it."""
    seen = array.__cuda_array_interface__
    host_view(seen["data"][0], seen["shape"], seen["strides"], seen["typestr"])[...] = values
    return array


def to_numpy(array):
    """Copy any array to the host; no work on it may be under way."""
    if isinstance(array, np.ndarray):
        return array.copy()
    seen = array.__cuda_array_interface__
    return host_view(seen["data"][0], seen["shape"], seen["strides"], seen["typestr"]).copy()


class PlainArray:
    """Dense numbers in device memory, with nothing under way."""

    def __init__(self, values, device):
        self.shape, self.dtype, self.device = values.shape, values.dtype, device
        self.__cuda_array_interface__ = {
            "shape": self.shape,
            "typestr": self.dtype.str,
            "data": (make_memory("device", device, values.nbytes), False),
            "strides": np.empty(self.shape, self.dtype).strides,
            "version": 3,
        }
        put(self, values)


class FakeArray:
    """An array in device memory; writes are work on the stream that was its library's current one when it was made."""

    def __init__(self, memory, stream):
        self.memory, self.stream = memory, stream
        self.shape, self.dtype, self.device = memory.shape, memory.dtype, memory.device

    def write_later(self, values, noise=40):
        """Enqueue copies of other numbers and at last of ``values``; the caller does not wait."""
        strides, shape = self.memory.strides, self.shape
        address = self.memory.__cuda_array_interface__["data"][0]
        for turn in range(noise + 1):
            staged = make_memory("pinned", self.device, self.memory.nbytes)
            host_view(staged, shape, strides, self.dtype)[...] = values if turn == noise else turn
            if self.memory.nbytes > 0:
                assert standin().standin_copy(address, staged, self.memory.nbytes, self.device, self.stream)
        return self

    def numpy(self):
        _core.synchronize_stream(self.device, self.stream)
        return to_numpy(self.memory)

    @property
    def __cuda_array_interface__(self):
        return {**self.memory.__cuda_array_interface__, "stream": self.stream}


class DLPackArray(FakeArray):
    """Knows DLPack only, and no namespace."""

    __cuda_array_interface__ = property()  # an AttributeError, as if it were not there

    def __dlpack_device__(self):
        return self.memory.__dlpack_device__()

    def __dlpack__(self, *, stream=None):
        if stream != -1:
            _core.order_streams(self.device, self.stream, 1 if stream is None else stream)
        return self.memory.__dlpack__(stream=-1)


class StandardArray(DLPackArray):
    """An array of a library that follows the array API standard, in the small."""

    def __array_namespace__(self):
        names = {name: np.dtype(name) for name in ("float32", "float64", "complex64", "complex128")}
        return types.SimpleNamespace(
            from_dlpack=lambda raw: StandardArray(raw, self.stream),
            permute_dims=lambda array, axes: StandardArray(array.memory.transpose(axes), array.stream),
            zeros=lambda shape, dtype: np.zeros(shape, dtype),
            **names,
        )


class LibraryArray(DLPackArray):
    """An array of a library with a pool of memory, on whose freed pieces work of its stream may be under way."""

    def transpose(self, *axes):
        axes = axes[0] if len(axes) == 1 else axes
        return LibraryArray(self.memory.transpose(axes), self.stream)


def fake_cupy(stream, pool):
    """A module in place of CuPy; ``pool`` gives DeviceArrays, one for each new array."""
    module = types.ModuleType("cupy")

    class ndarray(LibraryArray):  # noqa: N801
        @property
        def device(self):
            return self._device

        @device.setter
        def device(self, number):
            self._device = Device(number)

        @property
        def flags(self):
            dense = np.empty(self.shape, self.dtype).strides
            return types.SimpleNamespace(c_contiguous=self.memory.strides == dense)

        @property
        def strides(self):
            return self.memory.strides

        @property
        def data(self):
            return types.SimpleNamespace(ptr=self.memory.__cuda_array_interface__["data"][0])

        def transpose(self, *axes):
            axes = axes[0] if len(axes) == 1 else axes
            return ndarray(self.memory.transpose(axes), self.stream)

        def __setitem__(self, index, values):
            current = _core.set_current_gpu(0)
            _core.set_current_gpu(current)
            assert index is ... and current == self.device.id
            self.write_later(to_numpy(values.memory))

    class Device:
        def __init__(self, number):
            self.id = number

        def __enter__(self):
            self.before = _core.set_current_gpu(self.id)

        def __exit__(self, *_):
            _core.set_current_gpu(self.before)

        def __index__(self):
            return self.id

    def empty(shape, dtype):
        memory = pool.pop()
        assert memory.shape == tuple(shape) and memory.dtype == dtype
        return ndarray(memory, stream)

    module.ndarray, module.empty = ndarray, empty
    current = types.SimpleNamespace(ptr=stream)
    module.cuda = types.SimpleNamespace(get_current_stream=lambda device: current)
    module.from_dlpack = lambda raw: ndarray(raw, stream)
    return module


def device_input(plan):
    """A plan's memory as it is, also if a real CuPy could be imported."""
    array = plan.allocate_input()
    assert isinstance(array, shardfft.DeviceArray)
    return array
