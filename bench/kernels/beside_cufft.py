"""Plans beside cuFFT, or operators beside pairs, on one GPU: beside_cufft.py pairs|operators [seed problems effort]

`pairs` draws problems: 1 to 3 axes, batches before them, or lines along the first of two axes. cuFFT is called without
scaling, on the library that the process has loaded; plans scale. Both are enqueued on one stream, in turn. The stream
is held until the host has enqueued all calls, so times are those of the GPU. `ratio` is the time of cuFFT, in place or
not, over that of the plan; `ratio_in_place` is that of both in place. `forward` and `backward` explain it: the time of
each side out of place, and how many nodes a graph of its call has. The problems that miss 0.98 come again at the end,
on stderr, with the passes that the plan has chosen. A problem that fails has a row with its error. `operators` times
`apply` beside a pair of the same plan.
"""

from __future__ import annotations

import ctypes
import json
import math
import pathlib
import random
import re
import sys
import time
from collections.abc import Callable, Iterator

import cupy
import numpy

import shardfft
from shardfft import Operator

STREAM = cupy.cuda.Stream(non_blocking=True)
COMPLEX = {"float64": "complex128", "float32": "complex64"}
TYPES = {"Z2Z": 0x69, "C2C": 0x29, "D2Z": 0x6A, "R2C": 0x2A, "Z2D": 0x6C, "C2R": 0x2C}  # cufftType
NAMES = {"float64": ("Z2Z", "D2Z", "Z2D"), "float32": ("C2C", "R2C", "C2R")}  # complex, to complex, to real


# A kernel that ends once the host has written to `go`, but after 0.2 s at the latest: a stream takes about 1000 kernels
# before the host must wait for one to end.
HOLD = cupy.RawKernel(
    r"""extern "C" __global__ void hold(const volatile int* go) {
      unsigned long long begin, now;
      asm volatile("mov.u64 %0, %globaltimer;" : "=l"(begin));
      do asm volatile("mov.u64 %0, %globaltimer;" : "=l"(now));
      while (*go == 0 && now - begin < 200000000ULL);
    }""",
    "hold",
)
FLAG = cupy.cuda.alloc_pinned_memory(4)
GO = numpy.frombuffer(FLAG, "int32", 1)


def zeros(shape: list[int], dtype: str) -> cupy.ndarray:
    with STREAM:
        return cupy.zeros(shape, dtype)


def timed(work: Callable[[], object], count: int) -> float:
    """Milliseconds of GPU time a call, of `count` calls in a row."""
    begin, end = cupy.cuda.Event(), cupy.cuda.Event()
    GO[0] = 0
    with STREAM:
        HOLD((1,), (1,), (numpy.uint64(FLAG.ptr),))
    begin.record(STREAM)
    for _ in range(count):
        work()
    end.record(STREAM)
    GO[0] = 1
    end.synchronize()
    return cupy.cuda.get_elapsed_time(begin, end) / count


def turns(works: list[Callable[[], object]], rounds: int) -> list[float]:
    """The least time of each, in turns. Below 0.1 ms a time is that of 100 calls."""
    for work in works:
        for _ in range(4):
            work()
    STREAM.synchronize()
    once = [timed(work, 3) for work in works]
    count = 100 if min(once) < 0.1 else max(2, min(20, round(30 / max(once))))
    best = [math.inf] * len(works)
    for _ in range(rounds):
        best = [min(least, timed(work, count)) for least, work in zip(best, works, strict=True)]
    return best


def nodes(work: Callable[[], object]) -> int:
    """The nodes of a graph of this work: kernels and copies."""
    with STREAM:
        STREAM.begin_capture()
        try:
            work()
        finally:
            graph = STREAM.end_capture()
    count = ctypes.c_size_t()
    driver = ctypes.CDLL("libcuda.so.1")
    assert driver.cuGraphGetNodes(ctypes.c_void_p(graph.graph), None, ctypes.byref(count)) == 0
    return count.value


def apart(sides: dict[str, tuple[Callable[[], object], Callable[[], object]]]) -> dict[str, dict]:
    """What each direction of both sides takes alone. A capture that a side refuses has its error."""
    explained: dict[str, dict] = {"forward": {}, "backward": {}}
    for at, about in enumerate(explained.values()):
        times = turns([works[at] for works in sides.values()], 3)
        about |= {name: round(ms, 5) for name, ms in zip(sides, times, strict=True)}
        for name, works in sides.items():
            try:
                about["nodes_" + name] = nodes(works[at])
            except Exception as error:
                about["nodes_" + name] = repr(error)
    return explained


