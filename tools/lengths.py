"""Checks that files have at most 400 lines and functions at most 60: lengths.py FILE...

EXCEPTIONS has longer ones with their lengths, which may only become shorter.
"""

import ast
import re
import sys
from pathlib import Path

FILE, FUNCTION = 400, 60
EXCEPTIONS = {
    "tests/gpu/test_real_plane_pass.cpp: TEST(RealPlanePass, RefusesWhatItCannotDo)": 61,
}
# Blocks that are no functions, by the first word of the text before their brace.
OTHERS = r"(?:if|else|for|while|switch|do|try|catch|namespace|struct|class|enum|union|extern|return|case|default)\b"
STRINGS = re.compile(r'R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\'|//[^\n]*|/\*.*?\*/', re.DOTALL)


def python_functions(text: str):
    """(name, lines) of each function."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node.name, node.end_lineno - node.lineno + 1


def c_functions(text: str):
    """(name, lines) of each block that follows a list of parameters."""
    code = STRINGS.sub(lambda match: "0" * (match[0][0] != "/") + "\n" * match[0].count("\n"), text)
    code = re.sub(r"^\s*#.*(?:\\\n.*)*", lambda match: "\n" * match[0].count("\n"), code, flags=re.MULTILINE)
    blocks, start = [], 0
    for match in re.finditer(r"[{};]", code):
        if match[0] == "{":
            begins = code[match.start() - 1 : match.start()].isspace()  # else it holds values: other_{1}
            blocks.append((start, match.start()) if begins else None)
            start = match.end() if begins else start
            continue
        block = blocks.pop() if match[0] == "}" and blocks else ()
        if block:
            first = block[0] + len(code[block[0] :]) - len(code[block[0] :].lstrip())
            head = code[first : block[1]]
            name = re.search(r"(TEST\w*\([^)]*\)|[~\w]+(?=\s*\()|operator\S+(?=\s*\())", head)
            if name and not re.match(OTHERS, head):
                yield name[1], code.count("\n", first, match.end()) + 1
        start = match.end() if block is not None else start


def lengths(path: Path):
    """("file" or "file: function", lines, limit) of a file."""
    text = path.read_text(encoding="utf-8")
    yield str(path), text.count("\n"), FILE
    longest = {}
    for name, lines in (python_functions if path.suffix == ".py" else c_functions)(text):
        longest[name] = max(lines, longest.get(name, 0))
    for name, lines in longest.items():
        yield f"{path}: {name}", lines, FUNCTION


def main() -> int:
    """Print each fault."""
    faults = False
    for file in sys.argv[1:]:
        for what, lines, limit in lengths(Path(file)):
            known = EXCEPTIONS.get(what, limit)
            if lines > known:
                print(f"{what} has {lines} lines; at most {known} are allowed")
                faults = True
            elif lines < known and what in EXCEPTIONS:
                print(f"{what} has only {lines} lines by now: say so in tools/lengths.py")
    return faults


if __name__ == "__main__":
    sys.exit(main())
