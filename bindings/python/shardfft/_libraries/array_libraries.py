"""New arrays of the same kind as a given one, in as few words as each array library needs. None is imported here."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable, Sequence
from types import ModuleType
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import _core
from . import gpu_arrays, streams
from .device_array import DeviceArray
from .gpu_arrays import Seen

if TYPE_CHECKING:
    from numpy.typing import NDArray


#: Something that is true of an array: names of attributes, whether the last is called, the value, and an excuse: a call
#: that returns False if other values do as well.
_Fact = tuple[tuple[str, ...], bool, Any, Any]
#: Types of arrays, facts of their form and device, how :class:`_core.Look` sees these by DLPack, and further facts.
_Facts = tuple[tuple[type, ...], list[_Fact], Any, list[_Fact]]


def _fact(value: Any, *names: str, called: bool = False, excuse: Callable[[], bool] | None = None) -> _Fact:
    return names, called, value, excuse


def _form(part: Any) -> list[_Fact]:
    """The form of a part, of libraries that tell it as NumPy does."""
    return [_fact(part._strides, "strides"), _fact(part.shape, "shape"), _fact(part.dtype, "dtype")]


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

    def new(self, like: Any, part: Any) -> Any:
        """Make an array of a part's form on the device of ``like``."""
        made = self.empty(like, part._memory_shape, part.dtype)
        return made if part._in_order else self.transpose(made, part._places)

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

    #: How the address of an array is told: names of attributes, and whether the last is called; none: by its buffer.
    _address: tuple[tuple[str, ...], bool] = (), False

    def _facts(self, part: Any, device: int, write: bool) -> _Facts | None:
        """Types of arrays that can be used as they are, and what is true of those of a part's form on a device.

        None: the library's arrays need a closer look.
        """
        return None

    def look(self, part: Any, device: int, write: bool) -> _core.Look | None:
        """Give what sees arrays of a part's form on GPU ``device``, or on the host (-1), that can be used as they are.

        It takes fewer steps than DLPack, which takes longer than small transforms. None: no array can.
        """
        key = self, device, write
        if key not in part._looks:
            told = self._facts(part, device, write)
            made = None if told is None else _core.Look(*told, self._address, part._alignment, part.nbytes)
            part._looks[key] = made
        return part._looks[key]

    def fits(self, array: Any, part: Any, device: int) -> bool:
        """Whether an array of GPU ``device``, or of the host (-1), can be read as it is."""
        look = self.look(part, device, False)
        return look is not None and look.fits(array)

    def seen(self, array: Any, device: int) -> Seen | None:
        """See an array of GPU ``device``, or of the host (-1), without DLPack, which takes longer than small ones.

        None: the array is elsewhere or of an unusual kind, or the library has no :meth:`current` stream.
        """
        return None

    def device_of(self, array: Any) -> int | None:
        """Give the GPU that an array lies on; None for host memory."""
        return gpu_arrays.device_of(array)

    def maker(self, part: Any, device: int) -> Callable[[], Any] | None:
        """Give a call that makes what :meth:`new` does on GPU ``device``, or the host; None: it needs a ``like``."""
        return None

    def stream_of(self, device: int) -> Callable[[], int]:
        """Give a call that tells the handle of the stream in whose order the library works on a GPU."""
        raise NotImplementedError

    def current(self, device: int) -> int:
        """Give the stream in whose order the library works on a GPU."""
        return self.stream_of(device)() or streams.LEGACY


class _NumPy(Library):
    def _facts(self, part: Any, device: int, write: bool) -> _Facts | None:
        if device >= 0:
            return None
        flags = ("aligned", "writeable") if write else ("aligned",)
        return (np.ndarray,), _form(part), None, [_fact(True, "flags", name) for name in flags]

    def maker(self, part: Any, device: int) -> Callable[[], Any] | None:
        return functools.partial(np.empty, part.shape, part.dtype) if part._in_order else None


