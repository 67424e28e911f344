"""DUCC's transforms in one process: the successor of pocketfft by its author."""

from __future__ import annotations

import sys
from importlib.metadata import version

from .driver import main
from .one_process import OneProcess, description

DESCRIPTION = description("ducc0", version("ducc0"), "C++", "GPL-2.0-or-later or BSD-3-Clause")
INVERSE = {2: 3, 3: 2}


class Ducc(OneProcess):
    """Its calls write into arrays that are given."""

    def transform(self, forward: bool, values):
        from ducc0 import fft

        threads = {"nthreads": self.case["threads"]}
        if self.case["kind"] == "r2r":
            for axis, word in enumerate(self.words):
                kind = int(word[-1])
                one = fft.dct if word.startswith("dct") else fft.dst
                values = one(values, type=kind if forward else INVERSE.get(kind, kind), axes=(axis,), **threads)
            return values
        out = self.spectrum if forward else self.field
        if self.case["kind"] == "c2c":
            return fft.c2c(values, forward=forward, out=out, **threads)
        if forward:
            return fft.r2c(values, out=out, **threads)
        return fft.c2r(values, lastsize=self.case["shape"][2], forward=False, out=out, **threads)


if __name__ == "__main__":
    sys.exit(main(DESCRIPTION, Ducc))
