"""Lengths of axes that are transformed fast: those without large prime factors."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache

from .._ground.arguments import integer


@cache
def _products(limit: int, primes: tuple[int, ...]) -> list[int]:
    found = {1}
    for prime in primes:
        fresh: Iterable[int] = found
        while fresh := {one * prime for one in fresh if one * prime <= limit}:
            found |= fresh
    return sorted(found)


def _known(target: int, real: bool) -> list[int]:
    number = integer(target, "target")
    if number < 1:
        raise ValueError(f"Target length must be positive, not {number}")
    return _products(2 ** number.bit_length(), (2, 3, 5) if real else (2, 3, 5, 7, 11))


def next_fast_len(target: int, real: bool = False) -> int:
    """Find the smallest fast length that is not below ``target``, as ``scipy.fft.next_fast_len``.

    Example:
        >>> import shardfft
        >>> shardfft.fft.next_fast_len(93059)
        93170
    """
    return next(one for one in _known(target, real) if one >= target)


def prev_fast_len(target: int, real: bool = False) -> int:
    """Find the largest fast length that is not above ``target``, as ``scipy.fft.prev_fast_len``.

    Example:
        >>> import shardfft
        >>> shardfft.fft.prev_fast_len(97)
        96
    """
    return next(one for one in reversed(_known(target, real)) if one <= target)
