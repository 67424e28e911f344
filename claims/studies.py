"""Every item of the papers has its record or its reason, and every table its records: fails on any mismatch."""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

import cells
import newest
import prose
import stated
import yaml

from shardfft_bench.data import FAST
from shardfft_bench.results import FILE

STUDIES = stated.ROOT / "docs" / "studies"
STATUSES = ("recorded", "in part", "simulated", "not measurable", "missing")
SHOWN = STATUSES[:3]  # with records and a page
POINTS = 3  # of a curve
ERROR = "The model's error"  # in the section of every simulated item
# Drivers of this library, of its parts and of the machine.
OURS = {"shardfft", "shardfft-gpu", "shardfft-group", "cannon-parts", "transposition", "mpi"}
PAPERS = {"000": 23, "001": 18, "002": 22, "003": 16, "004": 24}  # items of each


def manifest() -> dict:
    """docs/studies/manifest.yaml."""
    return yaml.load((STUDIES / "manifest.yaml").read_text(encoding="utf-8"), FAST)


def item_fault(item: dict) -> str:
    """The words that an item of the manifest lacks; empty if none."""
    unknown = set(item) - {"id", "title", "status", "records", "page", "reason", "note", "rule", "same_as"}
    if unknown:
        return f"unknown {', '.join(sorted(unknown))}"
    if item["status"] not in STATUSES:
        return f"the status '{item['status']}' is none of {', '.join(STATUSES)}"
    if item["status"] != "recorded" and not item.get("reason"):
        return f"'{item['status']}' needs a reason"
    if item["status"] not in SHOWN:
        return "it has records, which only items that show some have" if "records" in item else ""
    if not item.get("records") or not item.get("page"):
        return f"'{item['status']}' needs records and a page"
    for name in item["records"]:
        try:
            stated.read(name)
        except LookupError as error:
            return str(error)
    page = STUDIES / item["page"]
    if not page.is_file():
        return f"there is no docs/studies/{item['page']}"
    if f"### {item['id']}" not in page.read_text(encoding="utf-8"):
        return f"docs/studies/{item['page']} has no heading that names it"
    if item["status"] == "simulated" and ERROR not in " ".join(own_section(item)[0]):
        return f"its section does not tell '{ERROR}'"
    return rule_fault(item) if item["status"] == "recorded" else ""


def own_section(item: dict) -> tuple[list[str], int]:
    """The lines below the item's heading, and the number of the first one."""
    lines = (STUDIES / item["page"]).read_text(encoding="utf-8").splitlines()
    named = re.compile(rf"### .*{re.escape(item['id'])}(?![\w.])")
    begin = next(number for number, line in enumerate(lines, 1) if named.match(line))
    rest = lines[begin:]
    return rest[
        : next((n for n, line in enumerate(rest) if line.startswith("## ") or line.startswith("### ")), None)
    ], begin


def rule_fault(item: dict) -> str:
    """The parts of the manifest's rule that a recorded item breaks, as far as a script can tell."""
    if "same_as" in item:
        return f"it shows the records of {item['same_as']}, where they are counted: 'in part'"
    lines, begin = own_section(item)
    inside = range(begin, begin + len(lines) + 1)
    drawn = any(line.startswith("![") for line in lines)
    if re.match(r"\d+-(figure|table)-", item["id"]) and not drawn:
        tables = stated.tables(STUDIES / item["page"])
        if not any(table.begin in inside for table in tables):
            return "its section has neither a table nor a picture of its own"
    rule = item.get("rule")
    if not rule:
        return ""
    values: dict[str, set] = {}
    for one in (one for name in item["records"] for one in stated.read(name)):
        if one.get("status") == "ok" and (
            rule["axis"] == "shape" or max(one["point"]["shape"]) >= rule.get("extent", 1)
        ):
            bytes_ = one["case"].get("options", {}).get("bytes")
            value = bytes_ if rule["axis"] == "bytes" else stated.value_of(one, rule["axis"])
            values.setdefault(one["library"], set()).add(str(value))
    full = {library for library, found in values.items() if len(found) >= POINTS}
    rivals = full - OURS
    if len(full) == len(rivals):
        return f"ours has fewer than {POINTS} values of {rule['axis']}"
    if len(rivals) < rule.get("rivals", 0):
        return f"{len(rivals)} rivals have {POINTS} values of {rule['axis']}, of {rule['rivals']}"
    return ""


