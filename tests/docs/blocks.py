"""The examples of the documents: fenced blocks with their language and mark, and commands within the text."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FENCE = re.compile(r"^ *```(\S*)")
MARK = re.compile(r"<!-- not run: (.+?) -->")
# The beginnings of commands in the text, within single backquotes.
INLINE = re.compile(
    r"(?<!`)`((?:\./run|\.ci/run|shardfft-bench|shardfft|mpirun|python3?|pip|cmake|bash) [^`\n]+)`(?!`)"
)


@dataclass
class Block:
    """One fenced block; `not_run` is the reason of its mark, or empty."""

    where: str
    language: str
    text: str
    not_run: str = ""


def documents() -> list[Path]:
    """The pages of the root, everything in docs/, and the Python package's page."""
    root = [ROOT / name for name in ("README.md", "CONTRIBUTING.md", "ARCHITECTURE.md")]
    return [*root, *sorted(ROOT.glob("docs/**/*.md")), ROOT / "bindings" / "python" / "README.md"]


def blocks_of(path: Path, name: str) -> list[Block]:
    """The blocks of one document. A mark is a comment on the last line with text before the fence."""
    found: list[Block] = []
    block, mark = None, ""
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        fence = FENCE.match(line)
        if fence and block is None:
            block = Block(f"{name}:{number}", fence[1], "", mark)
        elif fence:
            found.append(block)
            block, mark = None, ""
        elif block is not None:
            block.text += line + "\n"
        elif line.strip():
            marked = MARK.search(line)
            mark = marked[1] if marked else ""
    assert block is None, f"{name}: the block of {block.where} does not end"
    return found


def all_blocks() -> list[Block]:
    return [block for path in documents() for block in blocks_of(path, str(path.relative_to(ROOT)))]


def commands_of(block: Block) -> list[str]:
    """The command lines of a shell block without their comments."""
    lines = (re.sub(r"(^|\s+)# .*", "", line).strip() for line in block.text.replace("\\\n", " ").splitlines())
    return [line for line in lines if line]


def inline_commands() -> list[tuple[str, str]]:
    """(document, command) of the commands that stand in the text."""
    found = []
    for path in documents():
        text = re.sub(r"^ *```.*?^ *```", "", path.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)
        found += [(str(path.relative_to(ROOT)), command) for command in INLINE.findall(text)]
    return list(dict.fromkeys(found))
