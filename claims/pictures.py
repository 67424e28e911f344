"""The studies' tables as pictures: one PDF a table, named by the items that its heading names, with 95 % intervals."""

from __future__ import annotations

import random
import re
from dataclasses import dataclass
from pathlib import Path
from statistics import median

import cells
import stated
from points import as_list

from shardfft_bench.report.style import Palette, grid_of_axes, plain_log, plt, shared_legend

DRAWS = 60  # times that samples are drawn again for an interval
ITEM = re.compile(r"\b00\d-[\w.-]*\w")
COUNT = re.compile(
    r"(\d+)(?: ranks?| x \d+)?"
)  # a column's head, or a row's first cell, that stands for a point of an axis


@dataclass
class Curve:
    """A line or a set of bars: `high` and `low` are the ends of the intervals."""

    label: str
    places: list
    middle: list[float]
    low: list[float]
    high: list[float]


@dataclass
class Sheet:
    """The contents of a table, as numbers: (row, column) -> (value, low, high), with the words around."""

    heads: list[str]
    rows: list[list[str]]
    keys: int
    cells: dict[tuple[int, int], tuple[float, float, float]]

    def columns(self) -> list[int]:
        """The columns that hold a number."""
        return sorted({column for _, column in self.cells})

    def curve(self, label: str, places: dict, of) -> Curve:
        """The cells `of(place)` at the places that have one."""
        kept = [(place, self.cells[of(place)]) for place in places if of(place) in self.cells]
        middle, low, high = zip(*(cell for _, cell in kept), strict=True) if kept else ((), (), ())
        return Curve(label, [places[place] for place, _ in kept], list(middle), list(low), list(high))


def interval(row: stated.Row, expression: str) -> tuple[float, float, float] | None:
    """The value of a cell, and the middle 95 % of its values with medians of samples that were drawn again."""
    names, code = row.names(), compile(expression, "<cell>", "eval")
    values = as_list(eval(code, names))  # the repository's own words
    if len(values) != 1 or isinstance(values[0], str):
        return None
    chance = random.Random(expression)
    row.middle = lambda found: median(_again(list(found), chance))
    again = sorted(as_list(eval(code, names))[0] for _ in range(DRAWS))
    row.middle = median
    tail = DRAWS // 40
    return values[0], min(values[0], again[tail]), max(values[0], again[-1 - tail])


def _again(samples: list[float], chance: random.Random) -> list[float]:
    return chance.choices(samples, k=len(samples)) if samples else samples


def sheet(table: stated.Table, heads: list[str]) -> Sheet:
    """The numbers of a table that come from records."""
    made = Sheet(_heads(heads), [[cells.plain(cell) for cell in row] for row in table.rows], table.keys, {})
    for number in range(len(table.rows) if table.spec else 0):
        row = table.row(number)
        for offset, expression in enumerate(table.cells(number)):
            column = table.keys + offset
            if expression and column < len(made.rows[number]) and made.rows[number][column].strip(" -"):
                found = interval(row, expression)
                if found:
                    made.cells[number, column] = found
    return made


def _heads(heads: list[str]) -> list[str]:
    """`DP` behind `computation SP` is `computation DP`, and one behind `ours: clock` is of ours, too."""
    whole: list[str] = []
    for head in heads:
        stem = next((one for one in reversed(whole) if one.endswith(" SP") or ": " in one), "")
        if head == "DP" and stem:
            head = stem.removesuffix("SP") + "DP"
        elif head in whole and ": " in stem:
            head = f"{stem.split(':')[0]}: {head}"
        whole.append(head)
    return whole


