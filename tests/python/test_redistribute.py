"""Arrays of any dtype from any layout to any other."""

import numpy as np
import pytest

import shardfft
from shardfft import Layout

pytestmark = pytest.mark.ranks

NUMBERS = ["float64", "float32", "complex64", "complex128", "int8", "int16", "int64", "bool", "longdouble"]
DTYPES = [*NUMBERS, "U3", "f8,i4"]


def whole(shape, dtype):
    numbers = np.arange(np.prod(shape)).reshape(shape)
    if dtype == "f8,i4":
        result = np.zeros(shape, dtype)
        result["f0"], result["f1"] = numbers * 0.5, numbers
        return result
    return (numbers % 100).astype(dtype)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("exchange", ["auto", "p2p", "shared_window"])
def test_dtypes_and_layouts(comm, dtype, exchange):
    shape = (7, 6, 5)
    layouts = [
        Layout.slab(shape, comm.size),
        Layout.slab(shape, comm.size, 1, order=(2, 0, 1)),
        Layout.brick(shape, comm.size),
        Layout.cyclic(shape, comm.size),
    ]
    x = whole(shape, dtype)
    for start in layouts:
        for to in layouts:
            mine = x[start.local(comm.rank)]
            got = shardfft.redistribute(mine, start, to, comm, exchange=exchange)
            assert got.dtype == x.dtype
            assert np.array_equal(got, x[to.local(comm.rank)])


def test_names_and_fields(comm):
    x = whole((8, 6), "float64")
    rows, pencils = Layout.slab(x.shape, comm.size), Layout.slab(x.shape, comm.size, 1)
    got = shardfft.redistribute(x[rows.local(comm.rank)], None, pencils, comm)
    assert np.array_equal(got, x[pencils.local(comm.rank)])
    assert np.array_equal(shardfft.redistribute(got, pencils, "slab", comm), x[rows.local(comm.rank)])
    two = np.stack([x, -x])
    got = shardfft.redistribute(two[(slice(None), *rows.local(comm.rank))], rows, pencils, comm)
    assert np.array_equal(got, two[(slice(None), *pencils.local(comm.rank))])


@pytest.mark.parametrize("fields", [(), (2,)])
def test_ranks_without_elements(comm, fields):
    """Arrays without elements may have any shape: rows of no number are as long as others."""
    have = max(1, comm.size - 1)
    x = whole((*fields, have, 6), "float64")
    mine = x[..., comm.rank : comm.rank + 1, :]
    rows, columns = (Layout.slab((have, 6), comm.size, axis) for axis in (0, 1))
    for start in (rows, *(() if fields else (None, "slab"))):
        got = shardfft.redistribute(mine, start, columns, comm)
        assert np.array_equal(got, x[(..., *columns.local(comm.rank))])
    for root in {0, comm.size - 1}:
        for start in (rows, *(() if fields else ("slab",))):
            got = shardfft.gather(mine, start, comm, root)
            assert np.array_equal(got, x) if comm.rank == root else got is None
    wrong = mine if comm.rank else mine[..., :0, :]
    with pytest.raises((ValueError, shardfft.Error), match="rank 0 must have the shape"):
        shardfft.redistribute(wrong, rows, columns, comm)


def test_errors(comm):
    rows = Layout.slab((8, 6), comm.size)
    mine = np.zeros((8, 6))[rows.local(comm.rank)]
    with pytest.raises((TypeError, shardfft.Error), match="dtype object"):
        shardfft.redistribute(mine.astype(object), rows, "cyclic", comm)
    with pytest.raises((ValueError, shardfft.Error), match="local array"):
        shardfft.redistribute(np.zeros((50, 50)), rows, "cyclic", comm)
    with pytest.raises(ValueError, match="different shapes"):
        shardfft.redistribute(mine, rows, Layout.slab((8, 7), comm.size), comm)
    with pytest.raises(ValueError, match="no effect"):
        shardfft.redistribute(mine, rows, "cyclic", comm, algorithm="slab")
    with pytest.raises((TypeError, shardfft.Error), match="no option"):
        shardfft.redistribute(mine, rows, "cyclic", comm, sped=3)
    if comm.size > 1:
        with pytest.raises(ValueError, match="different layouts"):
            shardfft.redistribute(mine, rows if comm.rank == 0 else "slab", "cyclic", comm)
