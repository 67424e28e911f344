"""The HTML page: one file that needs nothing else, with pictures inside and tables of all figures."""

from __future__ import annotations

import base64
import html
import io
import json
import os
import warnings
from pathlib import Path

from .. import experiments, results, statistics
from ..errors import BenchError
from . import accounts, bandwidth, exponents, figures
from .collect import Cell, cells, failures, groups
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

# What a picture shows, where its axes do not say it.
NOTES = {
    "efficiency": "Efficiency: t1 / (N tN), where t1 is the time of the fastest library at the fewest ranks, times "
    "these ranks, and tN that of the library at N ranks: below 100 % for all but one library already at the start."
}


def _embedded(figure, folder: Path, name: str) -> str:
    """Saves the figure as PNG and SVG beside the page and returns it as an image inside the page."""
    figure.savefig(folder / f"{name}.png")
    buffer = io.BytesIO()
    figure.savefig(buffer, format="svg", metadata={"Date": None})
    (folder / f"{name}.svg").write_bytes(buffer.getvalue())
    plt.close(figure)
    data = base64.b64encode(buffer.getvalue()).decode()
    return f'<img alt="{html.escape(name)}" src="data:image/svg+xml;base64,{data}">'


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


def _table(members: list[Cell]) -> str:
    """A library a row, the fastest first, without the columns of which nobody has a value."""
    rivals = [cell for cell in members if not cell.one_process]
    best = rivals[0] if rivals else None
    rows = [_values(cell, best) for cell in members]
    kept = [place for place in range(len(COLUMNS)) if any(row[place] != NOT_THERE for row in rows)]
    lines = "".join(f"<th>{COLUMNS[place]}</th>" for place in kept)
    lines = f"<tr><th>library</th><th class=text>version</th>{lines}</tr>"
    for cell, row in zip(members, rows):
        kind = "floor" if cell.one_process else "best" if cell is best else ""
        label, version = html.escape(cell.label), html.escape(cell.records[0]["version"])
        tail = "".join(f"<td>{row[place]}</td>" for place in kept)
        lines += f'<tr class="{kind}"><td>{label}</td><td class="text">{version}</td>{tail}</tr>'
    return f"<table>{lines}</table>"


def _tables(all_cells: list[Cell]) -> str:
    parts = []
    for name, members in groups(all_cells, set()).items():
        parts.append(f"<h3>{html.escape(name)}</h3>{_table(sorted(members, key=lambda cell: cell.median))}")
    return "".join(parts)


def _where(points: list[str]) -> str:
    lines = "<br>".join(map(html.escape, points))
    return lines if len(points) < 4 else f"<details><summary>{len(points)} points</summary>{lines}</details>"


def _fact(name: str, value: object) -> str:
    if name == "binding":
        return "; ".join(f"rank {rank}: {cores}" for rank, cores in enumerate(value[:8]))
    if name == "memory_bytes":
        return f"{value} ({value / 2**30:.0f} GiB)"
    if isinstance(value, dict):
        return "; ".join(f"{key}: {_fact(key, one)}" for key, one in value.items())
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)


def _failures(records: list[dict]) -> str:
    found = failures(records)
    if not found:
        return "<p>Nothing failed.</p>"
    rows = "".join(
        f"<tr><td>{html.escape(one['label'])}</td><td class=text>{html.escape(one['status'])}</td>"
        f"<td class=text>{html.escape(one['reason'])}</td><td class=text>{_where(list(one['points']))}</td>"
        f"<td>{one['times']}</td></tr>"
        for one in found
    )
    head = (
        "<tr><th>library</th><th class=text>how</th><th class=text>why</th><th class=text>where</th><th>times</th></tr>"
    )
    return f"<table>{head}{rows}</table>"


def _left_out(faults: list[str]) -> str:
    lines = "".join(f"<li>{html.escape(fault)}</li>" for fault in faults)
    return f"<h2>Damaged lines, left out</h2><ul>{lines}</ul>" if faults else ""


