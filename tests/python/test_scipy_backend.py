"""scipy.fft with arrays over ranks, against scipy.fft of the whole."""

import numpy as np
import pytest
import scipy.fft

import shardfft
from shardfft import DistArray


def near(got, exact):
    assert got.shape == exact.shape and got.dtype == exact.dtype
    bound = 20 * np.finfo(exact.dtype).eps * (1 + np.linalg.norm(exact))
    assert np.linalg.norm(got - exact) <= bound, np.abs(got - exact).max()


def of_parts(function, x, *arguments, **words):
    """SciPy 1.17 forgets ``orthogonalize`` of complex numbers, so it is asked for both parts."""
    if x.dtype.kind != "c":
        return function(x, *arguments, **words)
    return function(x.real, *arguments, **words) + 1j * function(x.imag, *arguments, **words)


@pytest.fixture
def backend():
    with scipy.fft.set_backend(shardfft.scipy):
        yield


@pytest.mark.parametrize("name", ["dctn", "idctn", "dstn", "idstn"])
@pytest.mark.parametrize("type", [1, 2, 3, 4])
def test_cosines(comm, rng, backend, name, type):
    for dtype in ("float64", "float32", "complex128", "int32"):
        x = (9 * rng.standard_normal((6, 5)) + (1j if dtype == "complex128" else 0)).astype(dtype)
        d = DistArray.from_global(x, comm)
        for words in (
            {},
            {"norm": "ortho"},
            {"norm": "ortho", "orthogonalize": False},
            {"norm": "forward", "orthogonalize": True},
            {"s": (4, 9)},
            {"s": (7,), "axes": (1,), "norm": "ortho"},
            {"s": 4, "axes": 0},
            {"axes": (0,)},
        ):
            exact = of_parts(getattr(scipy.fft, name), x, type, **words)
            near(getattr(scipy.fft, name)(d, type, **words).gather(), exact)
            assert np.array_equal(d.gather(), x)


@pytest.mark.parametrize("name", ["dct", "idct", "dst", "idst"])
def test_one_cosine(comm, rng, backend, name):
    x = rng.standard_normal((6, 5))
    d = DistArray.from_global(x, comm)
    for type in (1, 2, 3, 4):
        for words in ({}, {"n": 8}, {"axis": 0, "norm": "ortho"}, {"n": 3, "axis": 0}):
            near(getattr(scipy.fft, name)(d, type, **words).gather(), getattr(scipy.fft, name)(x, type, **words))


NAMES = "fft ifft rfft irfft fft2 ifft2 rfft2 irfft2 fftn ifftn rfftn irfftn hfft ihfft hfft2 ihfft2 hfftn ihfftn"


@pytest.mark.parametrize("name", NAMES.split())
def test_fourier(comm, rng, backend, name):
    x = rng.standard_normal((6, 5)) + 0j
    if name.startswith(("r", "ih")):
        x = x.real
    elif name.startswith(("ir", "h")):
        x = np.fft.rfftn(np.fft.irfftn(x))
    d = DistArray.from_global(x, comm, "cyclic")
    near(getattr(scipy.fft, name)(d).gather(), getattr(scipy.fft, name)(x))
    near(getattr(scipy.fft, name)(d, overwrite_x=True, workers=1).gather(), getattr(scipy.fft, name)(x))


def test_side_by_side_with_plain_arrays(comm, rng, backend):
    x = rng.standard_normal((4, 6))
    assert isinstance(scipy.fft.fftn(x), np.ndarray)
    near(scipy.fft.fftn(DistArray.from_global(x, comm)).gather(), scipy.fft.fftn(x))
    near(scipy.fft.fftshift(DistArray.from_global(x, comm)).gather(), scipy.fft.fftshift(x))


def test_errors(comm, backend):
    d = DistArray.zeros((4, 6), comm=comm)
    for call, error, words in [
        (lambda: scipy.fft.dctn(d, 5), (ValueError, NotImplementedError), "type"),
        (lambda: scipy.fft.dctn(d, axes=(0, 0)), ValueError, "axes must be unique"),
        (lambda: scipy.fft.fft(d, plan=object()), NotImplementedError, "plan"),
        (lambda: scipy.fft.fft(d, norm="x"), ValueError, "Invalid norm"),
        (lambda: scipy.fft.dct(d, axis=3), ValueError, "axis 3 is out of bounds"),
        (lambda: scipy.fft.fft(d, workers=0), ValueError, "workers must not be zero"),
        (lambda: scipy.fft.fft(d, workers=-10000), ValueError, "workers value out of range"),
    ]:
        with pytest.raises(error, match=words):
            call()


def test_without_the_backend_scipy_refuses(comm):
    with pytest.raises(TypeError, match="no array of NumPy"):
        scipy.fft.fft(DistArray.zeros((4, 6), comm=comm))
