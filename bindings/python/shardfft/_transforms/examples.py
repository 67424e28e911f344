"""Examples for docstrings of functions that are made by others."""

from __future__ import annotations

_NUMPYS = ("fft", "ifft", "rfft", "irfft", "hfft", "ihfft", "fft2", "ifft2", "rfft2", "irfft2")


def as_of_the_whole(name: str, module: str = "shardfft.fft") -> str:
    """Show that a function of an array over ranks agrees with NumPy's or SciPy's of the whole."""
    numpys = name in _NUMPYS or name.removeprefix("i") in ("fftn", "rfftn", "rfft", "fftshift")
    other = "np.fft" if numpys else "scipy.fft"
    more = "" if numpys else "        >>> import scipy.fft\n"
    return f"""

    Example:
        >>> import numpy as np
{more}        >>> import shardfft
        >>> x = np.arange(24.0).reshape(4, 6)
        >>> d = shardfft.DistArray.from_global(x)
        >>> np.allclose({module}.{name}(d).gather(), {other}.{name}(x))
        True
    """
