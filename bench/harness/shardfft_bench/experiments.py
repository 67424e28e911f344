"""Experiments as data: a YAML file becomes a list of runs.

A *point* is one setting at which libraries are compared (a case and a number of ranks); a *run* is one process start
of one library at one point in one round. A *search* is a library's runs at a point in the first round, one a setting.
"""

from __future__ import annotations

import dataclasses
import hashlib
import itertools
import json
import math
import random
from dataclasses import dataclass, field
from pathlib import Path

from . import network, results
from .data import folder, load_yaml
from .errors import BenchError


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
    mpi: dict = field(default_factory=dict)  # settings of the MPI library by words that launchers know
    variant: str = ""  # a build whose libraries the loader finds first: a folder of SHARDFFT_BENCH_VARIANTS
    search: str = ""  # the label of the search that the run is a part of
    budget: float = math.inf  # seconds, with the starts of processes, after which a search begins no other setting
    candidates: list[Run] = field(default_factory=list)  # of the first round, whose fastest is run again
    fixed_key: str = ""

    @property
    def key(self) -> str:
        """The same for the same work, so that an interrupted campaign knows the finished runs."""
        if self.fixed_key:
            return self.fixed_key
        parts = [self.library, self.label, self.ranks, self.case, self.round, self.environment]
        parts += [one for one in (self.network, self.mpi, self.variant) if one]
        parts += [[one.key for one in self.candidates]] if self.candidates else []
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
    if not {"sizes", "sizes_by_ranks", "cases"} & set(experiment):
        raise BenchError(f"{path} is no experiment: one of sizes, sizes_by_ranks and cases is needed")
    problem = results.fault(experiment, "experiment")
    if problem:
        raise BenchError(f"{path} is no experiment: {problem}")
    for each in experiment.get("networks", []):
        network.check(each)
    if "search_seconds" not in experiment and any("search" in _entry(one) for one in experiment["libraries"]):
        raise BenchError(f"{path} is no experiment: a search wants search_seconds, the same for every library")


def case_keys() -> list[str]:
    """The keys that a case may have."""
    return results.validator("experiment").schema["$defs"]["key"]["enum"]


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


def _cases(experiment: dict, count: int, sizes: list | None) -> list[dict]:
    """Shapes with the other keys of the experiment's cases; given sizes replace the shapes."""
    cases = experiment.get("cases", [])
    if sizes:
        shapes = [{"shape": parse_shape(size)} for size in sizes]
        return [{**case, **shape} for shape in shapes for case in cases or [{}]]
    by_ranks = experiment.get("sizes_by_ranks", {})
    wanted = experiment.get("sizes", []) + [by_ranks[at] for at in (count, str(count)) if at in by_ranks]
    shapes = [{"shape": parse_shape(size)} for size in wanted]
    return shapes + [{**case, "shape": parse_shape(case["shape"])} for case in cases]


def _has_room(grid: object, count: int) -> bool:
    """Whether the process grid is one of so many ranks; other values than lists of numbers are refused later."""
    good = isinstance(grid, list) and all(isinstance(extent, int) for extent in grid)
    return not good or not grid or math.prod(grid) == count


def points(
    experiment: dict, ranks: list[int] | None = None, sizes: list | None = None, case: dict | None = None
) -> list[dict]:
    """Every setting of the experiment: the case with its ranks. Given values replace the experiment's own."""
    base = experiment.get("case", {})
    counts = ranks or experiment.get("ranks", [2])
    for count in counts:
        if count < 1:
            raise BenchError(f"{count} is not a number of ranks")
    vary = dict(experiment.get("vary", {}))
    if experiment.get("networks"):
        vary["network"] = experiment["networks"]
    found = []
    for count in counts:
        for shape, values in itertools.product(_cases(experiment, count, sizes), itertools.product(*vary.values())):
            point = {**base, **shape, **dict(zip(vary, values)), "ranks": count, **(case or {})}
            if point not in found and _has_room(point.get("grid"), count):
                found.append(point)
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
        entry.get("mpi", {}), entry.get("variant", ""),
    )  # fmt: skip


# Words of a setting beside keys of a case; their values are mappings.
OWN = ("options", "environment", "mpi")
PACKAGED = "packaged"  # among the variants of a search: none


