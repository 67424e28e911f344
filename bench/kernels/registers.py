"""Registers and spills of line kernels that are compiled when plans are made, where there is nvcc; no GPU is needed.

gpu_warm_lines 300 720 1000 | python bench/kernels/registers.py   (a JSON line a kernel; exit code 1 where any spills)
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
REGISTERS = 65536  # of a multiprocessor of Hopper


def source(recipe: dict) -> str:
    """The kernel of a line of gpu_warm_lines, as src/device/cuda/lines/jit.cpp writes it, forward and for even rows."""
    cut = [recipe["n"], recipe["threads"] // recipe["width"], *recipe["radices"]]
    number = "double" if recipe["type"] == "Z2Z" else "Twin"
    return (
        '#include "device/cuda/lines/pass_kernel.cuh"\nusing namespace shardfft::device::lines;\n'
        f'using Lines = CutOf<{", ".join(map(str, cut))}>;\nextern "C" __global__ void __launch_bounds__('
        f"{recipe['threads']}, {recipe['resident']}) forward(const __grid_constant__ KernelPass pass) {{\n"
        f"  run_pass<Lines, {number}, {recipe['width']}, false, false>(pass);\n}}\n"
    )


def told(words: str) -> dict[str, int]:
    """What `ptxas -v` says of one kernel."""
    patterns = {"registers": r"Used (\d+) registers", "stack": r"(\d+) bytes stack frame",
                "spill_stores": r"(\d+) bytes spill stores", "spill_loads": r"(\d+) bytes spill loads"}  # fmt: skip
    return {name: int(re.search(pattern, words).group(1)) for name, pattern in patterns.items()}


def compiled(recipe: dict) -> dict[str, int]:
    """The same of the recipe's kernel for compute capability 9.0."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "kernel.cu"
        file.write_text(source(recipe), encoding="utf-8")
        command = ["nvcc", "-std=c++20", "-O3", "-arch=sm_90", "-cubin", "-Xptxas", "-v", f"-I{ROOT / 'src'}",
                   "-o", str(file.with_suffix(".cubin")), str(file)]  # fmt: skip
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise SystemExit(f"nvcc failed for {recipe['n']} points:\n{done.stderr}")
    return told(done.stderr + done.stdout)


def main() -> int:
    """1 where a kernel spills, or has more registers than there are for its threads."""
    bad = 0
    for line in sys.stdin:
        recipe = json.loads(line)
        found = compiled(recipe)
        fits = found["registers"] * recipe["threads"] * recipe["resident"] <= REGISTERS
        bad += not fits or found["spill_stores"] + found["spill_loads"] > 0
        print(json.dumps({"n": recipe["n"], "type": recipe["type"], "threads": recipe["threads"], **found}), flush=True)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
