"""Which sets of records a statement about kinds of machines rests on: the newest of each, with any result.

Machines are the folders of bench/results, those with GPUs by their chip alone. Of each machine, experiment and number
of ranks the newest set counts in which the rival ran, with all of its points. Sets of earlier versions count only for
statements for which this version has none.
"""

from __future__ import annotations

import functools
import re
from pathlib import Path

from shardfft_bench import results

ROOT = Path(__file__).resolve().parents[1]
RESULTS = ROOT / "bench" / "results"


@functools.cache
def version() -> str:
    """The version of the sources."""
    header = (ROOT / "include" / "shardfft" / "version.h").read_text(encoding="utf-8")
    return re.search(r'define SHARDFFT_VERSION "(.*?)"', header)[1]


@functools.cache
def records_of(file: Path) -> tuple[dict, ...]:
    """The records of a file, which many statements ask for."""
    return tuple(results.unchecked(file))


@functools.cache
def _began(folder: Path, rivals: str) -> dict[int, str]:
    """When the last good record of each number of ranks began whose label has the word."""
    found: dict[int, str] = {}
    for file in sorted(folder.glob(f"{results.FILE}*")):
        for one in records_of(file):
            if one.get("status") == "ok" and rivals in one["label"]:
                ranks = one["point"]["ranks"]
                found[ranks] = max(found.get(ranks, ""), one.get("started", ""))
    return found


def newest(pattern: str, machines: str, rivals: str = "") -> list[tuple[list[str], int]]:
    """(folders of records, ranks) of the newest sets in which a rival ran whose label has the word.

    `pattern` is the name of an experiment's folder, anywhere in a set; `machines` are names of folders. Both
    are regular expressions of whole names; `|` stands between several experiments.
    """
    chosen: dict[tuple, tuple[str, list[str]]] = {}
    for set_ in sorted(RESULTS.glob("*/*/")):
        machine = re.sub(r"^\dx", "", set_.parent.name)
        if not re.fullmatch(machines, machine):
            continue
        for experiment in pattern.split("|"):
            here: dict[int, tuple[str, list[str]]] = {}
            for file in sorted(set_.rglob(f"{results.FILE}*")):
                parts = file.parent.relative_to(set_).parts
                if any(re.fullmatch(experiment, part) for part in parts):
                    for ranks, began in _began(file.parent, rivals).items():
                        last, names = here.get(ranks, ("", []))
                        here[ranks] = (max(last, began), [*names, str(file.parent.relative_to(RESULTS))])
            for ranks, (began, names) in here.items():
                key = (machine, experiment, ranks)
                if key not in chosen or began > chosen[key][0]:
                    chosen[key] = (began, names)
    return [(names, key[2]) for key, (_, names) in sorted(chosen.items())]
