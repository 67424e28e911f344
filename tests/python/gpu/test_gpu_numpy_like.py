"""fftn and its siblings with arrays on the stand-in's devices."""

import numpy as np
import pytest
from fakes import StandardArray, make_memory, make_stream, to_numpy

import shardfft
from shardfft import Layout, _core

pytestmark = pytest.mark.standin


class Array:
    """An array in device memory, of any type and shape."""

    def __init__(self, values, device):
        values = np.ascontiguousarray(values)
        self.shape, self.dtype, self.device = values.shape, values.dtype, device
        address = make_memory("device", device, values.nbytes)
        self.__cuda_array_interface__ = {
            "shape": values.shape,
            "typestr": values.dtype.str,
            "data": (address, False),
            "strides": values.strides,
            "version": 3,
            "stream": None,
        }
        if values.size > 0:
            from fakes import host_view

            host_view(address, values.shape, values.strides, values.dtype)[...] = values


def device(comm):
    return comm.rank % len(_core.gpu_names())


def cut(whole, comm):
    return whole[Layout.slab(whole.shape, comm.size).local(comm.rank)]


def test_complex(comm, whole, close, made):
    x = whole((7, 6, 5))
    layout = Layout.slab(x.shape, comm.size)
    for _ in range(3):
        spectrum = shardfft.fftn(Array(cut(x, comm), device(comm)), comm)
        assert isinstance(spectrum, shardfft.DeviceArray)
        close(to_numpy(spectrum), layout, np.fft.fftn(x))
        close(to_numpy(shardfft.ifftn(spectrum, comm)), layout, x)
    assert len(made) == 1 and made[0].device == device(comm)


def test_real(comm, whole, close):
    x = whole((6, 4, 7), "float32")
    exact = np.fft.rfftn(x)
    spectrum = shardfft.rfftn(Array(cut(x, comm), device(comm)), comm)
    assert spectrum.dtype == np.complex64
    close(to_numpy(spectrum), Layout.slab(exact.shape, comm.size), exact, "float32")
    back = shardfft.irfftn(spectrum, comm, n=7)
    close(to_numpy(back), Layout.slab(x.shape, comm.size), x, "float32")


def test_host_and_device_plans_are_apart(comm, whole, made):
    x = whole((6, 4))
    other = (device(comm) + 1) % len(_core.gpu_names())
    for _ in range(2):
        assert isinstance(shardfft.fftn(cut(x, comm), comm), np.ndarray)
        shardfft.fftn(Array(cut(x, comm), device(comm)), comm)
        shardfft.fftn(Array(cut(x, comm), other), comm)
        shardfft.fftn(cut(x, comm), comm, processor="gpu")
    assert [plan.device for plan in made] == [None, device(comm), other, device(comm)]


def test_ranks_without_rows(comm, whole):
    x = whole((4, 5, 6), "float64")
    mine = slice(0, 4) if comm.rank == comm.size - 1 else slice(0, 0)
    spectrum = shardfft.rfftn(Array(x[mine], device(comm)), comm)
    assert spectrum.shape == (mine.stop, 5, 4)
    assert np.allclose(to_numpy(spectrum), np.fft.rfftn(x)[mine])


def test_a_stream_of_the_users(comm, whole, close):
    x = whole((6, 4, 5))
    stream = make_stream(device(comm))
    spectrum = shardfft.fftn(Array(cut(x, comm), device(comm)), comm, stream=stream)
    _core.synchronize_stream(device(comm), stream)
    close(to_numpy(spectrum), Layout.slab(x.shape, comm.size), np.fft.fftn(x))
    shardfft.clear_plans()


def test_refusals(comm, whole):
    x = whole((6, 4), "float64")
    with pytest.raises(TypeError, match="cannot be converted to complex128"):
        shardfft.fftn(Array(cut(x, comm), device(comm)), comm)
    if comm.size > 1:
        local = cut(x.astype(complex), comm)
        with pytest.raises(ValueError, match="all on GPUs or all in host memory"):
            shardfft.fftn(Array(local, device(comm)) if comm.rank == 0 else local, comm)


def test_conversion_by_the_librarys_own_means(comm, whole, close):
    x = whole((6, 4), "float64")
    layout = Layout.slab(x.shape, comm.size)

    class Standard(StandardArray):
        def __array_namespace__(self):
            namespace = super().__array_namespace__()
            namespace.astype = lambda array, dtype: Standard(
                shown(to_numpy(array.memory).astype(dtype), array.device), array.stream
            )
            return namespace

    def shown(values, number):
        with shardfft.plan((values.size or 1,), dtype=values.dtype, comm=alone, processor="gpu", device=number) as plan:
            if values.dtype.kind != "c":
                plan.close()
                plan = real_plan(values, number)
            memory = plan.input._of_memory(plan._core.allocate_input(0))
            plan.close()
        memory = memory.reshape(*values.shape) if values.size else memory
        if values.size:
            from fakes import host_view

            seen = memory.__cuda_array_interface__
            host_view(seen["data"][0], memory.shape, memory.strides, memory.dtype)[...] = values
        return memory

    def real_plan(values, number):
        return shardfft.plan((values.size or 1,), "r2c", values.dtype, alone, processor="gpu", device=number)

    alone = comm.Split(comm.rank)
    local = cut(x, comm)
    if comm.size <= x.shape[0]:  # every rank has something
        spectrum = shardfft.fftn(Standard(shown(local, device(comm)), make_stream(device(comm))), comm)
        close(to_numpy(spectrum.memory), layout, np.fft.fftn(x))
    alone.Free()
