"""DistArrays beside NumPy's arrays of the same numbers: operations drawn at random, one after the other."""

import operator
import re

import numpy as np
import pytest
from draws import RefusedError, near, problems

import shardfft
from shardfft import DistArray, Layout

DTYPES = ["f", "d", "F", "D", "e", "i1", "u1", "i4", "i8", "?"]
TWO = [operator.add, operator.sub, operator.mul, operator.truediv, operator.floordiv, operator.mod, operator.pow]
TWO += [operator.lt, operator.eq, operator.and_, operator.xor, np.maximum, np.hypot, np.fmin, np.logical_or]
ONE = [operator.neg, abs, np.exp, np.sqrt, np.sign, np.conj, np.isfinite, np.square, np.real, np.imag, operator.invert]
ONE += [np.zeros_like, np.ones_like, np.copy, np.cosh, np.floor]
REDUCE = ["sum", "prod", "min", "max", "any", "all", "mean", "std", "var"]
FFTS = ["fft", "ifft", "rfft", "irfft", "hfft", "ihfft", "fftn", "ifftn", "rfftn", "irfftn", "fft2", "rfft2"]
FFTS += ["fftshift", "ifftshift"]
#: Refusals of DistArrays.
REFUSALS = (
    "no order|cannot be continued to an extent|selects nothing of axis|must be above 0|of all numbers; along axes|"
    "give each rank one piece|cannot be transformed"
)


def layout_of(draw, shape, ranks):
    order = draw.sample(range(len(shape)), len(shape)) if draw.one_in(2) else None
    axis = draw.randrange(len(shape))
    kind = draw.randrange(8)
    if kind == 0:
        return Layout.brick(shape, grid=draw.grid(ranks, len(shape)), order=order)
    if kind == 1:
        return Layout.cyclic(shape, grid=draw.grid(ranks, len(shape)), order=order)
    if kind == 2:
        return Layout.single(shape, ranks, draw.randrange(ranks))
    if kind < 5:
        return Layout.slab(shape, ranks, axis=axis, order=order)
    return draw.choice(["slab", "brick", "cyclic"] + ["pencil"] * (len(shape) > 1))


def key_of(draw, shape):
    """Integers and slices of some of the axes, an ellipsis among them perhaps."""

    def one(n):
        if draw.one_in(4):
            return draw.randint(-n, n - 1)
        ends = (None if draw.one_in(3) else draw.randint(-n - 1, n + 1) for _ in range(2))
        return slice(*ends, None if draw.one_in(2) else draw.randint(1, 4))

    key = [one(n) for n in shape[: draw.randint(0, len(shape))]]
    if draw.one_in(3):
        at = draw.randint(0, len(key))
        tail = [one(n) for n in shape[len(shape) - (len(key) - at) :]] if at < len(key) else []
        key = [*key[:at], ..., *tail]
    return tuple(key) if len(key) != 1 or draw.one_in(2) else key[0]


def transform_of(draw, x, components):
    """A function of numpy.fft with words that fit the array; not of its components."""
    name, first = draw.choice(FFTS), 1 if components else 0
    axes = draw.some(range(first, x.ndim))
    words = {} if draw.one_in(2) or "shift" in name else {"norm": draw.choice(["backward", "ortho", "forward"])}
    if "shift" in name:
        return name, {"axes": tuple(axes)}
    if name in ("fft", "ifft", "rfft", "irfft", "hfft", "ihfft"):
        words["axis"] = axes[0] if draw.one_in(2) else axes[0] - x.ndim
        return name, words | ({"n": draw.randint(1, 12)} if draw.one_in(2) else {})
    axes = axes[:2] if name.endswith("2") else axes
    words["axes"] = tuple(axes)
    return name, words | ({"s": tuple(draw.randint(1, 9) for _ in axes)} if draw.one_in(2) else {})


