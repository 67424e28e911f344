"""One GPU from Python: gradient steps in 1.3 times PyTorch's time, a kept plan's pair enqueued in 80 us."""

from __future__ import annotations

import argparse
import json
import lzma
import random
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parents[1]
RESULTS = ROOT / "bench" / "results"
FILE = "gpu-python.jsonl"
#: Times the rival's time that ours may take, by the first word of a case; enqueued pairs: seconds.
BARS = {"step": 1.3, "bound": 1.15, "transform": 1.0, "pair": 1.0, "jax": 1.3}
ENQUEUED = 80e-6

Work = Callable[[], Any]


class Case(NamedTuple):
    """Something that ours and a rival do, each by a call that returns before the GPU has ended."""

    name: str
    ours: Work
    theirs: Work
    rival: str


def loss(spectrum: Any) -> Any:
    """A sum of squares, the plainest function that needs a gradient."""
    return (spectrum.abs() ** 2).sum()


def torch_steps(edge: int, dtype: str) -> Iterator[Case]:
    """A loss and its gradient, by our functions and by torch.fft; and by a plan's calls alone, which is the least."""
    import torch

    import shardfft
    import shardfft.torch

    real = dtype.startswith("float")
    x = torch.randn((edge,) * 3, dtype=getattr(torch, dtype), device="cuda").requires_grad_()
    plan = shardfft.plan(x.shape, "r2c" if real else "c2c", dtype, processor="gpu", output="natural")
    names = "rfftn" if real else "fftn"

    def step(transform: Callable[[Any], Any]) -> Work:
        def once() -> Any:
            x.grad = None
            loss(transform(x)).backward()
            return x.grad

        return once

    ours, theirs = getattr(shardfft.torch, names), getattr(torch.fft, names)
    through = step(lambda y: shardfft.torch.forward(plan, y))
    known = x.detach()

    def least() -> Any:
        spectrum = plan.forward(known).requires_grad_()
        gradient = torch.autograd.grad(loss(spectrum), spectrum)[0]
        return plan.backward(gradient * 1.0) * 1.0

    yield Case(f"step {names} {edge}^3 {dtype}", step(ours), step(theirs), "torch")
    yield Case(f"step plan {edge}^3 {dtype}", through, step(theirs), "torch")
    yield Case(f"bound plan {edge}^3 {dtype}", through, least, "plan")
    yield Case(f"transform {names} {edge}^3 {dtype}", lambda: ours(known), lambda: theirs(known), "torch")


def cupy_transforms(edge: int, dtype: str) -> Iterator[Case]:
    """NumPy's names on CuPy's arrays."""
    import cupy

    import shardfft

    real = dtype.startswith("float")
    x = cupy.random.random((edge,) * 3).astype(dtype)
    name = "rfftn" if real else "fftn"
    ours, theirs = getattr(shardfft, name), getattr(cupy.fft, name)
    yield Case(f"transform {name} {edge}^3 {dtype}", lambda: ours(x), lambda: theirs(x), "cupy")


def pairs(shape: tuple[int, ...], axes: tuple[int, ...], dtype: str) -> Iterator[Case]:
    """Forward and backward of a plan, beside torch.fft's."""
    import torch

    import shardfft

    real = dtype.startswith("float")
    x = torch.randn(shape, dtype=getattr(torch, dtype), device="cuda")
    plan = shardfft.plan(shape, "r2c" if real else "c2c", dtype, axes=axes, processor="gpu")
    if real:
        extents = [shape[axis] for axis in axes]
        theirs = lambda: torch.fft.irfftn(torch.fft.rfftn(x, dim=axes), s=extents, dim=axes)  # noqa: E731
    else:
        theirs = lambda: torch.fft.ifftn(torch.fft.fftn(x, dim=axes), dim=axes)  # noqa: E731
    words = "x".join(map(str, shape))
    yield Case(f"pair {words} axes {len(axes)} {dtype}", lambda: plan.backward(plan.forward(x)), theirs, "torch")


def jax_steps(edge: int) -> Iterator[Case]:
    """jit(grad) of a sum of squares."""
    import jax
    import jax.numpy as jnp

    import shardfft.jax

    x = jnp.asarray(__import__("numpy").random.default_rng(0).random((edge,) * 3, "float32"))
    ours = jax.jit(jax.grad(lambda y: jnp.sum(jnp.abs(shardfft.jax.rfftn(y)) ** 2)))
    theirs = jax.jit(jax.grad(lambda y: jnp.sum(jnp.abs(jnp.fft.rfftn(y)) ** 2)))
    yield Case(f"jax rfftn {edge}^3 float32", lambda: ours(x), lambda: theirs(x), "jax")


