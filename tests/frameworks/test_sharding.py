"""Transforms of sharded JAX arrays on four fake devices: values, gradients, and XLA's code."""

import numpy as np
import pytest

import shardfft

jax = pytest.importorskip("jax", reason="JAX is not installed: sharding is not tested (.ci/run frameworks)")
from jax.sharding import Mesh, NamedSharding  # noqa: E402
from jax.sharding import PartitionSpec as P  # noqa: E402

jnp = jax.numpy
NAMES = ("fftn", "ifftn", "rfftn", "irfftn")


@pytest.fixture(autouse=True)
def double():
    with jax.enable_x64(True):
        yield


@pytest.fixture(scope="module")
def line():
    return Mesh(np.array(jax.devices("cpu")[:4]), ("x",))


@pytest.fixture(scope="module")
def square():
    return Mesh(np.array(jax.devices("cpu")[:4]).reshape(2, 2), ("x", "y"))


def random_of(shape, real=False):
    rng = np.random.default_rng(3)
    x = rng.standard_normal(shape)
    return x if real else x + 1j * rng.standard_normal(shape)


def collectives(function, *arguments):
    """Names of all operations of the compiled program that move data between devices."""
    text = jax.jit(function).lower(*arguments).compile().as_text()
    words = ("all-gather", "all-to-all", "collective-permute", "all-reduce", "reduce-scatter", "collective-broadcast")
    return {word: text.count(f" {word}(") + text.count(f" {word}-start(") for word in words if f"{word}" in text}


@pytest.mark.parametrize("dtype", ["int64", "int32", "bool"])
@pytest.mark.parametrize("name", ["fftn", "rfftn"])
def test_integers_are_as_precise_as_jax_makes_them(line, name, dtype):
    x = jax.device_put(jnp.arange(32).reshape(8, 4).astype(dtype), NamedSharding(line, P("x")))
    want, got = getattr(jnp.fft, name)(x), getattr(shardfft.jax, name)(x)
    assert got.dtype == want.dtype and np.allclose(got, want, atol=1e-12)


CASES = [
    ((8, 6, 5), "line", P("x"), None, None, 2),
    ((3, 8, 6), "line", P(None, "x"), (1, 2), "ortho", 2),
    ((8, 12, 6), "square", P("x", "y"), None, "forward", 4),
    ((4, 8, 5, 6), "square", P("x", "y"), (1, 2, 3), None, 2),  # a batch that is cut too
    ((8, 5, 6), "square", P(("x", "y")), None, None, 2),
]


@pytest.mark.parametrize("case", CASES, ids=str)
@pytest.mark.parametrize("name", NAMES)
def test_as_numpy(request, name, case):
    shape, mesh, spec, axes, norm, moves = case
    mesh = request.getfixturevalue(mesh)
    whole = random_of(shape, name == "rfftn")
    x = jax.device_put(whole, NamedSharding(mesh, spec))
    chosen = tuple(range(len(shape))) if axes is None else axes

    def run(y):
        return getattr(shardfft.jax, name)(y, mesh, spec, axes, norm)

    def plain(y):
        return getattr(jnp.fft, name)(y, axes=chosen, norm=norm)

    result, exact = jax.jit(run)(x), getattr(np.fft, name)(whole, axes=chosen, norm=norm)
    assert result.dtype == exact.dtype and np.allclose(result, exact, atol=1e-12 * np.abs(exact).max())
    assert result.sharding.is_equivalent_to(NamedSharding(mesh, spec), len(shape))
    assert collectives(run, x) == {"all-to-all": moves}
    weight = random_of(exact.shape)

    def loss(call):
        return lambda y: jnp.sum(jnp.abs(call(y) * weight) ** 4)

    slope = jax.grad(loss(run))
    assert np.allclose(jax.jit(slope)(x), jax.grad(loss(plain))(jnp.asarray(whole))) and slope(x).dtype == x.dtype
    assert set(collectives(slope, x)) == {"all-to-all"}


def test_transformations(line):
    """vmap, forward mode, and forward over reverse mode."""
    x = jnp.asarray(random_of((3, 8, 6, 5), real=True))

    def run(y):
        return shardfft.jax.rfftn(y, line, P("x"))

    assert np.allclose(jax.jit(jax.vmap(run))(x), np.fft.rfftn(x, axes=(1, 2, 3)))
    assert "all-gather" not in collectives(jax.vmap(run), x)
    assert np.allclose(jax.jvp(run, (x[0],), (x[1],))[1], np.fft.rfftn(x[1]))

    def loss(call):
        return lambda y: jnp.sum(jnp.abs(call(y)) ** 4)

    twice, exact = (jax.jvp(jax.grad(loss(call)), (x[0],), (x[1],))[1] for call in (run, jnp.fft.rfftn))
    assert np.allclose(twice, exact)


