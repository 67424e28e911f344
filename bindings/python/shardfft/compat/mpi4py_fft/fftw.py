"""Names of transforms for ``PFFT(transforms=...)``, and arrays in aligned memory."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import DTypeLike, NDArray

_FOURIER = ("fftn", "rfftn", "fft", "rfft")
_FAMILIES = {"dctn": "dct", "dstn": "dst", "dct": "dct", "dst": "dst"}


def _token(name: str) -> Callable[..., NoReturn]:
    def transform(*args: Any, **words: Any) -> NoReturn:
        raise TypeError(f"{name} is a name for PFFT(transforms=...); for arrays of one process take scipy.fft.{name}")

    transform.__name__ = transform.__qualname__ = name
    return transform


fftn, ifftn, rfftn, irfftn = (_token(name) for name in ("fftn", "ifftn", "rfftn", "irfftn"))
dctn, idctn, dstn, idstn = (_token(name) for name in ("dctn", "idctn", "dstn", "idstn"))


def word_of(transform: Any) -> str:
    """Give shardfft's word for the forward transform of an entry of ``transforms``."""
    words: dict[str, Any] = {}
    while isinstance(transform, functools.partial):
        words = {**transform.keywords, **words}
        transform = transform.func
    name = getattr(transform, "__name__", "")
    if name in _FOURIER:
        return "fft"
    if name not in _FAMILIES or words.get("type", 2) not in (1, 2, 3, 4):
        raise TypeError(f"PFFT knows fftn, rfftn, and dctn and dstn of type 1 to 4, not {transform!r} {words or ''}")
    return f"{_FAMILIES[name]}{words.get('type', 2)}"


def get_fftw_lib(dtype: DTypeLike) -> object | None:
    """Say whether numbers of a type can be transformed: None where they cannot."""
    return np.dtype(dtype) if np.dtype(dtype).char in "fdFD" else None


def aligned(
    shape: int | Sequence[int], n: int = 32, dtype: DTypeLike = None, fill: float | None = None
) -> NDArray[Any]:
    """Make an array whose memory begins at a multiple of ``n`` bytes."""
    kind = np.dtype(float if dtype is None else dtype)
    nbytes = int(np.prod(shape)) * kind.itemsize
    memory = np.empty(nbytes + n, np.uint8)
    start = -memory.ctypes.data % n
    array = memory[start : start + nbytes].view(kind).reshape(shape)
    if fill is not None:
        array.fill(fill)
    return array


def aligned_like(z: NDArray[Any], fill: float | None = None) -> NDArray[Any]:
    """Make one of the shape and type of another."""
    return aligned(z.shape, 32, z.dtype, fill)
