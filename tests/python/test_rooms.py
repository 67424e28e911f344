"""Imports of the package go one way, from a room to those below it: the Python twin of tests/includes.

_core <- _ground <- _libraries <- _layouts <- _plans <- _arrays <- _transforms <- {_doctor, _doors, _frameworks} <-
modules at the top <- compat.
"""

import ast
import re
from pathlib import Path
from typing import NamedTuple

PACKAGE = Path(__file__).parents[2] / "bindings/python/shardfft"
#: Height of every sub-package; a new one is entered here. Those of one height do not know each other.
HEIGHTS = {
    "_core": 0,
    "_ground": 1,
    "_libraries": 2,
    "_layouts": 3,
    "_plans": 4,
    "_arrays": 5,
    "_transforms": 6,
    "_doctor": 7,
    "_doors": 7,
    "_frameworks": 7,
    "": 8,
    "compat": 9,
}


class Import(NamedTuple):
    """One file imports another."""

    source: str
    line: int
    target: str
    inside: bool  #: in a function
    typing: bool  #: for type checkers only


def name_of(file):
    """``_plans.plan`` of _plans/plan.py, ``_plans`` of _plans/__init__.py, an empty name of the package's own."""
    parts = file.relative_to(PACKAGE).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


FILES = {name_of(file): file for file in PACKAGE.rglob("*.py")}


def targets(node, source):
    """Files of this package that a statement imports."""
    if isinstance(node, ast.Import):
        return [alias.name.partition(".")[2] for alias in node.names if alias.name.split(".")[0] == "shardfft"]
    base = node.module or ""
    if node.level:
        here = source.split(".") if source else []
        if FILES[source].stem != "__init__":
            here = here[:-1]
        above = here[: len(here) - (node.level - 1)]
        base = ".".join([*above, *([node.module] if node.module else [])])
    elif base.split(".")[0] != "shardfft":
        return []
    else:
        base = base.partition(".")[2]
    names = [f"{base}.{alias.name}".lstrip(".") for alias in node.names]
    return list(dict.fromkeys(name if name in FILES else base for name in names))


def imports_of(source):
    found = []

    def visit(node, inside, typing):
        if isinstance(node, ast.Import | ast.ImportFrom):
            found.extend(Import(source, node.lineno, target, inside, typing) for target in targets(node, source))
        inside = inside or isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
        typing = typing or (isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING")
        for child in ast.iter_child_nodes(node):
            visit(child, inside, typing)

    visit(ast.parse(FILES[source].read_text()), False, False)
    return [one for one in found if one.target != source]


IMPORTS = [one for source in FILES for one in imports_of(source)]


def told(imports):
    return [f"{one.source or 'shardfft'}, line {one.line}, imports {one.target or 'shardfft'}" for one in imports]


def room(name):
    first = name.split(".")[0]
    return first if first in HEIGHTS else ""


def circles(imports):
    """Files that reach themselves, in groups."""
    after = {name: {one.target for one in imports if one.source == name} for name in FILES}

    def reached(name):
        seen, left = set(), [name]
        while left:
            fresh = after[left.pop()] - seen
            seen |= fresh
            left.extend(fresh)
        return seen

    reach = {name: reached(name) for name in FILES}
    return sorted({tuple(sorted(o for o in reach[n] if n in reach[o])) for n in FILES if n in reach[n]})


def test_every_room_has_a_height():
    assert IMPORTS
    rooms = {file.parent.name for file in PACKAGE.glob("*/__init__.py")}
    assert rooms <= set(HEIGHTS), f"without a place in this test's table: {sorted(rooms - set(HEIGHTS))}"


def test_imports_go_down():
    wrong = [
        one
        for one in IMPORTS
        if room(one.source) != room(one.target) and HEIGHTS[room(one.target)] >= HEIGHTS[room(one.source)]
    ]
    assert told(wrong) == []


def test_nothing_is_imported_inside_functions():
    """But libraries that may be missing, and mpi4py, which starts MPI when it is imported."""
    assert told([one for one in IMPORTS if one.inside]) == []


def test_no_circle():
    assert circles([one for one in IMPORTS if not one.typing]) == []


def test_no_circle_by_types():
    """Nor when imports for annotations are counted."""
    assert circles(IMPORTS) == []


def test_the_test_sees_circles():
    one, other = (Import(a, 1, b, False, False) for a, b in (("fft", "scipy"), ("scipy", "fft")))
    assert circles([one, other]) == [("fft", "scipy")]


def test_the_header_for_one_process_declares_all_of_mpi_that_the_library_calls():
    """Only wheels are built over it, which takes long."""
    root, words = PACKAGE.parents[2], re.compile(r"\bMPI_[A-Z]\w+")
    declared = set(words.findall((PACKAGE.parent / "mpi/one_process/mpi.h").read_text()))
    code = [root / "include", root / "src", PACKAGE.parent / "src"]
    texts = {path: path.read_text() for folder in code for path in folder.rglob("*.[ch]*") if path.is_file()}
    spoken = re.compile(r'//.*|"(?:\\.|[^"\\])*"')
    called = {(word, path.name) for path, text in texts.items() for word in words.findall(spoken.sub("", text))}
    assert len(called) > 100
    missing = {use for use in called if use[0] not in declared and not use[0].startswith("MPI_ABI_")}
    assert not missing
