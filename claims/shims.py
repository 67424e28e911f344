"""FFTW-MPI's calls through the shim: within 5 % of this library's own calls, and ahead of FFTW-MPI, at drawn sizes.

The same binary runs on FFTW's library and, with ours preloaded, on the shim. Own calls work on the program's arrays,
as the shim's do; the gain by arrays that the plan allocates is told beside it.
"""

from __future__ import annotations

import sys
from pathlib import Path

from cpu_sizes import draw
from measuring import HERE, Measured, measure, parser, shape_name

from shardfft_bench.data import load_yaml
from shardfft_bench.statistics import ratio_interval

NEEDED = {"native", "plan arrays", "fftw-mpi", "shim"}
MOST_ABOVE_NATIVE = 1.05
LAYOUTS = [("slab", "any"), ("slab", "natural")]
SHIM = HERE.parent / "build" / "compat" / "libshardfft_fftw_mpi.so"


def judge(done: Measured, point: dict) -> bool:
    """Prints the line of one point and whether it holds."""
    keys = {key: point[key] for key in ("shape", "kind", "precision", "output", "ranks")}
    medians, rounds = done.medians(**keys), done.rounds(**keys)
    name = f"{shape_name(point)}, output {point['output']}, {point['ranks']} ranks"
    if not set(medians) >= NEEDED:
        print(f"{name}: not everything that is needed ran: {', '.join(sorted(medians)) or 'nothing did'}")
        return False
    native, low, high = ratio_interval([rounds["shim"]], [rounds["native"]])
    planned, _, _ = ratio_interval([rounds["shim"]], [rounds["plan arrays"]])
    fftw, least, most = ratio_interval([rounds["fftw-mpi"]], [rounds["shim"]])
    holds = native <= MOST_ABOVE_NATIVE and fftw >= 1
    print(
        f"{name}: shim {medians['shim']:.2f} ms, {native:.3f} times the native call ({low:.3f} to {high:.3f}), "
        f"{planned:.3f} times that in the plan's arrays; "
        f"FFTW-MPI {fftw:.2f} times the shim ({least:.2f} to {most:.2f}); {'holds' if holds else 'DOES NOT HOLD'}"
    )
    return holds


def main() -> int:
    """Measures, prints, and returns the exit code."""
    options = parser(__doc__)
    options.add_argument("--shim", type=Path, default=SHIM, help="the library that is preloaded")
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--count", type=int, default=8, help="cases that are drawn")
    options.add_argument("--ranks", type=int, default=2)
    given = options.parse_args()
    if not given.shim.is_file():
        sys.exit(f"shims: {given.shim} is not there: build with -DSHARDFFT_COMPAT=ON, or give --shim")
    experiment = load_yaml(HERE / "shims.yaml")
    experiment["ranks"] = [given.ranks]
    experiment["cases"] = draw(given.seed, 2 if given.tiny else given.count, given.ranks, given.tiny, LAYOUTS)
    for entry in experiment["libraries"]:
        if isinstance(entry, dict) and entry.get("label") == "shim":
            entry["environment"] = {"LD_PRELOAD": str(given.shim.resolve())}
    done = measure("shims", given, made=experiment)
    judged = [judge(done, point) for point in done.points("shape", "kind", "precision", "output", "ranks")]
    return done.conclude(bool(judged) and all(judged), f"held={sum(judged)} of={len(judged)} seed={given.seed}")


if __name__ == "__main__":
    sys.exit(main())
