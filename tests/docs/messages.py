"""All texts that the library and the Python package print or raise, one a line, to be read as a whole:

python3 tests/docs/messages.py [python|c++] | less
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
VAGUE = re.compile(r"(?<!numpy\.)\b(what|where|whatever|wherever|that which)\b", re.IGNORECASE)
TOKEN = re.compile(r'"((?:[^"\\\n]|\\.)*)"|//[^\n]*|[;{}]|\n')


def shown(node: ast.AST) -> str | None:
    """A string constant or an f-string as a reader sees it; None for anything else."""
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else None
    if isinstance(node, ast.JoinedStr):
        return "".join(shown(value) or "{}" for value in node.values)
    return None


def is_sentence(text: str) -> bool:
    return len(re.findall(r"[A-Za-z]{2,}", text)) >= 3 and " " in text.strip()


def of_python(path: Path) -> Iterator[tuple[int, str]]:
    """Line and text of each sentence that is no documentation."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    skipped = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            skipped.update(id(part) for part in ast.walk(node) if part is not node)
    for node in ast.walk(tree):
        text = None if id(node) in skipped else shown(node)
        if text and is_sentence(text):
            yield node.lineno, " ".join(text.split())


def of_cpp(path: Path) -> Iterator[tuple[int, str]]:
    """First line and text of the literals of each statement, with dots for values between; comments do not count."""
    line, begin, last, parts = 1, 1, 0, []
    source = path.read_text(encoding="utf-8")
    for found in TOKEN.finditer(source + ";"):
        if found[0] == "\n":
            line += 1
        elif found[1] is not None:
            begin = begin if parts else line
            parts += [*([] if source[last : found.start()].isspace() or not parts else ["..."]), found[1]]
            last = found.end()
        elif found[0] in ";{}":
            text, parts = " ".join("".join(parts).split()), []
            if is_sentence(text):
                yield begin, text


def messages(language: str) -> list[tuple[str, int, str]]:
    """File, line and text of all messages in ``python`` or ``c++``."""
    if language == "python":
        paths = sorted((ROOT / "bindings" / "python" / "shardfft").rglob("*.py"))
    else:
        paths = sorted(path for path in (ROOT / "src").rglob("*") if path.suffix in (".cpp", ".hpp"))
    find = of_python if language == "python" else of_cpp
    return [(str(path.relative_to(ROOT)), *found) for path in paths for found in find(path)]


if __name__ == "__main__":
    for name in sys.argv[1:] or ("python", "c++"):
        for file, line, text in messages(name):
            print(f"{file}:{line}: {text}")
