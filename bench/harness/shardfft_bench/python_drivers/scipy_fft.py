"""SciPy's transforms, which are pocketfft, in one process."""

from __future__ import annotations

import sys
from importlib.metadata import version

from .driver import main
from .one_process import OneProcess, description

DESCRIPTION = description("pocketfft", f"SciPy {version('scipy')}", "C++", "BSD-3-Clause")
INVERSE = {2: 3, 3: 2}


class Pocketfft(OneProcess):
    """SciPy returns new arrays; it has no plans."""

    def transform(self, forward: bool, values):
        from scipy import fft

        threads = {"workers": self.case["threads"]}
        if self.case["kind"] == "r2r":
            for axis, word in enumerate(self.words):
                kind = int(word[-1])
                one = fft.dct if word.startswith("dct") else fft.dst
                values = one(values, type=kind if forward else INVERSE.get(kind, kind), axis=axis, **threads)
            return values
        if self.case["kind"] == "c2c":
            return fft.fftn(values, **threads) if forward else fft.ifftn(values, norm="forward", **threads)
        if forward:
            return fft.rfftn(values, **threads)
        return fft.irfftn(values, s=self.case["shape"], norm="forward", **threads)


if __name__ == "__main__":
    sys.exit(main(DESCRIPTION, Pocketfft))