def _load(sources: list[str]) -> tuple[list[tuple[Path, list[dict]]], list[str]]:
    """The records of each file, and what was wrong with lines that were left out; they are warned of as well."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        loaded = [(file, results.load(file)) for source in sources for file in results.files_of(source)]
    for warning in caught:
        warnings.warn(str(warning.message), stacklevel=2)
    return loaded, [str(warning.message) for warning in caught]


def _facts(records: list[dict]) -> str:
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
    rows = ""
    for name, values in found.items():
        said = sorted(values)
        text = " | ".join(said) if len(said) <= 8 else f"{said[0]} … {said[-1]} ({len(said)} values)"
        rows += f"<tr><td>{html.escape(name)}</td><td class=text>{html.escape(text)}</td></tr>"
    return f"<table>{rows}</table>"


def _experiment(name: str, records: list[dict], folder: Path, prefix: str, about: dict, measured: list[Cell]) -> str:
    all_cells = cells(records)
    title = about.get("title") or name
    parts = [f"<h2 id={html.escape(name)}>{html.escape(title)}</h2><p>{html.escape(about.get('about', ''))}</p>"]
    timed = [cell for cell in all_cells if "bandwidth" not in cell.records[0]]
    palette = Palette(sorted({cell.label for cell in all_cells}))
    for short, heading, draw in figures.ALL:
        figure = draw(timed, palette) if timed else None
        if figure:
            note = f"<p class=note>{NOTES[short]}</p>" if short in NOTES else ""
            parts.append(f"<h3>{heading}</h3>{_embedded(figure, folder, f'{prefix}{short}')}{note}")
    bounded = roofline(timed, palette, measured) if timed else None
    if bounded:
        parts.append("<h3>Speed and the bound of communication</h3>" + _embedded(bounded, folder, f"{prefix}roofline"))
    probes = [cell for cell in all_cells if "bandwidth" in cell.records[0]]
    if probes:
        parts.append("<h3>Bandwidth</h3>" + _embedded(bandwidth.draw(probes, palette), folder, f"{prefix}bandwidth"))
        parts.append(bandwidth.summary(probes) + bandwidth.table(probes))
    parts.append(exponents.table(timed))
    parts.append(_tables(timed))
    parts.append(accounts.texts(timed))
    parts.append(f"<h3>What failed, and why</h3>{_failures(records)}")
    return "".join(parts)


def _contents(names: list[str]) -> str:
    links = "".join(f'<li><a href="#{html.escape(name)}">{html.escape(name)}</a></li>' for name in names)
    return f"<ul>{links}</ul>" if len(names) > 1 else ""


def _mark(sources: list[str], target: Path) -> str:
    """The line of a page that says which sources it is of."""
    names = sorted(os.path.relpath(source, target) for source in sources)
    return f"<meta name=sources content='{html.escape(json.dumps(names))}'>"


def _spare(path: Path, mark: str) -> None:
    """Refuses to replace a page of other sources."""
    if path.exists() and mark not in path.read_text(encoding="utf-8", errors="replace"):
        raise BenchError(f"{path} is a page of other results, which is kept; --out names a folder for this one")


def write_report(sources: list[str], target: Path, replace: bool = False) -> Path:
    """Writes `target`/index.html with its PNG and SVG files and returns its path.

    `replace`: also where a page of other sources is.
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
    parts = []
    measured = [cell for cell in cells(records) if "bandwidth" in cell.records[0]]
    for name in names:
        prefix = f"{name}-" if len(names) > 1 else ""
        mine = [record for record in records if record["experiment"] == name]
        parts.append(_experiment(name, mine, target, prefix, _about(name, loaded), measured))
    links = ", ".join(
        f'<a href="{html.escape(os.path.relpath(file, target))}">{html.escape(file.parent.name)}/{file.name}</a>'
        for file, _ in loaded
    )
    page = (
        f"<!doctype html><html lang=en><meta charset=utf-8>{mark}<title>FFT benchmark</title><style>{CSS}</style>"
        f"<h1>Distributed FFT libraries compared</h1><p class=note>Raw data: {links}. Times are per-repeat maxima over "
        "the ranks, data refilled before every repeat, libraries in interleaved order. Every library shown gave the "
        "right numbers before and after its timing. Hollow bars and grey rows: one process with threads, a floor. "
        "“In MPI”: share of the time spent inside MPI calls; not the ratio r of Adelmann et al., which counts local "
        "transposition as well. “To move”: what must change its rank, one way, between the layouts of "
        "field and spectrum; “sent”: what MPI's profiling interface counted in a repeat; both of the largest rank. "
        "“r”: the share of the time not spent in local FFTs, told by the library or by its calls of FFTW and MKL; "
        "replayed: its local FFTs alone, run again on all ranks at once. “CPU”: of all ranks."
        f"</p>{_contents(names)}{_left_out(faults)}{''.join(parts)}"
        f"<h2>Machine and environment</h2>{_facts(records)}</html>"
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
