"""fftn and its siblings, and moving whole arrays."""

import numpy as np
import pytest

import shardfft
from shardfft import Layout

pytestmark = pytest.mark.ranks


def cut(whole, comm):
    return whole[Layout.slab(whole.shape, comm.size).local(comm.rank)]


@pytest.mark.parametrize("shape", [(24,), (7, 5), (6, 5, 4)])
@pytest.mark.parametrize("norm", [None, "ortho", "forward"])
def test_complex(comm, rng, close, shape, norm):
    x = rng.standard_normal(shape) + 1j * rng.standard_normal(shape)
    spectrum = shardfft.fftn(cut(x, comm), comm, norm=norm)
    layout = Layout.slab(shape, comm.size)
    close(spectrum, layout, np.fft.fftn(x, norm=norm))
    close(shardfft.ifftn(spectrum, comm, norm=norm), layout, x)


@pytest.mark.parametrize("shape", [(24,), (7, 6), (6, 5, 4), (5, 4, 7)])
def test_real(comm, rng, close, shape):
    x = rng.standard_normal(shape)
    exact = np.fft.rfftn(x)
    spectrum = shardfft.rfftn(cut(x, comm), comm)
    layout = Layout.slab(exact.shape, comm.size)
    close(spectrum, layout, exact)
    close(shardfft.irfftn(spectrum, comm, n=shape[-1]), Layout.slab(shape, comm.size), x)


def test_default_extent_of_irfftn(comm, rng, close):
    half = np.fft.rfftn(rng.standard_normal((6, 8)))
    close(shardfft.irfftn(cut(half, comm), comm), Layout.slab((6, 8), comm.size), np.fft.irfftn(half, axes=(0, 1)))


def test_uneven_slabs_of_integers(comm, close):
    x = np.arange(60).reshape(10, 6)
    rows = 10 - comm.size + 1  # the first rank has the most, the others one each
    start, count = (0, rows) if comm.rank == 0 else (rows + comm.rank - 1, 1)
    spectrum = shardfft.fftn(x[start : start + count], comm)
    assert spectrum.shape == (count, 6)
    assert np.allclose(spectrum, np.fft.fftn(x)[start : start + count])


def test_ranks_without_rows(comm):
    x = np.arange(120.0).reshape(4, 5, 6)
    mine = slice(0, 4) if comm.rank == comm.size - 1 else slice(0, 0)  # the last rank has everything
    spectrum = shardfft.rfftn(x[mine], comm)
    assert spectrum.shape == (mine.stop, 5, 4)
    assert np.allclose(spectrum, np.fft.rfftn(x)[mine])
    back = shardfft.irfftn(spectrum, comm, n=6)
    assert back.shape == (mine.stop, 5, 6)
    assert np.allclose(back, x[mine])


def test_single_precision_stays_single(comm, rng):
    x = rng.standard_normal((8, 4)).astype("float32")
    assert shardfft.fftn(cut(x, comm), comm).dtype == np.complex64
    spectrum = shardfft.rfftn(cut(x, comm), comm)
    assert spectrum.dtype == np.complex64
    assert shardfft.irfftn(spectrum, comm).dtype == np.float32


def test_given_layout_and_axes(comm, rng, close):
    x = rng.standard_normal((6, 8, 4))
    layout = Layout.brick(x.shape, comm.size, order=(2, 1, 0))
    spectrum = shardfft.fftn(x[layout.local(comm.rank)], comm, axes=(0, 1), layout=layout)
    close(spectrum, layout, np.fft.fftn(x, axes=(0, 1)))


@pytest.mark.parametrize("root", [0, -1])
@pytest.mark.parametrize("fields", [0, 3])
def test_scatter_and_gather(comm, rng, root, fields):
    root %= comm.size
    x = rng.integers(0, 1000, ((fields,) if fields else ()) + (6, 5, 7))
    layouts = [
        Layout.slab((6, 5, 7), comm.size),
        Layout.cyclic((6, 5, 7), comm.size),
        Layout.brick((6, 5, 7), comm.size, order=(1, 2, 0)),
        Layout.single((6, 5, 7), comm.size, comm.size - 1),
    ]
    for layout in layouts:
        local = shardfft.scatter(x if comm.rank == root else None, layout, comm, root)
        assert np.array_equal(local, x[(..., *layout.local(comm.rank))])
        whole = shardfft.gather(local, layout, comm, root)
        assert (whole is None) == (comm.rank != root)
        if comm.rank == root:
            assert np.array_equal(whole, x)


def test_bad_types(comm):
    with pytest.raises(TypeError, match="rfftn needs real"):
        shardfft.rfftn(np.zeros((4, 4), complex), comm)
    with pytest.raises(TypeError, match="cannot be transformed"):
        shardfft.fftn(np.array([["a"]]), comm)
    with pytest.raises(TypeError, match="communicator"):
        shardfft.fftn(np.zeros((4, 4)), comm="world")


def test_bad_local_shapes(comm):
    if comm.size == 1:
        pytest.skip("needs two ranks")
    with pytest.raises(ValueError, match="axis 0 only"):
        shardfft.fftn(np.zeros((4, 4 + comm.rank)), comm)
    with pytest.raises(ValueError, match="array has the shape|rank 0 failed"):
        shardfft.scatter(np.zeros((3, 3)), Layout.slab((4, 4), comm.size), comm)
    with pytest.raises(ValueError, match="must have the shape|failed with"):
        shardfft.gather(np.zeros((1, 9)), Layout.slab((4, 4), comm.size), comm)
