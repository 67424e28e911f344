"""Layouts by name for arrays that are there already."""

import numpy as np
import pytest

import shardfft
from shardfft import Layout
from shardfft._layouts.layout import named

NAMES = ["slab", "pencil", "brick", "cyclic"]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("shape", [(8, 6, 10), (2, 3, 2), (5, 4)])
def test_fftn_by_name(comm, rng, close, name, shape):
    layout = named(name, shape, comm.size)
    x = rng.standard_normal(shape)
    mine = np.ascontiguousarray(x[layout.local(comm.rank)])
    spectrum = shardfft.fftn(mine, comm, layout=name)
    close(spectrum, layout, np.fft.fftn(x))
    close(shardfft.ifftn(spectrum, comm, layout=name), layout, x.astype(complex))


def test_rfftn_by_name(comm, rng, close):
    x = rng.standard_normal((8, 6, 10))
    layout = Layout.brick(x.shape, comm.size)
    half = shardfft.rfftn(x[layout.local(comm.rank)], comm, layout="brick")
    close(half, Layout.brick((8, 6, 6), comm.size), np.fft.rfftn(x))
    close(shardfft.irfftn(half, comm, layout="brick"), layout, x)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("shape", [(8, 6, 10), (1, 5, 3), (3, 2)])
def test_scatter_and_gather_by_name(comm, rng, name, shape):
    whole = rng.standard_normal(shape)
    mine = shardfft.scatter(whole if comm.rank == 0 else None, name, comm)
    assert np.array_equal(mine, whole[named(name, shape, comm.size).local(comm.rank)])
    back = shardfft.gather(mine, name, comm)
    assert comm.rank != 0 or np.array_equal(back, whole)


def test_wrong_names_and_shapes(comm):
    x = np.zeros((4, 4))
    for call in (
        lambda name: shardfft.fftn(x, comm, layout=name),
        lambda name: shardfft.scatter(x, name, comm),
        lambda name: shardfft.gather(x, name, comm),
    ):
        with pytest.raises(ValueError, match="unknown layout 'slabs'"):
            call("slabs")
    with pytest.raises(TypeError, match="name or a shardfft.Layout"):
        shardfft.fftn(x, comm, layout=3)
    if comm.size == 1:
        return
    with pytest.raises(ValueError, match=r"the ranks gave different layouts \(rank 0: 'slab'; rank \d: 'brick'\)"):
        shardfft.fftn(x, comm, layout="slab" if comm.rank == 0 else "brick")
    with pytest.raises(ValueError, match="are no slab of an array"):
        shardfft.fftn(np.zeros((4 if comm.rank == 0 else 40, 4)), comm, layout="slab")
    with pytest.raises(ValueError, match="root 9 is not one of the"):
        shardfft.scatter(x, "slab", comm, root=9)
