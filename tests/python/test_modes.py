"""Spectra with fewer modes than points, against NumPy's whole spectra cut afterwards."""

import numpy as np
import pytest

import shardfft
from shardfft import Layout

pytestmark = pytest.mark.ranks


def keep(whole, axis, m, lone, halved=False):
    """The m modes along an axis of a whole spectrum; a halved one has n/2 + 1 of n."""
    whole = np.moveaxis(whole, axis, 0)
    if halved:
        kept = whole[: m // 2 + 1].copy()
    else:
        kept = np.concatenate([whole[: (m + 1) // 2], whole[len(whole) - m // 2 :]])
        if m % 2 == 0 and m < len(whole) and lone == "split":
            kept[m // 2] += whole[m // 2]
    if m % 2 == 0 and m < len(whole) and lone == "zero":
        kept[m // 2] = 0
    return np.moveaxis(kept, 0, axis)


def local_part(side, whole):
    array = side.empty()
    array[...] = whole[side.slices]
    return array


@pytest.mark.parametrize("layout", ["slab", "pencil", "brick"])
@pytest.mark.parametrize("output", ["default", "natural", "brick"])
@pytest.mark.parametrize("lone", ["split", "keep", "zero"])
@pytest.mark.parametrize("modes", [(6, 5, 4), (0, 4, 0), (3, 8, 7)])
def test_complex(comm, rng, close, modes, lone, output, layout):
    shape = (9, 8, 7)
    x = rng.standard_normal(shape) + 1j * rng.standard_normal(shape)
    exact = np.fft.fftn(x)
    for axis, m in enumerate(modes):
        exact = keep(exact, axis, m or shape[axis], lone)
    options = {"modes": modes, "lone_mode": lone, "effort": "estimate"}
    with shardfft.plan(shape, comm=comm, layout=layout, output=output, **options) as plan:
        spectrum = plan.forward(local_part(plan.input, x))
        close(spectrum, plan.output.layout, exact)
        for axis, mine in enumerate(plan.output.frequencies()):
            m = modes[axis] or shape[axis]
            whole = np.fft.fftfreq(m) * m / shape[axis]
            assert np.allclose(mine.ravel(), whole[plan.output.slices[axis]], rtol=1e-15, atol=0)
        if lone != "zero":
            close(plan.forward(plan.backward(spectrum)), plan.output.layout, exact)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("modes", [(6, 5, 3), (5, 0, 5), (0, 0, 1)])
def test_real(comm, rng, close, modes, dtype):
    shape = (9, 8, 7)
    x = rng.standard_normal(shape).astype(dtype)
    exact = np.fft.rfftn(x.astype(float))
    for axis, m in enumerate(modes):
        exact = keep(exact, axis, m or shape[axis], "split", axis == 2)
    with shardfft.plan(shape, "r2c", dtype, comm, modes=modes, effort="estimate") as plan:
        spectrum = plan.forward(local_part(plan.input, x))
        close(spectrum, plan.output.layout, exact, dtype)
        close(plan.forward(plan.backward(spectrum)), plan.output.layout, exact, dtype)
        assert plan.input.layout.shape == shape


def test_half_spectrum_to_real(comm, rng, close):
    """A c2r plan pads: the same field on more points."""
    shape, points = (5, 7), (8, 12)
    x = rng.standard_normal(shape)
    half = np.fft.rfftn(x, norm="forward")
    padded = np.zeros((8, 7), complex)
    padded[:3, :4], padded[-2:, :4] = half[:3], half[-2:]
    layout = Layout.slab(points, comm.size)
    options = {"modes": shape, "norm": "forward", "effort": "estimate"}
    with shardfft.plan(half.shape, "c2r", comm=comm, output=layout, **options) as plan:
        close(plan.forward(local_part(plan.input, half)), layout, np.fft.irfftn(padded, points, (0, 1), norm="forward"))


def test_products_have_no_aliases(comm, rng, close):
    """By the rule of 3/2: the product's modes are the convolution of the factors' modes."""
    m, n = 7, 11
    modes = [np.fft.rfft(rng.standard_normal((3, m)), norm="forward") for _ in range(2)]
    whole = [np.concatenate([np.conj(half[:, :0:-1]), half], axis=1) for half in modes]
    exact = np.stack([np.convolve(a, b) for a, b in zip(*whole, strict=True)])[:, m - 1 : m - 1 + m // 2 + 1]
    with shardfft.plan(
        (3, n), "r2c", comm=comm, axes=1, modes=[m], norm="forward", output="natural", effort="estimate"
    ) as plan:
        fields = [plan.backward(local_part(plan.output, half)) for half in modes]
        close(plan.forward(fields[0] * fields[1]), plan.output.layout, exact)


def test_operators_see_kept_modes(comm, rng, close):
    x = rng.standard_normal((8, 12))
    exact = np.fft.rfft(x)
    exact[:, 4:] = 0
    k = np.arange(7)
    with shardfft.plan(x.shape, "r2c", comm=comm, axes=1, modes=[7], effort="estimate") as plan:
        slope = plan.apply(shardfft.Operator.derivative(1), local_part(plan.input, x))
        close(slope, plan.input.layout, np.fft.irfft(1j * k * exact, 12))


def test_bytes(comm):
    """Two thirds along each axis: slabs send 4/9 of the bytes."""
    if 24 % comm.size or 16 % comm.size:
        pytest.skip("unequal shares")
    sent = []
    for modes in (None, (16, 16, 16)):
        options = {"exchange": "alltoallv", "algorithm": "slab", "effort": "estimate"}
        with shardfft.plan((24, 24, 24), comm=comm, modes=modes, **options) as plan:
            report = plan.report()
            sent.append([sum(s["bytes_sent"] for s in report[way]["steps"]) for way in ("forward", "backward")])
    assert [9 * bytes for bytes in sent[1]] == [4 * bytes for bytes in sent[0]]


def test_refusals(comm):
    with pytest.raises(ValueError, match="keeps 9 modes along axis 1, which has only 8 points"):
        shardfft.plan((8, 8), comm=comm, modes=[0, 9])
    with pytest.raises(ValueError, match="one for each of the 2 axes"):
        shardfft.plan((8, 8), comm=comm, modes=[4])
    with pytest.raises(ValueError, match="needs a Layout as output"):
        shardfft.plan((8, 5), "c2r", comm=comm, modes=[4, 0], output="slab")
