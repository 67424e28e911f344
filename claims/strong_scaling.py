"""512^3 complex double on 1 rank to as many as there are cores: faster than FFTW-MPI at every number of ranks."""

from __future__ import annotations

import sys

from measuring import measure, parser, shape_name

from shardfft_bench.launch import cores


def main() -> int:
    """Measures, prints a line a number of ranks, and returns the exit code."""
    options = parser(__doc__)
    options.add_argument("--ranks", type=int, nargs="+", help="instead of the powers of two up to the number of cores")
    given = options.parse_args()
    counts = given.ranks or [ranks for ranks in (1, 2, 4, 8, 16, 32) if ranks <= max(2, cores())]
    done = measure("strong-scaling", given, counts)
    ratios: dict[int, float] = {}
    first = None
    for point in done.points("ranks"):
        ranks, times = point["ranks"], done.medians(ranks=point["ranks"])
        if not {"shardfft", "fftw-mpi"} <= set(times):
            print(f"{shape_name(point)}, {ranks} ranks: not everything that is needed ran")
            continue
        ours, theirs = times["shardfft"], times["fftw-mpi"]
        first = first or ours * ranks
        ratios[ranks] = theirs / ours
        print(
            f"{shape_name(point)}, {ranks} ranks: ours {ours:.1f} ms, FFTW-MPI {theirs:.1f} ms, "
            f"{ratios[ranks]:.2f} times ours; our speed-up {first / ours:.1f}"
        )
    holds = len(ratios) == len(counts) and all(ratio > 1 for ratio in ratios.values())
    figures = " ".join(f"ratio_{ranks}={ratio:.2f}" for ranks, ratio in ratios.items()) or "failed=nothing_measured"
    return done.conclude(holds, figures)


if __name__ == "__main__":
    sys.exit(main())
