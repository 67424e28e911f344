"""Gradients of particles on a mesh by PyTorch and JAX, against those of NumPy."""

import numpy as np
import pytest
from mpi4py import MPI

import shardfft

torch = pytest.importorskip("torch", reason="PyTorch is not installed (.ci/run frameworks)")
jax = pytest.importorskip("jax", reason="JAX is not installed (.ci/run frameworks)")
DOORS = shardfft.torch, shardfft.jax  # imported here, which takes longer than a test

COMM = MPI.COMM_WORLD
SHAPE = (6, 5)


@pytest.fixture
def case():
    rng = np.random.default_rng(COMM.rank)
    layout = shardfft.Layout.slab(SHAPE, COMM.size)
    rows = layout.local(COMM.rank)[0]
    positions = rng.uniform((rows.start, 0), (rows.stop, 5), (7, 2))
    field = rng.normal(size=(rows.stop - rows.start, 5))
    with shardfft.ParticleMesh(layout, "tsc") as mesh:
        yield mesh, positions, rng.normal(size=7), field


def test_torch(case):
    mesh, positions, weights, field = case
    at, mass, grid = (torch.tensor(one, requires_grad=True) for one in (positions, weights, field))
    given = torch.tensor(field)
    (shardfft.torch.deposit(mesh, at, mass) * given).sum().backward()
    by_positions, by_weights = mesh.deposit_adjoint(positions, weights, field)
    np.testing.assert_array_equal(at.grad, by_positions)
    np.testing.assert_array_equal(mass.grad, by_weights)
    at.grad = None
    (shardfft.torch.interpolate(mesh, at, grid) * torch.tensor(weights)).sum().backward()
    by_positions, by_field = mesh.interpolate_adjoint(positions, field, weights)
    np.testing.assert_array_equal(at.grad, by_positions)
    np.testing.assert_array_equal(grid.grad, by_field)
    np.testing.assert_array_equal(shardfft.torch.deposit(mesh, at).detach(), mesh.deposit(positions))


@jax.enable_x64(True)
def test_jax(case):
    jnp = jax.numpy
    mesh, positions, weights, field = case

    def deposited(at, mass):
        return (shardfft.jax.deposit(mesh, at, mass) * field).sum()

    def interpolated(at, grid):
        return (shardfft.jax.interpolate(mesh, at, grid) * weights).sum()

    for compiled in (lambda f: f, jax.jit):
        got = compiled(jax.grad(deposited, (0, 1)))(jnp.asarray(positions), jnp.asarray(weights))
        for one, expected in zip(got, mesh.deposit_adjoint(positions, weights, field), strict=True):
            np.testing.assert_array_equal(one, expected)
        got = compiled(jax.grad(interpolated, (0, 1)))(jnp.asarray(positions), jnp.asarray(field))
        for one, expected in zip(got, mesh.interpolate_adjoint(positions, field, weights), strict=True):
            np.testing.assert_array_equal(one, expected)
    np.testing.assert_array_equal(shardfft.jax.deposit(mesh, jnp.asarray(positions)), mesh.deposit(positions))
