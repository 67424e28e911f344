"""The sources of the reference are complete: each public declaration has a sentence, each page a place in the site."""

from __future__ import annotations

import ast
import re
import sys

import pytest
import yaml
from blocks import ROOT

sys.path.insert(0, str(ROOT / "docs" / "site"))
import comments
import fortran
import holders
import reference

PACKAGE = ROOT / "bindings/python/shardfft"
HEADERS = sorted((ROOT / "include/shardfft").rglob("*.h*"))


@pytest.mark.parametrize("header", HEADERS, ids=lambda path: path.name)
def test_declarations_have_comments(header):
    assert comments.lacking(header.read_text()) == []


@pytest.mark.parametrize("name", fortran.MODULES)
def test_procedures_of_fortran_have_comments(name):
    assert fortran.Module(name).lacking() == []


def test_a_declaration_without_a_comment_is_found():
    header = "namespace shardfft {\n/// A sentence.\nvoid run();\nvoid run(int n);\n\nvoid walk();\n"
    header += "int speed(int a,\n  int b);\n"
    header += "int rest();  ///< Beside it.\nint none();\n"
    header += "struct Named {\n  int plain = 0;\n};\nnamespace detail {\nvoid hidden();\n}\n}\n"
    assert comments.lacking(header) == ["walk", "speed", "none", "Named"]
    assert comments.for_doxygen(header, False).count("/// A sentence.") == 2
    in_c = "/* The file. */\n#include <a.h>\n\n/* Two of them. */\nint a(void);\nint b(void);\n"
    assert comments.about(in_c) == "The file."
    assert comments.for_doxygen(in_c, True).count("/** Two of them. */") == 2
    assert "/* The file. */" in comments.for_doxygen(in_c, True)


def _definitions() -> dict[str, ast.AST]:
    """The classes and functions of the package by their names."""
    found = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        for node in ast.parse(path.read_text()).body:
            if isinstance(node, ast.ClassDef | ast.FunctionDef) and "overload" not in map(
                ast.unparse, node.decorator_list
            ):
                found.setdefault(node.name, node)
    return found


def _without(name: str, node: ast.AST, known: dict[str, ast.AST]) -> list[str]:
    """The name and the methods of its class that lack a docstring."""
    found = [] if ast.get_docstring(node) else [name]
    for one in getattr(node, "body", []) if isinstance(node, ast.ClassDef) else []:
        marks = " ".join(ast.unparse(mark) for mark in getattr(one, "decorator_list", []))
        if (
            isinstance(one, ast.FunctionDef)
            and not one.name.startswith("_")
            and not re.search("overload|setter", marks)
        ):
            found += _without(f"{name}.{one.name}", one, known)
    for base in getattr(node, "bases", []):
        if isinstance(base, ast.Name) and base.id in known:
            found += _without(base.id, known[base.id], known)
    return found


def test_public_names_of_python_have_docstrings():
    known = _definitions()
    texts = [(PACKAGE / f"{name}.py").read_text() for name in ("__init__", "fft", "scipy", "torch", "jax")]
    names = {name for text in texts for node in ast.parse(text).body if isinstance(node, ast.Assign)
             and ast.unparse(node.targets[0]) == "__all__" for name in ast.literal_eval(node.value)}  # fmt: skip
    assert len(names & known.keys()) > 35
    assert [one for name in sorted(names & known.keys()) for one in _without(name, known[name], known)] == []


def test_pages_are_there():
    """Those that sections of the site name, and in the reference all names of the package."""
    sections = yaml.safe_load((ROOT / "docs/site/contents.yaml").read_text())
    pages = {page for section in sections.values() for page in section["pages"] if not page.startswith("reference/")}
    assert [page for page in pages if not (ROOT / page).is_file()] == []
    text = " ".join(reference.pages().values())
    assert {name for name in reference.public_names() if f"shardfft.{name}\n" not in text} == set()
    shown = {name for _, names in reference.PYTHON.values() for name in names.split()}
    assert shown <= reference.public_names()


def test_pictures_are_those_of_the_program():
    assert {path.name: path.read_text() for path in holders.FOLDER.glob("*.svg")} == holders.pictures()
