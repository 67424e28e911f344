"""Users' arguments of a plan, checked and in the library's words."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from .. import _core
from .._ground.arguments import axes_of, axis_of, integer, no_communicator, shape_of
from .._ground.errors import Error
from .._layouts.layout import Layout, named
from .options import convert

if TYPE_CHECKING:
    from numpy.typing import DTypeLike

PRECISIONS = {
    np.dtype(np.float32): _core.Precision.f32,
    np.dtype(np.complex64): _core.Precision.f32,
    np.dtype(np.float64): _core.Precision.f64,
    np.dtype(np.complex128): _core.Precision.f64,
}


class Problem(NamedTuple):
    """The arguments of the library's plans."""

    transform: _core.Transform
    input: Layout
    output: Layout | None
    natural: bool
    options: _core.Options


def points_of(extents: Sequence[int], words: Sequence[str]) -> int:
    """Give the factor between forward and backward: docs/transforms.md has it of each transform."""
    factors = {"fft": lambda n: n, "dct1": lambda n: 2 * (n - 1), "dst1": lambda n: 2 * (n + 1)}
    return math.prod(factors.get(word, lambda n: 2 * n)(int(n)) for n, word in zip(extents, words, strict=True))


def _choice(enum: Any, value: str, name: str) -> Any:
    names = ", ".join(enum.__members__)
    no_communicator(value, f"{name} is one of {names}")
    try:
        return enum.__members__[value]
    except (KeyError, TypeError):
        raise ValueError(f"unknown {name} {value!r}: give one of {names}") from None


def number_type(dtype: DTypeLike) -> np.dtype[Any]:
    """Give a dtype that the library transforms and sums."""
    with contextlib.suppress(TypeError):
        if (found := np.dtype(dtype)) in PRECISIONS:
            return found
    raise TypeError(f"dtype must be float32, float64, complex64 or complex128, not {dtype!r}")


def _resolve(layout: str | Layout, shape: Sequence[int], ranks: int, name: str) -> Layout:
    if isinstance(layout, str):
        return named(layout, shape, ranks)
    if not isinstance(layout, Layout):
        raise TypeError(f"{name} must be a name or a shardfft.Layout, not {type(layout).__name__}")
    if layout.ranks != ranks:
        raise ValueError(f"{name} is cut for {layout.ranks} ranks, but there are {ranks}")
    if layout.shape != tuple(shape):
        raise ValueError(f"{name} has the shape {layout.shape}, but {tuple(shape)} is needed")
    return layout


def _spectrum_shape(
    shape: Sequence[int],
    kind: str,
    axes: Sequence[int],
    transforms: Sequence[str],
    modes: Sequence[int],
    n: int | None,
) -> list[int]:
    """Shape of the output's global array."""
    result = list(shape)
    for axis, kept in zip(axes, modes, strict=True):
        result[axis] = kept or shape[axis]
    fourier = [axis for axis, word in zip(axes, transforms, strict=True) if word == "fft"]
    if not fourier:
        return result
    halved = fourier[-1]
    if kind == "r2c":
        result[halved] = result[halved] // 2 + 1
    elif kind == "c2r":
        result[halved] = n if n is not None else 2 * (shape[halved] - 1)
    return result


def _told(options: Mapping[str, Any]) -> _core.Options:
    told = convert(options)
    if told.get("processor") == "gpu" and not _core.gpu_support():
        raise Error(
            "this build of shardfft has no GPU support: install it by the wheel shardfft-cuda13 instead, or with "
            "'pip install ./bindings/python --config-settings=cmake.define.SHARDFFT_GPU=CUDA'",
            "unsupported",
        )
    return told


def _require_some_axes(chosen: list[int]) -> None:
    if not chosen:
        raise ValueError("axes is empty: there is nothing to transform; leave it out to transform all axes")
    twice = sorted({axis for axis in chosen if chosen.count(axis) > 1})
    if twice:
        raise ValueError(
            f"axes names axis {twice[0]} more than once, and a plan transforms each axis once: to transform one again, "
            "as NumPy would, call again with the result"
        )


def problem(
    ranks: int,
    shape: int | Iterable[int],
    kind: str,
    dtype: DTypeLike,
    *,
    layout: str | Layout,
    output: str | Layout,
    axes: Sequence[int] | int | None,
    n: int | None,
    **options: Any,
) -> Problem:
    """Check the arguments of :func:`shardfft.plan`."""
    extents = shape_of(shape)
    count = len(extents)
    wanted = range(count) if axes is None else axes_of(axes)
    chosen = [axis_of(axis, count) for axis in wanted]
    _require_some_axes(chosen)
    if n is not None and kind != "c2r":
        raise ValueError("n is the real extent of a c2r transform; other kinds have it in shape")
    if n is not None and integer(n, "n") < 1:
        raise ValueError("n must be positive, or None for 2 (m - 1)")
    transform = _core.Transform(_choice(_core.Kind, kind, "kind"), PRECISIONS[number_type(dtype)])
    told = _told({"axes": chosen, "real_extent": n, **options})
    source = _resolve(layout, extents, ranks, "layout")
    if isinstance(output, str) and output in ("default", "natural"):
        return Problem(transform, source, None, output == "natural", told)

    def entries(name: str, default: Any, what: str) -> list[Any]:
        given = told.get(name) or [default] * len(chosen)
        if len(given) != len(chosen):
            raise ValueError(f"{name} must have a {what} for each of the {len(chosen)} axes, not {given}")
        return given

    words, modes = entries("transforms", "fft", "word"), entries("modes", 0, "number")
    if kind == "c2r" and any(modes):
        if not isinstance(output, Layout):
            raise ValueError("c2r with modes needs a Layout as output: its extents are the numbers of points")
        return Problem(transform, source, _resolve(output, output.shape, ranks, "output"), False, told)
    for axis, points in zip(chosen, entries("padded", 0, "number"), strict=True):
        extents[axis] = points or extents[axis]
    result = _spectrum_shape(extents, kind, chosen, words, modes, n)
    return Problem(transform, source, _resolve(output, result, ranks, "output"), False, told)
