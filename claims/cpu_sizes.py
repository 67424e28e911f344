"""Sizes drawn by a seed, defaults on all cores: ahead of the best rival found, and beside threads not slower than they.

On two ranks arrays larger than the last-level cache must be 1.6 times as fast as the best rival, smaller ones and those
of prime extents 1.1 times; on more ranks 2 times. Beside each case stands the time of a rank's transforms alone,
without any exchange (bench-share).
"""

from __future__ import annotations

import argparse
import math
import random
import sys
from pathlib import Path

from measuring import HERE, Measured, is_smooth, measure, parser, result_set, shape_name

from shardfft_bench.data import load_yaml
from shardfft_bench.launch import cores
from shardfft_bench.statistics import ratio_interval

LEAST_EXTENT, MOST_EXTENT = 32, 384
THREADS = 0.97  # bar for the interval of threads' time over ours
SHARE = "share"  # the label of the transforms alone
LAYOUTS = [("slab", "any"), ("pencil", "any"), ("brick", "natural")]
TINY_EXTENTS = [12, 13, 14, 15, 16]


def last_level_bytes(count: int, root: Path = Path("/sys/devices/system/cpu")) -> int:
    """Bytes of the last-level caches of the first `count` cores together; 32 MiB if the system does not tell."""
    found = {}
    for core in range(count):
        levels = []
        for index in root.glob(f"cpu{core}/cache/index*"):
            size = (index / "size").read_text().strip()
            scale = {"K": 1024, "M": 1024**2}.get(size[-1], 1)
            shared = (index / "shared_cpu_list").read_text().strip()
            levels.append((int((index / "level").read_text()), shared, int(size.rstrip("KM")) * scale))
        if levels:
            _, shared, size = max(levels)
            found[shared] = size
    return sum(found.values()) or 32 * 1024**2


def is_prime(n: int) -> bool:
    """Whether n has no divisor but 1 and itself."""
    return n > 1 and all(n % d for d in range(2, math.isqrt(n) + 1))


def draw_shape(rng: random.Random, ranks: int) -> list[int]:
    """Three extents, a plane for every rank: most of them smooth, some of them prime, half of the arrays cubes."""
    family = rng.choice(["even", "even", "even", "odd", "prime"])
    fits = {
        "even": lambda n: n % 2 == 0 and is_smooth(n),
        "odd": lambda n: n % 2 == 1 and is_smooth(n),
        "prime": is_prime,
    }[family]
    least = max(LEAST_EXTENT, ranks)
    known = [n for n in range(least, MOST_EXTENT + 1) if fits(n)]
    # As many small arrays as large ones.
    wanted = math.exp(rng.uniform(math.log(least), math.log(MOST_EXTENT)))
    near = sorted(known, key=lambda n: abs(n - wanted))
    return [near[0]] * 3 if rng.random() < 0.5 else rng.sample(near[:6], 3)


def draw(seed: int, count: int, ranks: int, tiny: bool, layouts: list[tuple[str, str]] = LAYOUTS) -> list[dict]:
    """Cases of one number of ranks, layouts in turn; on two ranks pencils and bricks are slabs along other axes."""
    rng = random.Random(f"{seed} {ranks}")
    cases = []
    for number in range(count):
        shape = rng.choices(TINY_EXTENTS, k=3) if tiny else draw_shape(rng, ranks)
        layout, output = layouts[number % len(layouts)]
        precision = "single" if rng.random() < 0.25 else "double"
        kind = rng.choice(["c2c", "r2c"])
        cases.append({"shape": shape, "kind": kind, "precision": precision, "layout": layout, "output": output})
    return cases


def wanted(point: dict) -> float:
    """Times as fast as the best rival."""
    if point["ranks"] > 2:
        return 2.0
    bytes_ = math.prod(point["shape"]) * (16 if point["precision"] == "double" else 8)
    bytes_ //= 2 if point["kind"] == "r2c" else 1
    large = bytes_ > last_level_bytes(point["ranks"])
    return 1.6 if large and not any(map(is_prime, point["shape"])) else 1.1


