"""Arrays of every kind change their layout on the stand-in's devices."""

import numpy as np
import pytest
from fakes import DLPackArray, StandardArray, host_view, make_memory, make_stream, to_numpy

import shardfft
from shardfft import Layout, _core

pytestmark = [pytest.mark.standin, pytest.mark.ranks]


class Shown:
    """An array that does nothing but show its memory on a device."""

    def __init__(self, values, device, kind="device"):
        address = make_memory(kind, device, values.nbytes)
        host_view(address, values.shape, values.strides, values.dtype)[...] = values
        shown = {"shape": values.shape, "typestr": values.dtype.str, "data": (address, False)}
        self.shape = values.shape
        self.__cuda_array_interface__ = {**shown, "strides": values.strides, "version": 3, "stream": None}


def cuts(shape, ranks):
    return [
        Layout.slab(shape, ranks),
        Layout.slab(shape, ranks, 1, order=(2, 0, 1)),
        Layout.brick(shape, ranks),
        Layout.cyclic(shape, ranks),
    ]


def local_of(x, layout, rank):
    """Give this rank's part, dense in the layout's memory order."""
    order = layout.order
    dense = np.ascontiguousarray(x[layout.local(rank)].transpose(order))
    return dense.transpose(np.argsort(order))


@pytest.mark.parametrize("dtype", ["float64", "complex64", "int16", "int8", "longdouble"])
def test_numpy_arrays(comm, dtype):
    x = np.arange(7 * 6 * 5).reshape(7, 6, 5).astype(dtype)
    rows, columns = Layout.slab(x.shape, comm.size), Layout.slab(x.shape, comm.size, 1, order=(2, 0, 1))
    got = shardfft.redistribute(x[rows.local(comm.rank)], rows, columns, comm, processor="gpu")
    assert got.dtype == x.dtype
    assert np.array_equal(got, x[columns.local(comm.rank)])


@pytest.mark.parametrize("memory", ["host", "registered", "managed"])
def test_said_memory(comm, memory):
    x = np.arange(6 * 8).reshape(6, 8).astype("int32")
    rows, columns = Layout.slab(x.shape, comm.size), Layout.slab(x.shape, comm.size, 1)
    local = x[rows.local(comm.rank)]
    if memory == "managed":
        local = Shown(local, comm.rank % len(_core.gpu_names()), memory)
    got = shardfft.redistribute(local, rows, columns, comm, processor="gpu", memory=memory)
    assert isinstance(got, shardfft.DeviceArray if memory == "managed" else np.ndarray)
    assert np.array_equal(to_numpy(got), x[columns.local(comm.rank)])


@pytest.mark.parametrize("dtype", ["float64", "complex64", "int16", "uint8", "bool", "longdouble"])
def test_device_arrays(comm, dtype):
    """On the GPU of the arrays, which need not be the one of the rank's number."""
    x = np.arange(7 * 6 * 5).reshape(7, 6, 5).astype(dtype)
    device = (comm.rank + 1) % len(_core.gpu_names())
    for start in cuts(x.shape, comm.size):
        for to in cuts(x.shape, comm.size):
            mine = Shown(local_of(x, start, comm.rank), device)
            got = shardfft.redistribute(mine, start, to, comm)
            assert isinstance(got, shardfft.DeviceArray)
            assert got.dtype == x.dtype and got.device == device
            assert np.array_equal(to_numpy(got), x[to.local(comm.rank)])


def test_names_and_fields(comm):
    x = np.arange(8 * 6 * 4).reshape(8, 6, 4) * 0.5
    rows, columns = Layout.slab(x.shape, comm.size), Layout.slab(x.shape, comm.size, 1)
    mine = Shown(local_of(x, rows, comm.rank), comm.rank % len(_core.gpu_names()))
    got = shardfft.redistribute(shardfft.redistribute(mine, None, columns, comm), columns, "slab", comm)
    assert np.array_equal(to_numpy(got), x[rows.local(comm.rank)])
    two = np.stack([x, -x])
    mine = Shown(np.ascontiguousarray(two[(slice(None), *rows.local(comm.rank))]), comm.rank % len(_core.gpu_names()))
    got = shardfft.redistribute(mine, rows, columns, comm)
    assert np.array_equal(to_numpy(got), two[(slice(None), *columns.local(comm.rank))])


@pytest.mark.parametrize("kind", [DLPackArray, StandardArray])
def test_work_under_way_comes_first_and_the_result_is_of_the_inputs_kind(comm, kind):
    x = np.arange(16 * 12 * 5).reshape(16, 12, 5) * 1.0
    rows, columns = Layout.slab(x.shape, comm.size), Layout.slab(x.shape, comm.size, 1)
    device = comm.rank % len(_core.gpu_names())
    memory = shardfft.redistribute(Shown(local_of(x, columns, comm.rank), device), columns, rows, comm)
    mine = kind(memory, make_stream(device)).write_later(-x[rows.local(comm.rank)])
    got = shardfft.redistribute(mine, rows, columns, comm)
    if got.size > 0 if isinstance(got, shardfft.DeviceArray) else 0 not in got.shape:
        assert type(got) is (StandardArray if kind is StandardArray else shardfft.DeviceArray)
    shown = got.memory if isinstance(got, StandardArray) else got
    assert np.array_equal(to_numpy(shown), -x[columns.local(comm.rank)])


def test_refusals(comm):
    x = np.arange(8 * 6).reshape(8, 6) * 1.0
    rows, device = Layout.slab(x.shape, comm.size), comm.rank % len(_core.gpu_names())
    mine = local_of(x, rows, comm.rank)
    with pytest.raises((ValueError, shardfft.Error), match="local array"):
        shardfft.redistribute(Shown(np.zeros((50, 50)), device), rows, "cyclic", comm)
    with pytest.raises((TypeError, shardfft.Error), match="plan runs on CPUs"):
        shardfft.redistribute(Shown(mine, device), rows, "cyclic", comm, processor="cpu", device=None)
    if comm.size > 1:
        with pytest.raises(ValueError, match="all on GPUs or all in host memory"):
            shardfft.redistribute(mine if comm.rank == 0 else Shown(mine, device), rows, "cyclic", comm)
