"""Distributed FFTs of NumPy arrays over MPI.

A :class:`Layout` says which rank owns which part of a global array; :func:`plan` prepares a transform between two
layouts, and its ``forward`` and ``backward`` run it. :func:`fftn` and its siblings do the same in NumPy's manner, and
keep their last few plans until :func:`clear_plans`.
"""

from __future__ import annotations

from ._core import algorithm_names, exchange_names, local_fft_names
from ._distribute import gather, scatter
from ._errors import ArgumentError, Error
from ._layout import Layout, Piece
from ._numpy_like import fftn, ifftn, irfftn, rfftn
from ._plan import Plan, Side, plan
from ._plan_cache import clear_plans

__version__ = "0.1.0"
__all__ = [
    "ArgumentError",
    "Error",
    "Layout",
    "Piece",
    "Plan",
    "Side",
    "algorithm_names",
    "clear_plans",
    "exchange_names",
    "fftn",
    "gather",
    "ifftn",
    "irfftn",
    "local_fft_names",
    "plan",
    "rfftn",
    "scatter",
]