def judge(done: Measured, point: dict) -> tuple[float, bool] | None:
    """Prints the line of one point; its ratio to the best rival and whether it holds, None without ours or rivals."""
    keys = {key: point[key] for key in ("shape", "kind", "precision", "layout", "ranks")}
    rounds = done.rounds(**keys)
    medians = done.medians(**keys)
    name = f"{shape_name(point)}, {point['layout']}, {point['ranks']} ranks"
    threads = [label for label in medians if label.endswith(" threads")]
    rivals = [label for label in medians if label not in ("shardfft", SHARE, *threads)]
    if "shardfft" not in medians or not rivals:
        print(f"{name}: not everything that is needed ran: {', '.join(sorted(medians)) or 'nothing did'}")
        return None
    rival = min(rivals, key=medians.__getitem__)
    ratio, low, high = ratio_interval([rounds[rival]], [rounds["shardfft"]])
    bound = wanted(point)
    holds = ratio >= bound
    text = (
        f"{name}: ours {medians['shardfft']:.2f} ms; best rival {rival} {medians[rival]:.2f} ms, "
        f"{ratio:.2f} times ours ({low:.2f} to {high:.2f}; wanted {bound})"
    )
    if SHARE in medians:
        above = medians["shardfft"] / medians[SHARE]
        text += f"; transforms alone {medians[SHARE]:.2f} ms, ours {above:.2f} times"
    if threads and point["ranks"] == 2:
        fastest_threads = min(threads, key=medians.__getitem__)
        over, least, most = ratio_interval([rounds[fastest_threads]], [rounds["shardfft"]])
        holds = holds and most >= THREADS
        text += f"; {fastest_threads} {over:.2f} times ours ({least:.2f} to {most:.2f}; {THREADS} must be reached)"
    print(f"{text}; {'holds' if holds else 'DOES NOT HOLD'}")
    return ratio, holds


def measure_drawn(
    name: str, about: str, cases: int, layouts: list[tuple[str, str]]
) -> tuple[argparse.Namespace, Measured]:
    """Reads the command line, of which `cases` is the default, and runs the drawn cases for each number of ranks."""
    options = parser(about)
    options.add_argument("--seed", type=int, default=20, help="of the sizes (20)")
    options.add_argument(
        "--cases", type=int, default=cases, help=f"how many are drawn for each number of ranks ({cases})"
    )
    options.add_argument("--ranks", type=int, nargs="+", help="instead of the powers of two up to the number of cores")
    given = options.parse_args()
    if given.cases < 1 or any(ranks < 2 for ranks in given.ranks or []):
        options.error("at least one case and two ranks are needed")
    counts = given.ranks or [ranks for ranks in (2, 4, 8, 16, 32) if ranks <= max(2, cores())]
    print(f"sizes drawn with --seed {given.seed}")
    records = []
    for ranks in counts:
        drawn = {"cases": draw(given.seed, given.cases, ranks, given.tiny, layouts)}
        made = load_yaml(HERE / f"{name.replace('-', '_')}.yaml") | drawn
        records += measure(f"{name}/{ranks}-ranks", given, [ranks], made).records
    return given, Measured(name, records, result_set(given) / name, given.tiny)


def main() -> int:
    """Draws, measures, prints a line a case, and returns the exit code."""
    given, done = measure_drawn("cpu-sizes", __doc__, 9, LAYOUTS)
    points = done.points("shape", "kind", "precision", "layout", "ranks")
    outcomes = [one for point in points if (one := judge(done, point))]
    if not outcomes:
        return done.conclude(False, "failed=nothing_measured")
    good = sum(holds for _, holds in outcomes)
    figures = f"seed={given.seed} cases={len(points)} hold={good} least_ratio={min(one for one, _ in outcomes):.2f}"
    return done.conclude(good == len(points), figures)


if __name__ == "__main__":
    sys.exit(main())
