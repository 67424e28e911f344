"""Errors of local FFTs at every length: the record of a sweep, and its picture.

SHARDFFT_TEST_ALL_LENGTHS=1 SHARDFFT_TEST_ERRORS=raw.txt build/tests/local_tests --gtest_filter='Exactness.OfWhat*'
local_errors.py record raw.txt --whole fftw mkl > errors.jsonl
local_errors.py picture errors.jsonl errors.png
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from statistics import median

from shardfft_bench import results

LENGTHS = range(2, 4097)


def record(options: argparse.Namespace) -> None:
    """A line a library and type: of rms errors in eps the median, the largest with its length, and how many exceed 4.

    All of them follow for the libraries of --whole, for lengths of 2 to 4096; rounded to fifths below 4, so that the
    record weighs little. `larger` are those of longer lines.
    """
    worst: dict[tuple[str, str], dict[int, float]] = {}
    for file in options.files:
        for line in file.read_text(encoding="utf-8").splitlines():
            n, kind, precision, error, library = line.split(maxsplit=4)
            of = worst.setdefault((library, f"{kind} {precision}"), {})
            of[int(n)] = max(of.get(int(n), 0), float(error))
    for (library, kind), of in sorted(worst.items()):
        if missing := [n for n in LENGTHS if n not in of]:
            raise SystemExit(f"{library}, {kind}: {len(missing)} lengths have no error, the first one is {missing[0]}")
        errors = {n: of[n] for n in LENGTHS}
        at = max(errors, key=errors.__getitem__)
        line = {
            "library": library, "of": kind, "median": round(median(errors.values()), 2), "worst": round(errors[at], 2),
            "at": at, "above": sum(error > 4 for error in errors.values()),
            "larger": {str(n): round(error, 2) for n, error in sorted(of.items()) if n not in LENGTHS},
        }  # fmt: skip
        if library in options.whole:
            line["errors"] = [round(5 * error) / 5 if error < 4 else round(error, 1) for error in errors.values()]
        print(json.dumps(line, separators=(",", ":")))


def picture(options: argparse.Namespace) -> None:
    """A panel a type and precision, a point a length and library; the line is the bound of `auto`."""
    from shardfft_bench.report.style import plt

    lines = [one for one in map(json.loads, results.lines(options.file)) if "errors" in one]
    kinds = sorted({line["of"] for line in lines})
    figure, axes = plt.subplots(2, -(-len(kinds) // 2), figsize=(13, 7), sharex=True, sharey=True, squeeze=False)
    for axis, kind in zip(axes.T.flat, kinds):
        for line in (one for one in lines if one["of"] == kind):
            axis.plot(LENGTHS, line["errors"], ".", markersize=2, label=line["library"], rasterized=True)
        axis.axhline(4, color="black", linewidth=0.8)
        axis.set_title(kind)
        axis.set_yscale("log")
    axes[0, 0].legend(markerscale=5)
    figure.supxlabel("length")
    figure.supylabel("rms error of random lines, in eps")
    figure.set_layout_engine("constrained")
    figure.savefig(options.to, dpi=80)


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    one = commands.add_parser("record")
    one.add_argument("files", type=Path, nargs="+")
    one.add_argument("--whole", nargs="*", default=[], metavar="LIBRARY")
    one.set_defaults(act=record)
    two = commands.add_parser("picture")
    two.add_argument("file", type=Path)
    two.add_argument("to", type=Path)
    two.set_defaults(act=picture)
    options = parser.parse_args(arguments)
    options.act(options)


if __name__ == "__main__":
    main()
