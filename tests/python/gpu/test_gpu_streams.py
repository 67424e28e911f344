"""The order of work: the stand-in runs the work of streams in any order that nothing forbids."""

import gc
import sys

import numpy as np
import pytest
from fakes import DLPackArray, FakeArray, StandardArray, device_input, fake_cupy, make_stream, to_numpy

import shardfft
from shardfft import _core
from shardfft._libraries import streams

pytestmark = pytest.mark.standin
KINDS = [FakeArray, DLPackArray, StandardArray]
ROUNDS = 5


@pytest.mark.parametrize("kind", KINDS)
def test_pending_input_is_waited_for(comm, whole, close, kind):
    x = whole((6, 4, 5))
    with shardfft.plan(x.shape, comm=comm, processor="gpu") as plan:
        stream = make_stream(plan.device)
        for turn in range(ROUNDS):
            local = (turn + 1) * x[plan.input.slices]
            spectrum = plan.forward(kind(device_input(plan), stream).write_later(local))
            raw = getattr(spectrum, "memory", spectrum)
            close(to_numpy(raw), plan.output.layout, (turn + 1) * np.fft.fftn(x))


@pytest.mark.parametrize("kind", KINDS)
def test_pending_work_on_the_output_is_waited_for(comm, whole, close, kind):
    x = whole((6, 4, 5))
    with shardfft.plan(x.shape, comm=comm, processor="gpu") as plan:
        stream = make_stream(plan.device)
        for _ in range(ROUNDS):
            out = kind(plan.allocate_output(), stream)
            out.write_later(np.full(out.shape, 7.0))
            plan.forward(plan.input.asarray(x[plan.input.slices]), out=out)
            close(out.numpy(), plan.output.layout, np.fft.fftn(x))


def test_before_version_3_the_default_stream_is_waited_for(comm, whole, close):
    class Old(FakeArray):
        @property
        def __cuda_array_interface__(self):
            return {**self.memory.__cuda_array_interface__, "version": 2}

    x = whole((6, 4, 5))
    with shardfft.plan(x.shape, comm=comm, processor="gpu") as plan:
        for _ in range(ROUNDS):
            a = Old(device_input(plan), streams.LEGACY).write_later(x[plan.input.slices])
            close(to_numpy(plan.forward(a)), plan.output.layout, np.fft.fftn(x))


@pytest.mark.parametrize("kind", KINDS)
def test_asynchronous_calls(comm, whole, close, kind):
    """The user's stream: calls follow each other there, and the result waits to be asked for."""
    x = whole((8, 6, 4))
    device = comm.rank % len(_core.gpu_names())
    stream = make_stream(device)
    with shardfft.plan(x.shape, comm=comm, output="natural", processor="gpu", stream=stream) as plan:
        others = make_stream(device)
        for turn in range(ROUNDS):
            a = kind(device_input(plan), others).write_later((turn + 1) * x[plan.input.slices])
            spectrum = plan.forward(a)
            back = plan.backward(spectrum)
            plan.synchronize()
            for result, exact in ((spectrum, np.fft.fftn(x)), (back, x)):
                close(to_numpy(getattr(result, "memory", result)), plan.output.layout, (turn + 1) * exact)


def test_arrays_dropped_while_calls_are_under_way(comm, whole, close):
    """Memory of a plan goes back when the device is done with it, so whoever drops it early loses nothing else."""
    x = whole((8, 6, 4))
    device = comm.rank % len(_core.gpu_names())
    stream, others = make_stream(device), make_stream(device)
    with shardfft.plan(x.shape, comm=comm, output="natural", processor="gpu", stream=stream) as plan:
        for turn in range(ROUNDS):
            a = FakeArray(device_input(plan), others).write_later((turn + 1) * x[plan.input.slices])
            spectrum = plan.forward(a)
            del a
            gc.collect()
            plan.forward(FakeArray(device_input(plan), others).write_later(np.ones(plan.input.shape)))
            gc.collect()
            plan.synchronize()
            close(to_numpy(spectrum), plan.output.layout, (turn + 1) * np.fft.fftn(x))
        host = plan.forward(x[plan.input.slices].copy())  # in host memory: the call waits
        close(host, plan.output.layout, np.fft.fftn(x))


def test_results_tell_what_they_wait_for(comm, whole, close):
    """Who takes a result of an asynchronous call into another stream waits for it there."""
    x = whole((6, 4, 5))
    device = comm.rank % len(_core.gpu_names())
    stream, other = make_stream(device), make_stream(device)
    with (
        shardfft.plan(x.shape, comm=comm, output="natural", processor="gpu", stream=stream) as first,
        shardfft.plan(x.shape, comm=comm, output="natural", processor="gpu", stream=other) as second,
        shardfft.plan(x.shape, comm=comm, output="natural", processor="gpu") as third,
    ):
        for _ in range(ROUNDS):
            a = DLPackArray(device_input(first), stream).write_later(x[first.input.slices])
            spectrum = first.forward(a)
            assert spectrum.__cuda_array_interface__["stream"] == stream
            again = second.backward(spectrum)
            close(to_numpy(third.forward(again)), third.output.layout, np.fft.fftn(x))


