"""Cosine and sine transforms and fewer modes on the stand-in's devices."""

import numpy as np
import pytest
import scipy.fft
from fakes import device_input, put, to_numpy

import shardfft

pytestmark = pytest.mark.standin


@pytest.mark.parametrize("kind", ["r2r", "r2c", "c2c"])
def test_cosines_of_device_arrays(comm, whole, close, kind):
    words = ["dct2", "dst1", "dct4"] if kind == "r2r" else ["dct1", "fft", "fft"]
    x = whole((8, 6, 5), "complex128" if kind == "c2c" else "float64")
    exact = scipy.fft.dct(x, 2 if kind == "r2r" else 1, axis=0)
    if kind == "r2r":
        exact = scipy.fft.dct(scipy.fft.dst(exact, 1, axis=1), 4, axis=2)
    else:
        exact = (np.fft.fftn if kind == "c2c" else np.fft.rfftn)(exact, axes=(1, 2))
    with shardfft.plan(x.shape, kind, comm=comm, transforms=words, processor="gpu") as plan:
        spectrum = plan.forward(put(device_input(plan), x[plan.input.slices]))
        assert isinstance(spectrum, shardfft.DeviceArray)
        close(to_numpy(spectrum), plan.output.layout, exact)
        close(to_numpy(plan.backward(spectrum)), plan.input.layout, x)


def test_fewer_modes_of_device_arrays(comm, whole, close):
    x = whole((12, 10, 9))
    kept = np.fft.fftn(x)[np.ix_(np.r_[0:4, -3:0], np.r_[0:3, -2:0], np.r_[0:2, -1])]
    with shardfft.plan(x.shape, comm=comm, modes=(7, 5, 3), processor="gpu") as plan:
        spectrum = plan.forward(put(device_input(plan), x[plan.input.slices]))
        close(to_numpy(spectrum), plan.output.layout, kept)
        again = plan.forward(plan.backward(spectrum))
        close(to_numpy(again), plan.output.layout, kept)