def step(draw, d, x, comm):
    """An operation: its words, itself, and the size of its sums; a result replaces the array."""
    kind, other = draw.randrange(6), None
    if kind == 0:
        function = draw.choice(TWO)
        other = draw.choice([2, 1.5, np.float32(3), np.int8(5), True]) if draw.one_in(2) else None
        y = draw.numbers(x.shape, draw.choice(DTYPES)) if other is None else other
        e = DistArray.from_global(y, comm, d.layout, components=d.components is not None) if other is None else other
        swap = draw.one_in(2)
        what = f"{function.__name__} with {other if other is not None else y.dtype}{' in front' if swap else ''}"
        return what, lambda a: function(*((e if a is d else y, a)[:: 1 if swap else -1])), 0
    if kind == 1:
        function = draw.choice(ONE)
        return function.__name__, function, 0
    if kind == 2:
        name, axis = draw.choice(REDUCE), draw.choice([None, draw.randrange(x.ndim), tuple(draw.some(range(x.ndim)))])
        scale = np.abs(x[np.isfinite(x)].astype("D")).sum() if name in ("sum", "mean", "std", "var") else 0
        return f"{name}({axis})", lambda a: getattr(np, name)(a, axis=axis), scale
    if kind == 3:
        key = key_of(draw, x.shape)
        return f"[{key}]", lambda a: a[key], 0
    if kind == 4:
        key, value = key_of(draw, x.shape), draw.randint(0, 3)
        return f"[{key}] = {value}", lambda a: a.__setitem__(key, value), 0
    name, words = transform_of(draw, x, d.components is not None)
    if name.startswith(("ir", "h")):
        axes = (words["axis"],) if "axis" in words else words["axes"]
        r = draw.numbers(x.shape, "d")
        y = np.fft.rfftn(r, axes=axes)  # inverses are those of spectra of real numbers: others have none of their own
        e = DistArray.from_global(y, comm, "slab", components=d.components is not None)
        words = words | ({"n": r.shape[axes[0]]} if "axis" in words else {"s": [r.shape[axis] for axis in axes]})
        size = np.linalg.norm(r) * r.size
        return f"fft.{name}({words}) of others", lambda a: getattr(np.fft, name)(e if a is d else y, **words), size
    scale = np.linalg.norm(x) * (1 if "i" in name or "norm" in words else x.size)
    return f"fft.{name}({words})", lambda a: getattr(np.fft, name)(a, **words), scale


def outcome(function, argument):
    with np.errstate(all="ignore"):
        try:
            return function(argument), None
        except (ValueError, TypeError, IndexError, NotImplementedError, ZeroDivisionError, shardfft.Error) as error:
            return None, error


def check(draw, comm):
    shape, components = draw.shape(), draw.randint(1, 3) if draw.one_in(4) else None
    layout = layout_of(draw, shape, comm.size)
    x = draw.numbers(shape if components is None else (components, *shape), draw.choice(DTYPES))
    draw.text = f"{x.dtype}{x.shape} {layout}, components {components}"
    d = DistArray.from_global(x, comm, layout, components=components is not None)
    refused = True
    for _ in range(draw.randint(1, 5)):
        words, function, scale = step(draw, d, x, comm)
        draw.text += f"; {words}"
        if words.startswith("fft") and not np.isfinite(x).all():
            continue
        # The order decides what a product is that passes the largest number: zero times infinity is none.
        if words.startswith("prod") and x.dtype.kind in "fc" and not np.isfinite(np.prod(np.abs(x[np.abs(x) > 1]))):
            continue
        # NumPy rounds factors of transforms to half precision, and sums of squares, which then pass its largest number.
        half = x.dtype == "e" and ((words.startswith("fft") and "shift" not in words) or words[:3] in ("std", "var"))
        expected, told = outcome(function, x.astype("f") if half else x)
        if half and told is None and not words.startswith("fft"):
            expected = expected.astype("e")
        got, said = outcome(function, d)
        if told is not None or said is not None:
            known = said is not None and (told is not None or re.search(REFUSALS, str(said)))
            assert known, f"NumPy says {told!r}, shardfft {said!r}"
            continue
        refused = False
        if isinstance(got, DistArray):
            whole = got.gather()
            near(whole, expected, words, scale)
            if got.ndim > (got.components is not None) and got.size:
                d, x = got.copy(), whole
        elif got is not None:
            near(got, expected, words, scale)
        else:
            near(d.gather(), x, words)
    if draw.one_in(2):
        layout = layout_of(draw, d.layout.shape, comm.size)
        draw.text += f"; redistribute({layout})"
        assert np.array_equal(d.redistribute(layout).gather(), x, equal_nan=x.dtype.kind in "fc")
    if refused:
        raise RefusedError


@pytest.mark.ranks
@pytest.mark.filterwarnings("ignore")
def test_arrays(comm):
    assert problems("random --arrays", lambda draw: check(draw, comm), comm) == 0
