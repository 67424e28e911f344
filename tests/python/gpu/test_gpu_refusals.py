"""Wrong arrays and arguments on GPUs: a clear error on every rank, and no rank left waiting."""

import sys
import types

import numpy as np
import pytest
from fakes import DLPackArray, FakeArray, StandardArray, device_input, make_stream

import shardfft
from shardfft import _core

pytestmark = [pytest.mark.standin, pytest.mark.ranks]
SHAPE = (8, 6, 4)


@pytest.fixture
def plan(comm):
    with shardfft.plan(SHAPE, comm=comm, output="natural", processor="gpu") as made:
        yield made


def changed(array, **words):
    """Give an array that shows itself as ``array`` does but for some words."""
    seen = {**array.__cuda_array_interface__, **words}
    return types.SimpleNamespace(__cuda_array_interface__=seen)


def test_wrong_arrays(plan):
    good = device_input(plan)
    elsewhere = FakeArray(good, make_stream(plan.device))
    fixed = changed(good, data=(good.__cuda_array_interface__["data"][0], True))
    turned = good.transpose((2, 1, 0))
    for bad, error, words in [
        ([1.0, 2.0], TypeError, "DLPack or __cuda_array_interface__, not list"),
        (changed(good, typestr="<f8"), TypeError, "dtype complex128, not float64"),
        (changed(good, shape=(1, *good.shape), strides=None), ValueError, "shape"),
        (changed(turned, shape=good.shape), ValueError, "dense"),
        (changed(good, mask=elsewhere), TypeError, "mask"),
    ]:
        with pytest.raises(error, match=words):
            plan.forward(bad)
    with pytest.raises(ValueError, match="read-only"):
        plan.forward(good, out=fixed)
    half = changed(good, data=(good.__cuda_array_interface__["data"][0] + 16, False))
    with pytest.raises(ValueError, match="overlap"):
        plan.forward(good, out=half)
    plan.forward(good)


@pytest.mark.parametrize("kind", [FakeArray, DLPackArray])
def test_another_gpu(comm, plan, kind):
    other = (plan.device + 1) % len(_core.gpu_names())
    with shardfft.plan(SHAPE, comm=comm, output="natural", processor="gpu", device=other) as there:
        a = kind(device_input(there), make_stream(other))
        with pytest.raises(ValueError, match=f"lies on GPU {other}, but the plan runs on GPU {plan.device}"):
            plan.forward(a)
        good = device_input(plan)
        with pytest.raises(ValueError, match=f"out lies on GPU {other}"):
            plan.forward(good, out=a)
        plan.forward(good)


def test_one_rank_wrong_fails_everywhere(comm, plan):
    good = device_input(plan)
    bad = [1, 2] if comm.rank == comm.size - 1 else good
    with pytest.raises((TypeError, shardfft.ArgumentError)):
        plan.forward(bad)
    plan.forward(good)


def test_gpu_arrays_on_a_cpu_plan(comm, plan):
    good = device_input(plan)
    with shardfft.plan(SHAPE, comm=comm, output="natural", effort="estimate") as on_cpu:
        for array in (good, FakeArray(good, make_stream(plan.device)), DLPackArray(good, make_stream(plan.device))):
            with pytest.raises(TypeError, match="x lies on GPU .* plan with processor='gpu'"):
                on_cpu.forward(array)
        with pytest.raises(TypeError, match="out lies on GPU"):
            on_cpu.forward(on_cpu.input.zeros(), out=good)
        on_cpu.forward(on_cpu.input.zeros())


@pytest.mark.parametrize(("memory", "words"), [("host", "device memory"), ("managed", "device memory")])
def test_memory_of_another_kind(comm, plan, memory, words):
    with (
        shardfft.plan(SHAPE, comm=comm, output="natural", processor="gpu", memory=memory) as told,
        pytest.raises(ValueError, match=f"{words}, but the plan was made with memory={memory}|failed"),
    ):
        told.forward(device_input(plan))


def test_jax_arrays_are_not_written(comm, plan, monkeypatch):
    module = types.ModuleType("jax")
    module.Array = type("Array", (StandardArray,), {})
    monkeypatch.setitem(sys.modules, "jax", module)
    a = module.Array(device_input(plan), make_stream(plan.device))
    with pytest.raises(TypeError, match="JAX array"):
        plan.forward(a, out=a)
    plan.forward(a)


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"processor": "tpu"}, ValueError, "tpu"),
        ({"processor": "gpu", "memory": "core"}, ValueError, "core"),
        ({"processor": "gpu", "device": 99}, ValueError, "99"),
        ({"processor": "gpu", "stream": "fast"}, TypeError, "stream"),
        ({"processor": "gpu", "exchange": "alltoallv"}, ValueError, "alltoallv"),
    ],
)
def test_bad_options(comm, options, error, words):
    with pytest.raises(error, match=words):
        shardfft.plan(SHAPE, comm=comm, **options)


def test_closed(comm):
    plan = shardfft.plan(SHAPE, comm=comm, processor="gpu")
    a = device_input(plan)
    plan.close()
    for call in (lambda: plan.forward(a), plan.synchronize):
        with pytest.raises(shardfft.ArgumentError, match="closed"):
            call()


def test_builds_without_gpus(comm, monkeypatch):
    monkeypatch.setattr(_core, "gpu_support", lambda: "")
    with pytest.raises(shardfft.Error, match=r"no GPU support: install it .*SHARDFFT_GPU=CUDA") as caught:
        shardfft.plan(SHAPE, comm=comm, processor="gpu")
    assert caught.value.status == "unsupported"
    with pytest.raises(shardfft.Error, match="no GPU support"):
        shardfft.plan(SHAPE, devices=[0, 1])


def test_device_arrays_show_their_memory_only_where_it_is(plan):
    a = plan.input._of_memory(plan._core.allocate_input(0))
    for words in ({"copy": True}, {"dl_device": (1, 0)}):
        with pytest.raises(BufferError):
            a.__dlpack__(**words)
    a.__dlpack__(stream=1, max_version=(1, 0), dl_device=(2, plan.device), copy=False)
    assert a.reshape(a.size).shape == (a.size,)
    assert a.ndim == 3 and a.nbytes == plan.input.nbytes
    with pytest.raises(ValueError, match="cannot be seen"):
        a.reshape(a.size + 1)


def test_real_numpy_stays_strict(plan):
    with pytest.raises(TypeError, match="dtype complex128, not float64"):
        plan.forward(np.zeros(plan.input.shape))
