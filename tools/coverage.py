"""Lines of src that tests ran, a folder at a time, from the counts that gcov reads in a build folder."""

import argparse
import collections
import concurrent.futures
import json
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
WHOLE, EACH = 90, 80


def counts_of(file):
    """[(source, line, runs, [runs of each branch that is none of an exception])] of one file of counts."""
    ran = subprocess.run(
        ["gcov", "--branch-probabilities", "--json-format", "--stdout", file],
        capture_output=True,
        check=False,
        cwd=file.parent,
    )
    found = []
    for text in ran.stdout.splitlines():
        for source in json.loads(text)["files"]:
            path = Path(os.path.normpath(file.parent / source["file"]))
            if not path.is_relative_to(ROOT / "src") or path.is_relative_to(ROOT / "src/device/cuda"):
                continue
            for line in source["lines"]:
                branches = [one["count"] for one in line["branches"] if not one["throw"]]
                found.append((str(path.relative_to(ROOT)), line["line_number"], line["count"], branches))
    return found


def main():
    """Prints the table; returns 1 if a share is too small."""
    parser = argparse.ArgumentParser(prog="tools/coverage.py", description=__doc__)
    parser.add_argument("build", type=Path)
    parser.add_argument("--missing", type=Path, help="write the lines that no test ran into this file")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    chosen = parser.parse_args()
    lines, branches = collections.Counter(), {}
    with concurrent.futures.ProcessPoolExecutor(chosen.jobs) as pool:
        for found in pool.map(counts_of, sorted(chosen.build.resolve().rglob("*.gcda"))):
            for source, number, runs, of_branches in found:
                lines[source, number] += runs
                sums = branches.setdefault((source, number), [0] * len(of_branches))
                if len(sums) == len(of_branches):
                    branches[source, number] = [a + b for a, b in zip(sums, of_branches, strict=True)]
    folders = collections.defaultdict(lambda: [0, 0, 0, 0])
    for (source, number), runs in lines.items():
        for name in (source.split("/")[1], "src"):
            of = branches[source, number]
            folders[name] = [
                a + b for a, b in zip(folders[name], (1, runs > 0, len(of), sum(n > 0 for n in of)), strict=True)
            ]
    if "src" not in folders:
        sys.exit("coverage: no counts; were the tests built for it, and run?")
    print(f"{'folder':10} {'lines':>7} {'run':>7} {'branches':>9} {'taken':>7}")
    share = {}
    for name, (all_lines, ran, all_branches, taken) in sorted(folders.items()):
        share[name] = 100 * ran / all_lines
        print(
            f"{name:10} {all_lines:7} {share[name]:6.1f}% {all_branches:9} {100 * taken / max(all_branches, 1):6.1f}%"
        )
    if chosen.missing:
        missed = sorted(place for place, runs in lines.items() if runs == 0)
        chosen.missing.write_text("".join(f"{source}:{number}\n" for source, number in missed))
    low = [name for name, of in share.items() if of < (WHOLE if name == "src" else EACH)]
    print(f"coverage: below {WHOLE} % of all lines, or {EACH} % of a folder's: {', '.join(low) or 'none'}")
    return 1 if low else 0


if __name__ == "__main__":
    sys.exit(main())
