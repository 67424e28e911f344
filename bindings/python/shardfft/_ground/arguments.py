"""Integers, axes and shapes as users give them, checked."""

from __future__ import annotations

import operator
from collections.abc import Iterable, Sequence
from numbers import Integral
from typing import Any

MAX_AXES = 4


def integer(value: Any, name: str, bits: int = 64) -> int:
    """Give an integer that the library can hold."""
    try:
        number = operator.index(value)
    except TypeError:
        raise TypeError(f"{name} must be an integer, not {value!r}") from None
    if not -(2 ** (bits - 1)) <= number < 2 ** (bits - 1):
        raise ValueError(f"{name} is {number}; it must fit {bits} bits")
    return number


def integers(values: Iterable[int], name: str) -> list[int]:
    try:
        numbers = [operator.index(value) for value in values]
    except TypeError:
        raise TypeError(f"{name} must be a sequence of integers, not {values!r}") from None
    return [integer(number, name) for number in numbers]


def no_communicator(value: Any, wanted: str) -> None:
    """Refuse a communicator in the place of something else."""
    if hasattr(value, "Get_rank"):
        raise TypeError(f"{wanted}: a communicator is given as comm=")


def for_each_axis(value: Any, axes: int, name: str) -> list[Any]:
    """Give an entry for each axis, of one for all axes or of a sequence of them."""
    entries = list(value) if isinstance(value, Iterable) and not isinstance(value, str) else [value] * axes
    if len(entries) != axes:
        raise ValueError(f"{name} must be one for all axes, or one for each of {axes} axes, not {value!r}")
    return entries


def shape_of(shape: int | Iterable[int]) -> list[int]:
    extents = integers([shape] if isinstance(shape, Integral) else shape, "shape")
    if not 1 <= len(extents) <= MAX_AXES:
        raise ValueError(f"shape must have 1 to {MAX_AXES} axes, not {len(extents)}")
    if any(extent < 1 for extent in extents):
        raise ValueError(f"every extent of shape must be positive: {tuple(extents)}")
    return extents


def axes_of(axes: int | Iterable[int]) -> list[int]:
    """List the axes that a user names; an iterator is used up."""
    return integers([axes] if isinstance(axes, Integral) else axes, "axes")


def axis_of(axis: int, axes: int, name: str = "axis") -> int:
    index = integer(axis, name)
    if not -axes <= index < axes:
        raise ValueError(f"{name} {index} does not exist in an array of {axes} axes")
    return index % axes


def order_of(order: Sequence[int] | None, axes: int) -> list[int]:
    if order is None:
        return []
    result = [axis_of(axis, axes, "order: axis") for axis in integers(order, "order")]
    if sorted(result) != list(range(axes)):
        raise ValueError(f"order must name each of the {axes} axes once, not {tuple(order)}")
    return result
