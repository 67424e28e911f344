"""The HTML page: one file that needs nothing else, with pictures inside and tables of all figures."""

from __future__ import annotations

import base64
import html
import json
import os
import re
import warnings
from pathlib import Path

import jinja2

from .. import experiments, results, statistics
from ..errors import BenchError
from . import accounts, bandwidth, exponents, export, figures
from .collect import Cell, cells, failures, groups
from .notes import COLUMNS_NOTE, NOTES
from .roofline import roofline
from .style import Palette, plt

CSS = """
body{font:15px/1.5 system-ui,sans-serif;max-width:1180px;margin:2em auto;padding:0 1em;color:#1b1b1b}
h1{font-size:1.7em;margin-bottom:.2em}h2{margin-top:2em;border-bottom:1px solid #ccc}h3{margin:1.4em 0 .4em}
table{border-collapse:collapse;font-size:13px;margin:.5em 0}
th,td{padding:3px 9px;text-align:right;border-bottom:1px solid #e3e3e3}
th{background:#f3f3f3;position:sticky;top:0}td:first-child,th:first-child,td.text,th.text{text-align:left}
tr.floor td{color:#666;font-style:italic}tr.best td{font-weight:600}img{max-width:100%}
pre{font-size:12px;overflow:auto}details{margin:.3em 0}
.note{color:#555;font-size:13px}code{background:#f3f3f3;padding:0 .25em}
@media print{th{position:static}h2{page-break-after:avoid}table{page-break-inside:auto}}
"""


NOT_THERE = "not available"
DATES = {"png": None, "pdf": "CreationDate", "svg": "Date"}  # the formats of pictures, and their word for a date

TEMPLATES = jinja2.Environment(
    loader=jinja2.FileSystemLoader(Path(__file__).parent), autoescape=True, undefined=jinja2.StrictUndefined
)


def _picture(figure, folder: Path, prefix: str, short: str, heading: str, more: str = "") -> dict:
    """Saves the figure as PNG, SVG and PDF beside the page; returns the page's part of it."""
    name = prefix + short
    figure.draw_without_rendering()  # places its parts, which takes as long as to draw them, once for all three
    figure.set_layout_engine("none")
    for ending, date in DATES.items():
        figure.savefig(folder / f"{name}.{ending}", metadata={date: None} if date else None)
    plt.close(figure)
    data = base64.b64encode((folder / f"{name}.svg").read_bytes()).decode()
    return {"heading": heading, "name": name, "data": data, "note": NOTES.get(short, ""), "more": more}


def _number(value: float | None, form: str = ".4g", scale: float = 1) -> str:
    return NOT_THERE if value is None else format(value * scale, form)


def _energy(cell: Cell) -> float | None:
    """Joules of a repeat, packages and GPUs together; None unless all that was used could be counted."""
    counted = [cell.joules(kind) for kind in ("energy", "device_energy") if kind in cell.records[0]]
    return sum(counted) if counted and None not in counted else None


COLUMNS = [
    "median, ms", "95 % interval", "5 % – 95 %", "over best", "GFLOP/s", "plan, s", "error L2", "error max",
    "peak RSS, MiB", "to move, MiB", "sent, MiB", "in MPI", "r told", "r replayed", "CPU, s",
    "J a repeat", "samples",
]  # fmt: skip


