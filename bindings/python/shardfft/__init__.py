"""Distributed FFTs of NumPy, CuPy, PyTorch and JAX arrays over MPI.

A :class:`Layout` says which rank owns which part of a global array; :func:`plan` prepares a transform between two
layouts, and its ``forward`` and ``backward`` run it, over processes or over the GPUs of one (``devices``).
:func:`fftn` and its siblings do the same in NumPy's manner, and keep their last few plans until :func:`clear_plans`.
"""

from __future__ import annotations

import importlib
from typing import Any

from . import fft, scipy
from ._arrays.distribute import gather, scatter
from ._arrays.redistribute import redistribute
from ._core import algorithm_names, device_exchange_names, exchange_names, local_fft_names
from ._doors.dist_array import DistArray
from ._doors.numpy_like import (  # fmt: skip
    dctn,
    dstn,
    fft2,
    fftn,
    idctn,
    idstn,
    ifft,
    ifft2,
    ifftn,
    irfft,
    irfft2,
    irfftn,
    rfft,
    rfft2,
    rfftn,
)
from ._ground import abort, telling
from ._ground.abort import abort_on_exception
from ._ground.errors import ArgumentError, Error
from ._layouts.gather_layout import gather_layout
from ._layouts.layout import Layout, Piece
from ._layouts.side import Side
from ._libraries.device_array import DeviceArray
from ._plans.halo import HaloExchange
from ._plans.operator import Operator, SpectrumPart
from ._plans.options import Option, options
from ._plans.particles import ParticleMesh
from ._plans.plan import Plan
from ._plans.planning import plan
from ._plans.poisson import Poisson, poisson
from ._plans.recent import clear_plans
from ._plans.report import Report
from ._plans.wisdom import export_wisdom, forget_wisdom, import_wisdom
from ._transforms.convolve import convolve
from ._transforms.vector import curl, divergence, gradient, project

abort.install_for_scripts()
telling.tell_in_notebooks()

__version__ = "0.2.0"
__all__ = [
    "ArgumentError", "DeviceArray", "DistArray", "Error", "HaloExchange", "Layout", "Operator", "Option",
    "ParticleMesh", "Piece", "Plan", "Poisson", "Report", "Side", "SpectrumPart", "abort_on_exception",
    "algorithm_names", "clear_plans", "convolve", "curl", "dctn", "device_exchange_names", "divergence", "dstn",
    "exchange_names", "export_wisdom", "fft", "fft2", "fftn", "forget_wisdom", "gather", "gather_layout", "gradient",
    "idctn", "idstn", "ifft", "ifft2", "ifftn", "import_wisdom", "irfft", "irfft2", "irfftn", "local_fft_names",
    "options", "plan", "poisson", "project", "redistribute", "rfft", "rfft2", "rfftn", "scatter", "scipy",
]  # fmt: skip
for _name in __all__:  # the name by which users and pickles find classes
    if isinstance(globals()[_name], type):
        globals()[_name].__module__ = __name__


def __getattr__(name: str) -> Any:
    """Import ``shardfft.torch`` and ``shardfft.jax``, which need PyTorch and JAX, when they are first used."""
    if name in ("torch", "jax"):
        return importlib.import_module(f".{name}", __name__)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
