"""Points of experiments as documents write them: sizes, types and drawn cases in words."""

from __future__ import annotations

import re

TYPES = {"Z2Z": ("c2c", "double"), "C2C": ("c2c", "single"), "D2Z": ("r2c", "double"), "R2C": ("r2c", "single")}
KINDS = {"complex": "c2c", "real": "r2c"}


def shape_of(text: str) -> list[int]:
    """The extents that '256', '256^3' or '810 x 1050 x 1080' means."""
    extents = [int(word) for word in re.findall(r"\d+", re.sub(r"\^3", "", text))]
    return extents * 3 if len(extents) == 1 else extents


def drawn(text: str) -> dict:
    """The point of a drawn case: '250 x 280 x 252 real single, pencils'."""
    array, _, layout = text.partition(",")
    words = re.sub(r"\^3", "", array).split()
    point = {"shape": shape_of(" ".join(word for word in words if word.isdigit()))}
    point["kind"] = "r2c" if "real" in words else "c2c"
    point["precision"] = "single" if "single" in words else "double"
    named = [one for one in ("brick", "pencil", "slab") if one in layout]
    return {**point, "layout": named[0]} if named else point


def as_list(value) -> list:
    """The value, or its entries."""
    return list(value) if isinstance(value, list | tuple) else [value]


def shown(values: list) -> str:
    """Words and numbers as a message names them."""
    return ", ".join(one if isinstance(one, str) else f"{one:.4g}" for one in values)
