"""The claim gpu: judges a record of bench/gpu/slab_pair (and cuFFTMp's), just measured or the last one kept.

Records lie in bench/results/<machine>/<date>/slab_pair.jsonl: the JSON lines that slab_pair printed, and the records of
bench-cufftmp where it was run. Prints a line a case and then the claim's line; exit code 0 only if every bound is met.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
from dataclasses import dataclass, field
from pathlib import Path

FILE = "slab_pair.jsonl"
COMPLEX, REAL = ("Z2Z", "C2C"), {"D2Z": "Z2Z", "R2C": "C2C"}
FASTER, FASTER_AT = 1.1, (1024, 1536)  # than the best rival on two GPUs; elsewhere not slower
REAL_SHARE = 0.6  # of the complex pair's time, at 1024^3
NOISE = 1.02  # on one GPU: not slower than cuFFT beyond what repeats differ
ERRORS = {"Z2Z": 1e-14, "D2Z": 1e-14, "C2C": 5e-6, "R2C": 5e-6}


@dataclass
class Pairs:
    """Milliseconds of a pair by (extent, type, GPUs), ours and each rival's; joules and errors of ours."""

    ours: dict[tuple, float] = field(default_factory=dict)
    rivals: dict[tuple, dict[str, float]] = field(default_factory=dict)
    joules: dict[tuple, float] = field(default_factory=dict)
    errors: dict[tuple, list[float]] = field(default_factory=dict)

    def best(self, case: tuple) -> float | None:
        """The fastest rival's time."""
        return min(self.rivals.get(case, {}).values(), default=None)


def read(file: Path) -> Pairs:
    """The cubes of a record; the last line of several about the same counts."""
    pairs = Pairs()
    for line in file.read_text(encoding="utf-8").splitlines():
        if not line.startswith("{"):
            continue
        record = json.loads(line)
        if record.get("driver") == "slab_pair" and "pair_ms" in record:
            _add(pairs, record)
        elif record.get("library") == "cufftmp" and record.get("status") == "ok":
            case = (
                record["case"]["shape"][0],
                "C2C" if record["case"]["precision"] == "single" else "Z2Z",
                record["ranks"],
            )
            pairs.rivals.setdefault(case, {})["cufftmp"] = 1e3 * statistics.median(record["samples"])
    return pairs


def _add(pairs: Pairs, record: dict) -> None:
    if len(set(record["shape"])) != 1:
        return
    case = (record["shape"][0], record["type"], record["gpus"])
    if record["library"] != "shardfft":
        pairs.rivals.setdefault(case, {})[record["library"]] = record["pair_ms"]
        return
    pairs.ours[case] = record["pair_ms"]
    pairs.errors[case] = [record.get("error", -1), record["round_trip"]]  # -1: the reference did not fit
    if record.get("joules_pair", -1) > 0:
        pairs.joules[case] = record["joules_pair"]


@dataclass
class Verdict:
    """What is printed, and whether every demand was met."""

    lines: list[str] = field(default_factory=list)
    figures: dict[str, str] = field(default_factory=dict)
    holds: bool = True

    def demand(self, met: bool, text: str) -> None:
        """Adds a line, marked when it spoils the claim."""
        self.lines.append(text + ("" if met else "   <- not met"))
        self.holds &= met


def _two_gpus(pairs: Pairs, verdict: Verdict) -> None:
    worst: dict[int, float] = {}
    for case in sorted(pairs.ours):
        extent, kind, gpus = case
        rival = pairs.best(case)
        if gpus != 2 or kind not in COMPLEX or rival is None:
            continue
        ratio, bound = rival / pairs.ours[case], FASTER if extent in FASTER_AT else 1.0
        worst[extent] = min(worst.get(extent, ratio), ratio)
        names = ", ".join(f"{name} {ms:.3f}" for name, ms in sorted(pairs.rivals[case].items()))
        verdict.demand(
            ratio >= bound,
            f"2 GPUs {extent}^3 {kind}: {pairs.ours[case]:.3f} ms ({names}), ratio {ratio:.2f}, bound {bound}",
        )
    for extent in FASTER_AT:
        if extent in worst:
            verdict.figures[f"ratio_{extent}"] = f"{worst[extent]:.2f}"
        else:
            verdict.demand(False, f"2 GPUs {extent}^3: not in the record")
    if worst:
        verdict.figures["ratio_least"] = f"{min(worst.values()):.2f}"


def _real(pairs: Pairs, verdict: Verdict) -> None:
    shares = {}
    for real, full in REAL.items():
        one, other = pairs.ours.get((1024, real, 2)), pairs.ours.get((1024, full, 2))
        if one and other:
            shares[real] = one / other
            verdict.demand(
                shares[real] <= REAL_SHARE, f"2 GPUs 1024^3 {real} over {full}: {shares[real]:.2f}, bound {REAL_SHARE}"
            )
    if len(shares) < len(REAL):
        verdict.demand(False, "2 GPUs 1024^3: real transforms are not in the record")
    else:
        verdict.figures["real_over_complex"] = f"{max(shares.values()):.2f}"


def _one_gpu(pairs: Pairs, verdict: Verdict) -> None:
    ratios = []
    for (extent, kind, gpus), ms in sorted(pairs.ours.items()):
        floor = pairs.rivals.get((extent, kind, gpus), {}).get("cufft3d")
        if gpus == 1 and floor:
            ratios.append(ms / floor)
            verdict.demand(ms <= NOISE * floor, f"1 GPU {extent}^3 {kind}: {ms:.3f} ms, cuFFT {floor:.3f}")
    if ratios:
        verdict.figures["one_gpu_over_cufft"] = f"{max(ratios):.2f}"
    else:
        verdict.demand(False, "1 GPU: not in the record")


def judge(pairs: Pairs) -> Verdict:
    """Every bound of the claim."""
    verdict = Verdict()
    _two_gpus(pairs, verdict)
    _real(pairs, verdict)
    _one_gpu(pairs, verdict)
    for case, errors in sorted(pairs.errors.items()):
        for error in (one for one in errors if not one <= ERRORS[case[1]]):  # NaN too
            verdict.demand(False, f"{case[2]} GPUs {case[0]}^3 {case[1]}: error {error:.1e}")
    joules = pairs.joules.get((1024, "Z2Z", 2))
    verdict.figures["joules_1024_z2z"] = f"{joules:.1f}" if joules else "unavailable"
    return verdict


def last_record(results: Path) -> Path | None:
    """The newest record of two GPUs by the name of its folder, which is its date."""
    return max(results.glob(f"2x*/*/{FILE}"), key=lambda file: file.parent.name, default=None)


def main() -> int:
    """Exit code 0 when the claim holds, 1 when not or when there is nothing to judge."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("source", choices=["measured", "recorded"])
    parser.add_argument("path", type=Path, help="the record, or the folder of all results")
    parser.add_argument("--because", default="")
    options = parser.parse_args()
    file = options.path if options.source == "measured" else last_record(options.path)
    if file is None or not file.is_file():
        print(f"gpu: {options.because}, and there is no record {options.path}/2x*/*/{FILE}", file=sys.stderr)
        return 1
    machine, date = file.parent.parent.name, file.parent.name
    if options.source == "recorded":
        print(f"not measured: {options.because}. What follows was recorded on {machine} on {date}.")
    verdict = judge(read(file))
    print("\n".join(verdict.lines))
    figures = " ".join(f"{key}={value}" for key, value in verdict.figures.items())
    print(f"gpu {figures} machine={machine} date={date} source={options.source}")
    return 0 if verdict.holds else 1


if __name__ == "__main__":
    sys.exit(main())