def _settings(search: dict) -> list[dict]:
    """Every combination of the values that a search has: keys of a case, of its options, variables, words of `mpi`."""
    places = [(None, key, values) for key, values in search.items() if key not in OWN]
    places += [(own, key, values) for own in OWN for key, values in search.get(own, {}).items()]
    found = []
    for chosen in itertools.product(*(values for _, _, values in places)):
        setting: dict = {}
        for (own, key, _), value in zip(places, chosen):
            (setting.setdefault(own, {}) if own else setting)[key] = value
        found.append(setting)
    return found


def setting_name(setting: dict) -> str:
    """In words: 'algorithm=p2p reorder=false'."""
    said = {key: value for key, value in setting.items() if key not in OWN}
    said.update((key, value) for own in OWN for key, value in setting.get(own, {}).items())
    return " ".join(f"{key}={value if isinstance(value, str) else json.dumps(value)}" for key, value in said.items())


def _with_setting(entry: dict, setting: dict) -> dict:
    """The entry with one setting of its search."""
    own = entry.get("case", {})
    options = {**own.get("options", {}), **setting.get("options", {})}
    case = {key: value for key, value in setting.items() if key not in ("environment", "mpi", "variant")}
    rest = {name: {**entry.get(name, {}), **setting.get(name, {})} for name in ("environment", "mpi")}
    variant = {"variant": setting["variant"]} if setting.get("variant", PACKAGED) != PACKAGED else {}
    return {**entry, **rest, **variant, "case": {**own, **case, **({"options": options} if options else {})}}


def _searched(entry: dict, point: dict, round_: int, time_limit: float, budget: float) -> list[Run | None]:
    """The runs of an entry: one; with a search each setting in the first round, and then the fastest of them."""
    plain = {key: value for key, value in entry.items() if key != "search"}
    if "search" not in entry:
        return [_run_of(plain, point, round_, time_limit)]
    label = entry.get("label", entry["library"])
    found = []
    for setting in _settings(entry["search"]):
        if not _has_room(setting.get("grid"), point["ranks"]):
            continue
        one = {**_with_setting(plain, setting), "label": f"{label} [{setting_name(setting)}]"}
        found.append(_run_of(one, point, 0, time_limit))
    if None in found or not found:
        return []
    for run in found:
        run.search, run.budget = label, budget
    if round_ == 0:
        return found
    return [dataclasses.replace(found[0], label=f"{label} tuned", round=round_, search="", candidates=found)]


def _in_turns(here: list[Run], seed: int) -> list[Run]:
    """The runs of a point shuffled; of each search the setting that is named first, the library's own, comes first."""
    first = {run.search: run for run in reversed(here) if run.search}
    random.Random(seed).shuffle(here)
    for name, run in first.items():
        other, own = next(at for at, one in enumerate(here) if one.search == name), here.index(run)
        here[other], here[own] = here[own], here[other]
    return here


def _check_case(case: dict, whose: str) -> None:
    fault = results.case_fault(case)
    if fault:
        raise BenchError(f"{whose} is impossible: {fault}")


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
    if rounds < 1:
        raise BenchError(f"{rounds} is not a number of rounds")
    _check_case({"shape": [1, 1, 1], **(case or {})}, "the case given")
    entries = [_entry(entry) for entry in experiment["libraries"]]
    if libraries:
        names = {entry["library"] for entry in entries} | {entry.get("label") for entry in entries}
        for name in libraries:
            if name not in names:
                entries.append({"library": name})
        entries = [one for one in entries if one["library"] in libraries or one.get("label") in libraries]
    limit = float(experiment.get("time_limit", 600))
    budget = float(experiment.get("search_seconds", math.inf))
    ordered: list[Run] = []
    good: set[str] = set()  # cases: those of all rounds and of many libraries are the same
    for round_ in range(rounds):
        for number, point in enumerate(points(experiment, ranks, sizes, case)):
            here = [run for entry in entries for run in _searched(entry, point, round_, limit, budget) if run]
            for run in here:
                if repr(run.case) not in good:
                    _check_case(run.case, f"the case of {run.label}")
                    good.add(repr(run.case))
            ordered += _in_turns(here, 1000 * round_ + number)
    if not ordered:
        raise BenchError(f"experiment '{experiment['name']}' has nothing to run for these ranks, sizes and grids")
    return ordered
