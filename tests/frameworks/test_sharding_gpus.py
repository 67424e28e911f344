"""JAX arrays that are sharded over all GPUs of this machine: values, gradients, and XLA's code."""

import numpy as np
import pytest

import shardfft

jax = pytest.importorskip("jax", reason="JAX is not installed: sharding is not tested (.ci/run frameworks)")
from jax.sharding import Mesh, NamedSharding  # noqa: E402
from jax.sharding import PartitionSpec as P  # noqa: E402
from test_sharding import NAMES, collectives, random_of  # noqa: E402

jnp = jax.numpy


@pytest.fixture(scope="module")
def line():
    found = jax.devices() if jax.default_backend() == "gpu" else []
    if len(found) < 2:
        pytest.skip("needs two GPUs")
    return Mesh(np.array(found), ("x",))


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("spec", [P("x"), P(None, "x")], ids=str)
@pytest.mark.parametrize("name", NAMES)
def test_as_numpy(line, name, spec, dtype):
    size = line.size
    with jax.enable_x64(dtype == "float64"):
        whole = random_of((4 * size, 2 * size, 6), name == "rfftn")
        whole = whole.astype({"float32": np.csingle if name != "rfftn" else np.single}.get(dtype, whole.dtype))
        x = jax.device_put(whole, NamedSharding(line, spec))

        def run(y):
            return getattr(shardfft.jax, name)(y, line, spec)

        result, exact = jax.jit(run)(x), getattr(np.fft, name)(whole)
        bound = (1e-5 if dtype == "float32" else 1e-12) * np.abs(exact).max()
        assert np.allclose(result, exact, rtol=0, atol=bound)
        assert result.sharding.is_equivalent_to(NamedSharding(line, spec), 3)
        assert set(collectives(run, x)) == {"all-to-all"}
        slope = jax.jit(jax.grad(lambda y: jnp.sum(jnp.abs(run(y)) ** 4)))(x)
        plain = jax.grad(lambda y: jnp.sum(jnp.abs(getattr(jnp.fft, name)(y)) ** 4))(jnp.asarray(whole))
        assert slope.dtype == x.dtype
        assert np.allclose(slope, plain, rtol=0, atol=(1e-4 if dtype == "float32" else 1e-11) * np.abs(plain).max())


def test_padded_and_halved(line):
    """Extents that do not divide: padded with the true extents told, and a spectrum cut along another axis."""
    size = line.size
    with jax.enable_x64(True):
        shape = (4 * size - 1, 6, 5)
        wide = shardfft.jax.padded_shape(shape, line, P("x"))
        whole = random_of(shape, real=True)
        x = jnp.full(wide, 99.0).at[: shape[0]].set(whole)
        spectrum = shardfft.jax.rfftn(x, line, P("x"), shape=shape)
        assert np.allclose(spectrum[: shape[0]], np.fft.rfftn(whole)) and not np.any(spectrum[shape[0] :])
        whole = random_of((5, 4 * size, 8 * size), real=True)
        told = shardfft.jax.spec_of("rfftn", whole.shape, line, P(None, None, "x"))
        assert tuple(told) == (None, "x", None)
        assert np.allclose(shardfft.jax.rfftn(jnp.asarray(whole), line, P(None, None, "x")), np.fft.rfftn(whole))
