"""Two GPUs: plans 1.1 times as fast as cuFFTXt and cuFFTMp at 1024^3 and 1536^3; without GPUs, the last record.

Nowhere slower, real pairs in at most 0.65 of the complex ones' time at 1024^3, and on one GPU no slower than cuFFT. The
records are the harness's own: plans that users can make are judged.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

from measuring import Measured, measure, parser

from shardfft_bench import results

RESULTS = Path(__file__).resolve().parents[1] / "bench" / "results"
OURS, GROUP, CUFFT = "shardfft-gpu", "shardfft-group", "cufft"
NO_PLAN = "shardfft-slab"  # in older records: neither a plan nor a rival
FASTER, FASTER_AT = 1.1, (1024, 1536)  # than the best rival on two GPUs; elsewhere not slower
REAL_SHARE = 0.65  # of the complex pair's time, at 1024^3
NOISE = 1.02  # on one GPU: not slower than cuFFT beyond the spread of repeats


@dataclass
class Verdict:
    """The printed text, and whether every demand was met."""

    figures: dict[str, str] = field(default_factory=dict)
    holds: bool = True

    def demand(self, met: bool, text: str) -> None:
        """Prints a line, marked when it spoils the claim."""
        print(text + ("" if met else "   <- not met"))
        self.holds &= met


def rivals(times: dict[str, float]) -> dict[str, float]:
    """Those that are not ours."""
    return {label: ms for label, ms in times.items() if label not in (OURS, GROUP, NO_PLAN)}


def cases(done: Measured, gpus: int) -> list[tuple[int, str, str, dict[str, float]]]:
    """(extent, kind, precision, median ms by label) of every cube on so many GPUs with a plan and a rival of it."""
    found = []
    for point in done.points("shape", "kind", "precision", "ranks", "layout"):
        if point["ranks"] != gpus or point.get("layout", "slab") != "slab" or len(set(point["shape"])) != 1:
            continue
        keys = {key: point[key] for key in ("shape", "kind", "precision", "ranks", "layout") if key in point}
        times = done.medians(**keys)
        if OURS in times and rivals(times):
            found.append((point["shape"][0], point["kind"], point["precision"], times))
    return sorted(found, key=lambda one: one[:3])


def judge_two(done: Measured, verdict: Verdict) -> None:
    """The plans of two GPUs against the rivals, and real ones against complex ones."""
    worst: dict[int, float] = {}
    ours: dict[tuple, float] = {}
    for extent, kind, precision, times in cases(done, 2):
        ours[extent, kind, precision] = times[OURS]
        against = rivals(times)
        ratio = min(against.values()) / times[OURS]
        bound = FASTER if extent in FASTER_AT else 1.0
        worst[extent] = min(worst.get(extent, ratio), ratio)
        others = ", ".join(f"{name} {ms:.3f}" for name, ms in sorted({**against, **one(times, GROUP)}.items()))
        name = f"2 GPUs {extent}^3 {kind} {precision}"
        verdict.demand(ratio >= bound, f"{name}: {times[OURS]:.3f} ms ({others}), ratio {ratio:.2f}, bound {bound}")
    for extent in FASTER_AT:
        if extent in worst:
            verdict.figures[f"ratio_{extent}"] = f"{worst[extent]:.2f}"
        else:
            verdict.demand(False, f"2 GPUs {extent}^3: not in the record")
    shares = {
        precision: ours[1024, "r2c", precision] / ours[1024, "c2c", precision]
        for precision in ("single", "double")
        if {(1024, "r2c", precision), (1024, "c2c", precision)} <= set(ours)
    }
    for precision, share in shares.items():
        text = f"2 GPUs 1024^3 real over complex, {precision}: {share:.2f}, bound {REAL_SHARE}"
        verdict.demand(share <= REAL_SHARE, text)
    if len(shares) < 2:
        verdict.demand(False, "2 GPUs 1024^3: real transforms are not in the record")
    else:
        verdict.figures["real_over_complex"] = f"{max(shares.values()):.2f}"


def one(times: dict[str, float], label: str) -> dict[str, float]:
    """The label alone, when it is there."""
    return {label: times[label]} if label in times else {}


def judge_one(done: Measured, verdict: Verdict) -> None:
    """The plan of one GPU against plain cuFFT."""
    ratios = []
    for extent, kind, precision, times in cases(done, 1):
        floor = min(rivals(times).values())
        ratios.append(times[OURS] / floor)
        text = f"1 GPU {extent}^3 {kind} {precision}: {times[OURS]:.3f} ms, cuFFT {floor:.3f}"
        verdict.demand(times[OURS] <= NOISE * floor, text)
    if ratios:
        verdict.figures["one_gpu_over_cufft"] = f"{max(ratios):.2f}"
    else:
        verdict.demand(False, "1 GPU: not in the record")


def gpus_here() -> int:
    """NVIDIA GPUs that programs may use: those of CUDA_VISIBLE_DEVICES if it is set."""
    try:
        told = subprocess.run(["nvidia-smi", "-L"], capture_output=True, text=True, check=False).stdout
    except OSError:
        return 0
    here = len(re.findall(r"^GPU ", told, re.MULTILINE))
    named = os.environ.get("CUDA_VISIBLE_DEVICES")
    return here if named is None else min(here, len(re.findall(r"(?:^|,) *(?:GPU-|MIG-|[0-9])", named)))


def has_all_extents(one: Path) -> bool:
    """Whether a set of two GPUs has every extent that the claim names."""
    found = cases(Measured("gpu", results.load(one), one.parent, tiny=False), 2)
    return set(FASTER_AT) <= {extent for extent, *_ in found}


def recorded(folder: Path) -> Measured | None:
    """The newest records of two GPUs, with all extents, and of one, by the names of their folders, which are dates."""
    two, one = (
        sorted(results.folders(folder, f"{count}x*/*/{name}"), key=lambda one: one.parts[-2], reverse=True)
        for count, name in ((2, "two-gpu"), (1, "one-gpu"))
    )
    found = [next((of for of in two if has_all_extents(of)), next(iter(two), None)), next(iter(one), None)]
    if found[0] is None:
        return None
    records = [record for one in found if one for record in results.load(one)]
    return Measured("gpu", records, found[0].parent, tiny=False)


def main() -> int:
    """Exit code 0 when the claim holds, 1 when not or when there is nothing to judge."""
    options = parser(__doc__)
    options.add_argument("--recorded", type=Path, help="judge the newest records of this folder (bench/results)")
    given = options.parse_args()
    source = "measured"
    if given.recorded or gpus_here() < 2:
        source, why = "recorded", f"there are {gpus_here()} NVIDIA GPUs here; two are needed"
        done = recorded(given.recorded or RESULTS)
        if done is None:
            print(f"gpu: {why}, and there is no record 2x*/*/two-gpu", file=sys.stderr)
            return 1
        print(f"not measured: {why}. What follows was recorded on {done.into.parent.name} on {done.into.name}.")
    else:
        done = measure("gpu", given)
    verdict = Verdict()
    judge_two(done, verdict)
    judge_one(done, verdict)
    figures = " ".join(f"{key}={value}" for key, value in verdict.figures.items())
    return done.conclude(verdict.holds, f"{figures} source={source}")


if __name__ == "__main__":
    sys.exit(main())
