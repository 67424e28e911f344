"""Experiments as data: a YAML file becomes a list of runs.

A *point* is one setting at which libraries are compared (a case and a number of ranks); a *run* is one process start
of one library at one point in one round.
"""

from __future__ import annotations

import hashlib
import itertools
import json
import random
from dataclasses import dataclass, field
from pathlib import Path

from . import network, results
from .data import folder, load_yaml
from .errors import BenchError

KEYS = {
    "name", "title", "about", "paper", "ranks", "sizes", "sizes_by_ranks", "cases", "case", "vary", "libraries",
    "rounds", "time_limit", "networks",
}  # fmt: skip
ENTRY_KEYS = {"library", "label", "case", "one_process", "environment", "when"}
CASE_KEYS = {
    "shape", "kind", "precision", "direction", "placement", "layout", "output", "effort", "grid", "threads", "warmups",
    "repeats", "seconds", "seed", "profile", "options",
}  # fmt: skip


@dataclass
class Run:
    """One process start."""

    library: str
    label: str
    point: dict
    ranks: int
    case: dict
    round: int
    time_limit: float
    environment: dict = field(default_factory=dict)
    network: dict | None = None

    @property
    def key(self) -> str:
        """The same for the same work, so that an interrupted campaign knows what is done."""
        parts = [self.library, self.label, self.ranks, self.case, self.round, self.environment]
        parts += [self.network] if self.network else []
        return hashlib.sha1(json.dumps(parts, sort_keys=True).encode()).hexdigest()[:16]


def available() -> dict[str, Path]:
    return {path.stem: path for path in sorted(folder("experiments").glob("*.yaml"))}


def load(name_or_path: str) -> dict:
    """An experiment by its name, or from a file when the text ends in .yaml."""
    if name_or_path.endswith((".yaml", ".yml")):
        path = Path(name_or_path)
    else:
        known = available()
        if name_or_path not in known:
            raise BenchError(f"unknown experiment '{name_or_path}'; known: {', '.join(known)}")
        path = known[name_or_path]
    experiment = load_yaml(path)
    experiment.setdefault("name", path.stem)
    _check(experiment, path)
    return experiment


def _check(experiment: dict, path: Path) -> None:
    unknown = set(experiment) - KEYS
    if unknown:
        raise BenchError(f"{path}: unknown key '{sorted(unknown)[0]}'")
    if not experiment.get("libraries"):
        raise BenchError(f"{path}: no libraries")
    if not any(key in experiment for key in ("sizes", "cases", "sizes_by_ranks")):
        raise BenchError(f"{path}: one of sizes, sizes_by_ranks and cases is needed")
    for each in experiment.get("networks", []):
        network.check(each)
    for entry in map(_entry, experiment["libraries"]):
        unknown = set(entry) - ENTRY_KEYS
        if unknown:
            raise BenchError(f"{path}: unknown key '{sorted(unknown)[0]}' of library {entry.get('library')}")
    cases = [experiment.get("case", {}), experiment.get("vary", {}), *experiment.get("cases", [])]
    for key in set().union(*cases) - CASE_KEYS:
        raise BenchError(f"{path}: a case has no '{key}'")


def _entry(entry: str | dict) -> dict:
    return {"library": entry} if isinstance(entry, str) else dict(entry)


def parse_shape(size) -> list[int]:
    """256, [256, 256, 128] or "256x256x128"."""
    if isinstance(size, str):
        parts = size.lower().replace("^3", "").split("x")
        if not all(part.strip().isdigit() for part in parts):
            raise BenchError(f"'{size}' is not a size: write 256 or 256x128x64")
        size = [int(part) for part in parts]
    if isinstance(size, int):
        size = [size]
    if not isinstance(size, list) or len(size) not in (1, 3) or not all(isinstance(n, int) and n >= 1 for n in size):
        raise BenchError(f"{size} is not a size: one positive number, or three")
    return size * 3 if len(size) == 1 else size


