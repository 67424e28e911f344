"""The pages of the reference: Python by Sphinx, C++ and C by Doxygen, Fortran by fortran.py."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import comments
import fortran

ROOT = Path(__file__).resolve().parents[2]
INCLUDE = ROOT / "include" / "shardfft"

#: Names of the package `shardfft`, by page, others being on a page of their own; and modules, which have a page each.
PYTHON = {
    "plans": ("Plans", "plan Plan Report Side options Option clear_plans algorithm_names exchange_names "
              "device_exchange_names local_fft_names"),
    "layouts": ("Layouts", "Layout Piece gather_layout"),
    "arrays": ("Distributed arrays", "DistArray DeviceArray scatter gather redistribute"),
    "transforms": ("Transforms under NumPy's names", "fftn ifftn rfftn irfftn fft2 ifft2 rfft2 irfft2 ifft rfft irfft "
                   "dctn idctn dstn idstn"),
    "operators": ("Operators and vector fields", "Operator SpectrumPart convolve gradient divergence curl project"),
    "solvers": ("Solvers", "poisson Poisson"),
    "halos": ("Halos and particles", "HaloExchange ParticleMesh"),
    "errors": ("Errors", "Error ArgumentError abort_on_exception"),
}  # fmt: skip
MODULES = ["fft", "scipy", "torch", "jax", "typing", "compat.mpi4py_fft", "compat.fluidfft"]
#: Programs that use the declarations of headers, and run in tests; for others the page of their area has one.
EXAMPLES = {
    "plan": "examples/01_slab.cpp", "layout": "docs/learn/layout.md", "operator": "docs/operators.md",
    "poisson": "docs/solvers.md", "predict": "docs/tuning.md",
    "halo": "docs/halos.md", "particles": "docs/halos.md", "spectra": "examples/08_forced_turbulence.cpp",
    "redistribution": "examples/07_checkpoint.cpp", "side": "docs/concepts.md", "for_each": "docs/concepts.md",
    "buffer": "docs/concepts.md", "error": "docs/reliability.md", "forks": "docs/reliability.md",
    "ranks": "docs/gpu.md", "types": "examples/04_real.cpp", "option_table": "docs/options.md",
    "options": "examples/04_real.cpp", "report": "docs/tracing.md", "gpu": "docs/gpu.md", "kernels": "docs/gpu.md",
}  # fmt: skip


def public_names() -> set[str]:
    """Give `shardfft.__all__` as its source has it."""
    tree = ast.parse((ROOT / "bindings/python/shardfft/__init__.py").read_text(encoding="utf-8"))
    every = next(node.value for node in tree.body if isinstance(node, ast.Assign) and node.targets[0].id == "__all__")
    return set(ast.literal_eval(every))


def _title(text: str) -> str:
    return f"{text}\n{'=' * len(text)}\n\n"


def _rst(text: str) -> str:
    """Give a comment as reStructuredText: code in two backquotes, and no marks but these."""
    parts = text.split("`")
    return "".join(f"``{part}``" if at % 2 else re.sub(r"([*_|])", r"\\\1", part) for at, part in enumerate(parts))


def _index(title: str, says: str, pages: list[str]) -> str:
    return f"# {title}\n\n{says}\n\n```{{toctree}}\n" + "\n".join(pages) + "\n```\n"


def _python() -> dict[str, str]:
    shown = {name for _, names in PYTHON.values() for name in names.split()}
    rest = sorted(public_names() - shown - set(MODULES))
    groups = {**PYTHON, **({"more": ("More of the package", " ".join(rest))} if rest else {})}
    pages = {}
    for page, (title, names) in groups.items():
        text = _title(title) + ".. py:currentmodule:: shardfft\n\n"
        for name in names.split():
            kind = "autoexception" if name.endswith("Error") else "autoclass" if name[0].isupper() else "autofunction"
            text += (
                f".. {kind}:: shardfft.{name}\n" + "   :inherited-members: tuple,dict\n" * (kind == "autoclass") + "\n"
            )
        pages[f"reference/python/{page}.rst"] = text
    for name in MODULES:
        pages[f"reference/python/{name}.rst"] = _title(f"shardfft.{name}") + f".. automodule:: shardfft.{name}\n"
    says = "The package `shardfft`. Every text has an example, which a test runs on 1, 2 and 4 ranks."
    pages["reference/python.md"] = _index("Python reference", says, [name[10:-4] for name in pages])
    return pages


def _headers(folder: Path, language: str, title: str, says: str) -> dict[str, str]:
    pages = {}
    suffix = ".hpp" if language == "cpp" else ".h"
    for file in sorted(folder.glob(f"*{suffix}")):
        if "namespace shardfft::detail {" in file.read_text(encoding="utf-8") or file.stem == "shardfft":
            continue
        text = _title(f"{file.relative_to(INCLUDE.parent)}")
        text += _rst(comments.about(file.read_text(encoding="utf-8"))) + "\n\n"
        example = EXAMPLES.get(file.stem)
        if example and language == "cpp":
            text += f"A program that uses it: :doc:`/{example.removesuffix('.md')}`.\n\n"
        text += f".. doxygenfile:: {file.name}\n   :project: {language}\n"
        pages[f"reference/{language}/{file.stem}.rst"] = text
    pages[f"reference/{language}.md"] = _index(title, says, [name[10:-4] for name in pages])
    return pages


def pages() -> dict[str, str]:
    """Give the text of each page by its name."""
    cpp = _headers(INCLUDE, "cpp", "C++ reference", "`#include <shardfft/shardfft.hpp>` has all of these headers.")
    of_c = _headers(INCLUDE / "c", "c", "C reference", "`#include <shardfft/c.h>` has all of these headers. [A program"
                    " in C](../examples/05_poisson.c) uses them.")  # fmt: skip
    of_fortran = fortran.pages()
    index = _index("Fortran reference", "`use shardfft` has all of these modules. [A program in Fortran]"
                   "(../examples/06_pencils.f90) uses them. Every procedure takes `stat=` and `errmsg=`, as `allocate`"
                   " does.", [name[10:-3] for name in of_fortran])  # fmt: skip
    return {**_python(), **cpp, **of_c, **of_fortran, "reference/fortran.md": index}
