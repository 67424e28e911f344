"""Texts that programs printed, read as records."""

from __future__ import annotations

import re


def _number_or_word(text: str) -> int | float | str:
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


def text_lines(lines: list[str]) -> list[dict]:
    """Rows of words below '# NAME NAME ...', or of tables of Markdown.

    A line above them such as '== 2 ranks process 1' is a part of each row: `ranks` is 2.
    """
    found, header, section = [], [], {}
    for line in lines:
        table = line.startswith("|")
        words = [one.strip() for one in line.strip("|").split("|")] if table else line.lstrip("#").split()
        if line.startswith("=="):
            number, name = re.findall(r"(\d+) (\w+)", line)[0]
            header, section = [], {name: int(number)}
        elif line.startswith("#") or (table and not header):
            header = words
        elif len(words) == len(header) and not set("".join(words)) <= set("-: "):
            found.append({**section, **dict(zip(header, map(_number_or_word, words), strict=True))})
    return found
