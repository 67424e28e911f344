"""A plugin of pytest: scipy.fft makes an array over ranks of every plain one, and gathers the result."""

import inspect

import numpy as np
import scipy.fft

import shardfft

CALLS = {"ours": 0, "left": 0}


def ours(x):
    """Whether arrays over ranks can be like ``x``: others are left to SciPy."""
    long = x.dtype.itemsize > (16 if x.dtype.kind == "c" else 8)
    return 1 <= x.ndim <= 4 and x.size > 0 and x.dtype.kind in "biufc" and not long


class Everywhere:
    """A backend for all arrays."""

    __ua_domain__ = "numpy.scipy.fft"

    @staticmethod
    def __ua_function__(method, args, kwargs):
        told = dict(inspect.signature(method).bind(*args, **kwargs).arguments)
        x = np.asarray(told.get("x"))
        if method.__name__ not in shardfft.fft.__all__ or not ours(x):
            CALLS["left"] += 1
            return scipy.fft._backend._ScipyBackend.__ua_function__(method, args, kwargs)
        CALLS["ours"] += 1
        told["x"] = shardfft.DistArray.from_global(x)
        return shardfft.scipy.__ua_function__(method, (), told).gather()


scipy.fft.set_global_backend(Everywhere)


def pytest_sessionfinish():
    print(f"\ncalls of ours: {CALLS['ours']}, left to SciPy: {CALLS['left']}")
