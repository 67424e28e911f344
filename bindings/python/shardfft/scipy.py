"""A backend of ``scipy.fft``, whose functions then take arrays that are cut over ranks.

Arrays of other kinds are left to SciPy's own backend.

Example:
    >>> import scipy.fft
    >>> import shardfft
    >>> d = shardfft.DistArray.from_function(lambda x, y: x * y, (4, 6))
    >>> with scipy.fft.set_backend(shardfft.scipy):
    ...     c = scipy.fft.dctn(d, type=2, norm="ortho")
    >>> c.shape
    (4, 6)
"""

from __future__ import annotations

import inspect
import operator
import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from . import fft
from ._doors.dist_array import DistArray

__ua_domain__ = "numpy.scipy.fft"


def _threads(workers: int) -> int:
    """As SciPy counts: -1 is one for each core of the machine, -2 one fewer."""
    cores, count = os.cpu_count() or 1, operator.index(workers)
    if count == 0:
        raise ValueError("workers must not be zero")
    if count < -cores:
        raise ValueError(f"workers value out of range; got {count}, must not be less than {-cores}")
    return count if count > 0 else count + 1 + cores


def __ua_function__(  # noqa: N807
    method: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any]
) -> Any:
    """Call the counterpart of a function of SciPy's for arrays over ranks; NotImplemented for any other."""
    name = method.__name__
    told = dict(inspect.signature(method).bind(*args, **kwargs).arguments)
    if name not in fft.__all__ or not isinstance(told.get("x"), DistArray):
        return NotImplemented
    if told.pop("plan", None) is not None:
        raise NotImplementedError("Passing a precomputed plan is not yet supported by scipy.fft functions")
    told.pop("overwrite_x", None)
    for several in ("s", "axes"):
        if told.get(several) is not None:
            told[several] = np.atleast_1d(told[several]).tolist()
    workers = told.pop("workers", None)
    threads = {} if workers is None else {"threads": _threads(workers)}
    x = told.pop("x")
    x = x.astype(np.float32) if x.dtype == np.float16 else x  # SciPy gives no results in half precision
    return getattr(fft, name)(x, **told, **threads)
