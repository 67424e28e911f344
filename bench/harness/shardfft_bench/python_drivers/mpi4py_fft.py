"""mpi4py-fft: slabs or pencils with the last axis whole in; the spectrum in the layout of the last stage."""

from __future__ import annotations

import sys
from importlib.metadata import version

import numpy as np

from .driver import CaseError, main

DESCRIPTION = {
    "library": "mpi4py-fft", "version": version("mpi4py-fft"), "language": "Python", "licence": "BSD-2-Clause",
    "backend": "FFTW", "gpu": False, "distributed": True,
    "capabilities": {
        "kinds": ["c2c", "r2c"], "precisions": ["double", "single"], "placements": ["out"],
        "layouts": ["slab", "pencil"], "outputs": ["any"], "threads": True,
    },
    "options": {"collapse": [True, False]},
}  # fmt: skip


def _grid(case: dict, ranks: int) -> list[int]:
    if case["layout"] == "slab":
        return [ranks, 1]
    if case["grid"]:
        if len(case["grid"]) != 2 or case["grid"][0] * case["grid"][1] != ranks:
            raise CaseError(f"case: 'grid' must have 2 extents whose product is {ranks}")
        return case["grid"]
    rows = max(p for p in range(1, ranks + 1) if p * p <= ranks and ranks % p == 0)
    return [rows, ranks // rows]


class Mpi4pyFft:
    """The library's own arrays are used, so that no call copies."""

    @staticmethod
    def refuse(case: dict, ranks: int) -> str:
        """It asserts that no rank goes empty: axes 0 and 1 of the field are split, and 1 and 2 of the spectrum."""
        rows, columns = _grid(case, ranks)
        last = case["shape"][2] // 2 + 1 if case["kind"] == "r2c" else case["shape"][2]
        if rows > min(case["shape"][:2]) or columns > min(case["shape"][1], last):
            return "mpi4py-fft wants a line for every row and column of the process grid"
        return ""

    def plan(self, case: dict, comm) -> None:
        from mpi4py_fft import PFFT

        letters = {"c2c": {"double": "D", "single": "F"}, "r2c": {"double": "d", "single": "f"}}
        grid = _grid(case, comm.size)
        self._plan = PFFT(
            comm, case["shape"], axes=([0], [1], [2]), dtype=np.dtype(letters[case["kind"]][case["precision"]]),
            grid=(*grid, 1), collapse=case["options"].get("collapse", True), threads=case["threads"],
            planner_effort="FFTW_" + case["effort"].upper(),
        )  # fmt: skip
        self.field = self._plan.forward.input_array
        self.spectrum = self._plan.forward.output_array
        self.field_box = tuple(self._plan.local_slice(False))
        self.spectrum_box = tuple(self._plan.local_slice(True))
        self.backward_scale = float(np.prod([float(n) for n in case["shape"]]))

    def forward(self) -> None:
        self._plan.forward(self.field, self.spectrum, normalize=False)

    def backward(self) -> None:
        self._plan.backward(self.spectrum, self.field, normalize=False)


if __name__ == "__main__":
    sys.exit(main(DESCRIPTION, Mpi4pyFft))