def _values(cell: Cell, best: Cell | None) -> list[str]:
    low, high = cell.interval
    summary = statistics.summary(cell.samples)
    ratio = cell.median / best.median if best else None
    return [
        f"{summary['median'] * 1e3:.4g}", f"{low * 1e3:.4g} – {high * 1e3:.4g}",
        f"{summary['q05'] * 1e3:.4g} – {summary['q95'] * 1e3:.4g}", _number(ratio, ".2f"),
        _number(cell.records[0].get("flop"), ".3g", 1e-9 / cell.median), _number(cell.middle("plan_seconds"), ".3g"),
        _number(cell.largest("error", "after_timing", "l2"), ".1e"),
        _number(cell.largest("error", "after_timing", "max"), ".1e"),
        _number(cell.largest("memory", "peak_rss_bytes"), ".3g", 2**-20),
        _number(cell.largest("least_bytes_moved", "largest_rank"), ".3g", 2**-20),
        _number(cell.middle("communication", "bytes_sent_largest_rank"), ".3g", 2**-20),
        _number(cell.middle("communication", "ratio"), ".2f"),
        _number(cell.middle("local_ffts", "told", "r"), ".2f"),
        _number(cell.middle("local_ffts", "replayed", "r"), ".2f"),
        _number(cell.processor, ".3g"), _number(_energy(cell), ".3g"), str(summary["count"]),
    ]  # fmt: skip


def _table(name: str, members: list[Cell]) -> dict:
    """A library a row, the fastest first, without the columns of which nobody has a value."""
    rivals = [cell for cell in members if not cell.one_process]
    best = rivals[0] if rivals else None
    alone = all(cell is best or cell.interval[0] > best.interval[1] for cell in rivals)
    values = [_values(cell, best) for cell in members]
    kept = [place for place in range(len(COLUMNS)) if any(row[place] != NOT_THERE for row in values)]
    rows = [
        {
            "kind": "floor" if cell.one_process else "best" if cell is best and alone else "",
            "cells": [cell.label, cell.records[0]["version"], *(row[place] for place in kept)],
        }
        for cell, row in zip(members, values)
    ]
    return {"name": name, "header": ["library", "version", *(COLUMNS[place] for place in kept)], "rows": rows}


def _tables(all_cells: list[Cell], folder: Path, prefix: str) -> list[dict]:
    """A table a point, each with its files for papers."""
    found = []
    for name, members in groups(all_cells, set()).items():
        table = _table(name, sorted(members, key=lambda cell: cell.median))
        file = prefix + re.sub(r"[^a-z0-9]+", "-", name.lower().replace("×", "x").replace("³", "")).strip("-")
        rows = [row["cells"] for row in table["rows"]]
        found.append({**table, "files": export.write(folder / "tables", file[:120], table["header"], rows, name)})
    return found


def _fact(name: str, value: object) -> str:
    if name == "binding":
        return "; ".join(f"rank {rank}: {cores}" for rank, cores in enumerate(value[:8]))
    if name == "memory_bytes":
        return f"{value} ({value / 2**30:.0f} GiB)"
    if isinstance(value, dict):
        return "; ".join(f"{key}: {_fact(key, one)}" for key, one in value.items())
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)


