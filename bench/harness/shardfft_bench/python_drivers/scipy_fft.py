"""SciPy's transforms, which are pocketfft, in one process."""

from __future__ import annotations

import sys
from importlib.metadata import version

from .driver import main
from .one_process import OneProcess, description

DESCRIPTION = description("pocketfft", f"SciPy {version('scipy')}", "C++", "BSD-3-Clause")


class Pocketfft(OneProcess):
    """SciPy returns new arrays; it has no plans."""

    def transform(self, forward: bool, values):
        from scipy import fft

        threads = {"workers": self.case["threads"]}
        if self.case["kind"] == "r2r":
            return self.cosines(
                forward, values, lambda word, x, kind, axis: getattr(fft, word)(x, type=kind, axis=axis, **threads)
            )
        if self.case["kind"] == "c2c":
            return fft.fftn(values, **threads) if forward else fft.ifftn(values, norm="forward", **threads)
        if forward:
            return fft.rfftn(values, **threads)
        return fft.irfftn(values, s=self.case["shape"], norm="forward", **threads)


if __name__ == "__main__":
    sys.exit(main(DESCRIPTION, Pocketfft))
