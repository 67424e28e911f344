"""Linearity, impulse and shift: checks of a transform that need no other transform, for any size (as FFTW's).

An error that is linear too, such as a sign or two blocks that change places, breaks the spectrum of an impulse (wrong
outputs) or that of a shifted array (wrong inputs, and all between).
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from .._plans.plan import Plan

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from .._layouts.side import Side

    Numbers = NDArray[Any]
_ODD = np.uint64(0x9E3779B97F4A7C15)


def _indices(side: Side) -> list[Numbers]:
    """Along each axis the global indices of this rank's part, to be broadcast."""
    extents = side.layout.shape
    lines = [np.arange(n)[part] for n, part in zip(extents, side.slices, strict=True)]
    return [line.reshape([-1 if axis == a else 1 for a in range(len(lines))]) for axis, line in enumerate(lines)]


def _drawn(side: Side, seed: int, shift: int = 0) -> Numbers:
    """Numbers between -1 and 1 that depend on their global index alone; ``shift``: moved by so much along all axes."""
    flat = np.zeros((), np.uint64)
    for extent, line in zip(side.layout.shape, _indices(side), strict=True):
        flat = flat * np.uint64(extent) + ((line - shift) % extent).astype(np.uint64)

    def hashed(salt: int) -> Numbers:
        x = (flat + np.uint64(salt)) * _ODD
        for by in (30, 27, 31):
            x = (x ^ (x >> np.uint64(by))) * np.uint64(0xBF58476D1CE4E5B9)
        return (x >> np.uint64(11)).astype(np.float64) / 2**52 - 1

    values = hashed(2 * seed) + (1j * hashed(2 * seed + 1) if side.dtype.kind == "c" else 0)
    return values.astype(side.dtype)


def _waves(side: Side, shape: tuple[int, ...], at: tuple[int, ...]) -> Numbers:
    """Give exp(-2 pi i k at / n) for each wavenumber of ``side``: the spectrum of an impulse there."""
    turns = sum((line * place % n) / n for line, place, n in zip(_indices(side), at, shape, strict=True))
    return np.exp(-2j * np.pi * turns).astype(side.dtype)


def _impulse(side: Side, at: tuple[int, ...]) -> Numbers:
    here = np.ones((), bool)
    for line, place in zip(_indices(side), at, strict=True):
        here = here & (line == place)
    return here.astype(side.dtype)


def check(plan: Plan, in_place: bool) -> dict[str, float]:
    """Check both directions of a plan of one transform; give for each check the worst error over the bound of rounding.

    Above 1 is an error, and NaN is one too. Of this rank. ``in_place``: input and output are in one memory.
    """
    before, after = plan.input, plan.output
    shape = before.layout.shape
    points = math.prod(shape)
    allowed = 64 * float(np.finfo(before.dtype).eps) * max(1.0, math.log2(points))
    at = tuple((2 * n) // 3 for n in shape)
    x, y, moved = _drawn(before, 1), _drawn(before, 2), _drawn(before, 1, 1)

    first, last = plan.in_place_arrays() if in_place else (before.empty(), after.empty())

    def forward(values: Numbers) -> Numbers:
        first[...] = values
        return plan.forward(first, out=last).copy()

    def backward(values: Numbers) -> Numbers:
        last[...] = values
        return plan.backward(last, out=first).copy()

    def far(result: Numbers, exact: Numbers, size: float) -> float:
        return float(np.abs(result - exact).max(initial=0)) / (size * allowed)

    spectrum, other, large = forward(x), forward(y), math.sqrt(points)
    turned = spectrum * _waves(after, shape, (1,) * len(shape))
    waves = _waves(after, shape, at)
    errors = {
        "linearity": (
            far(forward(x * 0.5 - y * 2), spectrum * 0.5 - other * 2, 2 * large),
            far(backward(spectrum * 0.5 - other * 2), x * 0.5 - y * 2, 2),
        ),
        "impulse": (far(forward(_impulse(before, at)), waves, 1), far(backward(waves), _impulse(before, at), 1)),
        "shift": (far(forward(moved), turned, large), far(backward(turned), moved, 1)),
    }
    return {name: max(both, key=lambda e: (math.isnan(e), e)) for name, both in errors.items()}
