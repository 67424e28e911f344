"""256^3 complex double on 2 ranks, there and back: not slower than FFTW's own MPI transform (ratio of medians <= 1).

Both with FFTW's local transforms; the other ways of this library are told beside them.
"""

from __future__ import annotations

import sys

from measuring import measure, parser, shape_name


def main() -> int:
    """Measures, prints, and returns the exit code."""
    done = measure("cpu-vs-fftw", parser(__doc__).parse_args())
    figures, holds = "failed=nothing_measured", True
    for point in done.points("shape"):
        times = done.medians(shape=point["shape"])
        told = ", ".join(f"{label} {ms:.2f}" for label, ms in sorted(times.items(), key=lambda one: one[1]))
        print(f"{shape_name(point)}, {point['ranks']} ranks, median ms: {told}")
        if {"shardfft fftw", "fftw-mpi"} <= set(times):
            ratio = times["shardfft fftw"] / times["fftw-mpi"]
            figures = f"ratio={ratio:.3f} ours_ms={times['shardfft fftw']:.1f} fftw_mpi_ms={times['fftw-mpi']:.1f}"
            holds = holds and ratio <= 1
    return done.conclude(holds and "ratio=" in figures, figures)


if __name__ == "__main__":
    sys.exit(main())