def test_single_precision(line):
    with jax.enable_x64(False):
        x = jnp.asarray(random_of((8, 6), real=True))
        assert shardfft.jax.rfftn(x, line, P("x")).dtype == jnp.complex64
        assert jax.grad(lambda y: jnp.sum(jnp.abs(shardfft.jax.rfftn(y, line, P("x"))) ** 2))(x).dtype == jnp.float32
        assert np.allclose(shardfft.jax.fftn(jnp.ones((8, 6), int), line, P("x"))[0, 0], 48)


def test_where_modes_do_not_divide(line):
    """The n/2 + 1 modes of a halved axis: the result is cut along another axis, as spec_of tells."""
    x = jnp.asarray(random_of((5, 8, 12), real=True))
    spectrum = jax.jit(lambda y: shardfft.jax.rfftn(y, line, P(None, None, "x")))(x)
    assert np.allclose(spectrum, np.fft.rfftn(x))
    told = shardfft.jax.spec_of("rfftn", x.shape, line, P(None, None, "x"))
    assert tuple(told) == (None, "x", None) and spectrum.sharding.is_equivalent_to(NamedSharding(line, told), 3)
    assert np.allclose(shardfft.jax.irfftn(spectrum, line, told, n=12, out_spec=P(None, None, "x")), x)
    odd = jnp.asarray(random_of((8, 5)))
    assert np.allclose(shardfft.jax.irfftn(odd, line, P("x"), n=9), np.fft.irfftn(odd, s=(8, 9), axes=(0, 1)))


def test_out_spec_saves_an_exchange(line):
    x = jnp.asarray(random_of((8, 12)))

    def there(y):
        return shardfft.jax.fftn(y, line, P("x"), out_spec=P(None, "x"))

    def back(y):
        return shardfft.jax.ifftn(there(y) * 2, line, P(None, "x"), out_spec=P("x"))

    assert collectives(there, x) == {"all-to-all": 1} and collectives(back, x) == {"all-to-all": 2}
    assert np.allclose(back(x), 2 * x)


def test_padded(line):
    """True extents beside a padded array: the padding is ignored, zero in the result, and has no gradient."""
    shape = (7, 6, 5)
    wide = shardfft.jax.padded_shape(shape, line, P("x"))
    assert wide == (8, 6, 5)
    whole = random_of(shape, real=True)
    x = jnp.full(wide, 99.0).at[:7].set(whole)
    spectrum = shardfft.jax.rfftn(x, line, P("x"), shape=shape)
    assert np.allclose(spectrum[:7], np.fft.rfftn(whole)) and not np.any(spectrum[7:])
    again = shardfft.jax.irfftn(spectrum, line, P("x"), shape=(7, 6, 3), n=5)
    assert np.allclose(again[:7], whole) and not np.any(again[7:])
    beside = shardfft.jax.fftn(x, line, P("x"), axes=(1,), shape=shape)  # the axis that is cut is not transformed
    assert np.allclose(beside[:7], np.fft.fft(whole, axis=1)) and not np.any(beside[7:])
    # The halved axis, cut and padded: 7 modes in 8.
    x = jnp.asarray(random_of((6, 12), real=True))
    spectrum = shardfft.jax.rfftn(x, line, P(None, "x"), shape=(6, 12))
    assert spectrum.shape == (6, 8) and np.allclose(spectrum[:, :7], np.fft.rfftn(x)) and not np.any(spectrum[:, 7:])
    wide = jnp.full((8, 6), 99.0)
    slope = jax.grad(lambda y: jnp.sum(jnp.abs(shardfft.jax.fftn(y, line, P("x"), shape=(7, 6))) ** 2))(wide)
    assert np.allclose(slope[:7], 2 * 42 * 99) and not np.any(slope[7:])


def test_mesh_and_spec_of_the_array(line):
    x = jax.device_put(random_of((8, 6)), NamedSharding(line, P("x")))
    assert np.allclose(shardfft.jax.fftn(x), np.fft.fftn(x))
    with jax.set_mesh(line):
        assert np.allclose(jax.jit(lambda y: shardfft.jax.fftn(y, spec=P("x")))(x), np.fft.fftn(x))


