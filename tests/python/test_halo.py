"""Halos against arrays cut from the whole one, and their adjoint."""

import numpy as np
import pytest
from mpi4py import MPI

import shardfft

COMM = MPI.COMM_WORLD


def widened(whole, part, widths):
    """The part with its halos, periodic."""
    for axis, (one, (below, above)) in enumerate(zip(part, widths, strict=True)):
        whole = np.take(whole, np.arange(one.start - below, one.stop + above), axis, mode="wrap")
    return whole


@pytest.mark.parametrize("order", [None, (2, 0, 1)])
@pytest.mark.parametrize("dtype", ["float32", "complex128"])
def test_update_and_its_adjoint(order, dtype):
    shape = (5, 4, 7)
    layout = shardfft.Layout.brick(shape, COMM.size, order=order)
    whole = np.arange(140).reshape(shape).astype(dtype)
    widths = [(1, 2), (0, 1), (3, 3)]
    with shardfft.HaloExchange(layout, widths, dtype) as halo:
        x = halo.pad(whole[layout.local(COMM.rank)])
        assert np.array_equal(x, widened(whole, layout.local(COMM.rank), widths))
        a, b = halo.zeros(), halo.zeros()
        a[...] = np.random.default_rng(COMM.rank).integers(-9, 9, a.shape)
        b[...] = np.random.default_rng(COMM.rank + 99).integers(-9, 9, b.shape)
        filled, added = a.copy("K"), b.copy("K")
        halo.begin(filled)
        halo.end()
        halo.add_back(added)
        assert COMM.allreduce((filled * b).sum()) == COMM.allreduce((a * added).sum())


def test_fields_walls_and_faces():
    layout = shardfft.Layout.slab((2 * COMM.size, 3), COMM.size)
    with shardfft.HaloExchange(layout, 1, periodic=False, corners=False, fields=2) as halo:
        x = halo.zeros() - 7
        halo.own(x)[...] = COMM.rank + np.array([10, 20])[:, None, None]
        halo.update(x)
        below = COMM.rank - 1 if COMM.rank else -17
        above = COMM.rank + 1 if COMM.rank + 1 < COMM.size else -17
        assert np.all(x[0, 0, 1:-1] == below + 10) and np.all(x[0, -1, 1:-1] == above + 10)
        assert np.all(x[:, :, 0] == -7) and np.all(x[:, :, -1] == -7)


def test_wrong_arguments_on_all_ranks():
    layout = shardfft.Layout.slab((2 * COMM.size, 3), COMM.size)
    last = COMM.rank == COMM.size - 1
    with pytest.raises(ValueError, match="one for each of 2"):
        shardfft.HaloExchange(layout, [1, 2, 3])
    with pytest.raises((ValueError, TypeError), match="dtype"):
        shardfft.HaloExchange(layout, 1, "int32" if last else "float64")
    with pytest.raises(ValueError, match="not negative"):
        shardfft.HaloExchange(layout, -1)
    with shardfft.HaloExchange(layout, 1) as halo:
        x = halo.zeros()
        with pytest.raises((ValueError, TypeError), match="null pointer|shape"):
            halo.update(x[:-1] if last else x)
        with pytest.raises(ValueError, match="without a begin"):
            halo.end()
        halo.update(x)
    with pytest.raises(shardfft.Error, match="closed"):
        halo.update(x)
