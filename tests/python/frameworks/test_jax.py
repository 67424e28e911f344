"""JAX's transformations through plans over MPI: jit, grad, jvp, vmap and twice, in the same order on all ranks."""

import numpy as np
import pytest

import shardfft
from shardfft import Operator

jax = pytest.importorskip("jax", reason="JAX is not installed: its gradients are not tested (.ci/run frameworks)")
jnp = jax.numpy


@pytest.fixture(autouse=True)
def double():
    with jax.enable_x64(True):
        yield


def random_of(side, rng):
    x = rng.standard_normal(side.shape)
    return jnp.asarray(x + 1j * rng.standard_normal(side.shape) if side.dtype.kind == "c" else x)


def check(call, source, target, comm, rng):
    """Derivatives of a sum over all ranks, against differences, in both modes and of both orders."""
    x, t, w = random_of(source, rng), random_of(source, rng), random_of(target, rng)

    def loss(y):
        return jnp.sum(jnp.abs(call(y) * w) ** 4)

    def everywhere(value):
        return comm.allreduce(float(value))

    h = 1e-5
    slope = jax.grad(loss)(x)
    assert slope.dtype == x.dtype and np.allclose(jax.jit(jax.grad(loss))(x), slope)
    exact = everywhere(np.sum(np.real(slope * t)))
    assert np.isclose(everywhere((loss(x + h * t) - loss(x - h * t)) / (2 * h)), exact, rtol=1e-6)
    assert np.isclose(everywhere(jax.jit(lambda: jax.jvp(loss, (x,), (t,))[1])()), exact, rtol=1e-11)
    twice = jax.jit(lambda y: jax.jvp(jax.grad(loss), (y,), (t,))[1])(x)
    ahead, behind = (jax.grad(loss)(x + step * t) for step in (h, -h))
    assert np.allclose((ahead - behind) / (2 * h), twice, rtol=1e-5, atol=1e-6 * np.max(np.abs(twice), initial=0))
    both = jax.jit(jax.vmap(jax.grad(loss)))(jnp.stack([x, t]))
    assert np.allclose(both[0], slope) and np.allclose(both[1], jax.grad(loss)(t))


CASES = [
    {"kind": "c2c"},
    {"kind": "r2c", "norm": "ortho"},
    {"kind": "c2r", "n": 5},
    {"kind": "r2c", "modes": (2, 3, 4)},
    {"kind": "r2r", "transforms": ["dct1", "dst3", "dct4"]},
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: "-".join(map(str, case.values())))
def test_plans(comm, case):
    rng = np.random.default_rng(comm.rank)
    shape = (4, 3, 3) if case["kind"] == "c2r" else (4, 3, 5)
    with shardfft.plan(shape, comm=comm, effort="estimate", **case) as plan:
        check(lambda x: shardfft.jax.forward(plan, x), plan.input, plan.output, comm, rng)
        if case["kind"] == "c2c":
            operator = Operator.derivative(0) + 2j * Operator.gaussian(0.2)
            check(lambda x: shardfft.jax.backward(plan, x), plan.output, plan.input, comm, rng)
            check(lambda x: shardfft.jax.apply(plan, operator, x), plan.input, plan.input, comm, rng)


def test_calls_keep_their_order(comm):
    """Independent calls in one program: ranks that made them in different orders would mix up their messages."""
    plans = [shardfft.plan((6, extent), comm=comm, norm="ortho", effort="estimate") for extent in (4, 5, 6, 7)]
    x = [jnp.asarray(plan.input.zeros() + number) for number, plan in enumerate(plans)]
    run = jax.jit(lambda *arrays: [shardfft.jax.backward(p, shardfft.jax.forward(p, a))
                                   for p, a in zip(plans, arrays, strict=True)])  # fmt: skip
    for _ in range(5):
        assert all(np.allclose(one, number) for number, one in enumerate(run(*x)))
    for plan in plans:
        plan.close()


def test_bad_input(comm):
    with shardfft.plan((4, 6), "r2c", comm=comm, effort="estimate") as plan:
        good = jnp.asarray(plan.input.zeros())
        shape = "takes arrays of shape|must have the shape"
        wrong = ((good.astype("float32"), "dtype float64"), (good[:, :2], shape), (np.zeros(4), "must be a jax.Array"))
        for bad, match in wrong:
            for call in (shardfft.jax.forward, jax.jit(shardfft.jax.forward, static_argnums=0)):
                if isinstance(bad, np.ndarray) and call is not shardfft.jax.forward:
                    continue
                with pytest.raises((TypeError, ValueError), match=match):
                    call(plan, bad)
        made = jax.jit(lambda x: shardfft.jax.forward(plan, x))
        made(good)
    with shardfft.plan((4, 6), "r2c", comm=comm, effort="estimate", overwrite_input=True) as may:
        with pytest.raises(TypeError, match="x cannot be a JAX array"):
            may.backward(jnp.asarray(may.output.zeros()))
        with pytest.raises((ValueError, shardfft.Error), match="plan without overwrite_input"):
            shardfft.jax.forward(may, good)
    with pytest.raises(shardfft.Error, match="closed"):
        shardfft.jax.forward(plan, good)
    with pytest.raises(Exception, match="closed"):
        jax.block_until_ready(made(good))


def test_one_rank_fails_inside_jit(comm):
    """A rank whose array does not fit while the others run: they are told, and do not wait."""
    if comm.size == 1:
        pytest.skip("needs two ranks")
    last = comm.rank == comm.size - 1
    with shardfft.plan((4, 6), comm=comm, effort="estimate") as plan:
        good = jnp.asarray(plan.input.zeros())
        for call in (shardfft.jax.forward, jax.jit(shardfft.jax.forward, static_argnums=0)):
            with pytest.raises(Exception, match="takes arrays of shape|must have the shape"):
                jax.block_until_ready(call(plan, good[:, :2] if last else good))


def test_a_batch_of_no_fields(comm):
    with shardfft.plan((2 * comm.size, 4), "r2c", comm=comm, effort="estimate") as plan:
        none = jnp.zeros((0, *plan.input.shape))
        result = jax.vmap(lambda x: shardfft.jax.forward(plan, x))(none)
        assert result.shape == (0, *plan.output.shape) and result.dtype == plan.output.dtype