def test_bad_input(line, square):
    x = jnp.ones((8, 6, 5))
    for call, kind, match in (
        (lambda: shardfft.jax.fftn(x, line, P(None, "x")), ValueError, "axis 1 of the array, of extent 6, .* cut along "
         r"axis 0, or pad it to \(8, 8, 5\) and give shape=\(8, 6, 5\)"),
        (lambda: shardfft.jax.rfftn(jnp.ones((5, 5, 8)), line, P(None, None, "x")), ValueError, "axis 2 of the result"),
        (lambda: shardfft.jax.fftn(x, line, P("z")), ValueError, "names 'z', which is no axis of the mesh"),
        (lambda: shardfft.jax.fftn(x, line, "x"), TypeError, "must be a jax.sharding.PartitionSpec"),
        (lambda: shardfft.jax.fftn(x, square, P("x", "x")), ValueError, "names mesh axis 'x' twice"),
        (lambda: shardfft.jax.fftn(x, line, P(None, None, None, "x")), ValueError, "more entries than"),
        (lambda: shardfft.jax.fftn(x, line), ValueError, "spec is not known here"),
        (lambda: shardfft.jax.fftn(x, spec=P("x")), ValueError, "mesh is not known here"),
        (lambda: shardfft.jax.rfftn(x + 0j, line, P("x")), TypeError, "needs real numbers"),
        (lambda: shardfft.jax.fftn(x.astype("float16"), line, P("x")), TypeError, "float16 cannot be transformed"),
        (lambda: shardfft.jax.fftn(np.ones((8, 6)), line, P("x")), TypeError, "must be a jax.Array"),
        (lambda: shardfft.jax.fftn(x, line, P("x"), axes=(0, 0)), ValueError, "twice"),
        (lambda: shardfft.jax.fftn(x, line, P("x"), axes=(3,)), ValueError, "must name axes"),
        (lambda: shardfft.jax.fftn(x, line, P("x"), norm="none"), ValueError, "norm must be"),
        (lambda: shardfft.jax.irfftn(x, line, P("x"), n=20), ValueError, "has 11 modes, not 5"),
        (lambda: shardfft.jax.fftn(x, line, P("x"), shape=(3, 6, 5)), ValueError, r"must be padded to \(4, 6, 5\)"),
        (lambda: shardfft.jax.fftn(jnp.ones(8), line, P("x")), ValueError, "all 1 axes are cut"),
        (lambda: shardfft.jax.fftn(x, square, P("x"), out_spec=P("y")), ValueError, "must cut along the mesh axes"),
    ):  # fmt: skip
        with pytest.raises(kind, match=match):
            call()
        with pytest.raises(kind, match=match):
            jax.jit(call)()


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("axes", [None, (1,), (2, 0), (0, 1, 2, 3)], ids=str)
def test_arrays_of_one_device(name, axes):
    """An ordinary array needs no mesh, with any other devices."""
    whole = random_of((3, 4, 2, 6), name == "rfftn")
    x = jax.device_put(whole, jax.devices("cpu")[2])
    result = getattr(shardfft.jax, name)(x, axes=axes)
    assert result.devices() == x.devices()
    chosen = tuple(range(4)) if axes is None else axes
    assert np.allclose(result, getattr(np.fft, name)(whole, axes=chosen))


def test_traced_arrays_need_a_mesh_beside_other_devices():
    with pytest.raises(ValueError, match="mesh is not known here"):
        jax.jit(shardfft.jax.fftn)(jnp.ones((4, 4)))


def test_in_loops_and_checkpoints(line):
    """XLA's own sharded transforms failed for others: along the cut axis, tiny, in scan, vmap, checkpoint."""
    pair = Mesh(np.array(jax.devices("cpu")[:2]), ("x",))
    for mesh, shape in ((line, (4, 8, 4)), (pair, (3, 2, 2))):
        whole = random_of(shape)
        x = jax.device_put(whole, NamedSharding(mesh, P(None, "x")))

        def there_and_back(y, mesh=mesh):
            return shardfft.jax.ifftn(shardfft.jax.fftn(y, mesh, P("x")) * 2, mesh, P("x"))

        def scanned(y, step=there_and_back):
            return jax.lax.scan(lambda carry, one: (carry, step(one)), 0.0, y)[1]

        for function in (jax.vmap(there_and_back), scanned, jax.checkpoint(jax.vmap(there_and_back))):
            assert np.allclose(jax.jit(function)(x), 2 * whole)
            gradient = jax.jit(jax.grad(lambda y, f=function: jnp.sum(jnp.abs(f(y)) ** 2)))(x)
            assert np.allclose(gradient, 8 * np.conj(whole))
