"""``shardfft plan``: foretell memory, messages and time of a plan, without MPI and GPUs."""

from __future__ import annotations

import argparse
import json
from typing import Any

from .. import _core
from .._ground.errors import Error
from .._plans.problem import problem
from . import machine
from .words import plan_options, shape_of

_MOST_RANKS = 1 << 19
#: Twice the ranks are told to be faster, or slower, if the times differ by more than this.
_TELLS = 1.1


def words(parser: argparse.ArgumentParser) -> None:
    """Describe the command."""
    parser.add_argument("--shape", required=True, help="of the input array, as 90x80x70 or 2048^3")
    parser.add_argument("--kind", choices=["c2c", "r2c", "c2r", "r2r"], default="c2c", help="(%(default)s)")
    parser.add_argument("--precision", choices=["single", "double"], default="double", help="(%(default)s)")
    parser.add_argument("--ranks", type=int, required=True, help="of the job")
    place = parser.add_mutually_exclusive_group()
    place.add_argument("--ranks-per-node", type=int, help="in a row on each host (all on one)")
    place.add_argument("--gpus-per-node", type=int, help="ranks are GPUs, so many on each host")
    parser.add_argument("--layout", default="slab", help="of the input: slab, pencil, brick or cyclic (%(default)s)")
    parser.add_argument("--output", default="default", help="the output's: default, natural or as --layout")
    parser.add_argument("--algorithm", default="auto", help="(%(default)s)")
    parser.add_argument("--exchange", default="auto", help="(%(default)s)")
    parser.add_argument("--set", action="append", default=[], metavar="OPTION=VALUE", help="other options of the plan")
    parser.add_argument("--machine", metavar="FILE", help="a machine file (docs/doctor.md); else the user's own")
    parser.add_argument("--json", action="store_true", help="one object of JSON instead of lines")


def _count(value: int, name: str) -> int:
    if not 1 <= value <= _MOST_RANKS:
        raise ValueError(f"--{name} is {value}; it must be 1 to {_MOST_RANKS}")
    return value


def _figures(chosen: argparse.Namespace) -> tuple[dict[str, float], str]:
    """Return figures of the machine, and their source."""
    kept = None if chosen.gpus_per_node else machine.own()
    path = chosen.machine or (str(kept) if kept and kept.exists() else None)
    if path is None:
        return {}, "built-in cautious figures: `shardfft doctor --machine` measures those of a machine"
    told = machine.figures(machine.read(path))
    return told, f"figures of {path}"


def foretell(chosen: argparse.Namespace, ranks: int, figures: dict[str, float]) -> dict[str, Any]:
    """Predict the plan on so many ranks."""
    told = problem(
        ranks,
        shape_of(chosen.shape),
        chosen.kind,
        "float32" if chosen.precision == "single" else "float64",
        layout=chosen.layout,
        output=chosen.output,
        axes=None,
        n=None,
        **{"algorithm": chosen.algorithm, "exchange": chosen.exchange, **plan_options(chosen.set)},
    )
    near = _count(chosen.gpus_per_node or chosen.ranks_per_node or ranks, "ranks-per-node")
    gpus = chosen.gpus_per_node is not None
    output = None if told.output is None else told.output._core
    report, cost = map(
        json.loads,
        _core.predict(told.transform, told.input._core, output, told.natural, told.options, near, gpus, figures),
    )
    return {"ranks": ranks, "report": report, **cost}


def _bytes(count: float) -> str:
    for unit in ("B", "kB", "MB", "GB", "TB"):
        if count < 1000 or unit == "TB":
            return f"{count:.3g} {unit}"
        count /= 1000
    raise AssertionError


def _time(seconds: float) -> str:
    for unit, factor in (("s", 1), ("ms", 1e3), ("us", 1e6)):
        if seconds * factor >= 1 or unit == "us":
            return f"{seconds * factor:.3g} {unit}"
    raise AssertionError


def _range(told: dict[str, Any]) -> str:
    low, high = told["seconds"] / (1 + told["error"]), told["seconds"] * (1 + told["error"])
    return f"{_time(told['seconds'])} ({_time(low)} to {_time(high)})"


def _steps(told: dict[str, Any], direction: str) -> list[str]:
    lines = [direction]
    for said, cost in zip(told["report"][direction]["steps"], told[direction], strict=True):
        sent = [
            f"{_bytes(cost[f'{how}_bytes'])} in {cost[f'{how}_messages']:.0f} messages {where}"
            for how, where in (("near", "inside its host"), ("far", "to other hosts"))
            if cost[f"{how}_bytes"] > 0
        ]
        moved = f"moves {_bytes(cost['moved_bytes'])}"
        lines.append(f"  {said['number']}. {said['text']}: {_time(cost['seconds'])}, {', sends '.join([moved, *sent])}")
    return lines


def _memory(told: dict[str, Any]) -> str:
    report = told["report"]
    parts = {
        "input": told["input_bytes"],
        "output": told["output_bytes"],
        "workspace": report["workspace_bytes"],
        "shared memory": report["window_bytes"],
        "tables": report["table_bytes"],
    }
    listed = ", ".join(f"{name} {_bytes(count)}" for name, count in parts.items() if count > 0)
    return f"memory a rank{'' if told['exact'] else ', about'}: {_bytes(sum(parts.values()))} ({listed})"


def _scaling(told: dict[str, Any], twice: dict[str, Any] | str) -> str:
    if isinstance(twice, str):
        return f"twice the ranks: {twice}"
    gain = told["seconds"] / twice["seconds"]
    verdict = "faster" if gain > _TELLS else "slower" if gain < 1 / _TELLS else "no faster"
    return f"{twice['ranks']} ranks: {verdict}, {_range(twice)}, {gain:.2g} times as fast"


def run(chosen: argparse.Namespace) -> int:
    """Predict and tell."""
    for name in ("ranks", "ranks_per_node", "gpus_per_node"):
        _count(getattr(chosen, name) if getattr(chosen, name) is not None else 1, name.replace("_", "-"))
    figures, source = _figures(chosen)
    told = foretell(chosen, chosen.ranks, figures)
    twice: dict[str, Any] | str
    try:
        twice = foretell(chosen, 2 * chosen.ranks, figures)
    except Error as error:
        twice = str(error)
    if chosen.json:
        print(json.dumps({**told, "twice": twice, "figures": figures, "source": source}))
        return 0
    report = told["report"]
    gpus = "GPUs, whose steps are told as those of ranks that send messages"
    how = report["local_fft"] if chosen.gpus_per_node is None else gpus
    print(f"{report['algorithm']}, exchange {report['exchange']}, {how}")
    print(f"input {report['input']}, output {report['output']}")
    print(_memory(told))
    for line in _steps(told, "forward") + _steps(told, "backward"):
        print(line)
    print(f"forward and backward: {_range(told)}; {source}")
    print(_scaling(told, twice))
    return 0
