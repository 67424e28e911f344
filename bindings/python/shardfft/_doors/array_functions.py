"""NumPy's functions of arrays that are cut over ranks."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from .._arrays import reductions
from .._arrays.arithmetic import block_of
from .._layouts.alike import lies_as
from .._libraries.array_libraries import library_of
from .._transforms import numpy_fft


def _allclose(a: Any, b: Any, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False) -> bool:
    like = a if hasattr(a, "_part") else b
    b = b * 1.0  # differences of integers may overflow
    with np.errstate(invalid="ignore"):
        near = (abs(a - b) <= atol + rtol * abs(b)) & (abs(b) < np.inf)
    if equal_nan:
        near = near | ((a != a) & (b != b))
    return bool(reductions.all(near | (a == b))) if like is not None else False


def _array_equal(a: Any, b: Any) -> bool:
    if np.shape(a) != np.shape(b):
        return False
    return bool(reductions.all(a == b))


def _filled(value: float) -> Callable[..., Any]:
    def make(a: Any, dtype: Any = None, **_: Any) -> Any:
        made = a.astype(a.dtype if dtype is None else dtype)
        made.local[...] = value
        return made

    return make


def _where(condition: Any, x: Any, y: Any) -> Any:
    like = lies_as((condition, x, y))
    return like._like(library_of(like.local).where(*(block_of(one, like) for one in (condition, x, y))))


def _norm(x: Any, ord: Any = None, axis: Any = None, keepdims: bool = False) -> Any:
    if axis is not None or keepdims or not (ord is None or (x.ndim == 1 and ord in (2, np.inf))):
        raise NotImplementedError(
            f"norms are those of all numbers: ord None, or 2 or inf of one axis, not ord {ord!r} of {x.ndim} axes"
        )
    return reductions.max(abs(reductions.wide(x))) if ord == np.inf else reductions.norm(x)


_REDUCTIONS = ("sum", "prod", "min", "max", "any", "all", "mean", "var", "std", "vdot")
_KNOWN: dict[Any, Callable[..., Any]] = {
    **{getattr(np, name): getattr(reductions, name) for name in _REDUCTIONS},
    np.linalg.norm: _norm,
    np.allclose: _allclose,
    np.array_equal: _array_equal,
    np.where: _where,
    np.real: lambda val: val.real,
    np.imag: lambda val: val.imag,
    np.copy: lambda a, **_: a.copy(),
    np.shape: lambda a: a.shape,
    np.ndim: lambda a: a.ndim,
    np.size: lambda a: a.size,
    np.iscomplexobj: lambda x: x.dtype.kind == "c",
    np.zeros_like: _filled(0),
    np.ones_like: _filled(1),
    np.empty_like: _filled(0),
    np.full_like: lambda a, fill_value, dtype=None, **_: _filled(fill_value)(a, dtype),
}


def call(function: Callable[..., Any], types: Sequence[type], args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
    """Call the counterpart of NumPy's ``function``; a TypeError if there is none."""
    if function.__module__ == "numpy.fft":
        return getattr(numpy_fft, function.__name__)(*args, **kwargs)
    if function not in _KNOWN:
        raise TypeError(
            f"numpy.{function.__name__} has no version for arrays over ranks: take their .local blocks, or gather() "
            "them"
        )
    return _KNOWN[function](*args, **kwargs)