def loaded_cufft() -> ctypes.CDLL:
    """The cuFFT of this process, which a plan has loaded."""
    with shardfft.plan((16, 16), "c2c", "float32", processor="gpu", stream=STREAM.ptr) as plan:
        x = zeros([16, 16], "complex64")
        plan.forward(x, out=x)
    maps = pathlib.Path("/proc/self/maps").read_text(encoding="utf-8")
    return ctypes.CDLL(sorted(set(re.findall(r"\S*libcufft\.so\S*", maps)))[0])


class Vendor:
    """A plan of cuFFT; `inside` and `outside` are (lengths in memory, stride, distance)."""

    def __init__(self, library: ctypes.CDLL, name: str, n: list[int], batch: int, inside: tuple, outside: tuple):
        self.library, self.handle, self.signed = library, ctypes.c_int(), name in ("Z2Z", "C2C")
        size = ctypes.c_size_t()

        def layout(embed: list[int], stride: int, distance: int) -> tuple:
            return (ctypes.c_longlong * len(embed))(*embed), ctypes.c_longlong(stride), ctypes.c_longlong(distance)

        lengths = (ctypes.c_longlong * len(n))(*n)
        many = (*layout(*inside), *layout(*outside), TYPES[name], ctypes.c_longlong(batch), ctypes.byref(size))
        assert library.cufftCreate(ctypes.byref(self.handle)) == 0
        assert library.cufftMakePlanMany64(self.handle, len(n), lengths, *many) == 0
        assert library.cufftSetStream(self.handle, ctypes.c_void_p(STREAM.ptr)) == 0
        self.call = getattr(library, "cufftExec" + name)

    def run(self, source: cupy.ndarray, target: cupy.ndarray, sign: int) -> None:
        addresses = ctypes.c_void_p(source.data.ptr), ctypes.c_void_p(target.data.ptr)
        assert self.call(self.handle, *addresses, *([sign] if self.signed else [])) == 0

    def close(self) -> None:
        self.library.cufftDestroy(self.handle)


def length(draw: random.Random, about: float) -> int:
    """A length near `about`, three times in four one without prime factors over 7."""
    n = max(2, round(about))
    if draw.random() < 0.75:
        while 210 ** n.bit_length() % n:
            n += 1
    return n


def drawn(seed: int, count: int) -> Iterator[tuple]:
    """Problems of 1e3 to 2e8 points: kind, precision, shape, axes, lengths, batch, whether lines are strided."""
    draw = random.Random(seed)
    for i in range(count):
        kind, precision = draw.choice(["c2c", "r2c"]), draw.choice(["float64", "float32"])
        dims = 1 + i % 3
        points = math.exp(draw.uniform(math.log(1e3), math.log(2e8)))
        batch = 1 if draw.random() < 0.5 else 2 ** draw.randint(1, 6)
        across = dims == 1 and batch > 1 and draw.random() < 0.5
        each = (points / batch) ** (1 / dims)
        n = [length(draw, each * math.exp(draw.uniform(-0.4, 0.4))) for _ in range(dims)]
        if across:
            yield "c2c", precision, [n[0], batch * 8], [0], n, batch * 8, True
        else:
            shape = ([batch] if batch > 1 else []) + n
            yield kind, precision, shape, list(range(len(shape) - dims, len(shape))), n, batch, False


