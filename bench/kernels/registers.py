"""Registers, spills and shared memory of kernels for lines and planes that plans compile, and their stack in a plan
(`stack_bytes`). Needs nvcc, but no GPU.

gpu_warm_lines 300 720 540x600 | python bench/kernels/registers.py   (a JSON line a kernel)
The exit code is 1 where one spills more than a number or two, or does not fit.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
# Of a multiprocessor of Hopper; the system takes some of the shared memory for each block.
REGISTERS, SHARED_BYTES, SYSTEM_BYTES = 65536, 228 << 10, 1 << 10
SPILLED_BYTES = 16  # of a thread that do not matter: a number or two that is stored once and read once
# Of plane kernels, which have code for both axes: 80 bytes took no time that could be measured (768 x 768), and the
# fastest recipe of 490 x 480 has 100 in real doubles. In a plan, what is stored and read counts once.
PLANE_SPILLED_BYTES, PLANE_STACK_BYTES = 112, 48
# With an operator's factors a line kernel spills some: it takes up to 1.07 of the time without them.
MULTIPLYING_SPILLED_BYTES = 112


def source(recipe: dict) -> str:
    """The kernel of a line of gpu_warm_lines, as cuda/lines/jit.cpp writes it, forward."""
    number = "double" if recipe["type"] in ("Z2Z", "D2Z") else "Twin"
    if "m" in recipe:
        real = "true" if recipe["type"] in ("D2Z", "R2C") else "false"
        cuts = [[recipe["m"], recipe["row_team"], *recipe["row_radices"]],
                [recipe["n"], recipe["team"], *recipe["radices"]]]  # fmt: skip
        kind, passes, call = "plane", "KernelPlanes", f"run_planes<Recipe, {number}, false, {real}>"
        shape = [*map(cut_of, cuts), *(str(recipe[name]) for name in ("lines", "width", "groups"))]
        made = f"PlaneOf<{', '.join(shape)}>"
    else:
        made = cut_of([recipe["n"], recipe["threads"] // recipe["width"], *recipe["radices"]])
        odd = str(recipe["odd"]).lower()
        multiplies = str(recipe["multiplies"]).lower()
        skills = f"{recipe['width']}, false, {odd}, Checks::none, {multiplies}"
        kind, passes, call = "pass", "KernelPass", f"run_pass<Recipe, {number}, {skills}>"
    return (
        f'#include "device/cuda/lines/{kind}_kernel.cuh"\nusing namespace shardfft::device::lines;\n'
        f'using Recipe = {made};\nextern "C" __global__ void __launch_bounds__({recipe["threads"]}, '
        f"{recipe['resident']}) forward(const __grid_constant__ {passes} pass) {{\n  {call}(pass);\n}}\n"
    )


def cut_of(numbers: list[int]) -> str:
    """A line's length, team and radices as a type."""
    return f"CutOf<{', '.join(map(str, numbers))}>"


def told(words: str) -> dict[str, int]:
    """What `ptxas -v` says of one kernel."""
    patterns = {"registers": r"Used (\d+) registers", "stack": r"(\d+) bytes stack frame",
                "spill_stores": r"(\d+) bytes spill stores", "spill_loads": r"(\d+) bytes spill loads"}  # fmt: skip
    found = {name: int(re.search(pattern, words).group(1)) for name, pattern in patterns.items()}
    shared = re.search(r"(\d+) bytes smem", words)
    return {**found, "shared_bytes": int(shared.group(1)) if shared else 0}


def compiled(recipe: dict) -> dict[str, int]:
    """The same of the recipe's kernel for compute capability 9.0."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "kernel.cu"
        file.write_text(source(recipe), encoding="utf-8")
        command = ["nvcc", "-std=c++20", "-O3", "-arch=sm_90", "-cubin", "-Xptxas", "-v", f"-I{ROOT / 'src'}",
                   f"-I{ROOT / 'include'}", "-o", str(file.with_suffix(".cubin")), str(file)]  # fmt: skip
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise SystemExit(f"nvcc failed for {recipe}:\n{done.stderr}")
    return told(done.stderr + done.stdout)


def complaints(recipe: dict, found: dict[str, int]) -> list[str]:
    """What is wrong with a kernel: it spills, or so many blocks as it is planned for do not fit a multiprocessor.
    Plans compile with NVRTC, whose kernels have another stack than nvcc's (`stack_bytes` of the recipe)."""
    blocks = recipe["resident"]
    most, most_stack = (PLANE_SPILLED_BYTES, PLANE_STACK_BYTES) if "m" in recipe else (SPILLED_BYTES, SPILLED_BYTES)
    if recipe.get("multiplies"):
        most = most_stack = MULTIPLYING_SPILLED_BYTES
    wrong = []
    if found["spill_stores"] + found["spill_loads"] > most:
        wrong.append("spills")
    if recipe["stack_bytes"] > most_stack:
        wrong.append("spills in a plan")
    if found["registers"] * recipe["threads"] * blocks > REGISTERS:
        wrong.append("too many registers")
    if (found["shared_bytes"] + SYSTEM_BYTES) * blocks > SHARED_BYTES:
        wrong.append("too much shared memory")
    return wrong


def main() -> int:
    """1 where there is something wrong with a kernel, or there was none."""
    kernels = bad = 0
    for line in sys.stdin:
        recipe = json.loads(line)
        found = compiled(recipe)
        found["shared_bytes"] += recipe["shared_bytes"]  # which the launch asks for
        wrong = complaints(recipe, found)
        kernels += 1
        bad += bool(wrong)
        told_of = {
            name: recipe[name]
            for name in ("n", "m", "type", "odd", "multiplies", "threads", "resident", "stack_bytes")
            if name in recipe
        }
        print(json.dumps({**told_of, **found, **({"wrong": wrong} if wrong else {})}), flush=True)
    return 1 if bad or not kernels else 0


if __name__ == "__main__":
    sys.exit(main())
