"""The default algorithm at sizes drawn by a seed: at most 5 % behind the best of slab, pencil and brick.

A case does not hold if the whole interval of the default's time over that of the best lies above that.
"""

from __future__ import annotations

import sys

from cpu_sizes import measure_drawn
from measuring import Measured, shape_name

from shardfft_bench.statistics import ratio_interval

MOST = 1.05
LAYOUTS = [("brick", "natural"), ("pencil", "natural"), ("slab", "natural"), ("pencil", "any"), ("slab", "any")]
KEYS = ("shape", "kind", "precision", "layout", "output", "ranks")


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
    given, done = measure_drawn("algorithms", __doc__, 10, LAYOUTS)
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
