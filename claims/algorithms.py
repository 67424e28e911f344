"""The default algorithm at sizes drawn by a seed: at most 5 % behind the best of slab, pencil and brick.

A case does not hold where the whole interval of the default's time over that of the best lies above that.
"""

from __future__ import annotations

import random
import sys

from cpu_sizes import TINY_EXTENTS, draw_shape
from measuring import HERE, Measured, measure, parser, result_set, shape_name

from shardfft_bench.data import load_yaml
from shardfft_bench.launch import cores
from shardfft_bench.statistics import ratio_interval

MOST = 1.05
LAYOUTS = [("brick", "natural"), ("pencil", "natural"), ("slab", "natural"), ("pencil", "any"), ("slab", "any")]
KEYS = ("shape", "kind", "precision", "layout", "output", "ranks")


def draw(seed: int, count: int, ranks: int, tiny: bool) -> list[dict]:
    """Cases of one number of ranks, the layouts in turn."""
    rng = random.Random(f"{seed} {ranks}")
    cases = []
    for number in range(count):
        shape = rng.choices(TINY_EXTENTS, k=3) if tiny else draw_shape(rng, ranks)
        layout, output = LAYOUTS[number % len(LAYOUTS)]
        precision = "single" if rng.random() < 0.25 else "double"
        kind = rng.choice(["c2c", "r2c"])
        cases.append({"shape": shape, "kind": kind, "precision": precision, "layout": layout, "output": output})
    return cases


def judge(done: Measured, point: dict) -> tuple[float, bool] | None:
    """Prints the line of one point; the default's time over the best one's and whether it holds, None without them."""
    at = {key: point[key] for key in KEYS}
    rounds, medians = done.rounds(**at), done.medians(**at)
    name = f"{shape_name(point)}, {point['layout']} to {point['output']}, {point['ranks']} ranks"
    if "auto" not in medians or len(medians) < 2:
        print(f"{name}: not everything that is needed ran: {', '.join(sorted(medians)) or 'nothing did'}")
        return None
    best = min((label for label in medians if label != "auto"), key=medians.__getitem__)
    ratio, low, high = ratio_interval([rounds["auto"]], [rounds[best]])
    told = ", ".join(f"{label} {ms:.3f}" for label, ms in medians.items())
    print(
        f"{name}, median ms: {told}; the default takes {ratio:.3f} times as long as {best} ({low:.3f} to {high:.3f}); "
        f"{'holds' if low <= MOST else 'DOES NOT HOLD'}"
    )
    return ratio, low <= MOST


def main() -> int:
    """Draws, measures, prints a line a case, and returns the exit code."""
    options = parser(__doc__)
    options.add_argument("--seed", type=int, default=20, help="of the sizes (20)")
    options.add_argument("--cases", type=int, default=10, help="how many are drawn for each number of ranks (10)")
    options.add_argument("--ranks", type=int, nargs="+", help="instead of the powers of two up to the number of cores")
    given = options.parse_args()
    if given.cases < 1 or any(ranks < 2 for ranks in given.ranks or []):
        options.error("at least one case and two ranks are needed")
    counts = given.ranks or [ranks for ranks in (2, 4, 8, 16, 32) if ranks <= max(2, cores())]
    print(f"sizes drawn with --seed {given.seed}")
    records = []
    for ranks in counts:
        made = load_yaml(HERE / "algorithms.yaml") | {"cases": draw(given.seed, given.cases, ranks, given.tiny)}
        records += measure(f"algorithms/{ranks}-ranks", given, [ranks], made).records
    done = Measured("algorithms", records, result_set(given) / "algorithms", given.tiny)
    points = done.points(*KEYS)
    outcomes = [one for point in points if (one := judge(done, point))]
    if not outcomes:
        return done.conclude(False, "failed=nothing_measured")
    good = sum(holds for _, holds in outcomes)
    most = max(ratio for ratio, _ in outcomes)
    return done.conclude(
        good == len(points), f"seed={given.seed} cases={len(points)} hold={good} most_ratio={most:.3f}"
    )


if __name__ == "__main__":
    sys.exit(main())