def wait(result: Any) -> None:
    """Return when the GPU has done all that was enqueued."""
    if hasattr(result, "block_until_ready"):
        result.block_until_ready()
    import torch

    torch.cuda.synchronize()


def spent(work: Work, calls: int) -> float:
    """Seconds of one of so many calls in a row, the GPU's end included."""
    began = time.perf_counter()
    for _ in range(calls):
        result = work()
    wait(result)
    return (time.perf_counter() - began) / calls


def agree(ours: Any, theirs: Any, dtype: str) -> bool:
    """Whether two results are equal to rounding."""
    import numpy as np

    a, b = (
        np.asarray(one.get() if hasattr(one, "get") else one.cpu() if hasattr(one, "cpu") else one)
        for one in (ours, theirs)
    )
    bar = 1e-10 if dtype in ("float64", "complex128") else 2e-4
    return a.shape == b.shape and float(np.abs(a - b).max()) <= bar * float(np.abs(b).max())


def compare(case: Case, rounds: int) -> dict[str, Any]:
    """Both in turns: medians in seconds, and the quartiles of their ratio."""
    import statistics

    for work in (case.ours, case.theirs):
        for _ in range(4):  # plans, kernels, graphs
            wait(work())
    # A plan's spectra are in an order of their own, and its calls alone are not scaled.
    right = case.name.startswith(("pair", "bound")) or agree(case.ours(), case.theirs(), case.name.rpartition(" ")[2])
    calls = max(1, min(50, int(0.01 / max(spent(case.theirs, 3), 1e-6))))
    times = [(spent(case.ours, calls), spent(case.theirs, calls)) for _ in range(rounds)]
    ratios = statistics.quantiles([mine / other for mine, other in times], n=4)
    return {
        "case": case.name, "rival": case.rival, "right": right, "calls": calls, "rounds": rounds,
        "ours": statistics.median(one for one, _ in times), "theirs": statistics.median(one for _, one in times),
        "ratio": ratios[1], "quartiles": [ratios[0], ratios[2]],
    }  # fmt: skip


def enqueued(count: int) -> dict[str, Any]:
    """Host time of a kept plan's pair, of so many enqueued in a row."""
    import statistics

    import torch

    import shardfft

    x = torch.randn((64,) * 3, dtype=torch.complex64, device="cuda")
    plan = shardfft.plan(x.shape, "c2c", "complex64", processor="gpu", output="natural")
    y, z = torch.empty_like(x), torch.empty_like(x)
    fresh, into = [], []
    for _ in range(5):
        for times, work in (
            (fresh, lambda: plan.backward(plan.forward(x))),
            (into, lambda: plan.backward(plan.forward(x, out=y), out=z)),
        ):
            torch.cuda.synchronize()
            began = time.perf_counter()
            for _ in range(count):
                work()
            times.append((time.perf_counter() - began) / count)
            torch.cuda.synchronize()
    return {"case": "enqueued pair 64^3 complex64", "ours": statistics.median(fresh), "into": statistics.median(into)}


def cases(tiny: bool, seed: int) -> Iterator[Iterator[Case]]:
    """All that is measured; edges and batches beside the first ones are drawn by the seed."""
    if tiny:
        yield torch_steps(16, "float32")
        return
    draw = random.Random(seed)
    drawn = [2 * draw.randint(16, 160) for _ in range(3)]
    for edge in (64, 256, *drawn):
        for dtype in ("float32", "complex64", "float64"):
            yield torch_steps(edge, dtype)
    for edge in (64, 256):
        for dtype in ("float32", "complex128"):
            yield cupy_transforms(edge, dtype)
    batches = [((16, 1024, 1024), (1, 2), "float32"), ((64, 512, 512), (1, 2), "complex64"),
               ((32, 64, 64, 64), (1, 2, 3), "complex64"), ((64, 64, 64), (0, 1, 2), "complex64"),
               ((20, 128, 128), (1, 2), "float32"), (tuple(drawn), (0, 1, 2), "complex64")]  # fmt: skip
    for shape, axes, dtype in batches:
        yield pairs(shape, axes, dtype)
    for edge in (64, 256):
        yield jax_steps(edge)


