"""Gradients through solvers by PyTorch and JAX, against the adjoint of NumPy."""

import numpy as np
import pytest
from mpi4py import MPI

import shardfft

torch = pytest.importorskip("torch", reason="PyTorch is not installed (.ci/run frameworks)")
jax = pytest.importorskip("jax", reason="JAX is not installed (.ci/run frameworks)")
DOORS = shardfft.torch, shardfft.jax  # imported here, which takes longer than a test

COMM = MPI.COMM_WORLD


@pytest.fixture
def case():
    with shardfft.poisson((6, 5), 1.0, ("open", ("neumann", "dirichlet")), points="nodes") as plan:
        rng = np.random.default_rng(COMM.rank)
        yield plan, rng.normal(size=plan.shape), rng.normal(size=plan.shape)


def test_torch(case):
    plan, f, given = case
    x = torch.tensor(f, requires_grad=True)
    u = shardfft.torch.solve(plan, x)
    np.testing.assert_array_equal(u.detach(), plan.solve(f))
    (slope,) = torch.autograd.grad((u**2 * torch.tensor(given)).sum(), x, create_graph=True)
    np.testing.assert_allclose(slope.detach(), plan.adjoint(2 * plan.solve(f) * given), atol=1e-12)
    slope.sum().backward()  # twice
    np.testing.assert_allclose(x.grad, plan.adjoint(2 * given * plan.solve(np.ones(plan.shape))), atol=1e-10)


@jax.enable_x64(True)
def test_jax(case):
    plan, f, given = case

    def loss(x):
        return (shardfft.jax.solve(plan, x) * given).sum()

    for compiled in (lambda g: g, jax.jit):
        got = compiled(jax.grad(loss))(jax.numpy.asarray(f))
        np.testing.assert_allclose(got, plan.adjoint(given), atol=1e-14)
