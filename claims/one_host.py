"""The claims one-host and one-host-fftw: runs the YAML experiment of that name through the benchmark harness.

Prints a line for each size and then the claim's line; exit code 0 only if every size meets its bounds.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from shardfft_bench import campaign, experiments, results
from shardfft_bench.launch import Launcher
from shardfft_bench.libraries import find_libraries


@dataclass
class Bounds:
    """What a size must reach: times faster than the best rival at least, times the threads' time at most."""

    rival: float
    threads: float


def bounds(claim: str, extent: int) -> Bounds:
    """The bounds of one size."""
    if claim == "one-host-fftw":
        return Bounds(1.2, 1.10)
    return Bounds(1.9 if extent == 256 else 1.5, 1.25 if extent <= 128 else 1.10)


def medians(records: list[dict], extent: int, kind: str) -> dict[str, float]:
    """Milliseconds by label, over the samples of all rounds; only labels that were right in every round."""
    samples: dict[str, list[float]] = {}
    bad = set()
    for record in records:
        if record["point"]["shape"][0] != extent or record["point"]["kind"] != kind:
            continue
        if record["status"] == "ok":
            samples.setdefault(record["label"], []).extend(record["samples"])
        else:
            bad.add(record["label"])
    return {label: 1e3 * statistics.median(times) for label, times in samples.items() if label not in bad}


@dataclass
class Outcome:
    """How one size came out."""

    name: str
    rival: str
    ratio_rival: float
    ratio_threads: float
    holds: bool


def judge(claim: str, extent: int, kind: str, times: dict[str, float]) -> Outcome | None:
    """Prints the line of one size; None when something needed is missing."""
    name = f"{extent}^3 {'complex' if kind == 'c2c' else 'real'} double"
    threads = {label: ms for label, ms in times.items() if label.endswith(" threads")}
    rivals = {label: ms for label, ms in times.items() if label != "shardfft" and label not in threads}
    if "shardfft" not in times or not threads or not rivals:
        print(f"{name}: not everything that is needed ran: {', '.join(sorted(times)) or 'nothing did'}")
        return None
    ours = times["shardfft"]
    rival = min(rivals, key=rivals.__getitem__)
    floor = min(threads, key=threads.__getitem__)
    want = bounds(claim, extent)
    done = Outcome(name, rival, rivals[rival] / ours, ours / threads[floor], False)
    done.holds = done.ratio_rival >= want.rival and done.ratio_threads <= want.threads
    others = ", ".join(f"{label} {ms:.1f}" for label, ms in sorted(times.items(), key=lambda one: one[1]))
    print(
        f"{name}: ours {ours:.1f} ms; best rival {rival} {rivals[rival]:.1f} ms, {done.ratio_rival:.2f} times ours "
        f"(wanted {want.rival}); best threads {floor} {threads[floor]:.1f} ms, ours {done.ratio_threads:.2f} times "
        f"(allowed {want.threads}); {'holds' if done.holds else 'DOES NOT HOLD'} [{others}]"
    )
    return done


def say_what_failed(records: list[dict]) -> None:
    """Names what was left out, and why."""
    failures = {(one["label"], one["status"], one.get("reason", "")[:120]) for one in records if one["status"] != "ok"}
    for label, status, reason in sorted(failures):
        print(f"  left out, {label}: {status}: {reason}")


def measure(options: argparse.Namespace, into: Path) -> list[dict]:
    """Runs what is not in `into` yet and returns all its records."""
    experiment = experiments.load(str(Path(__file__).with_name(options.claim.replace("-", "_") + ".yaml")))
    runs = experiments.runs(experiment, sizes=None, rounds=options.rounds)
    if options.extent:
        runs = [run for run in runs if run.case["shape"][0] in options.extent]
    libraries = find_libraries(options.drivers)
    campaign.require_known(runs, libraries)
    launcher = Launcher("openmpi")
    launcher.require(max(run.ranks for run in runs))
    campaign.carry_out(runs, libraries, launcher, into, experiment)
    return results.load(into)


def main() -> int:
    """Measures, prints, and returns the exit code."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("claim", choices=["one-host", "one-host-fftw"])
    parser.add_argument("--drivers", nargs="+", help="bin folders of builds of bench/")
    parser.add_argument("--rounds", type=int)
    parser.add_argument("--extent", type=int, nargs="+", help="only these sizes: no claim then")
    parser.add_argument("--into", type=Path, help="folder that keeps the records, resumed when it has some")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="one-host-") as scratch:
        records = measure(options, options.into or Path(scratch))
    loads = [record["launch"]["load_before"] for record in records if "launch" in record]
    points = sorted({(one["point"]["kind"], one["point"]["shape"][0]) for one in records})
    outcomes = [judge(options.claim, extent, kind, medians(records, extent, kind)) for kind, extent in points]
    say_what_failed(records)
    if loads:
        print(f"  load average before the runs: median {statistics.median(loads):.1f}, highest {max(loads):.1f}")
    good = [one for one in outcomes if one]
    if not good:
        print(f"{options.claim} failed=nothing_measured")
        return 1
    worst = min(good, key=lambda one: one.ratio_rival)
    threads = max(one.ratio_threads for one in good)
    print(f"{options.claim} best_rival={worst.rival} ratio_rival={worst.ratio_rival:.2f} ratio_threads={threads:.2f}")
    return 0 if len(good) == len(outcomes) and len(points) == 4 and all(one.holds for one in good) else 1


if __name__ == "__main__":
    sys.exit(main())
