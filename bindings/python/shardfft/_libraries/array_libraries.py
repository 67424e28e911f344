"""New arrays of the same kind as a given one, in as few words as each array library needs. None is imported here."""

from __future__ import annotations

import functools
import sys
from collections.abc import Sequence
from types import ModuleType
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import _core
from . import gpu_arrays, streams
from .device_array import DeviceArray
from .gpu_arrays import Seen

if TYPE_CHECKING:
    from numpy.typing import NDArray


class Library:
    """NumPy, and its common ground with other libraries."""

    allocates = True  #: has arrays that are not initialised; else a plan's memory is shown to it
    mutable = True
    reorders = True  #: can copy an array into another memory order
    computes = True  #: computes in double precision if its arrays are

    def functions(self) -> Any:
        """Give the module of a library that computes: these have many functions with NumPy's names."""
        return np

    def empty(self, like: Any, shape: Sequence[int], dtype: np.dtype[Any]) -> Any:
        """Make an array in C order on the device of ``like``."""
        return np.empty(shape, dtype)

    def bring(self, like: Any, values: NDArray[Any]) -> Any:
        """Return NumPy's values as an array of this library on the device of ``like``."""
        return values

    def adopt(self, like: Any, raw: Any) -> Any:
        """Show a NumPy array or a DeviceArray as an array of this library, without a copy."""
        return raw

    def transpose(self, array: Any, axes: Sequence[int]) -> Any:
        """Put the axes of an array in another order."""
        return array.transpose(axes)

    def is_dense(self, array: Any, axes: Sequence[int]) -> bool:
        """Whether the array is dense with its axes in this order, from slowest to fastest."""
        flags = array.transpose(axes).flags
        return flags.c_contiguous and getattr(flags, "aligned", True)

    def convert(self, array: Any, axes: Sequence[int], dtype: np.dtype[Any]) -> Any:
        """Copy an array so that it is dense with its axes in this order, and of this type."""
        shape = [array.shape[axis] for axis in axes]
        result = self.transpose(self.empty(array, shape, dtype), np.argsort(axes).tolist())
        result[...] = array
        return result

    def astype(self, array: Any, dtype: np.dtype[Any]) -> Any:
        """Copy an array as one of another type."""
        return array.astype(dtype)

    def where(self, condition: Any, x: Any, y: Any) -> Any:
        """Elements of ``x`` if the condition holds, else of ``y``."""
        return np.where(condition, x, y)  # CuPy's arrays have a word in it

    def refuse_gradients(self, array: Any) -> Any:
        """Give the array, or one of the same memory that asks for no gradients; TypeError if they would get lost."""
        return array

    def resolve(self, array: Any) -> Any:
        """Run postponed work of the library, so that the memory holds the numbers."""
        return array

    def has_double(self) -> bool:
        """Whether arrays can hold double precision."""
        return True

    def seen(self, array: Any, device: int) -> tuple[Seen, int | None] | None:
        """See an array of GPU ``device``, or of the host (-1), without DLPack, which takes longer than small ones.

        Give with it the stream in whose order the library works there. None: the array is elsewhere or of an unusual
        kind, or the library has no such stream.
        """
        return None


class _CuPy(Library):
    def functions(self) -> Any:
        return sys.modules["cupy"]

    def seen(self, array: Any, device: int) -> tuple[Seen, int | None] | None:
        cupy = sys.modules["cupy"]
        if type(array) is not cupy.ndarray or array.device.id != device:
            return None
        with streams.current_gpu(device):
            current = cupy.cuda.get_current_stream().ptr
        return Seen(array.data.ptr, array.shape, array.strides, array.dtype), current or streams.LEGACY

    def empty(self, like: Any, shape: Sequence[int], dtype: np.dtype[Any]) -> Any:
        with like.device:
            return sys.modules["cupy"].empty(tuple(shape), dtype)

    def bring(self, like: Any, values: NDArray[Any]) -> Any:
        with like.device:
            return sys.modules["cupy"].asarray(values)

    def adopt(self, like: Any, raw: Any) -> Any:
        return sys.modules["cupy"].from_dlpack(raw)

    def convert(self, array: Any, axes: Sequence[int], dtype: np.dtype[Any]) -> Any:
        with array.device:  # CuPy works on the current GPU, not on the array's
            return super().convert(array, axes, dtype)


@functools.cache
def _type_of(torch: ModuleType, dtype: np.dtype[Any]) -> Any:
    return getattr(torch, dtype.name)


