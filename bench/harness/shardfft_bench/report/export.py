"""Tables for papers: CSV and LaTeX files of a page's tables."""

from __future__ import annotations

import csv
import io
from pathlib import Path

# Characters that have a meaning in LaTeX.
SPECIAL = {
    "\\": r"\textbackslash{}", "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_", "{": r"\{", "}": r"\}",
    "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "³": "$^3$", "×": r"$\times$", "µ": r"\textmu{}", "–": "--",
}  # fmt: skip


def csv_text(header: list[str], rows: list[list[str]]) -> str:
    """Lines of comma-separated values."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerows([header, *rows])
    return out.getvalue()


def _escaped(text: str) -> str:
    return "".join(SPECIAL.get(letter, letter) for letter in text)


def latex_text(header: list[str], rows: list[list[str]], caption: str = "") -> str:
    """A tabular; its first column at the left, all others at the right. The caption goes into a comment above it."""
    lines = [f"% {' '.join(caption.split())}"] if caption else []
    lines += [rf"\begin{{tabular}}{{l{'r' * (len(header) - 1)}}}", r"\hline"]
    lines += [" & ".join(map(_escaped, header)) + r" \\", r"\hline"]
    lines += [" & ".join(map(_escaped, row)) + r" \\" for row in rows]
    return "\n".join([*lines, r"\hline", r"\end{tabular}"]) + "\n"


def write(folder: Path, name: str, header: list[str], rows: list[list[str]], caption: str = "") -> list[str]:
    """Writes `name`.csv and `name`.tex into a folder, which is made; their names."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{name}.csv").write_text(csv_text(header, rows), encoding="utf-8")
    (folder / f"{name}.tex").write_text(latex_text(header, rows, caption), encoding="utf-8")
    return [f"{name}.csv", f"{name}.tex"]