def panels(drawn: Sheet) -> tuple[dict[str, list[Curve]], str]:
    """Curves by the title of their panel, and the name of their axis: '' for bars."""
    across = {column: int(found[1]) for column in drawn.columns() if (found := COUNT.fullmatch(drawn.heads[column]))}
    if len(across) > 1:
        curves = [
            drawn.curve(", ".join(row[: drawn.keys]), across, lambda column, number=number: (number, column))
            for number, row in enumerate(drawn.rows)
        ]
        return {"": curves}, "ranks"
    counts = [{row[key] for row in drawn.rows} for key in range(drawn.keys)]
    axes = [key for key, seen in enumerate(counts) if len(seen) > 1 and all(COUNT.fullmatch(one) for one in seen)]
    if not axes:
        places = dict(enumerate(", ".join(row[: drawn.keys]) for row in drawn.rows))
        return {
            drawn.heads[column]: [drawn.curve("", places, lambda place, column=column: (place, column))]
            for column in drawn.columns()
        }, ""
    axis = max(axes, key=lambda key: (len(counts[key]), key))
    found: dict[str, list[Curve]] = {}
    others = [key for key in range(drawn.keys) if key != axis]
    titles = [", ".join(f"{drawn.heads[key]} {row[key]}".strip() for key in others) for row in drawn.rows]
    for title in dict.fromkeys(titles):
        places = {
            number: int(COUNT.fullmatch(row[axis])[1])
            for number, row in enumerate(drawn.rows)
            if titles[number] == title
        }
        if len(set(places.values())) < len(places):  # grids of as many ranks: their own words
            places = {number: drawn.rows[number][axis] for number in places}
        found[title] = [
            drawn.curve(drawn.heads[column], places, lambda place, column=column: (place, column))
            for column in drawn.columns()
        ]
    return found, drawn.heads[axis]


def figure(drawn: Sheet):
    """A figure of all panels; None if the table has no number."""
    found, name = panels(drawn)
    found = {title: kept for title, curves in found.items() if (kept := [one for one in curves if one.places])}
    if not found:
        return None
    tallest = max(len(curves[0].places) for curves in found.values())
    made, axes = grid_of_axes(len(found), 5.0, 3.4 if name else 0.9 + 0.26 * tallest)
    palette = Palette(sorted({one.label for curves in found.values() for one in curves}))
    for axis, (title, curves) in zip(axes, found.items(), strict=True):
        for one in curves:
            _draw(axis, one, palette, bool(name))
        axis.set_title(title)
        if name:
            axis.set_xlabel(name)
    if name and min(value for curves in found.values() for one in curves for value in one.middle) > 0:
        for axis in axes:
            plain_log(axis)
    shared_legend(made, axes) if name else made.set_layout_engine("constrained")
    return made


def _draw(axis, one: Curve, palette: Palette, line: bool) -> None:
    ends = [
        [max(0.0, value - low) for value, low in zip(one.middle, one.low, strict=True)],
        [max(0.0, high - value) for value, high in zip(one.middle, one.high, strict=True)],
    ]
    if not line:
        axis.barh(
            range(len(one.places)), one.middle, xerr=ends, capsize=2, color=palette.colour(one.label), height=0.68
        )
        axis.set_yticks(range(len(one.places)), one.places)
        axis.invert_yaxis()
        return
    axis.errorbar(
        one.places, one.middle, yerr=ends, label=one.label, capsize=2, elinewidth=0.8, **palette.line(one.label)
    )
    if not isinstance(one.places[0], str):
        axis.set_xscale("log", base=2)
        axis.set_xticks(one.places, [str(place) for place in one.places])
        axis.minorticks_off()


def write(page: Path, table: stated.Table, into: Path, taken: set[str]) -> list[str]:
    """The PDF of a table, once for each item that its heading names; their names, none if it holds no numbers."""
    lines = page.read_text(encoding="utf-8").splitlines()
    heads = [cells.plain(cell) for cell in lines[table.begin - 3].strip().strip("|").split("|")]
    made = figure(sheet(table, heads))
    if made is None:
        return []
    heading = next((line for line in reversed(lines[: table.begin]) if line.startswith("#")), "")
    names = []
    for item in ITEM.findall(heading) or [page.stem]:
        number = 1
        while (name := item if number == 1 else f"{item}-{number}") in taken:
            number += 1
        taken.add(name)
        made.savefig(into / f"{name}.pdf", metadata={"CreationDate": None})
        names.append(f"{name}.pdf")
    plt.close(made)
    return names
