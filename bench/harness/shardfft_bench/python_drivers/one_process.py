"""The parts that drivers of libraries of one process share."""

from __future__ import annotations

import numpy as np

INVERSE = {2: 3, 3: 2}  # of the types of cosine and sine transforms; the others invert themselves
TYPES = {"double": (np.float64, np.complex128), "single": (np.float32, np.complex64)}


def description(library: str, version: str, language: str, licence: str) -> dict:
    """The output of `--describe`."""
    return {
        "library": library, "version": version, "language": language, "licence": licence, "backend": library,
        "gpu": False, "distributed": False,
        "capabilities": {
            "kinds": ["c2c", "r2c", "r2r"], "precisions": ["double", "single"], "placements": ["out"],
            "outputs": ["any", "natural"], "threads": True,
        },
        "options": {},
    }  # fmt: skip


def scale(case: dict, words: list[str]) -> float:
    """The divisor that makes backward(forward(x)) without norms equal to x."""
    factors = {"fft": lambda n: n, "dct1": lambda n: 2 * (n - 1), "dst1": lambda n: 2 * (n + 1)}
    return float(np.prod([float(factors.get(word, lambda n: 2 * n)(n)) for n, word in zip(case["shape"], words)]))


class OneProcess:
    """The arrays; a library's class has `transform(forward, values)`, which returns an array, without norms."""

    @staticmethod
    def refuse(case: dict, ranks: int) -> str:
        return "it runs in one process only" if ranks > 1 else ""

    def plan(self, case: dict, _) -> None:
        real, complex_ = TYPES[case["precision"]]
        self.case, shape = case, case["shape"]
        halved = [*shape[:2], shape[2] // 2 + 1] if case["kind"] == "r2c" else shape
        self.words = (case["transforms"] or ["dct2"] * 3) if case["kind"] == "r2r" else ["fft"] * 3
        self.field = np.zeros(shape, complex_ if case["kind"] == "c2c" else real)
        self.spectrum = np.zeros(halved, real if case["kind"] == "r2r" else complex_)
        self.field_box, self.spectrum_box = (tuple(slice(0, n) for n in extents) for extents in (shape, halved))
        self.backward_scale = scale(case, self.words)

    def cosines(self, forward: bool, values, one_axis):
        """Each axis by its word: one_axis("dct" or "dst", values, type, axis)."""
        for axis, word in enumerate(self.words):
            kind = int(word[-1])
            values = one_axis(word[:3], values, kind if forward else INVERSE.get(kind, kind), axis)
        return values

    def forward(self) -> None:
        self.spectrum = self.transform(True, self.field)

    def backward(self) -> None:
        self.field = self.transform(False, self.spectrum)
