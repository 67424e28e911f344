"""Plans on the stand-in's devices against numpy.fft: arrays of every kind, in any memory, in and out."""

import weakref

import numpy as np
import pytest
from fakes import (
    DLPackArray,
    FakeArray,
    StandardArray,
    device_input,
    host_view,
    make_memory,
    make_stream,
    put,
    to_numpy,
)

import shardfft
from shardfft import Layout, _core

pytestmark = [pytest.mark.standin, pytest.mark.ranks]


@pytest.mark.parametrize("memory", ["auto", "device", "managed"])
@pytest.mark.parametrize("layout", ["slab", "pencil", "brick"])
@pytest.mark.parametrize("kind", ["c2c", "r2c"])
def test_device_arrays(comm, whole, close, kind, layout, memory):
    x = whole((7, 6, 10), "complex128" if kind == "c2c" else "float64")
    exact = (np.fft.fftn if kind == "c2c" else np.fft.rfftn)(x)
    with shardfft.plan(x.shape, kind, comm=comm, layout=layout, processor="gpu", memory=memory) as plan:
        assert plan.device == comm.rank % len(_core.gpu_names())
        a = put(device_input(plan), x[plan.input.slices])
        spectrum = plan.forward(a)
        assert isinstance(spectrum, shardfft.DeviceArray) and spectrum.device == plan.device
        close(to_numpy(spectrum), plan.output.layout, exact)
        b, c = plan.allocate_output(), plan.allocate_input()
        assert plan.forward(a, out=b) is b and plan.backward(b, out=c) is c
        close(to_numpy(b), plan.output.layout, exact)
        close(to_numpy(c), plan.input.layout, x)
    close(to_numpy(c), plan.input.layout, x)  # the memory outlives the plan


@pytest.mark.parametrize("memory", ["auto", "host", "registered"])
def test_numpy_arrays(comm, whole, close, memory):
    x = whole((6, 8, 5))
    with shardfft.plan(x.shape, comm=comm, processor="gpu", memory=memory) as plan:
        for _ in range(3):
            spectrum = plan.forward(plan.input.asarray(x[plan.input.slices]))
            assert type(spectrum) is np.ndarray
            close(spectrum, plan.output.layout, np.fft.fftn(x))
            close(plan.backward(spectrum), plan.input.layout, x)
        if memory != "auto":
            assert type(plan.allocate_input()) is np.ndarray


def test_pinned_arrays_may_go(comm, whole, close):
    """The plan keeps no array, and notices other memory in the place of one."""
    x = whole((8, 64, 64))
    with shardfft.plan(x.shape, comm=comm, processor="gpu", memory="registered") as plan:
        for turn in range(6):
            local = (turn + 1) * x[plan.input.slices]
            gone = weakref.ref(local)
            close(plan.forward(local), plan.output.layout, (turn + 1) * np.fft.fftn(x))
            del local
            assert gone() is None


@pytest.mark.parametrize("kind", [FakeArray, DLPackArray, StandardArray])
def test_the_result_is_of_the_inputs_kind(comm, whole, close, kind):
    x = whole((5, 6, 7))
    with shardfft.plan(x.shape, comm=comm, processor="gpu") as plan:
        stream = make_stream(plan.device)
        spectrum = plan.forward(kind(put(device_input(plan), x[plan.input.slices]), stream))
        if plan.output.count > 0:
            assert type(spectrum) is (StandardArray if kind is StandardArray else shardfft.DeviceArray)
        local = spectrum.memory if isinstance(spectrum, StandardArray) else spectrum
        close(to_numpy(local), plan.output.layout, np.fft.fftn(x))
        mixed = np.empty(plan.output.shape, complex)
        plan.forward(kind(put(device_input(plan), x[plan.input.slices]), stream), out=plan.output.asarray(mixed))


@pytest.mark.parametrize("where", ["pinned", "managed"])
def test_interface_over_other_memory(comm, whole, close, where):
    x = whole((6, 4, 5))
    with shardfft.plan(x.shape, comm=comm, processor="gpu") as plan:
        shape, dtype = plan.input.shape, plan.input.dtype

        class Shown:
            __cuda_array_interface__ = {  # noqa: RUF012
                "shape": shape,
                "typestr": dtype.str,
                "data": (make_memory(where, plan.device, plan.input.nbytes), False),
                "version": 3,
                "stream": None,
            }

        address = Shown.__cuda_array_interface__["data"][0]
        strides = tuple(np.empty(shape, dtype).strides)
        host_view(address, shape, strides, dtype)[...] = x[plan.input.slices]
        spectrum = plan.forward(Shown())
        close(to_numpy(spectrum), plan.output.layout, np.fft.fftn(x))


def test_memory_orders(comm, whole, close):
    x = whole((6, 5, 8))
    source = Layout.slab(x.shape, comm.size, 1, order=(2, 0, 1))
    target = Layout.slab(x.shape, comm.size, 0, order=(1, 2, 0))
    with shardfft.plan(x.shape, comm=comm, layout=source, output=target, processor="gpu") as plan:
        a = put(device_input(plan), x[plan.input.slices])
        spectrum = plan.forward(a)
        assert spectrum.shape == plan.output.shape
        close(to_numpy(spectrum), target, np.fft.fftn(x))
        close(to_numpy(plan.backward(spectrum)), source, x)


def test_in_place_and_fields(comm, whole, close):
    x = whole((3, 6, 4, 5))
    with shardfft.plan(x.shape[1:], comm=comm, batch=3, output="natural", processor="gpu") as plan:
        a = put(device_input(plan), x[(slice(None), *plan.input.slices)])
        assert plan.forward(a, out=a) is a
        close(to_numpy(a), plan.output.layout, np.fft.fftn(x, axes=(1, 2, 3)))
        plan.backward(a, out=a)
        close(to_numpy(a), plan.input.layout, x)


def test_cpu_plans_take_host_arrays_of_other_libraries(comm, whole, close):
    class Tensor:
        """As a library's array in host memory, without NumPy's type."""

        def __init__(self, array):
            self.array, self.shape, self.dtype = array, array.shape, array.dtype

        def __dlpack_device__(self):
            return self.array.__dlpack_device__()

        def __dlpack__(self):
            return self.array.__dlpack__()

    x = whole((6, 4, 5))
    with shardfft.plan(x.shape, comm=comm, output="natural", effort="estimate") as plan:
        assert plan.device is None
        spectrum = plan.forward(Tensor(x[plan.input.slices].copy()))
        close(spectrum, plan.output.layout, np.fft.fftn(x))
