"""The Python package without its compiled module: docstrings and signatures can be read without a build."""

from __future__ import annotations

import importlib
import re
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

from sphinx.ext.autodoc.mock import _MockObject, mock

ROOT = Path(__file__).resolve().parents[2]
#: Imports of the package that the site does not need.
MOCKED = ["mpi4py", "torch", "jax", "jaxlib", "cupy", "scipy", "h5py", "netCDF4", "fluidfft"]
_TYPES = {"yes, no": "flag", "a file": "path", "a line": "text", "a handle": "address", "`auto` or a name": "name"}


def option_rows() -> list[list[Any]]:
    """Give the table of options as the library does, by its page docs/options.md, which a test compares with it."""
    page = (ROOT / "docs/options.md").read_text(encoding="utf-8")
    said = dict(re.findall(r"^#+ (\w+)\n((?:.+\n)+)", page, re.MULTILINE))
    rows = []
    for name, takes, default, effect, agreement in re.findall(
        r"^\| \[`(\w+)`\]\(#\w+\) \| (.+?) \| (.+?) \| (.+?) \| (.+?) \|$", page, re.MULTILINE
    ):
        choices = re.findall(r"`(\w+)`", takes) if "a name" not in takes else []
        listed = "words" if takes.startswith("a list") else "choice" if choices else takes.split(",")[0]
        kind = _TYPES.get(takes, listed)
        empty = [] if kind in ("integers", "words") else ""
        value: Any = empty if default == "none" else default.strip("`")
        if kind == "flag":
            value = default == "yes"
        elif kind in ("integer", "number") and default != "none":
            value = int(value) if kind == "integer" else float(value)
        least = int(takes.split()[-1]) if takes.split()[-1].lstrip("-").isdigit() else 0
        rows.append([name, kind, value, choices, least, effect.split(", "), agreement, " ".join(said[name].split())])
    return rows


def install() -> ModuleType:
    """Make ``shardfft._core`` of its stub file, and give the package that finds it."""
    sys.path.insert(0, str(ROOT / "bindings/python"))
    stub = ROOT / "bindings/python/shardfft/_core.pyi"
    module = ModuleType("shardfft._core")
    module.__file__ = str(stub)
    exec(compile("from __future__ import annotations\n" + stub.read_text(encoding="utf-8"), stub, "exec"), vars(module))
    module.option_rows = option_rows  # type: ignore[attr-defined]
    sys.modules["shardfft._core"] = module
    _MockObject.__setitem__ = lambda *_: None  # JAX's tables of rules, to which the package adds
    with mock(MOCKED):
        return importlib.import_module("shardfft")
