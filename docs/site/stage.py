"""stage.py INTO: gathers the pages of the site in a folder, in which they lie as in the repository.

Markdown stays as it is, but for links to files that are no pages: a linked source file gets a page with its text.
contents.yaml names the sections; the pages of the reference are made by reference.py.
"""

from __future__ import annotations

import os
import re
import shutil
import sys
from pathlib import Path

import reference
import yaml

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]

LINK = re.compile(r"(?<!`)(\[[^\]]*\]\()([^)\s#]+)(#[^)\s]*)?\)")
LANGUAGES = {".f90": "fortran", ".c": "c", ".h": "c", ".hpp": "cpp", ".cpp": "cpp", ".py": "python", ".yaml": "yaml"}


def contents() -> dict[str, dict]:
    """Give the sections by the names of their pages."""
    return yaml.safe_load((HERE / "contents.yaml").read_text(encoding="utf-8"))


def heading(text: str) -> str:
    """Give a title and the line below it."""
    return f"# {text}\n\n"


def toctree(pages: list[str], words: str = "hidden") -> str:
    """Give Sphinx's list of pages below this one."""
    return "\n".join(["", "```{toctree}", *(f":{word}:" for word in words.split()), "", *pages, "```", ""])


def in_order(text: str) -> str:
    """Give a page whose headings go down one level at a time, as some pages of records do not."""
    levels, lines, fenced = [], text.splitlines(), False
    for number, line in enumerate(lines):
        fenced ^= line.lstrip().startswith("```")
        found = re.match(r"(#+) ", line)
        if found and not fenced:
            levels = [level for level in levels if level < len(found[1])] + [len(found[1])]
            lines[number] = "#" * len(levels) + line[len(found[1]) :]
    return "\n".join(lines) + "\n"


class Stage:
    """The folder of the pages, and which files it already has."""

    def __init__(self, into: Path):
        self.into, self.done, self.loose = into, set(), []

    def write(self, name: str, text: str) -> None:
        """Write a page."""
        file = self.into / name
        file.parent.mkdir(parents=True, exist_ok=True)
        if not file.is_file() or file.read_text(encoding="utf-8") != text:  # Sphinx reads newer pages again
            file.write_text(text, encoding="utf-8")
        self.done.add(name)

    def page(self, name: str) -> None:
        """Copy a page, and the files that it links."""
        if name in self.done:
            return
        self.done.add(name)
        folder = Path(name).parent

        def link(found: re.Match) -> str:
            target = os.path.normpath(folder / found[2])
            if ":" in found[2] or target.startswith(".."):
                return found[0]
            return f"{found[1]}{os.path.relpath(self.take(target), folder)}{found[3] or ''})"

        self.write(name, in_order(LINK.sub(link, (ROOT / name).read_text(encoding="utf-8"))))

    def take(self, name: str) -> str:
        """Take over a file that a page links, and give the page or picture that it has become."""
        path = ROOT / name
        if name.endswith(".md"):
            if name not in self.done:
                self.loose.append(name)
                self.page(name)
            return name
        if path.suffix in (".png", ".svg"):
            (self.into / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(path, self.into / name)
            return name
        made = f"{name}.md"
        if made not in self.done:
            self.loose.append(made)
            self.write(made, self.folder(name) if path.is_dir() else self.source(name))
        return made

    def folder(self, name: str) -> str:
        """Give a page that lists the files of a folder."""
        self.done.add(f"{name}.md")
        files = sorted(file.name for file in (ROOT / name).iterdir() if file.suffix in LANGUAGES)
        here = Path(name).parent
        lines = [f"- [{file}]({os.path.relpath(self.take(f'{name}/{file}'), here)})" for file in files]
        return heading(f"{name}/") + "\n".join(lines) + "\n"

    def source(self, name: str) -> str:
        """Give a page with the text of a source file."""
        language = LANGUAGES.get(Path(name).suffix, "text")
        lines = (ROOT / name).read_text(encoding="utf-8").splitlines()
        if len(lines) > 1000:
            return heading(name) + f"A file of {len(lines)} lines, in the repository.\n"
        return heading(name) + f"````{language}\n" + "\n".join(lines) + "\n````\n"


def stage(into: Path) -> None:
    """Gather all pages."""
    site, sections = Stage(into), contents()
    placed: set[str] = set()
    every = {str(page.relative_to(ROOT)) for page in ROOT.glob("docs/**/*.md")} - {"docs/index.md"}
    for page in sorted(every - {page for section in sections.values() for page in section["pages"]}):
        title = re.search(r"^# (.+)", (ROOT / page).read_text(encoding="utf-8"), re.MULTILINE)
        sections["how-to"]["pages"][page] = title[1] if title else page
    pages = [page for section in sections.values() for page in section["pages"]]
    for name, text in reference.pages().items():
        site.write(name, text)
    for page in [*pages, "docs/index.md"]:
        site.page(page)
    for name, section in sections.items():
        text = heading(section["title"]) + section["says"] + "\n\n"
        text += "\n".join(f"- [{task}]({page})" for page, task in section["pages"].items()) + "\n"
        own = [page for page in section["pages"] if page not in placed]
        placed.update(own)
        if name == "performance":  # records and sources that pages link
            own += [page for page in sorted(set(site.loose) - set(pages)) if page not in placed]
        site.write(f"{name}.md", text + toctree(own))
    index = into / "docs/index.md"
    doors = ["", "## All pages", ""]
    for name, section in sections.items():
        doors.append(f"- [{section['title']}](../{name}.md): {section['says']}")
        if name == "reference":
            doors += [f"  - [{task}](../{page})" for page, task in section["pages"].items() if page in site.done]
    site.write("docs/index.md", index.read_text(encoding="utf-8") + "\n".join(doors) + "\n"
               + toctree([f"/{name}" for name in sections]))  # fmt: skip
    for old in [file for file in into.rglob("*.[mr][ds]*") if str(file.relative_to(into)) not in site.done]:
        old.unlink()  # of an earlier build


if __name__ == "__main__":
    stage(Path(sys.argv[1]))
