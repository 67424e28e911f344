"""Tables of the documents, compared cell by cell with the records that are named above them.

A comment above a table names the records of its figures:

    <!-- records
    from: [two-core-xeon/2026-11-22/two-core]   # folders or files under bench/results
    keys: [shape, kind]                         # the first columns; 'text' is nobody's key
    with: {ranks: 2}                            # more of the point, the same for all rows
    rows: [{...}]                               # or row by row; a key that begins with '_' is for expressions alone
    cells: [ms("shardfft"), ""]                 # an expression for each further column; '' is not from records
    -->

An expression gives the numbers of its cells (or a word), which are compared as far as the document prints them. `?` in
a cell stands for a number that `write` fills in.
"""

from __future__ import annotations

import functools
import json
import math
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median

import yaml
from cells import NUMBER, filled, same, unmarked
from newest import newest, records_of, version
from points import KINDS, TYPES, as_list, drawn, shape_of, shown
from texts import text_lines

from shardfft_bench import results
from shardfft_bench.data import FAST

ROOT = Path(__file__).resolve().parents[1]
RESULTS = ROOT / "bench" / "results"
SPEC = re.compile(r"<!-- records\n(.*?)-->", re.DOTALL)
POINT = ("shape", "kind", "precision", "layout", "output", "placement", "ranks", "network", "threads", "grid")
LIST = "| item | content | status |"  # a table that the manifest makes
ANY = range(1, 9999)  # numbers of ranks
OURS = ("shardfft", "shardfft-gpu", "shardfft-group", "shardfft-slab", "share")


def pages() -> list[Path]:
    """The documents whose tables state measurements."""
    names = ["performance", "reliability", "cannon", "exchanges", "gpu", "gpu-design", "lammps", "simulation", "torus"]
    docs = [ROOT / "docs" / f"{name}.md" for name in names]
    return [ROOT / "README.md", *docs, *sorted((ROOT / "docs" / "studies").glob("*.md")), *sorted(RESULTS.glob("*.md"))]


@functools.cache
def read(name: str) -> tuple[dict, ...]:
    """The records of a folder or a file under bench/results, packed or not; a folder of folders gives all of them."""
    path = RESULTS / name
    if path.suffix == ".txt":
        file = path if path.exists() else path.with_name(path.name + results.XZ)
        if not file.exists():
            raise LookupError(f"bench/results has no records '{name}'")
        return tuple(text_lines(results.lines(file)))
    if path.suffix == ".jsonl":
        files = [path if path.exists() else path.with_name(path.name + results.XZ)]
    else:
        files = sorted(path.rglob(f"{results.FILE}*")) or sorted(path.rglob("*.jsonl*"))
    if not files or not files[0].exists():
        raise LookupError(f"bench/results has no records '{name}'")
    return tuple(one for file in files for one in records_of(file))


def value_of(record: dict, key: str):
    """A record's value of one key of its point."""
    said = record["point"].get(key, record["case"].get(key, record.get(key)))
    return said.get("name") if key == "network" and isinstance(said, dict) else said


def versions_in(folders: list[str], label: str) -> set[str]:
    """Versions of a library of this project in some sets."""
    return {one["version"].split()[0] for name in folders for one in read(name) if one["label"] == label}


