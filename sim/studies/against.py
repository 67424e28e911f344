"""Simulated beside the papers' figures (docs/simulation.md): makes against.jsonl.xz from papers and torus."""

from __future__ import annotations

import json
import lzma
import math
from collections.abc import Iterator
from statistics import median

import keep

RUNS = list({keep.key(one): one for name in ("torus", "papers") for one in keep.read(name)}.values())


def run(machine: str, n: int, ranks: int, **more) -> dict:
    """The run of a cube on so many ranks."""
    wanted = {"machine": machine, "shape": [n] * 3, "ranks": ranks, "placement": "linear", "figures": {}, **more}
    (found,) = (one for one in RUNS if all(one[name] == value for name, value in wanted.items()))
    return found


def tflops(n: int, ranks: int, precision: str) -> float:
    """Of a pair on Selene, as Verma et al. count them."""
    seconds = 2 * run("selene", n, ranks, precision=precision, algorithm="slab")["seconds"]
    return 10 * n**3 * math.log2(n**3) / seconds / 1e12


#: Verma et al., table 3, without the figure that gave the machine's bandwidth inside a node and that of its links.
TFLOPS = {
    ("double", 1024): {8: 10, 16: 10, 32: 14, 64: 19, 128: 6},
    ("single", 1024): {8: 18, 16: 21, 32: 27, 64: 37},
    ("double", 2048): {16: 12, 32: 17, 64: 24},
    ("single", 2048): {16: 22, 32: 32, 64: 43},
    ("double", 4096): {128: 43},
    ("single", 4096): {64: 58, 128: 83},
}


def figures() -> Iterator[tuple[str, str, float, float]]:
    """Paper, name, the paper's figure, the simulated one."""
    for (precision, n), row in TFLOPS.items():
        for ranks, value in row.items():
            yield "001", f"{precision} {n}^3 on {ranks}", value, tflops(n, ranks, precision)
    cores, gpus = (
        {one["ranks"]: one["seconds"] for one in RUNS if one["machine"] == name} for name in ("summit", "summit_gpus")
    )
    yield "002", "cores of 4 nodes", 0.368, cores[160]
    yield "002", "GPUs of 4 nodes", 0.286, gpus[24]
    yield "002", "GPUs of 32 nodes", 0.13, gpus[192]
    yield "000", "efficiency on 512 nodes", 0.30, cores[40] / cores[20480] / 512
    yield "000", "cores of 1024 nodes", 0.02, cores[40960]
    yield "000", "GPUs of 1024 nodes", 0.01, gpus[6144]
    slabs = {"algorithm": "slab", "exchange": "pairwise_xor"}
    yield "003", "r of 64^3 on Asgard", 0.70, run("asgard", 64, 4, **slabs)["r"]
    for ranks in (16, 32):
        yield "003", f"r of 64^3 on {ranks} of Seaborg", 0.60, run("seaborg", 64, ranks, **slabs)["r"]
        yield "003", f"r of 256^3 on {ranks} of Seaborg", 0.40, run("seaborg", 256, ranks, **slabs)["r"]
    products = run("juwels", 2520, 343, algorithm="cannon")["steps"]
    for number, share in enumerate((0.21, 0.35, 0.44)):
        yield "004", f"share of algorithm {3 + number}", share, products[number] / sum(products)
    cannon, pencil = (run("juwels", 840, 64, algorithm=name, exchange="p2p") for name in ("cannon", "pencil"))
    yield "004", "Cannon over MKL, 840^3", 2.2, cannon["seconds"] / pencil["seconds"]
    for ranks in (216, 343):
        cannon, pencil = (run("juwels", 2520, ranks, algorithm=name) for name in ("cannon_transposed", "pencil"))
        yield "004", f"Cannon over FFTK on {ranks}", 4.3, cannon["seconds"] / pencil["seconds"]


def main() -> None:
    """See above."""
    lines = [
        {"paper": paper, "what": what, "value": value, "simulated": told, "error": 100 * (told / value - 1)}
        for paper, what, value, told in figures()
    ]
    for line in lines:
        line["off"] = abs(line["error"])
        print(
            f"{line['paper']} {line['what']:35s} {line['value']:8.3g} {line['simulated']:8.3g} {line['error']:+.0f} %"
        )
    text = "".join(json.dumps(line) + "\n" for line in lines)
    (keep.HERE / "against.jsonl.xz").write_bytes(lzma.compress(text.encode("utf-8"), preset=9))
    print(f"{len(lines)} figures, median error {median(line['off'] for line in lines):.0f} %")


if __name__ == "__main__":
    main()
