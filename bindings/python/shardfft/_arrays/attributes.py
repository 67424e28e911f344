"""Properties of an array beside its numbers, as JSON and as attributes of HDF5."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import numpy as np

_NUMBERS = "?bBhHiIlLqQefdFD"  # type codes of NumPy that JSON holds exactly


def text(attrs: Mapping[str, Any]) -> str:
    """Write attributes as JSON, NumPy's scalars as numbers, arrays and complex numbers as objects; else TypeError."""
    for name, value in attrs.items():
        try:
            json.dumps(value, default=_plain)
        except TypeError as error:
            raise TypeError(f"attrs[{name!r}] cannot be saved ({error}): give numbers, text, lists, dictionaries or "
                            "arrays of numbers") from None  # fmt: skip
    return json.dumps(dict(attrs), default=_plain)


def _plain(value: Any) -> Any:
    if isinstance(value, complex):
        return {"complex": [value.real, value.imag]}
    if isinstance(value, np.generic | np.ndarray) and value.dtype.char in _NUMBERS:
        return value.item() if isinstance(value, np.generic) else {"array": value.tolist(), "dtype": value.dtype.str}
    raise TypeError(f"Object of type {type(value).__name__} is not JSON serializable")


def known(plain: Any) -> Any:
    """Read the output of :func:`text`, after JSON."""
    if isinstance(plain, list):
        return [known(one) for one in plain]
    if not isinstance(plain, dict):
        return plain
    if set(plain) == {"complex"}:
        return complex(*plain["complex"])
    if set(plain) == {"array", "dtype"}:
        return np.array(known(plain["array"]), plain["dtype"])
    return {name: known(one) for name, one in plain.items()}


def split(written: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """Part attributes as JSON into those that HDF5 holds, and the others, still as JSON has them."""
    plain = json.loads(written)
    values = known(plain)
    own = {name: value for name, value in values.items() if _is_hdf5s(value)}
    return own, {name: one for name, one in plain.items() if name not in own}


def _is_hdf5s(value: Any) -> bool:
    if isinstance(value, str):
        return "\0" not in value
    if isinstance(value, int) and not isinstance(value, bool):
        return -(2**63) <= value < 2**63
    return isinstance(value, bool | float | complex) or (isinstance(value, np.ndarray) and value.nbytes < 60000)
