"""DUCC's transforms in one process: the successor of pocketfft by its author."""

from __future__ import annotations

import sys
from importlib.metadata import version

from .driver import main
from .one_process import OneProcess, description

DESCRIPTION = description("ducc0", version("ducc0"), "C++", "GPL-2.0-or-later or BSD-3-Clause")


class Ducc(OneProcess):
    """Its calls write into arrays that are given."""

    def transform(self, forward: bool, values):
        from ducc0 import fft

        threads = {"nthreads": self.case["threads"]}
        if self.case["kind"] == "r2r":
            return self.cosines(
                forward, values, lambda word, x, kind, axis: getattr(fft, word)(x, type=kind, axes=(axis,), **threads)
            )
        out = self.spectrum if forward else self.field
        if self.case["kind"] == "c2c":
            return fft.c2c(values, forward=forward, out=out, **threads)
        if forward:
            return fft.r2c(values, out=out, **threads)
        return fft.c2r(values, lastsize=self.case["shape"][2], forward=False, out=out, **threads)


if __name__ == "__main__":
    sys.exit(main(DESCRIPTION, Ducc))
