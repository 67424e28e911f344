"""Host time of calls from Python on one GPU, beside PyTorch's and CuPy's own: python3 host_time.py

Microseconds a call, least and median of 30 samples of 10 calls each. The GPU is idle when a sample begins.
"""

from __future__ import annotations

import gc
import json
import statistics
import time
from collections.abc import Callable
from functools import partial

import cupy
import torch

import shardfft
import shardfft.torch
from shardfft import _core


def row(name: str, work: Callable[[], object], calls: int = 10) -> None:
    for _ in range(6):
        work()
    torch.cuda.synchronize()
    times = []
    gc.disable()
    for _ in range(30):
        begin = time.perf_counter()
        for _ in range(calls):
            work()
        times.append(1e6 * (time.perf_counter() - begin) / calls)
        torch.cuda.synchronize()
    gc.enable()
    said = {"call": name, "least_us": round(min(times), 1), "median_us": round(statistics.median(times), 1)}
    print(json.dumps(said), flush=True)


def step(transform: Callable, x: torch.Tensor) -> Callable[[], None]:
    """A loss of the spectrum and its gradient."""
    x = x.clone().requires_grad_()

    def once() -> None:
        x.grad = None
        (transform(x).abs() ** 2).sum().backward()

    return once


class InPython(torch.autograd.Function):
    """PyTorch's own transform in a function of Python: what such a function costs, whatever it calls."""

    @staticmethod
    def forward(ctx: object, x: torch.Tensor) -> torch.Tensor:
        return torch.fft.fftn(x)

    @staticmethod
    def backward(ctx: object, gradient: torch.Tensor) -> torch.Tensor:
        return torch.fft.ifftn(gradient, norm="forward")


def of_torch(edge: int) -> None:
    shape, word = (edge,) * 3, f"torch {edge}^3 "
    z, r = torch.randn(shape, dtype=torch.complex64, device="cuda"), torch.randn(shape, device="cuda")
    out, stream = torch.empty_like(z), torch.cuda.Stream()
    options = {"processor": "gpu", "output": "natural"}
    plan, real = (shardfft.plan(shape, kind, "float32", **options) for kind in ("c2c", "r2c"))
    given = shardfft.plan(shape, "c2c", "float32", stream=stream, **options)
    with torch.cuda.stream(stream):
        row(word + "stream=, current: plan.forward(x, out)", lambda: given.forward(z, out))
        row(word + "stream=, current: plan.forward(x)", lambda: given.forward(z))
    row(word + "stream=, not current: plan.forward(x, out)", lambda: given.forward(z, out))
    row(word + "plan.forward(x, out)", lambda: plan.forward(z, out))
    row(word + "plan.forward(x)", lambda: plan.forward(z))
    row(word + "r2c plan.forward(x)", lambda: real.forward(r))
    torch.cuda.synchronize()
    a, b = [z.data_ptr()], [out.data_ptr()]
    row(word + "C++: core.run, own stream", lambda: plan._core.run("forward", a, b, out))
    row(word + "C++: core.run, given stream", lambda: given._core.run("forward", a, b, out))
    row(word + "C++: order_streams(legacy, own)", lambda: _core.order_streams(0, 1, plan.stream))
    row(word + "torch.empty", lambda: torch.empty(shape, dtype=torch.complex64, device="cuda"))
    for name, x in (("fftn", z), ("rfftn", r)):
        for where, library in (("shardfft", shardfft), ("shardfft.torch", shardfft.torch), ("torch.fft", torch.fft)):
            row(f"{word}{where}.{name}", partial(getattr(library, name), x))
        for where, library in (("shardfft.torch", shardfft.torch), ("torch.fft", torch.fft)):
            row(f"{word}step {where}.{name}", step(getattr(library, name), x))
    row(word + "step torch.fft.fftn in a Function of Python", step(InPython.apply, z))
    row(word + "step shardfft.torch.forward(plan)", step(partial(shardfft.torch.forward, plan), z))
    # On the caller's thread PyTorch goes back with the interpreter in its processor's caches.
    with torch.autograd.set_multithreading_enabled(False):
        for where, library in (("shardfft.torch", shardfft.torch), ("torch.fft", torch.fft)):
            row(f"{word}step {where}.fftn in one thread", step(library.fftn, z))
        row(word + "step shardfft.torch.forward(plan) in one thread", step(partial(shardfft.torch.forward, plan), z))
    row(word + "shardfft.torch.forward(plan)", lambda: shardfft.torch.forward(plan, z))


def of_cupy(edge: int) -> None:
    shape, word = (edge,) * 3, f"cupy {edge}^3 "
    z = cupy.random.random(shape).astype("complex64")
    r, out, stream = z.real.copy(), cupy.empty_like(z), cupy.cuda.Stream(non_blocking=True)
    options = {"processor": "gpu", "output": "natural"}
    plan = shardfft.plan(shape, "c2c", "float32", **options)
    given = shardfft.plan(shape, "c2c", "float32", stream=stream, **options)
    with stream:
        row(word + "stream=, current: plan.forward(x, out)", lambda: given.forward(z, out))
    row(word + "stream=, not current: plan.forward(x, out)", lambda: given.forward(z, out))
    row(word + "plan.forward(x, out)", lambda: plan.forward(z, out))
    row(word + "plan.forward(x)", lambda: plan.forward(z))
    row(word + "cupy.empty", lambda: cupy.empty(shape, "complex64"))
    for name, x in (("fftn", z), ("rfftn", r)):
        for where, library in (("shardfft", shardfft), ("cupy.fft", cupy.fft)):
            row(f"{word}{where}.{name}", partial(getattr(library, name), x))


def main() -> None:
    for edge in (64, 8):
        of_torch(edge)
        of_cupy(edge)
    shardfft.clear_plans()


if __name__ == "__main__":
    main()