def facts(seed: int, revision: str | None) -> dict[str, Any]:
    """The first line of a record."""
    import cupy
    import jax
    import torch

    told = subprocess.run(["git", "describe", "--always", "--dirty", "--tags", "--abbrev=12"], cwd=ROOT,
                          capture_output=True, text=True)  # fmt: skip
    return {
        "driver": "gpu-python", "revision": revision or told.stdout.strip() or "unknown", "seed": seed,
        "device": torch.cuda.get_device_name(), "torch": torch.__version__, "cupy": cupy.__version__,
        "jax": jax.__version__, "python": sys.version.split()[0],
        "started": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
    }  # fmt: skip


def measure(options: argparse.Namespace) -> Path:
    """Run all cases, each line written as soon as it is known; a case that fails is a line too."""
    into = options.into / "gpu-python"
    into.mkdir(parents=True, exist_ok=True)
    with (into / FILE).open("w", encoding="utf-8") as file:

        def tell(line: dict[str, Any]) -> None:
            file.write(json.dumps(line) + "\n")
            file.flush()
            print(json.dumps(line), flush=True)

        tell(facts(options.seed, options.revision))
        tell(enqueued(20 if options.tiny else 1000))
        began = time.monotonic()
        for group in cases(options.tiny, options.seed):
            try:
                for case in group:
                    if time.monotonic() - began < options.seconds:
                        tell(compare(case, 3 if options.tiny else options.rounds))
            except Exception as error:
                tell({"case": "failed", "error": f"{type(error).__name__}: {error}"[:400]})
    return into / FILE


def judge(lines: list[dict[str, Any]]) -> bool:
    """Print a row for each case; whether all are right and within their bars."""
    holds = bool(lines)
    for line in lines:
        if "error" in line:
            print(f"failed: {line['error']}")
            holds = False
        elif "theirs" not in line:
            met = line["ours"] <= ENQUEUED
            holds &= met
            print(f"{line['case']}: {1e6 * line['ours']:.0f} us of the host's time" + ("" if met else "   <- not met"))
        else:
            bar = BARS[line["case"].split()[0]]
            met = line["right"] and line["quartiles"][0] <= bar
            holds &= met
            print(f"{line['case']}: {1e3 * line['ours']:.3f} ms, {line['rival']} {1e3 * line['theirs']:.3f} ms, ratio "
                  f"{line['ratio']:.2f} [{line['quartiles'][0]:.2f}, {line['quartiles'][1]:.2f}], bar {bar}"
                  + ("" if line["right"] else "   <- WRONG NUMBERS") + ("" if met else "   <- not met"))  # fmt: skip
    return holds


def load(record: Path) -> list[dict[str, Any]]:
    """The lines of a record, packed or plain, of which the first are facts."""
    with (lzma.open if record.suffix == ".xz" else open)(record, "rt") as file:
        return [json.loads(line) for line in file]


def main() -> int:
    """Measure or read, print, and return the exit code."""
    made = argparse.ArgumentParser(description=__doc__)
    made.add_argument(
        "--gpu", action="store_true", help="measure on the GPU of this machine; else judge the last record"
    )
    made.add_argument("--into", type=Path, help="folder of a result set: the record goes to INTO/gpu-python")
    made.add_argument("--seed", type=int, default=7, help="of the edges")
    made.add_argument("--rounds", type=int, default=24, help="turns of each case")
    made.add_argument("--seconds", type=float, default=240, help="no case begins later")
    made.add_argument("--revision", help="of these sources, where git does not know it")
    made.add_argument("--tiny", action="store_true", help="the whole way at one size, in seconds: judges nothing")
    options = made.parse_args()
    options.into = options.into or Path("results", "claims", time.strftime("%Y-%m-%dT%H%M%SZ", time.gmtime()))
    records = sorted(RESULTS.glob(f"*/*/gpu-python/{FILE}*"))
    if not options.gpu and not records:
        print("gpu-python source=recorded: there is no record yet")
        return 0 if options.tiny else 1
    record = measure(options) if options.gpu else records[-1]
    begin, *lines = load(record)
    print(f"  {begin['device']}, revision {begin['revision']}, torch {begin['torch']}; record: {record.name}")
    if options.gpu and options.tiny:
        print("gpu-python tiny=1: nothing is judged at this size")
        return 0 if lines else 1
    holds = judge(lines)
    met = "yes" if holds else "no"
    print(f"gpu-python holds={met} cases={len(lines)} source={'measured' if options.gpu else 'recorded'}")
    return 0 if holds or options.tiny else 1


if __name__ == "__main__":
    sys.exit(main())
