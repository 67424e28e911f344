"""The verdict of the claim tuning: picks against the best way; the model fitted on one half, judged on the other."""

from __future__ import annotations

import json
import lzma
import math
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

#: Figures of the cost model that a host's problems determine.
FITTED = (
    "memory",
    "host_memory",
    "cache",
    "cache_bytes",
    "flops",
    "products",
    "near_latency",
    "near_bandwidth",
    "start",
)
#: The memory that GPUs of a host share has no limit of its own, in bytes a second.
ALONE = 1e18
#: The bars of picks and predictions.
ESTIMATE, ESTIMATE_SHARE = 1.25, 0.8
MEASURE, MEASURE_SHARE = 1.03, 0.9
MEDIAN_ERROR, WORST_ERROR = 0.15, 0.4


#: The work of the steps of a problem in a way.
Loads = Callable[[dict[str, Any], str], list[list[float]]]


class Timed(NamedTuple):
    """One way of a problem: the work of its steps, and the time of a forward and a backward run."""

    problem: int
    ranks: int
    steps: list[list[float]]
    seconds: float


def load(record: Path) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Facts and problems of a record, packed or plain."""
    with (lzma.open if record.suffix == ".xz" else open)(record, "rt") as file:
        first, *lines = map(json.loads, file)
    return first, [one for one in lines if "error" not in one]


def interval(samples: list[float]) -> tuple[float, float]:
    """About 95 % for the median: by the order of the samples."""
    ordered, n = sorted(samples), len(samples)
    reach = 0.98 * math.sqrt(n)
    return ordered[max(0, math.floor(n / 2 - reach))], ordered[min(n - 1, math.ceil(n / 2 + reach) - 1)]


def against_best(one: dict[str, Any], effort: str) -> tuple[float, bool]:
    """The pick's median over that of the best way, and whether their intervals meet."""
    samples = {timed["way"]: timed["samples"] for timed in one["timed"]}
    pick = samples[one["picks"][effort]["way"]]
    best = min(samples.values(), key=median)
    return median(pick) / median(best), interval(pick)[0] <= interval(best)[1]


def predicted(timed: Timed, figures: dict[str, float]) -> float:
    """Seconds of the library's own model."""
    from shardfft import _core

    return _core.seconds_of_steps(timed.steps, figures, timed.ranks)


def error(timed: Timed, figures: dict[str, float]) -> float:
    """By how much a prediction is wrong: 0.1 for 10 % too long or too short."""
    return math.exp(abs(math.log(predicted(timed, figures) / timed.seconds))) - 1


def fit(all_timed: list[Timed], gpus: bool) -> dict[str, float]:
    """Figures that make the squares of the logarithms of predicted over measured least, large ones counted less."""
    from shardfft import _core

    figures = {name: value for name, value in _core.machine_figures(gpus).items() if name in FITTED}
    fitted = [name for name in FITTED if not (gpus and name == "host_memory")]
    if gpus:  # the ranks of a host do not share it
        figures["host_memory"] = ALONE

    def cost(tried: dict[str, float]) -> float:
        logs = [abs(math.log(predicted(timed, tried) / timed.seconds)) for timed in all_timed]
        return sum(min(log * log, 0.2 * log) for log in logs)

    least, factor = cost(figures), 4.0
    while factor > 1.01:
        before = least
        for name in fitted:
            for tried in (figures[name] * factor, figures[name] / factor):
                now = cost(figures | {name: tried})
                if now < least:
                    least, figures[name] = now, tried
        if least > 0.999 * before:
            factor = math.sqrt(factor)
    return figures


def points(one: dict[str, Any]) -> int:
    """Of a problem's array."""
    return math.prod(one["problem"]["shape"])


def ways_of(problems: list[dict[str, Any]]) -> list[Timed]:
    """All ways that were timed again."""
    return [
        Timed(one["problem"]["number"], one["problem"]["ranks"], timed["steps"], median(timed["samples"]))
        for one in problems
        for timed in one["timed"]
    ]


def rows(problems: list[dict[str, Any]], figures: dict[str, float], judged: set[int]) -> list[str]:
    """The table of all problems."""
    lines = [
        "| text | ranks | estimate/best | measure/best | planning ms | predicted/measured | half |",
        "|---|---|---|---|---|---|---|",
    ]
    for one in problems:
        problem = one["problem"]
        shape = "x".join(map(str, problem["shape"]))
        text = f"{problem['kind']} {shape} {problem['dtype']} {problem['layout']} to {problem['output']}"
        ratios = [f"{against_best(one, effort)[0]:.2f}" for effort in ("estimate", "measure")]
        planning = f"{1e3 * one['picks']['estimate']['planning']:.0f}, {1e3 * one['picks']['measure']['planning']:.0f}"
        pick = next(t for t in one["timed"] if t["way"] == one["picks"]["estimate"]["way"])
        timed = Timed(problem["number"], problem["ranks"], pick["steps"], median(pick["samples"]))
        half = "judged" if problem["number"] in judged else "fitted"
        lines.append(
            f"| {text} | {problem['ranks']} | {ratios[0]} | {ratios[1]} | {planning} "
            f"| {predicted(timed, figures) / timed.seconds:.2f} | {half} |"
        )
    return lines


