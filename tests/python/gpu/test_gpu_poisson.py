"""Solvers on GPUs with arrays of every library, against those on CPUs."""

import numpy as np
import pytest
import users

import shardfft

pytestmark = pytest.mark.ranks
CASES = [
    ((8, 7, 6), ("periodic", ("dirichlet", "neumann"), "open"), "slab", "float64"),
    ((8, 6, 5), ("open", "open", "open"), "pencil", "float64"),
    ((9, 8), ("neumann", "periodic"), "slab", "float32"),
]


@pytest.fixture(params=["standin", "cupy", "torch"])
def library(request):
    return users.make(request.param)


@pytest.mark.parametrize(("shape", "ends", "layout", "dtype"), CASES)
def test_as_on_cpus(comm, rng, library, shape, ends, layout, dtype):
    device = comm.rank % len(shardfft._core.gpu_names())
    options = {"layout": layout, "wrong_mean": "remove", "dtype": dtype, "comm": comm}
    exact = shardfft.poisson(shape, 1.0, ends, **options)
    with exact, shardfft.poisson(shape, 1.0, ends, processor="gpu", **options) as plan:
        f = rng.standard_normal(exact.shape).astype(dtype)
        x = library.array(f, device)
        u, slopes = plan.solve(x, gradient=True)
        expected, expected_slopes = exact.solve(f, gradient=True)
        for mine, plain in zip([u, *slopes], [expected, *expected_slopes], strict=True):
            assert isinstance(mine, library.kind) and mine.shape == plain.shape
            assert np.allclose(library.numpy(mine), plain, rtol=0, atol=1e-12 if dtype == "float64" else 1e-5)
        back = library.numpy(plan.adjoint(x))
        assert np.allclose(back, exact.adjoint(f), rtol=0, atol=1e-12 if dtype == "float64" else 1e-5)


def test_values_and_errors(comm, rng, library):
    device = comm.rank % len(shardfft._core.gpu_names())
    options = {"boundary": ("periodic", "dirichlet"), "comm": comm}
    exact = shardfft.poisson((8, 6), 1.0, **options)
    with exact, shardfft.poisson((8, 6), 1.0, processor="gpu", **options) as plan:
        f = rng.standard_normal(plan.shape)
        values = {(1, "lower"): rng.standard_normal((plan.shape[0], 1)), (1, "upper"): 2.0}
        u = plan.solve(library.array(f, device), values)
        assert np.allclose(library.numpy(u), exact.solve(f, values), rtol=0, atol=1e-12)
        with pytest.raises(ValueError, match="arrays must be in its memory"):
            plan.solve(np.ones(plan.shape))
    with pytest.raises(shardfft.Error, match="solved on CPUs only"):
        shardfft.poisson((8, 4), ([0.1, 0.2] * 4, 1.0), ("dirichlet", "periodic"), processor="gpu", comm=comm)