def test_new_arrays_of_a_pool(comm, whole, close, monkeypatch):
    """A pool gives memory on which older work of the library's stream is still under way."""
    x = whole((6, 4, 5))
    with shardfft.plan(x.shape, comm=comm, processor="gpu") as plan:
        stream, pool = make_stream(plan.device), []
        monkeypatch.setitem(sys.modules, "cupy", cupy := fake_cupy(stream, pool))
        for _ in range(ROUNDS):
            a = cupy.ndarray(plan.input._of_memory(plan._core.allocate_input(0)), stream)
            a.write_later(x[plan.input.slices])
            memory = plan.output._of_memory(plan._core.allocate_output(0))
            DLPackArray(memory, stream).write_later(np.zeros(memory.shape))
            pool.append(memory)
            spectrum = plan.forward(a)
            assert isinstance(spectrum, cupy.ndarray) and not pool
            close(spectrum.numpy(), plan.output.layout, np.fft.fftn(x))


def test_calls_are_in_the_order_of_the_librarys_stream(comm, whole, close, monkeypatch):
    """Without the option ``stream`` too: nobody waits, and memory that goes back to the pool may be written at once."""
    x = whole((6, 4, 5))
    with shardfft.plan(x.shape, comm=comm, output="natural", processor="gpu") as plan:
        stream, pool = make_stream(plan.device), []
        monkeypatch.setitem(sys.modules, "cupy", cupy := fake_cupy(stream, pool))
        waited, wait = [], _core.synchronize_stream
        monkeypatch.setattr(_core, "synchronize_stream", lambda *place: waited.append(place) or wait(*place))
        for turn in range(ROUNDS):
            a = cupy.ndarray(plan.input._of_memory(plan._core.allocate_input(0)), stream)
            a.write_later((turn + 1) * x[plan.input.slices])
            pool += [plan.input._of_memory(plan._core.allocate_input(0)) for _ in range(2)]
            spectrum = plan.forward(a)
            a.write_later(np.full(a.shape, 7.0))  # whoever has the memory next
            back = plan.backward(spectrum)
            spectrum.write_later(np.full(a.shape, 7.0))
            assert not waited
            close(back.numpy(), plan.input.layout, (turn + 1) * x)
            waited.clear()


def test_conversions_are_made_on_the_arrays_gpu(comm, whole, close, monkeypatch):
    x = whole((6, 4, 5), "float64")
    number = 1 + comm.rank % 3
    stream, pool = make_stream(number), []
    monkeypatch.setitem(sys.modules, "cupy", cupy := fake_cupy(stream, pool))
    with (
        shardfft.plan(x.shape, "r2c", comm=comm, processor="gpu", device=number) as real,
        shardfft.plan(x.shape, comm=comm, processor="gpu", device=number) as plan,
    ):
        a = cupy.ndarray(real.input._of_memory(real._core.allocate_input(0)), stream)
        a.write_later(x[real.input.slices]).numpy()
        pool.append(plan.output._of_memory(plan._core.allocate_output(0)))
        pool.append(plan.input._of_memory(plan._core.allocate_input(0)))
        spectrum = plan.forward(plan.input.asarray(a))
        close(spectrum.numpy(), plan.output.layout, np.fft.fftn(x))


def test_inputs_in_another_memory_order_are_copied(comm, whole, close, monkeypatch):
    x = whole((6, 8, 5), "complex128")
    stream, pool = make_stream(0), []
    monkeypatch.setitem(sys.modules, "cupy", cupy := fake_cupy(stream, pool))
    output = shardfft.Layout.slab(x.shape, comm.size, 1, order=(1, 0, 2))
    with shardfft.plan(x.shape, comm=comm, output=output, processor="gpu", device=0) as plan:
        memory = plan.output._of_memory(plan._core.allocate_output(0))
        a = cupy.ndarray(memory.reshape(*plan.output.shape), stream)  # in C order
        pool.append(plan.output._of_memory(plan._core.allocate_output(0)))
        pool.append(plan.input._of_memory(plan._core.allocate_input(0)))
        a.write_later(x[plan.output.slices]).numpy()
        result = plan.backward(a)
        assert not pool
        close(result.numpy(), plan.input.layout, np.fft.ifftn(x))


def test_streams_of_libraries():
    class CuPy:
        ptr = 48

    class Torch:
        cuda_stream = 0

    class Method:
        def __cuda_stream__(self):
            return (0, 64)

    class Attribute:
        __cuda_stream__ = (0, 80)

    known = [(None, 0), (32, 32), (0, 1), (2, 2), (CuPy(), 48), (Torch(), 1), (Method(), 64), (Attribute(), 80)]
    for stream, handle in known:
        assert streams.pointer(stream) == handle
    with pytest.raises(TypeError, match="cupy.cuda.Stream"):
        streams.pointer("fast")


def test_a_streams_owner_lives_as_long_as_the_plan(comm):
    class Stream:
        def __init__(self, handle):
            self.ptr = handle

    stream = Stream(make_stream(comm.rank % len(_core.gpu_names())))
    with shardfft.plan((4, 4, 4), comm=comm, processor="gpu", stream=stream) as plan:
        assert plan.stream == stream.ptr and plan._user_streams[0] is stream