def points(experiment: dict, ranks: list[int] | None = None, sizes: list | None = None) -> list[dict]:
    """Every setting of the experiment: the case with its ranks. Given ranks and sizes replace the experiment's own."""
    base = experiment.get("case", {})
    counts = ranks or experiment.get("ranks", [2])
    for count in counts:
        if not isinstance(count, int) or count < 1:
            raise BenchError(f"{count} is not a number of ranks")
    vary = dict(experiment.get("vary", {}))
    if experiment.get("networks"):
        vary["network"] = experiment["networks"]
    found = []
    for count in counts:
        if sizes:
            shapes = [{"shape": parse_shape(size)} for size in sizes]
        elif "sizes_by_ranks" in experiment:
            by_ranks = experiment["sizes_by_ranks"]
            shapes = [{"shape": parse_shape(by_ranks[count])}] if count in by_ranks else []
        else:
            shapes = [{"shape": parse_shape(size)} for size in experiment.get("sizes", [])]
        cases = [] if sizes else experiment.get("cases", [])
        shapes += [{**case, "shape": parse_shape(case["shape"])} for case in cases]
        for shape, values in itertools.product(shapes, itertools.product(*vary.values())):
            found.append({**base, **shape, **dict(zip(vary, values)), "ranks": count})
    return found


def _run_of(entry: dict, point: dict, round_: int, time_limit: float) -> Run | None:
    when = entry.get("when", {})
    if any(point.get(key) not in values for key, values in when.items()):
        return None
    case = {key: value for key, value in point.items() if key not in ("ranks", "network")}
    own = dict(entry.get("case", {}))
    case["options"] = {**case.get("options", {}), **own.pop("options", {})}
    case.update(own)
    ranks = point["ranks"]
    if entry.get("one_process") == "devices":
        # One process drives as many GPUs as the others have ranks.
        case["options"]["devices"] = point["ranks"]
        ranks = 1
    elif entry.get("one_process"):
        # A floor: the same cores, used by the threads of one process.
        case["threads"] = point["ranks"] * case.get("threads", 1)
        ranks = 1
    return Run(
        entry["library"], entry.get("label", entry["library"]), point, ranks, case, round_, time_limit,
        {key: str(value) for key, value in entry.get("environment", {}).items()}, point.get("network"),
    )  # fmt: skip


def _check_cases(runs: list[Run]) -> None:
    for run in runs:
        fault = results.case_fault(run.case)
        if fault:
            raise BenchError(f"the case of {run.label} is impossible: {fault}")


def runs(
    experiment: dict,
    ranks: list[int] | None = None,
    sizes: list | None = None,
    libraries: list[str] | None = None,
    rounds: int | None = None,
    case: dict | None = None,
) -> list[Run]:
    """All runs in the order of execution: round by round and, at each point, the libraries in a shuffled order."""
    rounds = experiment.get("rounds", 3) if rounds is None else rounds
    if not isinstance(rounds, int) or rounds < 1:
        raise BenchError(f"{rounds} is not a number of rounds")
    entries = [_entry(entry) for entry in experiment["libraries"]]
    if libraries:
        names = {entry["library"] for entry in entries} | {entry.get("label") for entry in entries}
        for name in libraries:
            if name not in names:
                entries.append({"library": name})
        entries = [one for one in entries if one["library"] in libraries or one.get("label") in libraries]
    limit = float(experiment.get("time_limit", 600))
    ordered = []
    for round_ in range(rounds):
        for number, point in enumerate(points(experiment, ranks, sizes)):
            here = [_run_of(entry, {**point, **(case or {})}, round_, limit) for entry in entries]
            here = [run for run in here if run]
            _check_cases(here)
            random.Random(1000 * round_ + number).shuffle(here)
            ordered += here
    if not ordered:
        raise BenchError(f"experiment '{experiment['name']}' has nothing to run for these ranks and sizes")
    return ordered