def beside(library: ctypes.CDLL, problem: tuple, effort: str) -> dict:
    kind, precision, shape, axes, n, batch, across = problem
    real = kind == "r2c"
    half = [*shape[:-1], shape[-1] // 2 + 1] if real else shape
    x, y = zeros(shape, precision if real else COMPLEX[precision]), zeros(half, COMPLEX[precision])
    options = {"axes": axes, "processor": "gpu", "stream": STREAM.ptr, "overwrite_input": True, "effort": effort}
    begin = time.perf_counter()
    plan = shardfft.plan(shape, kind, precision, **options)
    planned = time.perf_counter() - begin
    modes = [*n[:-1], n[-1] // 2 + 1] if real else n
    stride = shape[1] if across else 1
    inside, outside = ((one, stride, 1 if across else math.prod(one)) for one in (n, modes))
    straight, forward, backward = NAMES[precision]
    there = Vendor(library, forward if real else straight, n, batch, inside, outside)
    back = Vendor(library, backward, n, batch, outside, inside) if real else there
    targets = {"": y} if real else {"": y, "_in_place": x}

    def ours(to: cupy.ndarray) -> None:
        plan.forward(x, out=to)
        plan.backward(to, out=x)

    def theirs(to: cupy.ndarray) -> None:
        there.run(x, to, -1)
        back.run(to, x, 1)

    works = {
        name + word: lambda f=f, to=to: f(to)
        for word, to in targets.items()
        for name, f in (("ours", ours), ("cufft", theirs))
    }
    row = dict(zip(works, turns(list(works.values()), 7), strict=True))
    row["ratio"] = min(ms for name, ms in row.items() if name.startswith("cufft")) / row["ours"]
    if not real:
        row["ratio_in_place"] = row["cufft_in_place"] / row["ours_in_place"]
    begin = time.perf_counter()
    for _ in range(50):
        ours(y)
    row |= {"host_us_a_call": 1e4 * (time.perf_counter() - begin), "plan_s": planned}
    STREAM.synchronize()
    row = {name: round(value, 5) for name, value in row.items()}
    row |= apart(
        {
            "ours": (lambda: plan.forward(x, out=y), lambda: plan.backward(y, out=x)),
            "cufft": (lambda: there.run(x, y, -1), lambda: back.run(y, x, 1)),
        }
    )
    row |= {
        "kind": kind,
        "precision": precision,
        "shape": shape,
        "axes": axes,
        "report": str(plan.report()).splitlines(),
    }
    for one in [plan, there, back][: 2 + real]:
        one.close()
    return row


def beside_or_error(library: ctypes.CDLL, problem: tuple, effort: str) -> dict:
    try:
        return beside(library, problem, effort)
    except Exception as error:
        return dict(zip(("kind", "precision", "shape", "axes"), problem, strict=False)) | {"failed": repr(error)}


def missed(row: dict) -> str:
    """A miss in a few lines."""
    lines = [f"{row['kind']} {row['precision']} {row['shape']} over {row['axes']}: {row['ratio']:.3f}"]
    for at in ("forward", "backward"):
        one = row[at]
        times = ", ".join(f"{side} {one[side]} ms in {one['nodes_' + side]} nodes" for side in ("ours", "cufft"))
        lines.append(f"  {at}: {times}")
    return "\n".join(lines + ["  " + line for line in row["report"] if "cufft" in line or " pass" in line])


def applied(edge: int, kind: str, precision: str) -> Iterator[dict]:
    dtype = precision if kind == "r2c" else COMPLEX[precision]
    x, out = zeros([edge] * 3, dtype), zeros([edge] * 3, dtype)
    plan = shardfft.plan((edge,) * 3, kind, precision, processor="gpu", stream=STREAM.ptr)
    y = zeros(list(plan.output.shape), COMPLEX[precision])

    def pair() -> None:
        plan.forward(x, out=y)
        plan.backward(y, out=x)

    operators = {
        "poisson": Operator.inverse_laplacian(),
        "gradient": Operator.derivative(0),
        "derivative_2": Operator.derivative(2),
        "gaussian": Operator.gaussian(0.1),
    }
    for _ in range(4):
        pair()
    STREAM.synchronize()
    for name, operator in operators.items():
        begin = time.perf_counter()
        plan.apply(operator, x, out=out)
        STREAM.synchronize()
        first = 1e3 * (time.perf_counter() - begin)
        both, apply = turns([pair, lambda o=operator: plan.apply(o, x, out=out)], 5)
        times = {"pair": both, "apply": apply, "ratio": apply / both, "first_minus_apply_ms": first - apply}
        row = {"n": edge, "kind": kind, "precision": precision, "operator": name}
        yield row | {what: round(value, 4) for what, value in times.items()}
    plan.close()


def main() -> None:
    what, seed, count, effort = [*sys.argv[1:], *("pairs", "1", "30", "measure")[len(sys.argv) - 1 :]]
    if what == "operators":
        cases = [(n, kind, "float64") for n in (512, 256, 384, 640) for kind in ("r2c", "c2c")]
        cases += [(n, kind, "float32") for n, kind in zip((512, 384, 256, 640, 420), ("r2c", "c2c") * 3, strict=False)]
        rows = (row for case in cases for row in applied(*case))
    else:
        library = loaded_cufft()
        rows = (beside_or_error(library, problem, effort) for problem in drawn(int(seed), int(count)))
    misses = []
    for row in rows:
        print(json.dumps(row), flush=True)
        if what == "pairs" and row.get("ratio", 1) < 0.98:
            misses.append(missed(row))
        cupy.get_default_memory_pool().free_all_blocks()
    for miss in misses:
        print(miss, file=sys.stderr)


if __name__ == "__main__":
    main()
