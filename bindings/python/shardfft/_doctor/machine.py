"""The machine file: figures of a machine in one form, for whoever predicts or simulates.

docs/doctor.md describes its members. A file of another version, or one in which something lacks or is no figure, is
refused with a sentence.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

from .. import _core

FORMAT, VERSION = "shardfft machine", 1
#: The type of each member; a list holds the form of its entries.
_FORM: dict[str, Any] = {
    "format": str,
    "version": int,
    "made": str,
    "shardfft": str,
    "mpi": str,
    "ranks": int,
    "core_share": float,
    "hosts": [{"name": str, "processor": str, "vectors": list, "cores": int, "memory_bytes": int, "ranks": int}],
    "gpus": [{"host": str, "name": str}],
    "libraries": [{"name": str, "version": str, "flops_per_second": float}],
    "memory": [{"ranks": int, "bytes_per_second": float}],
    "links": [{"between": str, "latency_seconds": float, "bytes_per_second": float}],
    "alltoall": [{"ranks": int, "bytes_per_second_a_rank": float}],
}

#: Members that files of earlier revisions do not have.
_OPTIONAL = {"step_seconds": float}

#: Figures of the cost model that were fitted to plans, by the names of MachineFigures; they go before all others.
_MODEL = dict.fromkeys(_core.machine_figures(False), float)


def _check(value: Any, form: Any, name: str) -> None:
    if isinstance(form, dict):
        if not isinstance(value, dict):
            raise ValueError(f"{name} must be an object, not {value!r}")
        if lacking := sorted(set(form) - set(value)):
            raise ValueError(f"{name} has no {', '.join(lacking)}")
        if unknown := sorted(set(value) - set(form)):
            raise ValueError(f"{name} has {', '.join(unknown)}, which no machine file of version {VERSION} has")
        for key, inner in form.items():
            _check(value[key], inner, f"{name}.{key}")
    elif isinstance(form, list):
        if not isinstance(value, list):
            raise ValueError(f"{name} must be a list, not {value!r}")
        for number, entry in enumerate(value):
            _check(entry, form[0], f"{name}[{number}]")
    elif form in (int, float):
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= sys.float_info.max:
            raise ValueError(f"{name} must be a number of at least 0, not {value!r}")
    elif not isinstance(value, form):
        raise ValueError(f"{name} must be a {form.__name__}, not {value!r}")


def checked(machine: Any, where: str) -> dict[str, Any]:
    """Give the machine back if it has all that version 1 has; ``where``: its file, for errors."""
    if not isinstance(machine, dict) or machine.get("format") != FORMAT:
        raise ValueError(f"{where} is no machine file: its member format is not {FORMAT!r}")
    if machine.get("version") != VERSION:
        raise ValueError(f"{where} is a machine file of version {machine.get('version')}, and {VERSION} is read here")
    model = machine.get("model", {})
    form = _FORM | {key: _OPTIONAL[key] for key in _OPTIONAL if key in machine}
    _check({key: value for key, value in machine.items() if key != "model"}, form, where)
    _check(model, {key: _MODEL[key] for key in _MODEL if not isinstance(model, dict) or key in model}, f"{where}.model")
    for number, one in enumerate(machine["memory"]):
        if one["ranks"] < 1:
            raise ValueError(f"{where}.memory[{number}].ranks must be at least 1, not {one['ranks']!r}")
    return machine


def own() -> Path | None:
    """Give the path of this user's file, in the cache folder; None if there is none (SHARDFFT_CACHE is empty)."""
    said = os.environ.get("SHARDFFT_CACHE")
    folder = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "shardfft" if said is None else said
    return Path(folder) / "machine.json" if folder else None


def figures(machine: dict[str, Any]) -> dict[str, float]:
    """Return the file's figures of the cost model (``shardfft::MachineFigures``)."""
    hosts = max(1, len(machine["hosts"]))
    memory = [(one["ranks"], one["bytes_per_second"]) for one in machine["memory"]]
    links = {one["between"]: one for one in machine["links"]}
    near, far = links.get("ranks of a host"), links.get("hosts")
    told = {}
    if memory:
        told |= {"memory": memory[0][1] / memory[0][0], "host_memory": memory[-1][1] / hosts}
    if machine["libraries"]:
        told["flops"] = max(one["flops_per_second"] for one in machine["libraries"])
    if near:
        told |= {"near_latency": near["latency_seconds"], "near_bandwidth": near["bytes_per_second"]}
    if far:
        told |= {"far_latency": far["latency_seconds"], "far_bandwidth": far["bytes_per_second"]}
    if machine["alltoall"] and hosts == 1:
        told["near_bandwidth"] = machine["alltoall"][0]["bytes_per_second_a_rank"]
    told["start"] = machine.get("step_seconds", 0)
    return {name: value for name, value in (told | machine.get("model", {})).items() if value > 0}


def read(path: str | os.PathLike[str]) -> dict[str, Any]:
    """Read a machine file. Raises OSError, or ValueError if it is none that can be read here."""
    try:
        return checked(json.loads(Path(path).read_text()), os.fspath(path))
    except json.JSONDecodeError as error:
        raise ValueError(f"{os.fspath(path)} is no machine file: {error}") from None


def write(machine: dict[str, Any], path: str | os.PathLike[str]) -> None:
    """Write one, whole or not at all."""
    checked(machine, os.fspath(path))
    target = Path(path)
    if target == own():
        target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    unfinished = target.with_name(f"{target.name}.{os.getpid()}")
    unfinished.write_text(json.dumps(machine, indent=1) + "\n")
    unfinished.replace(target)
