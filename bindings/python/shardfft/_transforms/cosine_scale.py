"""Cosine and sine transforms as SciPy makes them orthogonal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from .._arrays.resize import resize
from .._arrays.slicing import put, take
from .transform import transform_array

if TYPE_CHECKING:
    from .._layouts.cut_array import CutArray

#: Numbers of an axis (0: the first, -1: the last) that SciPy multiplies by sqrt(2) before an orthogonal transform, and
#: those that it divides by it afterwards. The adjoint gives the former by half, and takes the latter twice.
BEFORE = {"dct1": (0, -1), "dct3": (0,), "dst3": (-1,)}
AFTER = {"dct1": (0, -1), "dct2": (0,), "dst2": (-1,)}


def _scaled(x: CutArray, axes: Sequence[int], ends: Sequence[int], factor: float) -> CutArray:
    if not ends:
        return x
    x = x.copy()
    for axis in axes:
        for end in ends:
            index = slice(0, 1) if end == 0 else slice(x.shape[axis] - 1, None)
            key = (*[slice(None)] * axis, index, ...)
            part = take(x, key)
            put(x, key, part._like(part.local * np.asarray(factor, x.real.dtype)))
    return x


def cosine(
    x: CutArray,
    family: str,
    type: int,
    inverse: bool,
    extents: Sequence[int],
    axes: Sequence[int],
    norm: str | None,
    orthogonal: bool,
    options: dict[str, Any],
) -> CutArray:
    """Transform axes, first cut or padded to ``extents``. Collective."""
    if x.dtype.kind in "biu" or x.dtype == np.float16:
        x = x.astype(np.float32 if x.dtype == np.float16 else np.float64)
    for axis, extent in zip(axes, extents, strict=True):
        x = resize(x, axis, extent)
    acts_as = f"{family}{ {2: 3, 3: 2}.get(type, type) if inverse else type }"
    if orthogonal:
        x = _scaled(x, axes, BEFORE.get(acts_as, ()), np.sqrt(2))
    first = 0 if x.components is None else 1
    told = {**options, "transforms": [f"{family}{type}"] * len(axes)}
    kind = "c2c" if x.dtype.kind == "c" else "r2r"
    x = transform_array(x, kind, not inverse, [axis - first for axis in axes], norm, told)
    return _scaled(x, axes, AFTER.get(acts_as, ()), np.sqrt(0.5)) if orthogonal else x