@dataclass
class Row:
    """The functions that expressions of one row can use."""

    records: tuple[dict, ...]
    point: dict = field(default_factory=dict)
    middle: Callable = median  # of samples: another one draws them again, for intervals
    known: dict = field(default_factory=dict)  # earlier results

    def found(self, label: str | None, point: dict) -> list[dict]:
        """The good records of a label at the row's point, which `point` may change; `records` names other files."""
        asked = {**self.point, **point}
        key = repr((label, asked))
        if key not in self.known:
            self.known[key] = self._find(label, asked)
        return self.known[key]

    def _find(self, label: str | None, asked: dict) -> list[dict]:
        records = read(asked.pop("records")) if "records" in asked else self.records
        want = {key: value for key, value in asked.items() if key in POINT}
        return [
            one
            for one in records
            if one.get("status") == "ok"
            and label in (None, one["label"])
            and all(value_of(one, key) == value for key, value in want.items())
        ]

    def rounds(self, label: str, point: dict) -> list[list[float]]:
        """The samples of each round; there must be one."""
        rounds = [one["samples"] for one in self.found(label, point) if one["samples"]]
        if not rounds:
            raise LookupError(f"no good record of {label} at { ({**self.point, **point}) }")
        return rounds

    def ms(self, label: str, **point) -> float:
        """Median over the samples of all rounds."""
        return 1e3 * self.middle(one for samples in self.rounds(label, point) for one in samples)

    def least(self, label: str, **point) -> float:
        """The least sample of all rounds."""
        return 1e3 * min(one for samples in self.rounds(label, point) for one in samples)

    def better(self, label: str, **point) -> float:
        """The median of the better round."""
        return 1e3 * min(self.middle(samples) for samples in self.rounds(label, point))

    def rivals(self, by=None, without: str = "threads", **point) -> dict[str, float]:
        """Milliseconds of each label that is no plan of ours nor one of threads."""
        labels = {one["label"] for one in self.found(None, point)}
        kept = [one for one in labels if one not in OURS and without not in one and not one.startswith("shardfft")]
        return {label: (by or self.ms)(label, **point) for label in kept}

    def best(self, **options) -> float:
        """Milliseconds of the fastest rival."""
        return min(self.rivals(**options).values())

    def ratios(self, ours: str, records: str | list = "", by=None, rivals: str = "", **point) -> list[float]:
        """The best rival's time over ours at every point of the records that has both; `rivals` names one rival."""
        names = as_list(records) if records else [None]
        found = []
        for name in names:
            of = {**point, "records": name} if name else point
            mine = {json.dumps(one["point"], sort_keys=True): one["point"] for one in self.found(ours, of)}
            for asked in mine.values():
                here = {**of, **{key: asked.get(key) for key in POINT if key in asked}}
                if isinstance(here.get("network"), dict):
                    here["network"] = here["network"]["name"]
                others = self.rivals(by=by, **here)
                kept = {label: ms for label, ms in others.items() if rivals in label}
                if kept:
                    found.append(min(kept.values()) / (by or self.ms)(ours, **here))
        return found

    def newest_sets(self, ours: str, pattern: str, machines: str, rivals: str = "", ranks=ANY) -> list[tuple]:
        """(folders, ranks) as claims/newest.py says: those in which `ours` ran in this version, or else all."""
        of = [(where, n) for where, n in newest(pattern, machines, rivals) if n in ranks]
        return [one for one in of if version() in versions_in(one[0], ours)] or of

    def spread(self, ours: str, pattern: str, machines: str, rivals: str = "", ranks=ANY) -> list[float]:
        """Worst and best ratio at every point of the newest sets of these machines."""
        of = self.newest_sets(ours, pattern, machines, rivals, ranks)
        found = [one for where, n in of for one in self.ratios(ours, records=where, rivals=rivals, ranks=n)]
        return [min(found), max(found)]

    def versions(self, ours: str, *of, **more) -> str:
        """Versions of this library in the same sets."""
        sets = self.newest_sets(ours, *of, **more)
        return ", ".join(sorted({one for where, _ in sets for one in versions_in(where, ours)}))

    def joules(self, label: str, **point) -> float:
        """Joules of all devices for one pair, of the better round."""
        found = self.found(label, point)
        one = min(found, key=lambda record: self.middle(record["samples"]))["device_energy"]
        return one["joules"] / one["repeats"]

    def r(self, label: str, **point) -> list[float]:
        """The plan's ratio of communication, the mean of both directions: one a round."""
        plans = [one["breakdown"]["plan"] for one in self.found(label, point)]
        return [sum(plan[way]["ratio"] for way in ("forward", "backward")) / 2 for plan in plans]

    def share(self, label: str, way: str = "told", **point) -> float:
        """The papers' r: `told`, or `replayed`, which has the local FFTs alone; the median of the rounds."""
        found = [one["local_ffts"][way]["r"] for one in self.found(label, point) if "r" in one["local_ffts"][way]]
        if not found:
            raise LookupError(f"no r {way} of {label} at { ({**self.point, **point}) }")
        return self.middle(found)

    def processor(self, label: str, part: str = "user", **point) -> float:
        """Milliseconds of processor time of a repeat, of all ranks together; `system` is the other part."""
        return 1e3 * self.middle(one["cpu_seconds"][part] for one in self.found(label, point))

    def product(self, label: str, part: str = "samples", **point) -> float:
        """Milliseconds of one of Cannon's products, or of its `messages_seconds` or `updates_seconds` alone."""
        return 1e3 * self.middle(t for one in self.found(label, point) for t in one.get(part) or one["cannon"][part])

    def said(self, label: str, path: str, **point) -> float:
        """Median of a number that the records hold: `path` is where, as in `memory.peak_rss_bytes`."""
        found = []
        for one in self.found(label, point):
            value = functools.reduce(lambda part, key: part.get(key, {}), path.split("."), one)
            found += [value] if isinstance(value, int | float) else []
        if not found:
            raise LookupError(f"no {path} of {label} at { ({**self.point, **point}) }")
        return self.middle(found)

    def offers(self, label: str, key: str = "layout", **point) -> str:
        """The layouts, or values of another key, at which the label was run and was right."""
        found = sorted({str(value_of(one, key)) for one in self.found(label, point)})
        if not found:
            raise LookupError(f"{label} was not right at { ({**self.point, **point}) }")
        return ", ".join(found)

    def version(self, label: str) -> str:
        """The library's version, by its own words."""
        return ", ".join(sorted({one["version"] for one in self.found(label, {})}))

    def fact(self, name: str, part: str = "machine", records: str = ""):
        """A fact of the records about their machine or build: a word or a number."""
        found = read(records) if records else self.records
        said = [json.loads(one) for one in sorted({json.dumps(one[part][name]) for one in found if one.get(part)})]
        return said[0] if len(said) == 1 else ", ".join(map(str, said))

    def bandwidth(self, network: str, records: str = "", label: str = "mpi", **options) -> float:
        """GB/s that one rank sends, by the median of the samples; `options` are those of the case."""
        found = [
            one
            for one in self.found(label, {"network": network, **({"records": records} if records else {})})
            if all(one["case"]["options"][key] == value for key, value in options.items())
        ]
        return (
            self.middle(one["bandwidth"]["bytes_sent_by_a_rank"] / self.middle(one["samples"]) for one in found) / 1e9
        )

    def each(self, name: str, records: str = "", **equal) -> list[float]:
        """A field of the lines whose fields are equal to these and to those of the row."""
        want = {key: value for key, value in {**self.point, **equal}.items() if not key.startswith("_")}
        lines = read(records) if records else self.records
        found = [one[name] for one in lines if name in one and all(one.get(k) == v for k, v in want.items())]
        if not found:
            raise LookupError(f"no line with {name} at {want}")
        return found

    def line(self, name: str, records: str = "", **equal) -> float:
        """Median of such a field."""
        return self.middle(self.each(name, records, **equal))

    def slope(self, name: str, precision: str) -> float:
        """Exponent of 1 / the field over the number of GPUs, by least squares over all counts."""
        counts = sorted({one["gpus"] for one in self.records if "gpus" in one})
        x = [math.log(count) for count in counts]
        y = [-math.log(self.line(name, precision=precision, gpus=count)) for count in counts]
        middle = sum(x) / len(x)
        return sum((a - middle) * b for a, b in zip(x, y, strict=True)) / sum((a - middle) ** 2 for a in x)

    def names(self) -> dict:
        """The names that an expression may use."""
        own = """ms least better rivals best joules r version fact spread versions said offers share processor product
                 ratios bandwidth each line slope"""
        plain = {"min": min, "max": max, "median": median, "sum": sum, "len": len, "log2": math.log2, "pi": math.pi}
        return {**{one: getattr(self, one) for one in own.split()}, **plain, **self.point, "__builtins__": {}}


