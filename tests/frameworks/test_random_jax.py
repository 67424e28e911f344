"""shardfft.jax beside jnp.fft: arrays, meshes of up to eight fake devices and cuts drawn at random."""

import numpy as np
import pytest
from draws import RefusedError, near, problems

import shardfft

jax = pytest.importorskip("jax", reason="JAX is not installed: sharding is not tested (.ci/run frameworks)")
from jax.sharding import Mesh, NamedSharding  # noqa: E402
from jax.sharding import PartitionSpec as P  # noqa: E402

jnp = jax.numpy
MESHES = [(8,), (4, 2), (2, 4), (2, 2, 2), (3,), (2, 3), (5,), (2, 2), (7,), (2,)]


def spec_of(draw, mesh, ndim):
    """Each axis of the mesh cuts an axis of the array, or none does."""
    entries = [[] for _ in range(ndim)]
    for name in draw.sample(mesh.axis_names, len(mesh.axis_names)):
        if not draw.one_in(4):
            entries[draw.randrange(ndim)].append(name)
    return P(*(tuple(one) if len(one) > 1 else one[0] if one else None for one in entries))


def exact_of(name, x, axes, norm, n):
    """By jnp.fft, one axis at a time: it takes three at most."""
    x = jnp.asarray(x)
    if name == "rfftn":
        x, axes = jnp.fft.rfft(x, axis=axes[-1], norm=norm), axes[:-1]
    last = axes[-1:] if name == "irfftn" else ()
    for axis in axes[: len(axes) - len(last)]:
        x = (jnp.fft.fft if name in ("fftn", "rfftn") else jnp.fft.ifft)(x, axis=axis, norm=norm)
    for axis in last:
        x = jnp.fft.irfft(x, n, axis=axis, norm=norm)
    return x


def check(draw):
    extents = draw.choice(MESHES)
    devices = np.array(jax.devices("cpu")[: int(np.prod(extents))]).reshape(extents)
    mesh = Mesh(devices, ("x", "y", "z")[: len(extents)])
    name, dtype = draw.choice(["fftn", "ifftn", "rfftn", "irfftn"]), draw.choice(["f", "d"])
    shape, padded = list(draw.shape(5)), draw.one_in(2)
    spec = spec_of(draw, mesh, len(shape))
    if not padded:
        for axis, entry in enumerate(spec):
            for one in () if entry is None else entry if isinstance(entry, tuple) else (entry,):
                shape[axis] *= mesh.shape[one]
    axes, norm = tuple(draw.some(range(len(shape)))), draw.choice([None, "ortho", "forward"])
    n = shape[axes[-1]]
    x = draw.numbers(shape, dtype if name == "rfftn" else dtype.upper())
    if name == "irfftn":  # of the half spectrum of real numbers: others have no inverse of their own
        n = shape[axes[-1]] = max(1, 2 * n - draw.randint(1, 2))
        x = draw.numbers(shape, dtype)
        x = np.asarray(exact_of("rfftn", x, axes, None, n))
    words = {"axes": axes, "norm": norm}
    if name == "irfftn":
        words["n"] = n
    if padded:
        words["shape"] = x.shape
        wide = shardfft.jax.padded_shape(x.shape, mesh, spec)
        y = np.full(wide, 9, x.dtype)
        y[tuple(slice(0, one) for one in x.shape)] = x
    else:
        y = x
    if draw.one_in(4):
        entries = draw.sample(list(spec) + [None] * (x.ndim - len(spec)), x.ndim)
        words["out_spec"] = P(*entries)
    jit = draw.one_in(2)
    draw.text = f"{name} of {x.dtype}{x.shape} over {extents}, {spec}, {words}{', jit' if jit else ''}"

    def run(z):
        return getattr(shardfft.jax, name)(z, mesh, spec, **words)

    try:
        if not padded:
            y = jax.device_put(y, NamedSharding(mesh, spec))
        got = (jax.jit(run) if jit else run)(jnp.asarray(y))
    except ValueError as error:
        if "JAX cannot cut axis" in str(error) or "axes are cut" in str(error):
            raise RefusedError from error
        raise
    exact = np.asarray(exact_of(name, x, axes, norm, n))
    inner = tuple(slice(0, one) for one in exact.shape)
    near(np.asarray(got)[inner], exact)
    rest = np.array(got)
    rest[inner] = 0
    assert not rest.any(), "padding is not zero"


def test_jax():
    with jax.enable_x64(True):
        assert problems("random --jax", check) == 0
