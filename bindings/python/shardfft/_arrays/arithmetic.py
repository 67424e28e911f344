"""Arithmetic of arrays that are cut over ranks: each rank's on its own block."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from .._layouts.alike import lies_as
from .._layouts.cut_array import CutArray
from .._libraries.array_libraries import library_of
from .._libraries.gpu_arrays import is_array
from . import reductions


def block_of(value: Any, like: CutArray) -> Any:
    """This rank's block of an operand."""
    if hasattr(value, "_part"):
        return value.local
    if is_array(value) and len(value.shape) > 0:
        shape = tuple(like.local.shape)
        try:
            fits = np.broadcast_shapes(tuple(value.shape), shape) == shape
        except ValueError:
            fits = False
        if not fits and _fits_nothing(tuple(value.shape), like):
            value = value.reshape(-1)[:0].reshape(shape)
        elif not fits:
            raise ValueError(
                f"an array of shape {tuple(value.shape)} does not broadcast to the block {shape} of rank {like.rank}; "
                "DistArray.from_global() cuts a whole one"
            )
        if isinstance(value, np.ndarray):
            return library_of(like.local).bring(like.local, value)
    return value


def _fits_nothing(shape: tuple[int, ...], like: CutArray) -> bool:
    """Whether an array may meet the block of a rank without elements: empty too, or as it broadcasts to the whole."""
    if 0 not in like.local.shape or len(shape) > like.ndim:
        return False
    return 0 in shape or all(n in (1, whole) for n, whole in zip(shape[::-1], like.shape[::-1], strict=False))


def _is_operand(value: Any) -> bool:
    return hasattr(value, "_part") or is_array(value) or isinstance(value, np.generic | int | float | complex)


_UFUNCS = {operator.add: np.add, operator.sub: np.subtract, operator.mul: np.multiply, operator.truediv: np.divide}


def _two(function: Callable[[Any, Any], Any], reverse: bool = False) -> Callable[[Any, Any], Any]:
    def method(self: Any, other: Any) -> Any:
        if not _is_operand(other):
            return NotImplemented
        like = lies_as((self, other))
        if isinstance(other, np.ndarray) and isinstance(like.local, np.ndarray) and function in _UFUNCS:
            return _called(_UFUNCS[function], like, (other, self) if reverse else (self, other), (), {})
        blocks = block_of(self, like), block_of(other, like)
        return like._like(function(*(blocks[::-1] if reverse else blocks)))

    return method


def _into(function: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    def method(self: Any, other: Any) -> Any:
        if not _is_operand(other):
            return NotImplemented
        if lies_as((self, other)).components != self.components:
            raise ValueError("a scalar field cannot take a vector field's components")
        self.local = function(self.local, block_of(other, self))
        return self

    return method


def _one(function: Callable[[Any], Any]) -> Callable[[Any], Any]:
    return lambda self: self._like(function(self.local))


class Arithmetic(CutArray):
    """Operators and ufuncs."""

    __slots__ = ()

    __add__, __radd__, __iadd__ = _two(operator.add), _two(operator.add, True), _into(operator.iadd)
    __sub__, __rsub__, __isub__ = _two(operator.sub), _two(operator.sub, True), _into(operator.isub)
    __mul__, __rmul__, __imul__ = _two(operator.mul), _two(operator.mul, True), _into(operator.imul)
    __truediv__, __rtruediv__ = _two(operator.truediv), _two(operator.truediv, True)
    __itruediv__ = _into(operator.itruediv)
    __floordiv__, __rfloordiv__ = _two(operator.floordiv), _two(operator.floordiv, True)
    __mod__, __rmod__ = _two(operator.mod), _two(operator.mod, True)
    __pow__, __rpow__, __ipow__ = _two(operator.pow), _two(operator.pow, True), _into(operator.ipow)
    __and__, __rand__ = _two(operator.and_), _two(operator.and_, True)
    __or__, __ror__ = _two(operator.or_), _two(operator.or_, True)
    __xor__, __rxor__ = _two(operator.xor), _two(operator.xor, True)
    __eq__, __ne__ = _two(operator.eq), _two(operator.ne)  # type: ignore[assignment]
    __lt__, __le__, __gt__, __ge__ = _two(operator.lt), _two(operator.le), _two(operator.gt), _two(operator.ge)
    __neg__, __pos__, __abs__ = _one(operator.neg), _one(operator.pos), _one(abs)
    __invert__ = _one(operator.invert)

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **words: Any) -> Any:
        if method == "reduce" and set(words) <= {"axis"}:
            return reductions.reduce(inputs[0], ufunc, words.get("axis", 0))
        if method != "__call__" or ufunc.signature is not None:
            raise TypeError(
                f"{ufunc.__name__}{'.' + method if method != '__call__' else ''} is not elementwise: "
                "take the .local blocks, or gather() the array"
            )
        outs = words.pop("out", ())
        like = lies_as((*inputs, *outs, words.get("where")))
        if not all(_is_operand(one) for one in inputs):
            return NotImplemented
        return _called(ufunc, like, inputs, outs, words)


def _called(
    ufunc: np.ufunc, like: CutArray, inputs: Sequence[Any], outs: Iterable[Any], words: Mapping[str, Any]
) -> Any:
    blocks = [block_of(one, like) for one in inputs]
    if not (isinstance(like.local, np.ndarray) or words or any(one is not None for one in outs)):
        for function, known in _UFUNCS.items():
            if ufunc is known:  # PyTorch's arrays know Python's operators, but not NumPy's functions
                return like._like(function(*blocks))
    told = {name: block_of(value, like) for name, value in words.items()}
    targets = tuple(outs)
    if targets:
        if any(one is not None and not hasattr(one, "_part") for one in targets):
            raise TypeError("out must be a DistArray, as the result is one")
        told["out"] = tuple(None if one is None else one.local for one in targets)
    elif ufunc.nout == 1 and not told and all(isinstance(one, np.ndarray) for one in blocks):
        # In the block's memory order, which plans need not copy: with an array in C order NumPy's result would be so.
        kinds = ufunc.resolve_dtypes((*(one.dtype for one in blocks), None))
        told["out"] = np.empty_like(like.local, kinds[-1])
    results = ufunc(*blocks, **told)
    several = isinstance(results, tuple)
    made = [like._like(one) for one in (results if several else (results,))]
    if targets:
        made = [new if old is None else old for new, old in zip(made, targets, strict=True)]
    return tuple(made) if several else made[0]