def by_machine(all_timed: list[Timed], machine: Path) -> dict[str, float]:
    """Errors of predictions by the figures of a machine file, of which these problems determined none."""
    from shardfft._doctor.machine import figures, read

    errors = sorted(error(timed, figures(read(machine))) for timed in all_timed)
    return {"median error by the machine file": median(errors), "worst error by the machine file": errors[-1]}


def judge_machine(
    record: Path, fitted: Path | None, machine: Path | None, loads: Loads | None = None
) -> dict[str, tuple[float, bool]]:
    """Print how one machine's record did, and write its tables beside it."""
    first, problems = load(record)
    problems.sort(key=points)
    for one in problems if loads else []:
        for timed in one["timed"]:
            timed["steps"] = loads(one["problem"], timed["way"])
    if len(problems) < 2:
        raise SystemExit(f"tuning: {record} has {len(problems)} problems; two are needed, one for each half")
    judged = {one["problem"]["number"] for one in problems[1::2]}
    halves = [[t for t in ways_of(problems) if (t.problem in judged) == half] for half in (False, True)]
    figures = fit(halves[0], problems[0]["problem"].get("processor") == "gpu")
    errors = [sorted(error(timed, figures) for timed in half) for half in halves]
    estimate = [against_best(one, "estimate") for one in problems]
    measure = [against_best(one, "measure") for one in problems]
    shares = (
        sum(ratio <= ESTIMATE for ratio, _ in estimate) / len(problems),
        sum(ratio <= MEASURE or meets for ratio, meets in measure) / len(problems),
    )
    found = {
        "estimate within 25 %": (shares[0], shares[0] >= ESTIMATE_SHARE),
        "measure within 3 %, or its interval meets the best's": (shares[1], shares[1] >= MEASURE_SHARE),
        "median error of predictions": (median(errors[1]), median(errors[1]) <= MEDIAN_ERROR),
        "worst error of predictions": (errors[1][-1], errors[1][-1] <= WORST_ERROR),
    }
    bars = [ESTIMATE_SHARE, MEASURE_SHARE, MEDIAN_ERROR, WORST_ERROR]
    if machine:
        bars += bars[2:]
        foretold = by_machine(halves[0] + halves[1], machine)
        found |= {name: (value, value <= bar) for (name, value), bar in zip(foretold.items(), bars[4:], strict=True)}
    told = ["| what | bar | found | holds |", "|---|---|---|---|"]
    for (what, (value, holds)), bar in zip(found.items(), bars, strict=True):
        told.append(f"| {what} | {bar} | {value:.3f} | {'yes' if holds else 'no'} |")
    figures["error"] = max(0.05, errors[0][-1])
    where = problems[0].get("machine") or f"{first['cores']} cores"
    table = [
        f"== {len(problems)} problems, {where}", *rows(problems, figures, judged),
        f"== {len(problems)} problems, bars", *told,
        f"== {len(halves[0])} ways, figures", "| figure | value |", "|---|---|",
        *(f"| {name} | {value:.3g} |" for name, value in figures.items()),
    ]  # fmt: skip
    print("\n".join(table))
    print(f"  revision {first['revision']}, {first['processor']}, load average before: {first['load_before']:.1f}")
    record.with_name("tuning.txt").write_text("\n".join(table) + "\n")
    if fitted:
        fitted.write_text(json.dumps(figures, indent=1) + "\n")
    return found


def judge(
    records: list[Path], tiny: bool, fitted: Path | None, machine: Path | None, loads: Loads | None = None
) -> int:
    """Judge each machine's record; the exit code."""
    if tiny:
        counts = [len(load(record)[1]) for record in records]
        for record in records:
            judge_machine(record, fitted, machine, loads)
        print("tuning tiny=1: nothing is judged at this size")
        return 0 if min(counts) >= 2 else 1
    found = [judge_machine(record, fitted, machine, loads) for record in records]
    held = sum(holds for one in found for _, holds in one.values())
    of = sum(len(one) for one in found)
    print(f"tuning held={held}/{of} machines={len(found)}")
    return 0 if held == of else 1