@dataclass
class Table:
    """A table of a document: its lines from the first row on, and the specification above it, if any."""

    page: Path
    begin: int  # number of the first row's line, from 1
    rows: list[list[str]]
    spec: dict | None

    @property
    def keys(self) -> int:
        """How many columns name the row."""
        return len(self.spec["keys"]) if self.spec else 1

    def unrecorded(self) -> int:
        """Figures that no record is compared with: cells behind the first column in which a number stands."""
        count = 0
        for line, row in enumerate(self.rows):
            cells = self.cells(line)
            for number, cell in enumerate(row[self.keys :]):
                if not (number < len(cells) and cells[number]):
                    count += len(NUMBER.findall(unmarked(cell)))
        return count

    def row(self, number: int) -> Row:
        """The point that the first cells of a row name."""
        point = dict(self.spec.get("with", {}))
        for key, cell in zip(self.spec["keys"], self.rows[number], strict=False):
            text = unmarked(cell).strip()
            if key == "shape":
                point["shape"] = shape_of(text)
            elif key == "type":
                point["kind"], point["precision"] = TYPES[text]
            elif key == "kind":
                point["kind"] = KINDS[text]
            elif key == "drawn":
                point.update(drawn(text))
            elif key == "case":
                point["shape"], point["kind"] = shape_of(text.split()[0]), KINDS[text.split()[1]]
            elif key != "text":
                point[key] = int(text) if text.isdigit() else text
        rows = self.spec.get("rows") or [{}] * len(self.rows)
        point.update({key: value for key, value in rows[number].items() if key != "cells"})
        return Row(tuple(one for name in as_list(self.spec["from"]) for one in read(name)), point)

    def cells(self, number: int) -> list[str]:
        """The expressions of a row: its own, or those of all rows."""
        if not self.spec:
            return []
        rows = self.spec.get("rows")
        return (rows[number].get("cells") if rows else None) or self.spec.get("cells", [])

    def values(self, number: int) -> list[tuple[int, list]]:
        """(column, right text) of a row's cells that come from records."""
        asked = self.row(number)
        found = []
        for offset, expression in enumerate(self.cells(number)):
            column = self.keys + offset
            if expression and column < len(self.rows[number]) and self.rows[number][column].strip(" -*"):
                found.append((column, as_list(eval(expression, asked.names()))))  # the repository's own words
        return found

    def faults(self) -> list[str]:
        """The cells that differ from the records."""
        if not self.spec:
            return []
        found = []
        for number, row in enumerate(self.rows):
            where = f"{self.page.relative_to(ROOT)}:{self.begin + number}"
            try:
                values = self.values(number)
            except (LookupError, ValueError, NameError, TypeError, SyntaxError) as error:
                found.append(f"{where}: {type(error).__name__}: {error}")
                continue
            for column, wanted in values:
                text = unmarked(row[column])
                if not same(text, wanted):
                    found.append(f"{where}: '{text.strip()}' is stated, the records say {shown(wanted)}")
        return found