def _load(sources: list[str]) -> tuple[list[tuple[Path, list[dict]]], list[str]]:
    """The records of each file, and the faults of lines that were left out, with a warning."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        loaded = [(file, results.load(file)) for source in sources for file in results.files_of(source)]
    for warning in caught:
        warnings.warn(str(warning.message), stacklevel=2)
    return loaded, [str(warning.message) for warning in caught]


def _facts(records: list[dict]) -> list[tuple[str, str]]:
    """Everything about machine and environment that any record says, each value once."""
    found: dict[str, set[str]] = {}
    for record in records:
        facts = {**record.get("machine", {}), **record.get("environment", {})}
        facts.update(revision=record["revision"], day=record.get("started", "")[:10])
        facts.update({f"driver's {name}": value for name, value in record.get("build", {}).items()})
        for name, value in facts.items():
            if value is not None:
                found.setdefault(name, set()).add(_fact(name, value))
    loads = [
        record["launch"]["load_before"] for record in records if record.get("launch", {}).get("load_before") is not None
    ]
    if loads:
        found["load average before the runs"] = {f"{min(loads):.2f} to {max(loads):.2f}"}
    rows = []
    for name, values in found.items():
        said = sorted(values)
        rows.append((name, " | ".join(said) if len(said) <= 8 else f"{said[0]} … {said[-1]} ({len(said)} values)"))
    return rows


def _experiment(name: str, records: list[dict], folder: Path, prefix: str, about: dict, measured: list[Cell]) -> dict:
    all_cells = cells(records)
    timed = [cell for cell in all_cells if "bandwidth" not in cell.records[0]]
    palette = Palette(sorted({cell.label for cell in all_cells}))
    pictures = []
    for short, heading, draw in figures.ALL:
        figure = draw(timed, palette) if timed else None
        if figure:
            pictures.append(_picture(figure, folder, prefix, short, heading))
    bounded = roofline(timed, palette, measured) if timed else None
    if bounded:
        pictures.append(_picture(bounded, folder, prefix, "roofline", "Speed and the bound of communication"))
    probes = [cell for cell in all_cells if "bandwidth" in cell.records[0]]
    if probes:
        more = bandwidth.summary(probes) + bandwidth.table(probes)
        pictures.append(_picture(bandwidth.draw(probes, palette), folder, prefix, "bandwidth", "Bandwidth", more))
    return {
        "name": name, "title": about.get("title") or name, "about": about.get("about", ""), "pictures": pictures,
        "exponents": exponents.table(timed), "tables": _tables(timed, folder, prefix),
        "accounts": accounts.texts(timed),
        "failures": [{**one, "points": list(one["points"])} for one in failures(records)],
    }  # fmt: skip


def _mark(sources: list[str], target: Path) -> str:
    """The line of a page that says which sources it is of."""
    names = sorted(os.path.relpath(source, target) for source in sources)
    return f"<meta name=sources content='{html.escape(json.dumps(names))}'>"


def _spare(path: Path, mark: str) -> None:
    """Refuses to replace a page of other sources."""
    if path.exists() and mark not in path.read_text(encoding="utf-8", errors="replace"):
        raise BenchError(f"{path} is a page of other results, which is kept; --out names a folder for this one")


def write_report(sources: list[str], target: Path, replace: bool = False) -> Path:
    """Writes `target`/index.html with its pictures (PNG, SVG, PDF) and tables (CSV, LaTeX) and returns its path.

    `replace`: even if a page of other sources is there.
    """
    mark = _mark(sources, target)
    if not replace:
        _spare(target / "index.html", mark)
    loaded, faults = _load(sources)
    records = [record for _, some in loaded for record in some]
    if not records:
        raise BenchError(f"no records in {', '.join(map(str, sources))}")
    target.mkdir(parents=True, exist_ok=True)
    names = list(dict.fromkeys(record["experiment"] for record in records))
    measured = [cell for cell in cells(records) if "bandwidth" in cell.records[0]]
    parts = []
    for name in names:
        prefix = f"{name}-" if len(names) > 1 else ""
        mine = [record for record in records if record["experiment"] == name]
        parts.append(_experiment(name, mine, target, prefix, _about(name, loaded), measured))
    links = [{"href": os.path.relpath(file, target), "name": f"{file.parent.name}/{file.name}"} for file, _ in loaded]
    page = TEMPLATES.get_template("page.html.jinja").render(
        mark=mark,
        css=CSS,
        links=links,
        experiments=parts,
        faults=faults,
        columns_note=COLUMNS_NOTE,
        facts=_facts(records),
    )
    path = target / "index.html"
    path.write_text(page, encoding="utf-8")
    return path


def _about(name: str, loaded: list) -> dict:
    """The experiment's own words: kept beside the results, else from the installed experiments."""
    for file, records in loaded:
        kept = file.parent / "experiment.json"
        if kept.is_file() and any(record["experiment"] == name for record in records):
            try:
                about = json.loads(kept.read_text(encoding="utf-8"))
            except ValueError:
                continue
            if isinstance(about, dict) and about.get("name") == name:
                return about
    return experiments.load(name) if name in experiments.available() else {}
