"""``numpy.fft`` and the n-D names of ``scipy.fft`` for arrays that are cut over ranks.

Every function takes a :class:`~shardfft.DistArray` and gives one, or takes this rank's rows of an array (``comm`` and
``layout`` say otherwise, as for :func:`shardfft.fftn`) and gives those of the result. Values, shapes, types and errors
are NumPy's and SciPy's for the whole array, with ``n`` and ``s``, which crop axes or pad them with zeros. All are
collective. Axes are those of the array; the components of a vector field are not transformed.

Further keywords are options of :func:`shardfft.plan`.

Example:
    >>> import numpy as np
    >>> import shardfft
    >>> rows = np.ones((4, 6))
    >>> shardfft.fft.rfftn(rows, s=(10,), axes=(1,)).shape
    (4, 6)
"""

from __future__ import annotations

import sys
import types
from typing import Any

from ._doors.numpy_like import fft as _of_one_axis
from ._transforms.numpy_fft import *  # noqa: F403
from ._transforms.numpy_fft import __all__ as __all__


class _Callable(types.ModuleType):
    """``shardfft.fft(x, comm)`` is the transform of one axis beside ``shardfft.fftn``."""

    def __call__(self, *arguments: Any, **words: Any) -> Any:
        return _of_one_axis(*arguments, **words)


sys.modules[__name__].__class__ = _Callable
