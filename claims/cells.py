"""Words and numbers as cells of tables and sentences print them."""

from __future__ import annotations

import math
import re

NUMBER = re.compile(r"(?<![\w.^-])\d+(?:\.\d+)?(?:e-?\d+)?(?![\w^]|\.\d)|\?")


def unmarked(cell: str) -> str:
    """Without links' targets, stars and code marks."""
    return re.sub(r"\]\([^)]*\)", "]", cell).replace("*", "").replace("`", "")


def plain(cell: str) -> str:
    """A cell's words as they are read: without marks and without the targets of links."""
    return re.sub(r"\[([^]]*)\]", r"\1", unmarked(cell)).strip()


def same(text: str, values: list) -> bool:
    """Whether a text has these numbers, as far as it prints them, or is this word."""
    if any(isinstance(one, str) for one in values):
        return text.strip() == ", ".join(map(str, values))
    stated = NUMBER.findall(text)
    return "?" not in stated and len(stated) == len(values) and all(map(rounds_to, stated, values))


def rounds_to(stated: str, value: float) -> bool:
    """Whether the value, rounded as the text is, is the text."""
    mantissa, _, exponent = stated.partition("e")
    unit = 10.0 ** (int(exponent or 0) - len(mantissa.partition(".")[2]))
    return abs(float(stated) - value) <= 0.5 * unit * (1 + 1e-6)


def three_digits(value: float) -> str:
    """Three digits, as tables print them; whole numbers as they are."""
    if isinstance(value, int) or value == 0:
        return f"{value:.0f}"
    if abs(value) < 1e-3:
        return f"{value:.1e}"
    return f"{value:.{max(0, 2 - math.floor(math.log10(abs(value))))}f}"


def filled(value) -> str:
    """The text that replaces a question mark."""
    return value if isinstance(value, str) else three_digits(value)
