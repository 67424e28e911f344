"""Tensors and extents as ``torch.fft`` takes them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import torch

_HALVES = (torch.float16, torch.bfloat16, torch.complex32)
#: The types of numbers that are transformed, and those that they are computed in; and the complex ones of these.
_COMPUTED = {
    torch.float16: torch.float32, torch.bfloat16: torch.float32, torch.complex32: torch.complex64,
    **{dtype: dtype for dtype in (torch.float32, torch.float64, torch.complex64, torch.complex128)},
}  # fmt: skip
_COMPLEX = {torch.float32: torch.complex64, torch.float64: torch.complex128}


def numbers_of(x: Any, real: bool, to_complex: bool) -> torch.Tensor:
    """Give a tensor of numbers that can be transformed, converted as ``torch.fft`` does."""
    if not isinstance(x, torch.Tensor):
        raise TypeError(f"x must be a torch.Tensor, not {type(x).__name__}")
    if real and x.is_complex():
        raise TypeError(f"rfftn needs real numbers, not {x.dtype}")
    if not (x.is_complex() or x.is_floating_point()):
        x = x.to(torch.get_default_dtype())
    wanted = _COMPUTED.get(x.dtype)
    if wanted is None:
        raise TypeError(f"tensors of {x.dtype} cannot be transformed: give float32/64 or complex64/128")
    wanted = _COMPLEX.get(wanted, wanted) if to_complex else wanted
    return x if wanted is x.dtype else x.to(wanted)


def no_other_names(options: Iterable[str]) -> None:
    """Refuse NumPy's names of the axes."""
    for name in {"axes", "axis"}.intersection(options):
        raise TypeError(f"{name!r} is called 'dim' here, as in torch.fft")


def in_type_of(x: torch.Tensor, result: torch.Tensor) -> torch.Tensor:
    """Give the result of numbers of half precision, which are computed in single, in their own type.

    There are no complex numbers of the type of bfloat16: such results stay complex64.
    """
    if x.dtype not in _HALVES:
        return result
    if not result.is_complex():
        return result.to(torch.float16 if x.is_complex() else x.dtype)
    return result if x.dtype is torch.bfloat16 else result.to(torch.complex32)


def real_extent(name: str, shape: tuple[int, ...], s: Sequence[int] | None, dims: tuple[int, ...]) -> int:
    """Give the extent of the last of ``dims`` in the real array; errors unless the transforms support ``s``."""
    extents = [shape[axis] for axis in dims]
    n = extents[-1]
    if s is not None:
        given = list(s)
        if len(given) != len(dims) or given[:-1] != extents[:-1] or (name != "irfftn" and given[-1] != n):
            raise NotImplementedError(
                f"s must be the extents {extents} of dim, but for the last one of irfftn: crop or pad the tensor before"
            )
        n = given[-1]
    elif name == "irfftn":
        n = 2 * (n - 1)
    if n < 1 or (name == "irfftn" and n // 2 + 1 != extents[-1]):
        raise ValueError(f"an array of {n} real numbers along the last axis has {n // 2 + 1} modes, not {extents[-1]}")
    return n
