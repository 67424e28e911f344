"""Pools the records of each library at each point over the rounds."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from functools import cached_property

from .. import statistics
from ..network import simulated

# Keys of a case that do not make it another case to the reader of a plot.
QUIET = {"warmups", "repeats", "seconds", "seed", "profile", "energy"}

# Counters advance in steps of up to a tenth of a second: counts over a shorter time say nothing.
LEAST_SECONDS_OF_ENERGY = 0.5


def _feature(point: dict, key: str) -> str:
    """The features of a case beyond a plain transform, in words."""
    value = point.get(key)
    if not value or (key == "batch" and value == 1):
        return ""
    return {
        "transforms": lambda: "×".join(value), "axes": lambda: "axes " + " ".join(map(str, value)),
        "modes": lambda: "modes " + "×".join(map(str, value)), "batch": lambda: f"{value} fields",
        "apply": lambda: value,
    }[key]()  # fmt: skip


def point_name(point: dict, leave_out: set[str] = frozenset(), unit: str = "rank") -> str:
    """The setting in words: '256³ c2c double, pair, slab'."""
    shape = point["shape"]
    size = f"{shape[0]}³" if len(set(shape)) == 1 else "×".join(map(str, shape))
    words = [size, point.get("kind", "c2c"), point.get("precision", "double"), point.get("direction", "pair")]
    words.append(point.get("layout", "slab"))
    words += [word for key in ("transforms", "axes", "modes", "batch", "apply") if (word := _feature(point, key))]
    if point.get("output", "any") == "natural":
        words.append("natural order")
    if point.get("placement", "out") == "in" and "placement" not in leave_out:
        words.append("in place")
    if point.get("effort", "measure") != "measure":
        words.append(point["effort"])
    if point.get("options"):
        words.append(" ".join(f"{key}={value}" for key, value in point["options"].items()))
    if point.get("grid") and "grid" not in leave_out:
        words.append("grid " + "×".join(map(str, point["grid"])))
    if point.get("network") and "network" not in leave_out:
        words.append(point["network"]["name"])
    if "ranks" in point and "ranks" not in leave_out:
        words.append(f"{point['ranks']} {unit}" + ("s" if point["ranks"] > 1 else ""))
    return ", ".join(words)


def point_key(point: dict, leave_out: set[str] = frozenset()) -> str:
    """The keys that make two records comparable, with some left out (ranks for a scaling curve, say)."""
    return json.dumps({k: v for k, v in point.items() if k not in QUIET | leave_out}, sort_keys=True)


def _joules(record: dict, kind: str) -> float | None:
    """Joules of a repeat, when they were counted for so long that the counter's steps do not matter."""
    found = record.get(kind, {})
    seconds = found.get("seconds", sum(record["samples"]))
    if not found.get("joules") or seconds < LEAST_SECONDS_OF_ENERGY:
        return None
    return found["joules"] / max(1, found.get("repeats", 1))