def manifest_faults(known: dict) -> list[str]:
    """All that is wrong with the manifest."""
    ids = [item["id"] for item in known["items"]]
    found = [f"{one} is there twice" for one, count in Counter(ids).items() if count > 1]
    for paper, count in PAPERS.items():
        have = sum(one.startswith(f"{paper}-") for one in ids)
        if have != count:
            found.append(f"paper {paper} has {count} items, the manifest {have}")
    faults = ((item["id"], item_fault(item)) for item in known["items"])
    return found + [f"{name}: {fault}" for name, fault in faults if fault]


def revisions() -> Counter[str]:
    """How many records name each revision of a driver's sources, as git described it."""
    names = {str(file.parent.relative_to(stated.RESULTS)) for file in stated.RESULTS.rglob(f"{FILE}*")}
    every = (one for name in names for one in stated.read(name))
    return Counter(str((one.get("build") or {}).get("revision", "")) for one in every)


def dirty(named: Counter[str]) -> int:
    """Records of drivers that were built from sources with changes, which no revision names."""
    return sum(count for name, count in named.items() if name.endswith("-dirty"))


def history() -> set[str] | None:
    """The first twelve digits of every commit behind this one; None if git does not have all of them."""
    ask = ["git", "-C", str(stated.ROOT)]
    try:
        shallow = subprocess.run(
            [*ask, "rev-parse", "--is-shallow-repository"], capture_output=True, text=True, check=True
        )
        commits = subprocess.run([*ask, "rev-list", "HEAD"], capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return None
    return {line[:12] for line in commits.stdout.split()} if shallow.stdout.strip() == "false" else None


def lost(named: Counter[str], known: set[str]) -> int:
    """Revisions that records name and that the repository does not have."""
    return sum(commit(name) not in known for name in named if name)


def commit(described: str) -> str:
    """The first twelve digits of the commit that `git describe` names, behind a tag or alone."""
    return described.removesuffix("-dirty").rpartition("-g")[2][:12]


def count_faults(known: dict, counted: dict[str, int]) -> list[str]:
    """The counts of the manifest that may only fall."""
    found = []
    for name, count in counted.items():
        if count > known[name]:
            found.append(f"{name} is {count}, more than the {known[name]} that the manifest allows")
        elif count < known[name]:
            found.append(f"{name} is {count} now: lower the manifest's {known[name]}")
    return found


def list_of_items(paper: str, known: dict) -> str:
    """The list of all items of a paper, as its page shows it."""
    lines = ["| item | content | status | missing |", "|---|---|---|---|"]
    for item in known["items"]:
        if item["id"].startswith(f"{paper}-"):
            name = f"`{item['id']}`"
            lines.append(
                f"| {name} | {item['title']} | {item['status']} | {item.get('reason', item.get('note', ''))} |"
            )
    return "\n".join(lines)


def list_faults(known: dict) -> list[str]:
    """Pages whose list of items is not the manifest's."""
    found = []
    for paper in PAPERS:
        page = STUDIES / f"{paper}.md"
        if not page.is_file() or list_of_items(paper, known) not in page.read_text(encoding="utf-8"):
            found.append(f"docs/studies/{paper}.md: its list is not the manifest's; claims/studies.py --write makes it")
    return found


def older_rows(page: Path = stated.ROOT / "README.md") -> int:
    """Rows of README's measurements that rest, in part or whole, on records of another version than this one."""
    rows = [row for table in stated.tables(page) if table.spec for row in table.spec.get("rows", []) if "_of" in row]
    return sum(stated.Row(()).versions(*row["_of"]) != newest.version() for row in rows)


def counts() -> dict[str, int]:
    """The counts that may only fall, counted anew."""
    tables = [table for page in stated.pages() for table in stated.tables(page)]
    named, known = revisions(), history()
    sentences = sum(prose.unrecorded(page) for page in prose.pages())
    found = {"without_record": sum(table.unrecorded() for table in tables), "prose_without_record": sentences}
    found.update(dirty_records=dirty(named), older_rows=older_rows())
    return found if known is None else {**found, "lost_revisions": lost(named, known)}


def write(known: dict) -> None:
    """Puts the lists of items and every figure that is asked for by `?` into the pages, and counts that fell into the
    manifest."""
    for paper in PAPERS:
        page = STUDIES / f"{paper}.md"
        head, mark, _ = page.read_text(encoding="utf-8").partition("## All items\n")
        page.write_text(f"{head}{mark}\n{list_of_items(paper, known)}\n", encoding="utf-8")
    for page in stated.pages():
        if "?" in page.read_text(encoding="utf-8"):
            stated.write(page)
    path = STUDIES / "manifest.yaml"
    text = path.read_text(encoding="utf-8")
    for name, count in counts().items():
        known[name] = min(count, known[name])
        text = re.sub(rf"(?m)^{name}: \d+", f"{name}: {known[name]}", text)
    path.write_text(text, encoding="utf-8")


def export(pages: list[Path], into: Path) -> tuple[int, int]:
    """Writes every table of the pages as CSV and LaTeX, named by its page and its number there, and its picture as PDF,
    named by the items of its heading; how many of both."""
    import pictures  # it draws: only when wanted

    from shardfft_bench.report.export import write as write_table

    count, drawn = 0, set()
    for page in pages:
        lines = page.read_text(encoding="utf-8").splitlines()
        for number, table in enumerate(stated.tables(page), 1):
            rows = [[cells.plain(cell) for cell in row] for row in table.rows]
            head = [cells.plain(cell) for cell in lines[table.begin - 3].strip().strip("|").split("|")]
            write_table(into, f"{page.stem}-{number}", head, rows, f"docs/studies/{page.name}, table {number}")
            pictures.write(page, table, into, drawn)
            count += 1
    return count, len(drawn)


def main() -> int:
    """Exit code 0 when nothing is wrong."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--tiny", action="store_true", help="the same: nothing is measured")
    options.add_argument("--into", type=Path, help="nothing is written there: nothing is measured")
    options.add_argument("--drivers", nargs="+", help="not used: nothing is measured")
    options.add_argument(
        "--write", action="store_true", help="first fill in lists of items, every '?' of a table, and counts that fell"
    )
    options.add_argument(
        "--export",
        type=Path,
        metavar="FOLDER",
        help="write the studies' tables as CSV and LaTeX, their pictures as PDF",
    )
    given = options.parse_args()
    known = manifest()
    if given.export:
        tables, drawn = export(sorted(STUDIES.glob("0*.md")), given.export)
        print(f"{given.export}: {tables} tables, {drawn} pictures")
        return 0
    if given.write:
        write(known)
    tables = [table for page in stated.pages() for table in stated.tables(page)]
    faults = manifest_faults(known) + list_faults(known) + [fault for table in tables for fault in table.faults()]
    counted = counts()
    faults += [fault for page in prose.pages() for one in prose.paragraphs(page) for fault in one.faults()]
    faults += count_faults(known, counted)
    for fault in faults:
        print(f"  {fault}")
    count = Counter(item["status"] for item in known["items"])
    said = " ".join(f"{status.replace(' ', '_')}={count[status]}" for status in STATUSES)
    checked = sum(1 for table in tables if table.spec)
    said += "".join(f" {name}={value}" for name, value in counted.items())
    print(f"studies {said} tables={checked} faults={len(faults)} source=recorded")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
