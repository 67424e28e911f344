"""One and two axes in NumPy's manner, against numpy.fft of the whole array."""

import numpy as np
import pytest

import shardfft
from shardfft import Layout

SHAPE = (6, 5, 8)


@pytest.fixture(params=["rows", "pencil"])
def cut(request, comm):
    """How to cut an array, and the words for it."""
    if request.param == "rows":
        return (lambda shape: Layout.slab(shape, comm.size)), {}
    return (lambda shape: Layout.pencil(shape, comm.size)), {"layout": "pencil"}


@pytest.mark.parametrize("norm", [None, "ortho"])
@pytest.mark.parametrize(
    ("name", "places"),
    [("fft", {}), ("fft", {"axis": 0}), ("fft2", {}), ("fft2", {"axes": (0, 2)}), ("ifft", {"axis": 1}), ("ifft2", {})],
)
def test_complex(comm, rng, close, cut, name, places, norm):
    layout, said = cut
    x = rng.standard_normal(SHAPE) + 1j * rng.standard_normal(SHAPE)
    got = getattr(shardfft, name)(x[layout(SHAPE).local(comm.rank)], comm, norm=norm, **places, **said)
    close(got, layout(SHAPE), getattr(np.fft, name)(x, norm=norm, **places))


@pytest.mark.parametrize(
    ("forward", "backward", "places", "n"),
    [("rfft", "irfft", {}, 8), ("rfft", "irfft", {"axis": 1}, 5), ("rfft2", "irfft2", {}, 8)],
)
def test_real(comm, rng, close, cut, forward, backward, places, n):
    layout, said = cut
    x = rng.standard_normal(SHAPE)
    exact = getattr(np.fft, forward)(x, **places)
    half = getattr(shardfft, forward)(x[layout(SHAPE).local(comm.rank)], comm, **places, **said)
    close(half, layout(exact.shape), exact)
    close(getattr(shardfft, backward)(half, comm, n, **places, **said), layout(SHAPE), x)


def test_half_spectra_of_one_mode(comm):
    """2 (m - 1) points are none, which NumPy refuses too."""
    half = np.ones(Layout.slab((4, 1), comm.size).local_shape(comm.rank))
    with pytest.raises(ValueError, match="1 mode along axis 1"):
        shardfft.irfft(half, comm, axis=1)
    assert np.array_equal(shardfft.irfft(half, comm, 1, axis=1), half)
