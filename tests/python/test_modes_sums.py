"""Sums over modes, which know half spectra, kept modes and walls; and vector calculus."""

import numpy as np
import pytest

import shardfft
from shardfft import DistArray, curl, divergence, gradient, project


def mean_square(plan, field):
    """By quadrature: the points on the walls of dct1, dct3 and dst3 count half."""
    words = plan._words
    weights = np.ones(field.layout.shape)
    for axis, word in enumerate(words):
        line = np.ones(field.layout.shape[axis])
        if word in ("dct1", "dct3"):
            line[0] = 0.5
        if word in ("dct1",):
            line[-1] = 0.5
        if word == "dst3":
            line[-1] = 0.5
        shape = [1] * len(words)
        shape[axis] = -1
        steps = {"dct1": len(line) - 1, "dst1": len(line) + 1}.get(word, len(line))
        weights = weights * line.reshape(shape) / steps
    return float((weights * abs(field.gather()) ** 2).sum())


@pytest.mark.parametrize("shape", [(6, 4, 8), (5, 7, 3)])
@pytest.mark.parametrize("words", [None, ("dct1", "fft", "dst2"), ("dct3", "dst1", "fft"), ("dst3", "dct2", "dst4")])
@pytest.mark.parametrize("kind", ["c2c", "r2c"])
def test_parseval(comm, rng, shape, words, kind):
    if kind == "r2c" and words is not None and "fft" not in words:
        kind = "r2r"
    options = {} if words is None else {"transforms": words}
    with shardfft.plan(shape, kind, comm=comm, norm="forward", effort="estimate", **options) as plan:
        plan._words = words or ("fft",) * 3
        x = rng.standard_normal(shape)
        d = DistArray.from_global(x + 1j * x[::-1] if kind == "c2c" else x, comm)
        s = plan.forward(d)
        assert np.isclose((abs(s) ** 2).spectrum_sum(), mean_square(plan, d), rtol=1e-12)
        assert np.isclose(plan.spectrum_sum(abs(s.local) ** 2), mean_square(plan, d), rtol=1e-12)


@pytest.mark.parametrize("rule", ["split", "zero"])
@pytest.mark.parametrize("modes", [(6, 4, 6), (5, 7, 4), (8, 8, 5)])
@pytest.mark.parametrize("kind", ["c2c", "r2c"])
def test_parseval_of_kept_modes(comm, rng, kind, modes, rule):
    """Of the field that a spectrum with fewer modes gives."""
    with shardfft.plan(
        (8, 8, 8), kind, comm=comm, norm="forward", modes=modes, lone_mode=rule, effort="estimate"
    ) as plan:
        x = rng.standard_normal((8, 8, 8))
        s = plan.forward(DistArray.from_global(x if kind == "r2c" else x + 1j, comm))
        field = plan.backward(s)
        assert np.isclose((abs(s) ** 2).spectrum_sum(), (abs(field) ** 2).mean(), rtol=1e-12)


def test_shells(comm):
    """Energy in the shells of its modes; |k| = 3 and 5, on a box of other lengths too."""
    for lengths, scale in ((2 * np.pi, 1.0), (np.pi, 2.0)):
        shape = (16, 12, 14)
        d = DistArray.from_function(
            lambda x, y, z, c=scale: np.cos(3 * x * c) + 2 * np.sin(4 * y * c) * np.cos(3 * z * c),
            shape,
            comm,
            lengths=lengths,
        )
        s = np.fft.rfftn(d, norm="forward")
        k, energy = (abs(s) ** 2 / 2).shells(lengths)
        exact = np.zeros(len(k))
        exact[3], exact[5] = 0.25, 0.5
        assert np.allclose(energy, exact, atol=1e-14) and np.allclose(k, scale * np.arange(len(k)))
        assert np.isclose(energy.sum(), (d * d).mean() / 2)
    v = np.fft.rfftn(
        DistArray.from_function(
            lambda x, y: (np.sin(x), np.sin(y) + 0 * x), (8, 8), comm, lengths=2 * np.pi, components=2
        ),
        norm="forward",
    )
    _, energy = (abs(v) ** 2).shells()
    assert np.isclose(energy[1], 1.0)
    with pytest.raises((TypeError, shardfft.Error), match="real numbers"):
        s.shells()
    with pytest.raises((ValueError, shardfft.Error), match="width must be"):
        (abs(s) ** 2).shells(width=-1)
    with pytest.raises(ValueError, match="no spectrum"):
        d.spectrum_sum()
    with (
        shardfft.plan((4, 4), comm=comm, effort="estimate") as plan,
        pytest.raises((ValueError, shardfft.Error), match="must have the shape"),
    ):
        plan.spectrum_sum(np.zeros((9, 9)))


