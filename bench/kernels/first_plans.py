"""Seconds of first plans on one GPU, by a process each: first_plans.py [SEED [COUNT]]

Shapes of 100 to 1200 points an axis without prime factors above 7, in four types. Each is planned with no kernels kept,
and again with those of the process before. Times begin behind the GPU's own start, and no way is remembered.
"""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import tempfile

ONE = """
import sys, time, torch, shardfft
shape, kind, precision = [int(n) for n in sys.argv[1].split("x")], sys.argv[2], sys.argv[3]
torch.zeros(1, device="cuda")
begin = time.perf_counter()
plan = shardfft.plan(shape, kind, precision, processor="gpu")
print(time.perf_counter() - begin)
"""


def seconds(case: tuple[str, str, str], cache: str) -> float:
    environment = os.environ | {"SHARDFFT_CACHE": cache, "SHARDFFT_WISDOM": ""}
    command = [sys.executable, "-c", ONE, *case]
    return float(subprocess.run(command, env=environment, check=True, capture_output=True, text=True).stdout)


def main() -> None:
    seed, count = ([int(n) for n in sys.argv[1:]] + [60, 9][len(sys.argv) - 1 :])[:2]
    draw = random.Random(seed)
    good = [n for n in range(100, 1201) if 210**10 % n == 0]
    for _ in range(count):
        shape = "x".join(str(draw.choice(good)) for _ in range(3))
        case = (shape, draw.choice(["c2c", "r2c"]), draw.choice(["float32", "float64"]))
        with tempfile.TemporaryDirectory() as cache:
            times = {name: round(seconds(case, cache), 3) for name in ("first", "kept")}
        print(
            json.dumps({"shape": shape, "kind": case[1], "precision": case[2], "cores": os.cpu_count()} | times),
            flush=True,
        )


if __name__ == "__main__":
    main()
