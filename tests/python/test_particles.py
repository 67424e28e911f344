"""Particles on a mesh against one loop of NumPy over all of them; gradients by differences."""

import itertools

import numpy as np
import pytest
from mpi4py import MPI

import shardfft

COMM = MPI.COMM_WORLD
SHAPE, LENGTHS = (6, 5), (3.0, 2.0)


def weights_of(assignment, points):
    """First point and weights along one axis."""
    if assignment == "cic":
        below = int(np.floor(points))
        return below, (1 - points + below, points - below)
    nearest = int(np.floor(points + 0.5))
    if assignment == "nearest":
        return nearest, (1.0,)
    f = points - nearest
    return nearest - 1, ((0.5 - f) ** 2 / 2, 0.75 - f * f, (0.5 + f) ** 2 / 2)


def serial(assignment, positions, weights):
    field = np.zeros(SHAPE)
    for position, weight in zip(positions, weights, strict=True):
        axes = [weights_of(assignment, p / length * n) for p, length, n in zip(position, LENGTHS, SHAPE, strict=True)]
        for places in itertools.product(*(range(len(w)) for _, w in axes)):
            point = tuple((first + i) % n for (first, _), i, n in zip(axes, places, SHAPE, strict=True))
            field[point] += weight * np.prod([w[i] for (_, w), i in zip(axes, places, strict=True)])
    return field


def cloud():
    rng = np.random.default_rng(7)
    positions = rng.uniform(-3, 6, (60, 2))
    positions[:20] = np.round(positions[:20] * 2) / 2  # at points, faces and the domain's ends
    return positions, rng.normal(size=60)


@pytest.mark.parametrize("assignment", ["nearest", "cic", "tsc"])
def test_as_a_serial_loop(assignment):
    positions, weights = cloud()
    layout = shardfft.Layout.brick(SHAPE, COMM.size)
    with shardfft.ParticleMesh(layout, assignment, lengths=LENGTHS) as mesh:
        given = slice(COMM.rank, None, COMM.size)
        move = mesh.migration(positions[given])
        mine, mass = move.move(positions[given]), move.move(weights[given])
        assert np.array_equal(move.back(mass), weights[given])
        field = mesh.deposit(mine, mass)
        expected = serial(assignment, positions, weights)
        np.testing.assert_allclose(field, expected[layout.local(COMM.rank)], atol=1e-14)
        assert COMM.allreduce(field.sum()) == pytest.approx(weights.sum(), abs=1e-13)
        whole = np.random.default_rng(8).normal(size=SHAPE)
        values = mesh.interpolate(mine, whole[layout.local(COMM.rank)])
        for position, value in zip(mine, values, strict=True):
            assert value == pytest.approx((serial(assignment, [position], [1]) * whole).sum(), abs=1e-13)


@pytest.mark.parametrize("assignment", ["cic", "tsc"])
def test_gradients_by_differences(assignment):
    positions, weights = cloud()
    positions, weights = positions[20:], weights[20:]
    layout = shardfft.Layout.slab(SHAPE, COMM.size)
    with shardfft.ParticleMesh(layout, assignment, lengths=LENGTHS, reach=1) as mesh:
        given = slice(COMM.rank, None, COMM.size)
        move = mesh.migration(positions[given])
        mine, mass = move.move(positions[given]), move.move(weights[given])
        probe = np.random.default_rng(9).normal(size=SHAPE)[layout.local(COMM.rank)]
        by_values = np.cos(np.arange(len(mine)))
        step = np.random.default_rng(COMM.rank).normal(size=mine.shape) * 1e-6

        def loss(at):
            return COMM.allreduce(np.vdot(mesh.deposit(at, mass), probe))

        def other(at):
            return COMM.allreduce(np.vdot(mesh.interpolate(at, probe), by_values))

        by_positions, by_weights = mesh.deposit_adjoint(mine, mass, probe)
        assert COMM.allreduce(np.vdot(by_weights, mass)) == pytest.approx(loss(mine), abs=1e-12)
        slope = COMM.allreduce(np.vdot(by_positions, step))
        assert (loss(mine + step) - loss(mine - step)) / 2 == pytest.approx(slope, rel=1e-5, abs=1e-9)
        by_positions, by_field = mesh.interpolate_adjoint(mine, probe, by_values)
        assert COMM.allreduce(np.vdot(by_field, probe)) == pytest.approx(other(mine), abs=1e-12)
        slope = COMM.allreduce(np.vdot(by_positions, step))
        assert (other(mine + step) - other(mine - step)) / 2 == pytest.approx(slope, rel=1e-5, abs=1e-9)


def test_wrong_arguments_on_all_ranks():
    layout = shardfft.Layout.slab((4 * COMM.size,), COMM.size)
    last = COMM.rank == COMM.size - 1
    with pytest.raises(ValueError, match="one of nearest, cic, tsc"):
        shardfft.ParticleMesh(layout, "spline" if last else "cic")
    with shardfft.ParticleMesh(layout, wrap=False) as mesh:
        here = 4.0 * COMM.rank + 0.5
        with pytest.raises(ValueError, match="outside the domain"):
            mesh.deposit([[4.0 * COMM.size if last else here]])
        with pytest.raises(ValueError, match="shape"):
            mesh.deposit([[here]], [1, 2] if last else [1])
        if COMM.size > 1:
            with pytest.raises(ValueError, match="migrate particles first"):
                mesh.deposit([[0.5]])
        assert COMM.allreduce(mesh.deposit([[here]]).sum()) == COMM.size