class _Torch(Library):
    def functions(self) -> Any:
        return sys.modules["torch"]

    def seen(self, array: Any, device: int) -> tuple[Seen, int | None] | None:
        torch = sys.modules["torch"]
        if type(array) is not torch.Tensor and type(array) is not torch.nn.Parameter:
            return None
        if not (array.is_cpu if device < 0 else array.is_cuda and array.get_device() == device):
            return None
        if array.layout is not torch.strided or array.is_conj() or array.is_neg():
            return None
        dtype = gpu_arrays.dtype_of(array)
        size = dtype.itemsize
        strides = tuple([step * size for step in array.stride()])
        current = None if device < 0 else torch._C._cuda_getCurrentRawStream(device) or streams.LEGACY
        return Seen(array.data_ptr(), tuple(array.shape), strides, dtype), current

    def empty(self, like: Any, shape: Sequence[int], dtype: np.dtype[Any]) -> Any:
        pinned = not like.is_cuda and like.is_pinned()
        torch = sys.modules["torch"]
        return torch.empty(tuple(shape), dtype=_type_of(torch, dtype), device=like.device, pin_memory=pinned)

    def bring(self, like: Any, values: NDArray[Any]) -> Any:
        return sys.modules["torch"].as_tensor(values, device=like.device)

    def adopt(self, like: Any, raw: Any) -> Any:
        return sys.modules["torch"].from_dlpack(raw)

    def transpose(self, array: Any, axes: Sequence[int]) -> Any:
        return array.permute(tuple(axes))

    def is_dense(self, array: Any, axes: Sequence[int]) -> bool:
        return array.permute(tuple(axes)).is_contiguous()

    def astype(self, array: Any, dtype: np.dtype[Any]) -> Any:
        return array.to(_type_of(sys.modules["torch"], dtype), copy=True)

    def where(self, condition: Any, x: Any, y: Any) -> Any:
        return sys.modules["torch"].where(condition, x, y)

    def refuse_gradients(self, array: Any) -> Any:
        if not array.requires_grad:
            return array
        if sys.modules["torch"].is_grad_enabled():
            raise TypeError(
                "this call has no gradient, but the tensor requires one: use the functions of shardfft.torch, or "
                "call it under torch.no_grad(), which ends the gradient there"
            )
        return array.detach()

    def resolve(self, array: Any) -> Any:
        return array.resolve_conj().resolve_neg() if array.is_conj() or array.is_neg() else array


class _Nameless(Library):
    """Who only shows arrays: results are DeviceArrays."""

    allocates = False
    reorders = False
    computes = False

    def is_dense(self, array: Any, axes: Sequence[int]) -> bool:
        return True  # the standard has no word for it, and see() refuses what is not

    def convert(self, array: Any, axes: Sequence[int], dtype: np.dtype[Any]) -> Any:
        raise TypeError(f"a {type(array).__name__} cannot be converted to {dtype}: give one of that type")


class _Standard(_Nameless):
    """Who follows the array API standard: its arrays have a namespace with ``from_dlpack``."""

    def bring(self, like: Any, values: NDArray[Any]) -> Any:
        return like.__array_namespace__().asarray(values)

    def adopt(self, like: Any, raw: Any) -> Any:
        namespace = like.__array_namespace__()
        if raw.size == 0:
            return namespace.zeros(raw.shape, dtype=getattr(namespace, raw.dtype.name))
        return namespace.from_dlpack(raw)

    def transpose(self, array: Any, axes: Sequence[int]) -> Any:
        return array.__array_namespace__().permute_dims(array, tuple(axes))

    def astype(self, array: Any, dtype: np.dtype[Any]) -> Any:
        namespace = array.__array_namespace__()
        return namespace.astype(array, getattr(namespace, dtype.name))

    def convert(self, array: Any, axes: Sequence[int], dtype: np.dtype[Any]) -> Any:
        return self.astype(array, dtype)


class _Jax(_Standard):
    """Arrays are never written and always in C order."""

    mutable = False

    def has_double(self) -> bool:
        return bool(sys.modules["jax"].config.jax_enable_x64)


NUMPY, _STANDARD, _NAMELESS = Library(), _Standard(), _Nameless()
_KNOWN = (("cupy", "ndarray", _CuPy()), ("torch", "Tensor", _Torch()), ("jax", "Array", _Jax()))

_found: dict[type, Library] = {}


def library_of(array: Any) -> Library:
    """Find the library of an array."""
    if isinstance(array, np.ndarray):
        return NUMPY
    if (found := _found.get(type(array))) is not None:
        return found
    for module, kind, library in _KNOWN:
        if module in sys.modules and isinstance(array, getattr(sys.modules[module], kind, ())):
            _found[type(array)] = library
            return library
    return _STANDARD if hasattr(array, "__array_namespace__") else _NAMELESS


def numpy_array(x: Any) -> NDArray[Any]:
    """Give NumPy's array of ``x``; TypeError if elements are masked."""
    gpu_arrays.refuse_mask(x)
    return np.asarray(library_of(x).refuse_gradients(x))


def host_array(x: Any) -> NDArray[Any]:
    """Give an array of any library as NumPy's, copied from a GPU."""
    if hasattr(x, "get"):
        return np.asarray(x.get())
    return numpy_array(x.cpu() if hasattr(x, "cpu") else x)


def as_array(x: Any) -> Any:
    """Give ``x`` itself if it is an array of any library, else NumPy's array of it; TypeError as numpy_array()."""
    if type(x) is np.ndarray:
        return x
    if gpu_arrays.is_array(x) and not isinstance(x, np.ndarray):
        return library_of(x).refuse_gradients(x)
    return numpy_array(x)


def for_users(raw: Any) -> Any:
    """Show a plan's memory as a CuPy array if CuPy can be imported, else as it is."""
    if not isinstance(raw, DeviceArray) or not _core.gpu_support().startswith("CUDA"):
        return raw
    try:
        import cupy
    except ImportError:
        return raw
    return cupy.from_dlpack(raw)
