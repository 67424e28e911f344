"""Words of commands: shapes and options of plans."""

from __future__ import annotations

import re
from typing import Any

from .._plans.options import convert, options


def shape_of(word: str) -> tuple[int, ...]:
    """Read 90x80x70, or 512^3."""
    if power := re.fullmatch(r"(\d+)\^([1-4])", word):
        return (int(power[1]),) * int(power[2])
    if not re.fullmatch(r"\d+(x\d+){0,3}", word):
        raise ValueError(f"'{word}' is no shape like 90x80x70 or 512^3")
    return tuple(int(number) for number in word.split("x"))


def _value(kind: str, word: str) -> Any:
    if kind == "flag" and word in ("yes", "no"):
        return word == "yes"
    if kind in ("integer", "number"):
        return (int if kind == "integer" else float)(word)
    if kind in ("integers", "words"):
        return [int(part) if kind == "integers" else part for part in word.split(",")]
    return word


def plan_options(said: list[str]) -> dict[str, Any]:
    """Read options of plans as OPTION=VALUE; lists have commas, flags are yes or no."""
    kinds, found = {option.name: option.type for option in options()}, {}
    for one in said:
        name, equals, word = one.partition("=")
        if not equals:
            raise ValueError(f"'{one}' is no option like threads=2")
        found[name] = _value(kinds.get(name, "text"), word)
    convert(found)
    return found