def tables(page: Path) -> list[Table]:
    """The tables of a page; blocks of code are none."""
    text = page.read_text(encoding="utf-8")
    specs = {}
    for match in SPEC.finditer(text):
        line = text[: match.end()].count("\n") + 1
        specs[line] = yaml.load(match[1], FAST)
    lines = text.splitlines()
    found, spec, code, inside, number = [], None, False, False, 0
    while number < len(lines):
        line = lines[number].strip()
        code ^= line.startswith("```")
        spec = specs.get(number + 1, spec)
        begins = line.startswith("|") and not code and number + 1 < len(lines) and "---" in lines[number + 1]
        if begins:
            rows, number = [], number + 2
            begin = number + 1
            while number < len(lines) and lines[number].strip().startswith("|"):
                rows.append([cell for cell in lines[number].strip().strip("|").split("|")])
                number += 1
            if not line.startswith(LIST):
                found.append(Table(page, begin, rows, spec))
            spec, inside = None, False
            continue
        if line.startswith("#") and not code and spec and not inside:
            raise ValueError(f"{page.relative_to(ROOT)}: no table follows what begins 'from: {spec['from']}'")
        number += 1
    return found


def write(page: Path) -> None:
    """Fills in every `?` of a page, with three digits."""
    lines = page.read_text(encoding="utf-8").splitlines()
    for table in (one for one in tables(page) if one.spec):
        for number, row in enumerate(table.rows):
            if not any("?" in cell for cell in row):
                continue
            try:
                found = table.values(number)
            except (LookupError, ValueError, NameError, TypeError, SyntaxError) as error:
                print(f"  {page.relative_to(ROOT)}:{table.begin + number}: {type(error).__name__}: {error}")
                continue
            for column, values in found:
                given = iter(values)
                if "?" in row[column]:
                    row[column] = NUMBER.sub(lambda _: filled(next(given)), row[column])  # noqa: B023
            lines[table.begin - 1 + number] = "|" + "|".join(row) + "|"
    page.write_text("\n".join(lines) + "\n", encoding="utf-8")