class _CuPy(Library):
    def functions(self) -> Any:
        return sys.modules["cupy"]

    _address = ("data", "ptr"), False

    def _facts(self, part: Any, device: int, write: bool) -> _Facts | None:
        return (sys.modules["cupy"].ndarray,), [_fact(device, "device", "id"), *_form(part)], None, []

    def seen(self, array: Any, device: int) -> Seen | None:
        if type(array) is not sys.modules["cupy"].ndarray or array.device.id != device:
            return None
        return Seen(array.data.ptr, array.shape, array.strides, array.dtype)

    def device_of(self, array: Any) -> int | None:
        return array.device.id

    def stream_of(self, device: int) -> Callable[[], int]:
        cuda = sys.modules["cupy"].cuda
        return lambda: cuda.get_current_stream(device).ptr

    def empty(self, like: Any, shape: Sequence[int], dtype: np.dtype[Any]) -> Any:
        device = like.device.id
        before = _core.set_current_gpu(device)  # `with like.device` takes longer than to make the array
        try:
            return sys.modules["cupy"].empty(tuple(shape), dtype)
        finally:
            if before != device:
                _core.set_current_gpu(before)

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

    _address = ("data_ptr",), True

    def _facts(self, part: Any, device: int, write: bool) -> _Facts | None:
        torch = sys.modules["torch"]
        gpu = [_fact(True, "is_cuda"), _fact(device, "get_device", called=True)]
        form = [
            *(gpu if device >= 0 else [_fact(True, "is_cpu")]),
            _fact(torch.strided, "layout"),
            _fact(part._steps, "stride", called=True),
            _fact(part.shape, "shape"),
            _fact(_type_of(torch, part.dtype), "dtype"),
        ]
        own = [_fact(False, word, called=True) for word in ("is_conj", "is_neg")]
        asks = _fact(False, "requires_grad", excuse=torch.is_grad_enabled)
        table = part.dtype.kind in "fc" and getattr(torch.Tensor, "__dlpack_c_exchange_api__", None)
        told = device, 5 if part.dtype.kind == "c" else 2, 8 * part.dtype.itemsize, list(part.shape), list(part._steps)
        shown = (table, *told) if table else None
        return (torch.Tensor, torch.nn.Parameter), form, shown, [*own, asks]

    def seen(self, array: Any, device: int) -> Seen | None:
        torch = sys.modules["torch"]
        if type(array) is not torch.Tensor and type(array) is not torch.nn.Parameter:
            return None
        if not (array.is_cpu if device < 0 else array.is_cuda and array.get_device() == device):
            return None
        if array.layout is not torch.strided or array.is_conj() or array.is_neg():
            return None
        dtype = gpu_arrays.numpy_type(array.dtype)
        strides = tuple(map(dtype.itemsize.__mul__, array.stride()))
        return Seen(array.data_ptr(), tuple(array.shape), strides, dtype)

    def device_of(self, array: Any) -> int | None:
        return array.get_device() if array.is_cuda else None if array.is_cpu else super().device_of(array)

    def maker(self, part: Any, device: int) -> Callable[[], Any] | None:
        torch = sys.modules["torch"]
        if device < 0:
            return None  # memory is pinned if that of the input is
        place = torch.device("cuda", device)
        return functools.partial(
            torch.empty_strided, part.shape, part._steps, dtype=_type_of(torch, part.dtype), device=place
        )

    def stream_of(self, device: int) -> Callable[[], int]:
        return functools.partial(sys.modules["torch"]._C._cuda_getCurrentRawStream, device)

    def empty(self, like: Any, shape: Sequence[int], dtype: np.dtype[Any]) -> Any:
        torch, pinned = sys.modules["torch"], like.is_cpu and like.is_pinned()
        return torch.empty(tuple(shape), dtype=_type_of(torch, dtype), device=like.device, pin_memory=pinned)

    def new(self, like: Any, part: Any) -> Any:
        torch = sys.modules["torch"]
        if like.is_cpu and like.is_pinned():
            return super().new(like, part)
        return torch.empty_strided(part.shape, part._steps, dtype=_type_of(torch, part.dtype), device=like.device)

    def bring(self, like: Any, values: NDArray[Any]) -> Any:
        return sys.modules["torch"].as_tensor(values, device=like.device)

    def adopt(self, like: Any, raw: Any) -> Any:
        return sys.modules["torch"].from_dlpack(raw)

    def transpose(self, array: Any, axes: Sequence[int]) -> Any:
        return array.permute(tuple(axes))

    def is_dense(self, array: Any, axes: Sequence[int]) -> bool:
        return (array if sorted(axes) == list(axes) else array.permute(tuple(axes))).is_contiguous()

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


NUMPY, _STANDARD, _NAMELESS = _NumPy(), _Standard(), _Nameless()
_KNOWN = (("cupy", "ndarray", _CuPy()), ("torch", "Tensor", _Torch()), ("jax", "Array", _Jax()))

_found: dict[type, Library] = {np.ndarray: NUMPY}


def library_of(array: Any) -> Library:
    """Find the library of an array."""
    if (found := _found.get(type(array))) is not None:
        return found
    if isinstance(array, np.ndarray):
        return NUMPY
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
    library = library_of(x)
    if type(x) in _found or (library is not NUMPY and gpu_arrays.is_array(x)):
        return library.refuse_gradients(x)
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
