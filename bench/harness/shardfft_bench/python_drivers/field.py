"""The field every library transforms and its exact transform: the same numbers as the native drivers' field."""

from __future__ import annotations

import numpy as np

TERMS = 2


def _mix(x: np.ndarray) -> np.ndarray:
    """The finaliser of splitmix64 on 64-bit words."""
    x = x + np.uint64(0x9E3779B97F4A7C15)
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))


def _uniform(seed: int, term: int, axis: int, component: int, n: int) -> np.ndarray:
    with np.errstate(over="ignore"):
        stream = _mix(np.array([(seed * 64 + term * 16 + axis * 4 + component) % 2**64], dtype=np.uint64))
        words = _mix(stream ^ np.arange(n, dtype=np.uint64))
    return (words >> np.uint64(11)).astype(np.float64) * 2.0**-52 - 1.0


def _transform(x: np.ndarray, count: int) -> np.ndarray:
    """The 1-D transform by definition, in long double, row by row to bound the memory."""
    n = x.size
    angle = -2 * np.arccos(np.longdouble(-1)) * np.arange(n, dtype=np.longdouble) / n
    cosine, sine = np.cos(angle), np.sin(angle)
    re, im = x.real.astype(np.longdouble), x.imag.astype(np.longdouble)
    out = np.empty(count, dtype=np.complex128)
    index = np.arange(n)
    for k in range(count):
        at = index * k % n
        out[k] = complex(re @ cosine[at] - im @ sine[at], re @ sine[at] + im @ cosine[at])
    return out


def _cosines(x: np.ndarray, word: str) -> np.ndarray:
    """A cosine or sine transform by its definition, dct1 to dst4, as FFTW and SciPy have it."""
    n = x.size
    j, k = np.arange(n, dtype=np.longdouble)[None, :], np.arange(n, dtype=np.longdouble)[:, None]
    sine, kind = word.startswith("dst"), int(word[-1])
    offset_j = {1: 1 if sine else 0, 2: 0.5, 3: 1 if sine else 0, 4: 0.5}[kind]
    offset_k = {1: 1 if sine else 0, 2: 1 if sine else 0, 3: 0.5, 4: 0.5}[kind]
    length = {1: n + 1 if sine else n - 1}.get(kind, n)
    angle = np.arccos(np.longdouble(-1)) * (j + offset_j) * (k + offset_k) / length
    weights = 2 * (np.sin(angle) if sine else np.cos(angle))
    if word in ("dct1", "dct3"):
        weights[:, 0] /= 2
    if word in ("dct1", "dst3"):
        weights[:, -1] /= 2
    return (weights @ x.real.astype(np.longdouble)).astype(np.complex128)


class Field:
    """Values of the field and of its spectrum at any box; `words` name the cosine or sine transforms of its axes."""

    def __init__(self, shape: list[int], real: bool, seed: int, words: list[str] | None = None):
        self._field, self._spectrum = [], []
        for term in range(TERMS):
            factors = []
            for axis, n in enumerate(shape):
                factor = _uniform(seed, term, axis, 0, n).astype(np.complex128)
                if not (real or words):
                    factor += 1j * _uniform(seed, term, axis, 1, n)
                factors.append(factor)
            halved = [n // 2 + 1 if real and not words and axis == 2 else n for axis, n in enumerate(shape)]
            self._field.append(factors)
            if words:
                self._spectrum.append([_cosines(factor, word) for factor, word in zip(factors, words)])
                continue
            self._spectrum.append([_transform(factor, n) for factor, n in zip(factors, halved)])

    def field(self, box: tuple[slice, ...]) -> np.ndarray:
        return _product(self._field, box)

    def spectrum(self, box: tuple[slice, ...]) -> np.ndarray:
        return _product(self._spectrum, box)


def _product(terms: list[list[np.ndarray]], box: tuple[slice, ...]) -> np.ndarray:
    return sum(np.multiply.outer(np.multiply.outer(a[box[0]], b[box[1]]), c[box[2]]) for a, b, c in terms)


def error_sums(found: np.ndarray, exact: np.ndarray) -> tuple[float, float, float]:
    """Largest |found - exact| (NaN when any value is not finite), sum of its squares, sum of |exact|^2."""
    difference = np.abs(found - exact)
    largest = float(difference.max()) if difference.size else 0.0
    if not np.isfinite(difference).all():
        largest = float("nan")
    return largest, float((difference**2).sum()), float((np.abs(exact) ** 2).sum())
