"""A paper's set: every experiment that says which of the paper's items its records show, one after the other."""

from __future__ import annotations

from pathlib import Path

from . import campaign, experiments
from .errors import BenchError
from .launch import Launcher
from .libraries import Library

PAPERS = ("000", "001", "002", "003", "004")
# Of a tiny set: the way is tried, nothing is measured.
TINY = {"repeats": 2, "warmups": 1, "effort": "estimate", "energy": False}


def experiments_of(paper: str) -> list[dict]:
    """The experiments with items of the paper, of CPUs and of GPUs."""
    if paper not in PAPERS:
        raise BenchError(f"'{paper}' is none of the papers {', '.join(PAPERS)}")
    every = (experiments.load(name) for name in experiments.available())
    return [one for one in every if any(item.startswith(f"{paper}-") for item in one.get("items", []))]


def contents() -> str:
    """Items by paper and experiment."""
    lines = []
    for paper in PAPERS:
        for one in experiments_of(paper):
            items = " ".join(item for item in one["items"] if item.startswith(f"{paper}-"))
            lines.append(f"{paper}  {one['name']:24s} {items}")
    return "\n".join(lines)


def tiny_runs(experiment: dict, libraries: dict[str, Library]) -> list[experiments.Run]:
    """The first way of each library through an experiment: one point, one round; with a search its first setting."""
    tiny = experiment.get("tiny", {})
    keeps = any("boxes" in case or "bytes" in case.get("options", {}) for case in experiment.get("cases", []))
    sizes = None if keeps else tiny.get("sizes", [8])
    ranks = tiny.get("ranks", [min(2, max(experiment.get("ranks", [2])))])
    runs = experiments.runs(experiment, ranks, sizes, rounds=1, case=TINY)
    first: dict[str, experiments.Run] = {}
    for run in runs:
        if libraries[run.library].found if run.library in libraries else False:
            first.setdefault(run.label.partition(" [")[0], run)
    return list(first.values())


def carry_out(
    paper: str, libraries: dict[str, Library], launcher: Launcher, into: Path, tiny: bool, rounds: int | None = None
) -> tuple[dict[str, int], set[str]]:
    """Runs the paper's experiments, each into a folder of its name; resumes unfinished ones.

    How many runs ended how, and how all ended that the folders hold.
    """
    counts: dict[str, int] = {}
    statuses: set[str] = set()
    for one in experiments_of(paper):
        runs = tiny_runs(one, libraries) if tiny else experiments.runs(one, rounds=rounds)
        try:
            launcher.require(max((run.ranks for run in runs), default=1))
        except BenchError as error:
            print(f"{one['name']}: left out: {error}")
            continue
        for status, count in campaign.carry_out(runs, libraries, launcher, into / one["name"], one).items():
            counts[status] = counts.get(status, 0) + count
        statuses |= campaign.statuses(runs, into / one["name"])
    return counts, statuses