def test_sums_of_arrays_over_other_ranks(comm):
    """A spectrum that one rank has alone would be counted on each."""
    if comm.size == 1:
        pytest.skip("needs two ranks")
    alone = comm.Split(comm.rank)
    power = abs(np.fft.rfftn(DistArray.zeros((4, 6), comm=alone))) ** 2
    assert power.spectrum_sum() == 0
    with shardfft.plan((4, 6), "r2c", comm=comm, effort="estimate") as plan:
        for sum_of in (plan.spectrum_sum, plan.shells):
            with pytest.raises((ValueError, shardfft.Error), match=f"lie on 1 ranks, but the sum is over {comm.size}"):
                sum_of(power)
    shardfft.clear_plans()
    alone.Free()


def flow(x, y, z):
    return np.sin(2 * x) * np.cos(y), np.cos(2 * x) * np.sin(y) * np.sin(z), np.sin(x) * np.cos(3 * z) + 0 * y


@pytest.mark.parametrize("layout", ["slab", "pencil", "cyclic"])
@pytest.mark.parametrize("complex_numbers", [False, True])
def test_vector_calculus(comm, layout, complex_numbers):
    shape, lengths = (10, 9, 12), (2 * np.pi,) * 3
    make = lambda f, n: DistArray.from_function(f, shape, comm, layout, lengths=lengths, components=n)  # noqa: E731
    v = make(flow, 3)
    v = v * (1 + 2j) if complex_numbers else v
    factor = 1 + 2j if complex_numbers else 1
    exact = make(
        lambda x, y, z: (
            2 * np.cos(2 * x) * np.cos(y) + np.cos(2 * x) * np.cos(y) * np.sin(z) - 3 * np.sin(x) * np.sin(3 * z)
        ),
        None,
    )
    assert abs(divergence(v, lengths) - factor * exact).max() < 1e-12
    exact = make(
        lambda x, y, z: (
            -np.cos(2 * x) * np.sin(y) * np.cos(z),
            -np.cos(x) * np.cos(3 * z) + 0 * y,
            -2 * np.sin(2 * x) * np.sin(y) * np.sin(z) + np.sin(2 * x) * np.sin(y),
        ),
        3,
    )
    assert abs(curl(v, lengths) - factor * exact).max() < 1e-12
    slopes = gradient(v[0], lengths)
    exact = make(lambda x, y, z: (2 * np.cos(2 * x) * np.cos(y), -np.sin(2 * x) * np.sin(y), 0 * x), 3)
    assert abs(slopes - factor * exact).max() < 1e-12 and slopes.dtype == v.dtype
    free = project(v, lengths)
    assert abs(divergence(free)).max() < 1e-12 and abs(curl(free) - curl(v)).max() < 1e-12
    assert abs(project(gradient(v[2]))).max() < 1e-12
    spectrum = np.fft.fftn(v) if complex_numbers else np.fft.rfftn(v)
    of_modes = curl(spectrum, lengths)
    assert np.allclose(of_modes.gather(), (np.fft.fftn if complex_numbers else np.fft.rfftn)(curl(v)).gather())
    assert of_modes.wavenumbers(1.0)[0].ndim == 3


def test_two_dimensions_and_errors(comm):
    v = DistArray.from_function(
        lambda x, y: (np.sin(y) + 0 * x, np.cos(x) + 0 * y), (8, 6), comm, lengths=2 * np.pi, components=2
    )
    exact = DistArray.from_function(lambda x, y: -np.sin(x) - np.cos(y), (8, 6), comm, lengths=2 * np.pi)
    assert abs(curl(v) - exact).max() < 1e-12 and curl(v).components is None
    for call, error, words in [
        (lambda: gradient(v), ValueError, "a scalar field is needed"),
        (lambda: divergence(v[0]), ValueError, "needs 2 components"),
        (lambda: curl(np.zeros(3)), TypeError, "must be a shardfft.DistArray"),
        (lambda: gradient(v[0], (1, 2, 3)), ValueError, "length must be one number, or one for each of 2"),
        (lambda: gradient(shardfft.dctn(v[0])), ValueError, "Fourier transforms along all axes"),
        (lambda: curl(DistArray.zeros((4,), comm=comm, components=1)), ValueError, "2 and 3 dimensions"),
    ]:
        with pytest.raises(error, match=words):
            call()
