"""Cosine transforms of cubes by CuPy, as gpu_cosines times ours: python3 cosines_cupy.py n ..."""

from __future__ import annotations

import json
import sys
import time

import cupy
from cupyx.scipy import fft


def measure(n: int, precision: str) -> dict:
    """Milliseconds of a forward and a backward DCT-II along all axes, the median of ten pairs."""
    field = cupy.random.random((n, n, n)).astype(precision)
    ms = []
    for repeat in range(13):
        cupy.cuda.Device().synchronize()
        begin = time.perf_counter()
        back = fft.idctn(fft.dctn(field, type=2), type=2)
        cupy.cuda.Device().synchronize()
        if repeat >= 3:
            ms.append(1e3 * (time.perf_counter() - begin))
    ms.sort()
    return {
        "driver": "cupy",
        "n": n,
        "transform": "dct2",
        "precision": precision,
        "pair_ms": (ms[4] + ms[5]) / 2,
        "error": float(abs(back - field).max()),
    }


if __name__ == "__main__":
    for extent in map(int, sys.argv[1:]):
        for name in ("float64", "float32"):
            print(json.dumps(measure(extent, name)), flush=True)
