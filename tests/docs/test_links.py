"""Links within the repository lead somewhere, to the very heading that they name."""

from __future__ import annotations

import re

import pytest
from blocks import ROOT, documents

PAGES = [*documents(), ROOT / "CHANGELOG.md", *sorted(ROOT.glob("bench/results/**/*.md"))]
LINK = re.compile(r"(?<!`)\[[^\]]*\]\(([^)\s]+)\)")


def anchors(text: str) -> set[str]:
    """The names that headings have: lower case, spaces as dashes, no punctuation; repeated ones are numbered."""
    found: set[str] = set()
    prose = re.sub(r"^```.*?^```", "", text, flags=re.DOTALL | re.MULTILINE)
    for heading in re.findall(r"^#+ +(.*?) *$", prose, re.MULTILINE):
        plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading)
        name = re.sub(r"[^\w\- ]", "", plain.lower()).replace(" ", "-")
        count = sum(1 for one in found if re.fullmatch(rf"{re.escape(name)}(-\d+)?", one))
        found.add(f"{name}-{count}" if count else name)
    return found


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links(page):
    for target in LINK.findall(page.read_text(encoding="utf-8")):
        if re.match(r"[a-z]+:", target):
            continue
        name, _, anchor = target.partition("#")
        file = (page.parent / name).resolve() if name else page
        assert file.exists(), f"{target}: there is no such file"
        if anchor:
            assert anchor in anchors(file.read_text(encoding="utf-8")), f"{target}: there is no such heading"


FOLDERS = "include|src|bindings|bench|claims|cmake|demo|examples|tests|tools|docs"


@pytest.mark.parametrize("page", documents(), ids=lambda page: str(page.relative_to(ROOT)))
def test_paths(page):
    """Files and folders that the text names exist; names in capitals or angle brackets stand for the reader's own."""
    for name in re.findall(rf"`((?:{FOLDERS})/[\w./-]*)`", page.read_text(encoding="utf-8")):
        if "NAME" not in name:
            assert (ROOT / name).exists() or list(ROOT.glob(f"{name}.*")), f"there is no {name}"
