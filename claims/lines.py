"""Lines in cache on one core, AVX2 and AVX-512: rows as fast as the better of FFTW and oneMKL, columns 1.2 times.

FFTW is the one that the loader finds, whose version the record names: LD_LIBRARY_PATH names one with AVX2 or AVX-512.
At lengths drawn by a seed, complex and real, both precisions, by bench/kernels/lines.cpp, in which all take turns.
"""

from __future__ import annotations

import argparse
import ctypes
import json
import lzma
import os
import platform
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
BARS = {"rows": 1.0, "columns": 1.2}  # times the better rival
JUDGED = {"lanes512": "AVX-512", "lanes256": "AVX2"}
RIVALS = ("fftw", "mkl")
FILE = "lines.jsonl"


def fftw_version() -> str:
    """The instructions for which the FFTW that the loader finds has kernels, by its own words."""
    try:
        return (ctypes.c_char * 80).in_dll(ctypes.CDLL("libfftw3.so.3"), "fftw_version").value.decode()
    except (OSError, ValueError):
        return "unknown"


def facts(seed: int, count: int) -> dict:
    """The first line of a record: sources, processor, load."""
    told = subprocess.run(
        ["git", "describe", "--always", "--dirty", "--tags", "--abbrev=12"], cwd=ROOT, capture_output=True, text=True
    )
    try:
        words = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        words = []
    kinds = ("model name", "cpu family", "model", "stepping")
    processor = {key: line.split(":")[1].strip() for line in words for key in kinds if line.split("\t")[0] == key}
    return {
        "driver": "lines", "revision": told.stdout.strip() or "unknown", "seed": seed, "count": count,
        "processor": processor or platform.processor(), "cores": os.cpu_count(), "load_before": os.getloadavg()[0],
        "started": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        "environment": {"OMP_NUM_THREADS": "1"}, "fftw": fftw_version(),
    }  # fmt: skip


def measure(options: argparse.Namespace) -> Path:
    """Runs the program and returns its record."""
    count, each = (1, 0.001) if options.tiny else (options.count, options.seconds)
    into = options.into / "lines"
    into.mkdir(parents=True, exist_ok=True)
    given = ["--seed", str(options.seed), "--count", str(count), "--seconds", str(each)]
    begin = facts(options.seed, count)
    done = subprocess.run(["bash", ROOT / "tools" / "lines.sh", *given], stdout=subprocess.PIPE, text=True, check=True)
    (into / FILE).write_text(json.dumps(begin) + "\n" + done.stdout, encoding="utf-8")
    return into / FILE


def load(record: Path) -> list[dict]:
    """The lines of a record, packed or plain, of which the first are facts."""
    with (lzma.open if record.suffix == ".xz" else open)(record, "rt") as file:
        return [json.loads(line) for line in file]


def judge(lines: list[dict], instructions: str) -> tuple[int, int]:
    """Prints how one set of instructions did; how many lines held, and of how many."""
    held = of = 0
    groups: dict[tuple, list[tuple[float, int]]] = {}
    for line in lines:
        ratio = line[instructions] / max(line[rival] for rival in RIVALS if rival in line)
        groups.setdefault((line["kind"], line["precision"], line["lines"]), []).append((ratio, line["n"]))
    for (kind, precision, way), ratios in groups.items():
        bar = BARS[way]
        short = [f"{n}: {ratio:.2f}" for ratio, n in sorted(ratios) if ratio < bar]
        held, of = held + len(ratios) - len(short), of + len(ratios)
        median = sorted(ratios)[len(ratios) // 2][0]
        told = f"held {len(ratios) - len(short)} of {len(ratios)}" + (f"; short: {', '.join(short)}" if short else "")
        name = f"{JUDGED[instructions]} {kind} {precision} {way}"
        print(f"{name}: {median:.2f} times the better rival (median), bar {bar}, {told}")
    return held, of


def main() -> int:
    """Measures or reads, prints, and returns the exit code."""
    made = argparse.ArgumentParser(description=__doc__)
    made.add_argument("--into", type=Path, help="folder of a result set: the record goes to INTO/lines")
    made.add_argument("--record", type=Path, help="judge this record and measure nothing")
    made.add_argument("--seed", type=int, default=42, help="of the lengths")
    made.add_argument("--count", type=int, default=24, help="lengths that are drawn")
    made.add_argument("--seconds", type=float, default=0.05, help="for each library, of each length and way")
    made.add_argument("--tiny", action="store_true", help="the whole way at one length, in seconds: judges nothing")
    options = made.parse_args()
    options.into = options.into or Path("results", "claims", time.strftime("%Y-%m-%dT%H%M%SZ", time.gmtime()))
    record = options.record or measure(options)
    begin, *lines = load(record)
    print(f"  revision {begin['revision']}, load average before: {begin['load_before']:.1f}; records: {record}")
    if options.tiny:
        print("lines tiny=1: nothing is judged at this size")
        return 0 if lines else 1
    again = sorted(line["again"] for line in lines)
    if again:
        print(f"  halves of the turns differ by a factor of {again[len(again) // 2]} (median), {again[-1]} (most)")
    ours = [name for name in JUDGED if lines and name in lines[0]]
    results = {name: judge(lines, name) for name in ours}
    figures = " ".join(f"{JUDGED[name].lower()}={held}/{of}" for name, (held, of) in results.items())
    print(f"lines {figures or 'nothing was measured'} seed={begin['seed']}")
    return 0 if results and all(held == of for held, of in results.values()) else 1


if __name__ == "__main__":
    sys.exit(main())
