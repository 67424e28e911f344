"""The common parts of claims: an experiment run through the harness, its records kept, medians out of them."""

from __future__ import annotations

import argparse
import time
import warnings
from dataclasses import dataclass
from pathlib import Path

from shardfft_bench import campaign, experiments, results
from shardfft_bench.launch import Launcher, cores
from shardfft_bench.libraries import find_libraries
from shardfft_bench.statistics import summary

HERE = Path(__file__).resolve().parent
TINY = ["16"]  # the only size if nothing is judged


def parser(about: str) -> argparse.ArgumentParser:
    """The options of every claim."""
    made = argparse.ArgumentParser(description=about)
    made.add_argument("--drivers", nargs="+", help="bin folders of builds of bench/")
    made.add_argument("--into", type=Path, help="folder of a result set: the records go to INTO/NAME, resumed if begun")
    made.add_argument("--rounds", type=int)
    made.add_argument("--tiny", action="store_true", help="the whole way at a tiny size, in seconds: judges nothing")
    return made


@dataclass
class Measured:
    """The records of a claim and how to ask them."""

    name: str
    records: list[dict]
    into: Path
    tiny: bool

    def points(self, *keys: str) -> list[dict]:
        """The settings in the order of the experiment; `keys` are the keys that tell them apart."""
        found = {tuple(str(one["point"][key]) for key in keys): one["point"] for one in self.records}
        return list(found.values())

    def medians(self, **point) -> dict[str, float]:
        """Milliseconds by label over the samples of all rounds; only labels that were right in every round."""
        samples: dict[str, list[float]] = {}
        bad = set()
        for record in self.records:
            if any(record["point"][key] != value for key, value in point.items()):
                continue
            if record["status"] == "ok":
                samples.setdefault(record["label"], []).extend(record["samples"])
            else:
                bad.add(record["label"])
        return {label: 1e3 * summary(times)["median"] for label, times in samples.items() if label not in bad}

    def rounds(self, **point) -> dict[str, list[list[float]]]:
        """Seconds by label, a list a round; only of runs that were right."""
        found: dict[str, list[list[float]]] = {}
        for record in self.records:
            if record["status"] == "ok" and all(record["point"][key] == value for key, value in point.items()):
                found.setdefault(record["label"], []).append(record["samples"])
        return found

    def failed(self) -> list[dict]:
        """The runs that should have worked and did not."""
        return [one for one in self.records if one["status"] not in ("ok", "missing", "unsupported")]

    def say_what_was_left_out(self) -> None:
        """Names the runs that were left out with the reasons, and the load of the machine."""
        left_out = {(one["label"], one["status"], one.get("reason", "")[:120]) for one in self.records}
        for label, status, reason in sorted(left_out):
            if status != "ok":
                print(f"  left out, {label}: {status}: {reason}")
        loads = [one["launch"]["load_before"] for one in self.records if "launch" in one]
        if loads:
            print(f"  load average before the runs: median {summary(loads)['median']:.1f}, highest {max(loads):.1f}")

    def conclude(self, holds: bool, figures: str) -> int:
        """Prints the folder of the records and the claim's line; returns the exit code."""
        self.say_what_was_left_out()
        print(f"  records: {self.into}")
        if self.tiny:
            failed = {f"{one['label']} {one['status']}" for one in self.failed()}
            print(f"{self.name} tiny=1: nothing is judged at this size; failed={','.join(sorted(failed)) or 'none'}")
            return 1 if failed or not self.records else 0
        print(f"{self.name} {figures}")
        return 0 if holds else 1


def shape_name(point: dict) -> str:
    """'256^3 complex double'."""
    shape = point["shape"]
    size = f"{shape[0]}^3" if len(set(shape)) == 1 else "x".join(map(str, shape))
    return f"{size} {'complex' if point.get('kind', 'c2c') == 'c2c' else 'real'} {point.get('precision', 'double')}"


def is_smooth(n: int) -> bool:
    """Whether n has no prime factor above 7."""
    for p in (2, 3, 5, 7):
        while n % p == 0:
            n //= p
    return n == 1


def result_set(options: argparse.Namespace) -> Path:
    """The folder of all records of one call."""
    options.into = options.into or Path("results", "claims", time.strftime("%Y-%m-%dT%H%M%SZ", time.gmtime()))
    return options.into


def measure(
    name: str, options: argparse.Namespace, ranks: list[int] | None = None, made: dict | None = None
) -> Measured:
    """Makes the runs that the result folder does not hold yet, and returns all its records.

    The experiment is the YAML file of the claim's name, or one that was made, whose sizes stay.
    """
    experiment = made or experiments.load(str(HERE / f"{name.replace('-', '_')}.yaml"))
    experiment["name"] = name
    quick = {"effort": "estimate", "warmups": 1, "repeats": 2}
    runs = experiments.runs(
        experiment,
        ranks=ranks,
        sizes=TINY if options.tiny and not made else None,
        rounds=1 if options.tiny else options.rounds,
        case=quick if options.tiny else None,
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # no drivers: the following lines say so, library by library
        libraries = find_libraries(options.drivers)
    campaign.require_known(runs, libraries)
    launcher = Launcher("openmpi")
    launcher.require(max(run.ranks for run in runs))
    if max(run.ranks for run in runs) > cores():
        print(f"run: this machine has {cores()} cores; ranks share them")
    into = result_set(options) / name
    campaign.carry_out(runs, libraries, launcher, into, experiment)
    return Measured(name, results.load(into), into, options.tiny)
