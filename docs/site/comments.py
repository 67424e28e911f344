"""comments.py HEADER: a public header as Doxygen reads it, and which of its declarations have no comment.

A comment stands above a group of declarations, to the next empty line or comment. Doxygen would give it to the first
alone: in C the others of the group get it too, in C++ the overloads.
"""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass
from pathlib import Path

SCOPE = re.compile(r"^(?:template.*> )?(namespace|class|struct|union|enum(?: class)?)\b ?([\w:]*)[^;()]*{$")
NAME = re.compile(r"(operator ?(?:\(\)|[^\s(]+)|~?\w+)\s*\(")
#: Without a sentence of their own: members that every class has, or has not.
ORDINARY = re.compile(r"\boperator\b|= (?:default|delete);|^~|^friend\b|noexcept;$")


@dataclass
class Declaration:
    """A declaration that begins on a line, from 0; its comment's lines, and whether that stands above another one."""

    line: int
    name: str
    text: str
    comment: list[str]
    shared: bool
    function: bool


def _joined(lines: list[str], at: int) -> tuple[str, int]:
    """Give a whole declaration and the line behind it: up to a semicolon or a body's end."""
    text, depth = "", 0
    while True:
        code = re.sub(r"//.*|/\*.*?\*/", "", lines[at]).strip()
        text, at = f"{text} {code}".strip(), at + 1
        depth += sum(map(code.count, "{(")) - sum(map(code.count, "})"))
        if at == len(lines) or (depth == 0 and text.endswith((";", "}"))):
            return text, at


def declarations(text: str) -> list[Declaration]:
    """List the declarations of a header for its users: none that is private, or of a namespace `detail`."""
    found: list[Declaration] = []
    scopes: list[tuple[str, bool]] = []  # kind, whether its declarations are public
    comment, fresh, lines, at = [], True, text.splitlines(), 0
    while at < len(lines):
        line = lines[at].strip()
        scope = SCOPE.match(line)
        public = all(known for _, known in scopes)
        if line.startswith(("///", "/*")):
            begin = at
            while line.startswith("/*") and "*/" not in lines[at]:
                at += 1
            while line.startswith("///") and lines[at + 1].strip().startswith("///"):
                at += 1
            comment, fresh = lines[begin : at + 1], True
        elif not line or line.startswith(("//", "#")) or line == 'extern "C" {':
            comment = comment if line else []
        elif re.match(r"^(public|private|protected):", line):
            scopes[-1], comment = (scopes[-1][0], line == "public:"), []
        elif scope or re.match(r"^enum \w*{?$", line):
            kind, name = scope.groups() if scope else ("enum", "")
            if public and kind != "namespace" and name:
                found.append(Declaration(at, name, line, comment, not fresh, False))
            hidden = kind == "namespace" and name.endswith("detail")
            scopes.append((kind, not hidden and kind != "class"))
            comment = []
        elif line.startswith("}"):
            if scopes:
                scopes.pop()
            comment = []
        elif scopes and scopes[-1][0].startswith("enum"):
            pass
        else:
            whole, end = _joined(lines, at)
            beside = re.findall("///<.*", "\n".join(lines[at:end]))
            code = re.sub(r"^template .*?> (?=[\w:\[])|requires .*?> (?=\w)|\[\[\w+\]\] ", "", whole)
            called = re.sub(r"decltype\(|std::function<.*?>", "", code)
            name = None if re.match(r"using|typedef|enum|struct", code) else NAME.search(called)
            if public and not re.match(r"^(struct|class) \w+;|^static_assert", code):
                word = name[1] if name else code.rstrip(";").split(" = ")[0].split("{")[0].split()[-1]
                found.append(Declaration(at, word, code, beside or comment, not fresh and not beside, name is not None))
                fresh = False
            at = end - 1
        at += 1
    return found


def lacking(text: str) -> list[str]:
    """Name the types and functions without a comment; an overload's is that of the others."""
    explained = {one.name for one in declarations(text) if one.comment}
    types = re.compile(r"^(using|typedef|class|struct|enum)\b")
    return [
        one.name
        for one in declarations(text)
        if one.name not in explained and (one.function or types.match(one.text)) and not ORDINARY.search(one.text)
    ]


def about(text: str) -> str:
    """Give the comment of a whole header, with paragraphs."""
    found = re.search(r"^(?:// .*\n)+|^/\*(?:.*\n)*?.*?\*/", text, re.MULTILINE)
    lines = re.sub(r"^(?://|/\*| \*(?!/))? ?|\s*\*/$", "", found[0] if found else "", flags=re.MULTILINE)
    return lines.strip()


def for_doxygen(text: str, is_c: bool) -> str:
    """Repeat comments, and write C's in the way that Doxygen knows."""
    lines, before = text.splitlines(), ""
    repeated = {}
    for one in declarations(text):
        if one.shared and one.comment and (is_c or one.name == before):
            repeated[one.line] = one.comment
        before = one.name
    out = []
    for number, line in enumerate(lines):
        out += [*repeated.get(number, []), line]
    text = "\n".join(out) + "\n"
    if is_c:
        head, include, text = text.partition("#include")  # the first comment is the file's own
        text = re.sub(r"^/\* ", "/** ", text, flags=re.MULTILINE)
        text = re.sub(r"^(  \S.*) /\* (.*\*/)$", r"\1 /**< \2", text, flags=re.MULTILINE)
        text = head + include + text
    return text


if __name__ == "__main__":
    path = Path(sys.argv[1])
    print(for_doxygen(path.read_text(encoding="utf-8"), path.suffix == ".h"), end="")