def _middle(found: list[float]) -> float | None:
    return sorted(found)[len(found) // 2] if found else None


@dataclass
class Cell:
    """One label at one point: all its good records, a list of samples each; complete before it is asked anything."""

    label: str
    library: str
    point: dict
    records: list[dict] = field(default_factory=list)

    @property
    def rounds(self) -> list[list[float]]:
        return [record["samples"] for record in self.records]

    @property
    def samples(self) -> list[float]:
        return [sample for record in self.records for sample in record["samples"]]

    @cached_property
    def median(self) -> float:
        return statistics.summary(self.samples)["median"]

    @cached_property
    def interval(self) -> tuple[float, float]:
        return statistics.median_interval(self.rounds)

    @property
    def ranks(self) -> int:
        return self.point["ranks"]

    @property
    def network(self) -> str:
        """The simulated network's name; empty on the plain machine."""
        network = self.point.get("network")
        return network["name"] if simulated(network) else ""

    @property
    def one_process(self) -> bool:
        several_gpus = "devices" in self.records[0]["case"].get("options", {})
        return self.records[0]["ranks"] == 1 and self.point["ranks"] > 1 and not several_gpus

    @property
    def unit(self) -> str:
        """The unit of `ranks`."""
        return "GPU" if self.records[0]["machine"].get("devices") else "rank"

    def with_ranks(self) -> str:
        """Label, ranks and the other values that tell two bars of a panel apart."""
        placed = " in place" if self.point.get("placement") == "in" else ""
        grid = "×".join(map(str, self.point.get("grid") or []))
        several = "s" if self.ranks > 1 else ""
        return f"{self.label}{placed}, {self.ranks} {self.unit}{several}" + (f" ({grid})" if grid else "")

    def joules(self, kind: str) -> float | None:
        """Energy of a repeat (`energy`: CPU packages, `device_energy`: GPUs); None if it was not counted."""
        return _middle([joules for record in self.records if (joules := _joules(record, kind)) is not None])

    @property
    def own_times(self) -> dict[str, float]:
        """The library's own account: names of parts and their shares of the sum; empty when it offers none."""
        seconds = (self.records[0].get("breakdown") or {}).get("seconds") or {}
        whole = sum(seconds.values())
        return {name: value / whole for name, value in seconds.items()} if whole > 0 else {}

    def largest(self, *path: str) -> float | None:
        """The largest value at this place of the records, None when no record has it."""
        return max(self._values(path), default=None)

    def middle(self, *path: str) -> float | None:
        """The median of the value at this place of the records."""
        return _middle(self._values(path))

    def extremes(self, *path: str) -> tuple[float, float]:
        """The least and the largest of the value at this place of the records."""
        found = self._values(path)
        return min(found), max(found)

    @property
    def processor(self) -> float | None:
        """User and system seconds of a repeat, of all ranks; None in records of before they were counted."""
        parts = [self.middle("cpu_seconds", part) for part in ("user", "system")]
        return None if None in parts else sum(parts)

    def _values(self, path: tuple[str, ...]) -> list[float]:
        found = []
        for record in self.records:
            value = record
            for key in path:
                value = value.get(key) if isinstance(value, dict) else None
            if isinstance(value, int | float):
                found.append(value)
        return found


def cells(records: list[dict]) -> list[Cell]:
    """Good records pooled, in the order of the file."""
    found: dict[tuple, Cell] = {}
    for record in records:
        if record["status"] != "ok":
            continue
        key = (record["label"], point_key(record["point"]))
        cell = found.setdefault(key, Cell(record["label"], record["library"], record["point"]))
        cell.records.append(record)
    return list(found.values())


def failures(records: list[dict]) -> list[dict]:
    """One entry a label, kind of failure and reason, with its points and their number.

    Runs that a later try mended are left out, and that a library was missing before it was tried.
    """
    found: dict[tuple, dict] = {}
    good = {record["key"] for record in records if record["status"] == "ok"}
    tried = {record["key"] for record in records if record["status"] != "missing"}
    for record in records:
        if record["key"] in good or (record["status"] == "missing" and record["key"] in tried):
            continue
        label, status, reason = record["label"], record["status"], record.get("reason", "")
        entry = found.setdefault(
            (label, status, reason), {"label": label, "status": status, "reason": reason, "points": {}, "times": 0}
        )
        # A library that was not found is one fact at all points.
        entry["points"]["everywhere" if status == "missing" else point_name(record["point"])] = True
        entry["times"] += 1
    return list(found.values())


def groups(all_cells: list[Cell], leave_out: set[str]) -> dict[str, list[Cell]]:
    """Cells that differ only in the keys left out (and the label) under one name."""
    found: dict[str, tuple[str, list[Cell]]] = {}
    for cell in all_cells:
        key = point_key(cell.point, leave_out)
        found.setdefault(key, (point_name(cell.point, leave_out, cell.unit), []))[1].append(cell)
    named: dict[str, list[Cell]] = {}
    for name, members in found.values():
        named.setdefault(name, []).extend(members)
    return named


def curves(members: list[Cell]) -> dict[str, list[Cell]]:
    """Each label's cells by ranks; of several process grids the best."""
    found: dict[str, dict[int, Cell]] = {}
    for cell in sorted(members, key=lambda one: one.ranks):
        line = found.setdefault(cell.label, {})
        if cell.ranks not in line or cell.median < line[cell.ranks].median:
            line[cell.ranks] = cell
    return {label: list(line.values()) for label, line in found.items()}
