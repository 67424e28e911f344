"""The interface of mpi4py-fft over plans of shardfft: programs run with the import changed.

``PFFT``, ``newDistArray``, ``DistArray``, ``Subcomm`` and ``Pencil`` take the arguments and have the attributes that
mpi4py-fft's have, with the words of its documentation; ``fftw`` and ``libfft`` have its transforms of one process.
Differences: one plan makes the whole transform, so further options of planners have no effect. Beyond four axes, and
if ``backend`` calls functions of the program, each group of axes is transformed by itself. If ``padding`` leaves an
even number of modes, the one without a partner is split as by shardfft's option ``lone_mode``. Files are written by
process 0.

Refused by name: numbers of extended precision, FFTW's half-complex transforms.

A package that imports mpi4py-fft itself takes this one after ``sys.modules["mpi4py_fft"] = shardfft.compat.mpi4py_fft``
and the same for its parts (:func:`install` does both).

Example:
    >>> import numpy as np
    >>> from mpi4py import MPI
    >>> from shardfft.compat.mpi4py_fft import PFFT, newDistArray
    >>> fft = PFFT(MPI.COMM_WORLD, [8, 6, 4], dtype=float)
    >>> u = newDistArray(fft, forward_output=False, val=1)
    >>> u_hat = fft.forward(u)
    >>> back = fft.backward(u_hat, newDistArray(fft, False))
    >>> bool(np.allclose(u, back)), fft.global_shape(True)
    (True, (8, 6, 3))
    >>> fft.destroy()
"""

from __future__ import annotations

import sys

from . import distarray, fftw, io, libfft, mpifft, pencil
from .distarray import DistArray, Function, newDistArray
from .io import HDF5File, NCFile
from .mpifft import PFFT
from .pencil import Pencil, Subcomm
from .xdmf import generate_xdmf

__all__ = [
    "PFFT",
    "DistArray",
    "Function",
    "HDF5File",
    "NCFile",
    "Pencil",
    "Subcomm",
    "fftw",
    "generate_xdmf",
    "install",
    "newDistArray",
]


def install() -> None:
    """Make ``import mpi4py_fft`` give this package, in this process from now on.

    Example:
        >>> import shardfft.compat.mpi4py_fft
        >>> shardfft.compat.mpi4py_fft.install()
        >>> from mpi4py_fft import PFFT
        >>> PFFT.__module__
        'shardfft.compat.mpi4py_fft.mpifft'
    """
    whole = sys.modules["mpi4py_fft"] = sys.modules[str(__package__)]  # whose name may be that already
    for part in (distarray, fftw, io, libfft, mpifft, pencil):
        part.__name__ = "mpi4py_fft." + part.__name__.rpartition(".")[2]
        sys.modules[part.__name__] = part
    whole.__name__ = "mpi4py_fft"
    for part in ("factory", "utilities", "xfftn"):
        sys.modules["mpi4py_fft.fftw." + part] = fftw
