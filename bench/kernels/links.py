"""Bandwidth between two GPUs and between a GPU and the host, one way and both at once: python3 links.py bytes ..."""

from __future__ import annotations

import itertools
import json
import statistics
import sys
import time

import cupy
import numpy

PLACES = {"gpu 0": 0, "gpu 1": 1, "host": None}
EACH_WAY = 1 << 28  # bytes of a sample, so that the wait for its end is short beside it


class Way:
    """Copies of so many bytes from one place to another, by one stream of a GPU."""

    def __init__(self, source: str, target: str, size: int):
        self.size = size
        self.devices = [PLACES[target], PLACES[source]]
        self.device = cupy.cuda.Device(next(one for one in reversed(self.devices) if one is not None))
        with self.device:
            self.stream = cupy.cuda.Stream(non_blocking=True)
        self.memory = [self._allocate(one) for one in self.devices]
        self.addresses = [one.ctypes.data if isinstance(one, numpy.ndarray) else one.data.ptr for one in self.memory]

    def _allocate(self, device: int | None) -> numpy.ndarray | cupy.ndarray:
        if device is None:
            return numpy.frombuffer(cupy.cuda.alloc_pinned_memory(self.size), numpy.uint8, self.size)
        with cupy.cuda.Device(device):
            return cupy.zeros(self.size, numpy.uint8)

    def begin(self, copies: int) -> None:
        runtime, (target, source) = cupy.cuda.runtime, self.addresses
        with self.device:
            for _ in range(copies):
                if None in self.devices:
                    runtime.memcpyAsync(target, source, self.size, runtime.memcpyDefault, self.stream.ptr)
                else:
                    runtime.memcpyPeerAsync(
                        target, self.devices[0], source, self.devices[1], self.size, self.stream.ptr
                    )

    def wrong(self) -> int:
        """Bytes that one copy of drawn ones does not bring."""
        drawn = numpy.frombuffer(numpy.random.default_rng().bytes(self.size), numpy.uint8)
        target = self.memory[0]
        for device, one, values in zip(self.devices, self.memory, (~drawn, drawn), strict=True):
            if device is None:
                one[:] = values
                continue
            with cupy.cuda.Device(device) as here:
                one.set(values)
                here.synchronize()
        self.begin(1)
        self.stream.synchronize()
        if self.devices[0] is None:
            return int((target != drawn).sum())
        with cupy.cuda.Device(self.devices[0]):
            return int((target.get() != drawn).sum())


def measure(ways: list[Way], size: int) -> float:
    """GB/s of each way, while all are in use: the median of nine samples."""
    copies = max(1, EACH_WAY // size)
    seconds = []
    for sample in range(-2, 9):
        begin = time.perf_counter()
        for way in ways:
            way.begin(copies)
        for way in ways:
            way.stream.synchronize()
        if sample >= 0:
            seconds.append(time.perf_counter() - begin)
    return 1e-9 * copies * size / statistics.median(seconds)


def main() -> None:
    for one, other in ((0, 1), (1, 0)):
        with cupy.cuda.Device(one):
            cupy.cuda.runtime.deviceEnablePeerAccess(other)
    for size, (one, other) in itertools.product(map(int, sys.argv[1:]), itertools.combinations(PLACES, 2)):
        there, back = Way(one, other, size), Way(other, one, size)
        wrong = there.wrong() + back.wrong()
        for name, ways in (("there", [there]), ("back", [back]), ("both", [there, back])):
            row = {"driver": "links", "one": one, "other": other, "ways": name, "bytes": size}
            print(json.dumps(row | {"gb_s_each": round(measure(ways, size), 2), "wrong": wrong}), flush=True)


if __name__ == "__main__":
    main()
