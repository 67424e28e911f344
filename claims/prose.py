"""Figures with units in sentences, compared with the records that a comment before their paragraph names.

    <!-- figures
    "0.79 to 1.72": spread("shardfft", "network", "two-core-.*")
    "takes 47 ms": better("shardfft-gpu", records="1xh200/2026-11-22-planes/one-gpu", shape=[1024, 1024, 1024])
    -->

Each phrase stands in the paragraph that follows, and its numbers are those of the expression, which may use the names
of expressions of tables (claims/stated.py).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

import stated
from cells import NUMBER, same, unmarked
from points import as_list, shown

COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
FIGURES = re.compile(r"<!-- figures\n(.*?)-->\n", re.DOTALL)
SAID = re.compile(r'^"(.+?)": (.+(?:\n  .+)*)', re.MULTILINE)
CODE = re.compile(r"^```.*?^```", re.DOTALL | re.MULTILINE)
TABLE = re.compile(r"^\|.*$", re.MULTILINE)
ONE = r"(?<![\w.^/-])\d+(?:\.\d+)?"
UNITS = r"(?:ms|µs|us|s|%|[kMG]B/s|[GT]B/s|GFlop/s|TFlop/s|TFLOPS|times as|times the|of the time)"
WITH_UNIT = re.compile(rf"({ONE}(?:(?:,| to| and| or) {ONE})*) ?{UNITS}(?![\w/])")


def pages() -> list[Path]:
    """All documents that are not the narration of one set."""
    docs = [*(stated.ROOT / "docs").glob("*.md"), *(stated.ROOT / "docs" / "studies").glob("*.md")]
    return [stated.ROOT / "README.md", *sorted(docs), *sorted(stated.RESULTS.glob("*.md"))]


@dataclass
class Paragraph:
    """Sentences, and the comments about their figures."""

    page: Path
    line: int  # of the comment
    text: str
    figures: dict[str, str]

    def faults(self) -> list[str]:
        """Phrases that are not there, or say otherwise than the records."""
        where, found = f"{self.page.relative_to(stated.ROOT)}:{self.line}", []
        for phrase, expression in self.figures.items():
            if phrase not in self.text:
                found.append(f"{where}: the paragraph does not say '{phrase}'")
                continue
            try:
                wanted = as_list(eval(expression, stated.Row(()).names()))  # the repository's own words
            except (LookupError, ValueError, NameError, TypeError, SyntaxError) as error:
                found.append(f"{where}: {type(error).__name__}: {error}")
                continue
            if not same(phrase, wanted):
                found.append(f"{where}: '{phrase}' is stated, the records say {shown(wanted)}")
        return found

    def covered(self) -> int:
        """How many figures with units the phrases hold."""
        without = self.text
        for phrase in self.figures:
            without = without.replace(phrase, "")
        return figures(self.text) - figures(without)


def figures(text: str) -> int:
    """How many numbers with a unit behind them a text has; of '1 to 3 ms' both."""
    return sum(len(NUMBER.findall(one)) for one in WITH_UNIT.findall(text))


def paragraphs(page: Path) -> list[Paragraph]:
    """The paragraphs of a page whose figures are told."""
    text = page.read_text(encoding="utf-8")
    found = []
    for match in FIGURES.finditer(text):
        block = " ".join(unmarked(COMMENT.sub("", text[match.end() :]).split("\n\n")[0]).split())
        found.append(Paragraph(page, text[: match.start()].count("\n") + 1, block, dict(SAID.findall(match[1]))))
    return found


def unrecorded(page: Path) -> int:
    """Figures with units in sentences of a page that nothing is compared with."""
    text = page.read_text(encoding="utf-8")
    for pattern in (CODE, COMMENT, TABLE):
        text = pattern.sub("", text)
    return figures(" ".join(unmarked(text).split())) - sum(one.covered() for one in paragraphs(page))
