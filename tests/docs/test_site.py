"""The site that `./run docs` has built: links, titles, headings, pictures, search; nothing comes from the network."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path
from urllib.parse import unquote

import pytest
from place import BUILD

SITE = BUILD / "site"
pytestmark = pytest.mark.skipif(not (SITE / "index.html").is_file(), reason=f"{SITE} is missing: ./run docs builds it")


class Page(HTMLParser):
    """The parts of a page that are tested."""

    def __init__(self, path: Path):
        super().__init__()
        self.path = path
        self.ids: set[str] = set()
        self.links: list[str] = []
        self.loads: list[str] = []
        self.headings: list[int] = []
        self.pictures: list[str | None] = []
        self.viewport = ""
        self.title, self._in_title = "", False
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attributes):
        told = dict(attributes)
        self._in_title = self._in_title or (tag == "title" and not self.title)
        if told.get("id"):
            self.ids.add(told["id"])
        if tag == "a" and told.get("href"):
            self.links.append(told["href"])
        if tag in ("script", "img", "source", "iframe") and told.get("src"):
            self.loads.append(told["src"])
        if tag == "link" and told.get("rel") in ("stylesheet", "preload", "prefetch", "shortcut icon", "preconnect"):
            self.loads.append(told["href"])
        if tag == "img":
            self.pictures.append(told.get("alt"))
        if re.fullmatch("h[1-6]", tag):
            self.headings.append(int(tag[1]))
        if tag == "meta" and told.get("name") == "viewport":
            self.viewport = told.get("content", "")

    def handle_endtag(self, tag):
        if tag == "title":
            self._in_title = False

    def handle_data(self, data):
        if self._in_title:
            self.title += data


@pytest.fixture(scope="module")
def pages() -> dict[Path, Page]:
    found = {path: Page(path) for path in sorted(SITE.rglob("*.html")) if "_static" not in path.parts}
    assert len(found) > 150
    return found


def texts(pages):
    """Pages of text: not lists that Sphinx makes, nor sources."""
    made = ("genindex", "search", "py-modindex", "_modules")
    return {path: page for path, page in pages.items() if path.relative_to(SITE).parts[0].split(".")[0] not in made}


def test_no_link_is_dead(pages):
    dead = []
    for path, page in pages.items():
        for link in [*page.links, *page.loads]:
            if re.match(r"[a-z]+:", link):
                continue
            name, _, place = unquote(link).partition("#")
            target = (path.parent / name.split("?")[0]).resolve() if name else path
            if not target.exists():
                dead.append(f"{path.relative_to(SITE)}: {link}")
            elif place and target in pages and place not in pages[target].ids:
                dead.append(f"{path.relative_to(SITE)}: {link}: no such place")
    assert dead == []


def test_nothing_comes_from_the_network(pages):
    outside = {link for page in pages.values() for link in page.loads if re.match(r"([a-z]+:)?//", link)}
    assert outside == set()
    for file in SITE.rglob("*.css"):
        assert not re.search(r"@import|url\(['\"]?(https?:)?//|@font-face", file.read_text(encoding="utf-8")), file


def test_titles_headings_and_alternatives(pages):
    faults = []
    for path, page in texts(pages).items():
        where = str(path.relative_to(SITE))
        if not page.title.strip() or page.title.strip().startswith(("<no title>", "-")):
            faults.append(f"{where}: no title")
        if where != "index.html" and page.headings[:1] != [1]:
            faults.append(f"{where}: begins with {page.headings[:1]}")
        if any(below > above + 1 for above, below in pairwise(page.headings)):
            faults.append(f"{where}: headings {page.headings}")
        if not all(alternative and len(alternative) > 10 for alternative in page.pictures):
            faults.append(f"{where}: a picture without words: {page.pictures}")
        if "width=device-width" not in page.viewport:
            faults.append(f"{where}: no viewport")
    assert faults == []


def test_search_finds(pages):
    """The index is on the disk, and has the class and the word."""
    index = (SITE / "searchindex.js").read_text(encoding="utf-8")
    objects = index[index.index("objects:") if "objects:" in index else index.index('"objects"') :]
    assert re.search(r'"Layout"', objects)
    words = index[index.index('"terms"') if '"terms"' in index else index.index("terms:") :]
    assert re.search(r"\blayout\b", words) and re.search(r"\bpoisson\b", words)


def test_reference_has_all_languages(pages):
    def text(name):
        return (SITE / "reference" / name).read_text(encoding="utf-8")

    assert 'id="shardfft.DistArray.redistribute"' in text("python/arrays.html") and "lone_mode" in text(
        "python/plans.html"
    )
    assert "with_batch" in text("cpp/layout.html") and "Planes along" in text("cpp/layout.html")
    assert "shardfft_plan_forward_members" in text("c/plan.html") and "Collective" in text("c/plan.html")
    assert "shardfft_plan%forward" in text("fortran/plans.html")


def test_versions_can_be_chosen(pages):
    page = (SITE / "docs/index.html").read_text(encoding="utf-8")
    assert 'id="versions"' in page and "_static/versions.js" in page and (SITE / "versions.json").is_file()
