"""GPUs, sizes drawn by a seed: plans 1.15 times as fast as cuFFTXt and cuFFTMp; on one GPU not slower than cuFFT.

All four types of every size. Without GPUs the newest record of each number of them is judged.
"""

from __future__ import annotations

import math
import random
import subprocess
import sys
from pathlib import Path

from measuring import HERE, Measured, is_smooth, measure, parser, result_set, shape_name

from gpu import GROUP, NOISE, OURS, RESULTS, gpus_here
from shardfft_bench import results
from shardfft_bench.data import load_yaml

LEAST_EXTENT, MOST_EXTENT = 320, 1536
FASTER = 1.15  # than the best rival, on two GPUs and more
ARRAYS = 3.5  # that fit a GPU's memory: input, output, workspace, and room for others
TINY_EXTENTS = [16, 18, 20, 24]


def memory_bytes() -> int:
    """Of the smallest GPU of this machine; of an H200 if there is none."""
    try:
        command = ["nvidia-smi", "--query-gpu=memory.total", "--format=csv,noheader,nounits"]
        told = subprocess.run(command, capture_output=True, text=True, check=False).stdout.split()
    except OSError:
        told = []
    return min((int(size) for size in told if size.isdigit()), default=143771) * 2**20


def draw(seed: int, count: int, gpus: int, tiny: bool) -> list[dict]:
    """Even sizes without prime factors above 7, as many small ones as large ones, every other one a cube."""
    rng = random.Random(f"{seed} {gpus}")
    if tiny:
        return [{"shape": rng.choices(TINY_EXTENTS, k=3)} for _ in range(count)]
    known = [n for n in range(LEAST_EXTENT, MOST_EXTENT + 1, 2) if is_smooth(n)]
    most_points = memory_bytes() * gpus / (16 * ARRAYS)
    cases: list[dict] = []
    while len(cases) < count:
        wanted = math.exp(rng.uniform(math.log(LEAST_EXTENT), math.log(MOST_EXTENT)))
        near = sorted(known, key=lambda n: abs(n - wanted))
        # Extents of one array differ by a factor of 2 or so.
        shape = [near[0]] * 3 if len(cases) % 2 == 0 else rng.sample(near[: len(near) // 3], 3)
        if math.prod(shape) <= most_points:
            cases.append({"shape": shape})
    return cases


def judge(done: Measured, point: dict) -> tuple[float, bool] | None:
    """Prints the line of one point; the best rival's time over ours and whether it holds, None without both."""
    keys = {key: point[key] for key in ("shape", "kind", "precision", "ranks")}
    medians = done.medians(**keys)
    gpus = point["ranks"]
    name = f"{gpus} GPU{'s' if gpus > 1 else ''}, {shape_name(point)}"
    ours = {label: medians.pop(label) for label in (OURS, GROUP) if label in medians}
    if OURS not in ours or not medians:
        print(f"{name}: not everything that is needed ran: {', '.join(sorted({**ours, **medians})) or 'nothing did'}")
        return None
    rival = min(medians, key=medians.__getitem__)
    bound = FASTER if gpus > 1 else 1 / NOISE
    ratio = medians[rival] / ours[OURS]
    said = ", ".join(f"{label} {ms:.3f} ms" for label, ms in ours.items())
    verdict = "holds" if ratio >= bound else "DOES NOT HOLD"
    print(f"{name}: {said}; {rival} {medians[rival]:.3f} ms, {ratio:.2f} times ours (wanted {bound:.2f}); {verdict}")
    return ratio, ratio >= bound


def recorded(folder: Path, tiny: bool) -> Measured | None:
    """The newest records of every kind of machine, by the names of their folders, which are dates."""
    newest: dict[str, Path] = {}
    for one in sorted(results.folders(folder, "*x*/*/gpu-sizes/*-gpus"), key=lambda one: one.parts[-3]):
        newest["/".join((one.parts[-4], one.name))] = one
    records = [record for one in newest.values() for record in results.load(one)]
    return Measured("gpu-sizes", records, folder, tiny) if records else None


def measured(given) -> Measured:
    """Runs the drawn cases for every power of two of the GPUs here."""
    counts = given.gpus or [count for count in (1, 2, 4, 8) if count <= gpus_here()]
    print(f"sizes drawn with --seed {given.seed}")
    records = []
    for gpus in counts:
        made = load_yaml(HERE / "gpu_sizes.yaml") | {"cases": draw(given.seed, given.cases, gpus, given.tiny)}
        records += measure(f"gpu-sizes/{gpus}-gpus", given, [gpus], made).records
    return Measured("gpu-sizes", records, result_set(given) / "gpu-sizes", given.tiny)


def main() -> int:
    """Exit code 0 when the claim holds, 1 when not or when there is nothing to judge."""
    options = parser(__doc__)
    options.add_argument("--seed", type=int, default=19, help="of the sizes (19)")
    options.add_argument("--cases", type=int, default=10, help="how many are drawn for each number of GPUs (10)")
    options.add_argument("--gpus", type=int, nargs="+", help="instead of the powers of two up to the GPUs here")
    options.add_argument("--recorded", type=Path, help="judge the newest records of this folder (bench/results)")
    given = options.parse_args()
    if given.cases < 1 or any(gpus < 1 for gpus in given.gpus or []):
        options.error("at least one case and one GPU are needed")
    source = "measured"
    if given.recorded or (gpus_here() == 0 and not given.gpus):
        source, done = "recorded", recorded(given.recorded or RESULTS, given.tiny)
        if done is None:
            print("gpu-sizes: this machine has no NVIDIA GPU, and there is no record */*/gpu-sizes", file=sys.stderr)
            return 1
        print("not measured. What follows are the newest records of every kind of machine.")
    else:
        done = measured(given)
    points = done.points("shape", "kind", "precision", "ranks")
    outcomes = [one for point in points if (one := judge(done, point))]
    if not outcomes:
        return done.conclude(False, f"failed=nothing_measured source={source}")
    good = sum(holds for _, holds in outcomes)
    figures = f"cases={len(points)} hold={good} least_ratio={min(one for one, _ in outcomes):.2f} source={source}"
    return done.conclude(good == len(points), figures)


if __name__ == "__main__":
    sys.exit(main())
