"""Plans of one process for several of the stand-in's devices; every rank makes its own, without MPI."""

import numpy as np
import pytest
from fakes import DLPackArray, FakeArray, make_stream, put, to_numpy

import shardfft

pytestmark = pytest.mark.standin
DEVICES = [[0], [0, 1], [3, 1, 2], [0, 0, 1, 1]]


def gathered(arrays, sides):
    result = np.full(sides[0].layout.shape, np.nan, sides[0].dtype)
    for array, side in zip(arrays, sides, strict=True):
        result[side.slices] = to_numpy(getattr(array, "memory", array))
    return result


def inputs(plan, x):
    arrays = plan.allocate_input()
    for array, side in zip(arrays, plan.inputs, strict=True):
        put(array, x[side.slices])
    return arrays


@pytest.mark.parametrize("devices", DEVICES)
@pytest.mark.parametrize("kind", ["c2c", "r2c"])
def test_lists(whole, kind, devices):
    x = whole((7, 6, 10), "complex128" if kind == "c2c" else "float64")
    exact = (np.fft.fftn if kind == "c2c" else np.fft.rfftn)(x)
    with shardfft.plan(x.shape, kind, devices=devices) as plan:
        assert plan.devices == devices and len(plan.inputs) == len(devices)
        xs = inputs(plan, x)
        assert [array.device for array in xs] == devices
        spectra = plan.forward(xs)
        assert np.allclose(gathered(spectra, plan.outputs), exact)
        given = plan.allocate_output()
        for _ in range(4):  # from the third call on as a graph
            results = plan.forward(xs, out=given)
            assert all(result is array for result, array in zip(results, given, strict=True))
            assert np.allclose(gathered(given, plan.outputs), exact)
        assert np.allclose(gathered(plan.backward(spectra), plan.inputs), x)
        assert "GPUs" in plan.report()["machine"]
        assert plan.report()["forward"]["graph_runs"] > 0


def test_operators_that_call(whole):
    """The spectrum is a DeviceArray, complete in the order of the stream, on which the function enqueues its copy."""
    x = whole((6, 5, 8))
    values = {rank: whole(x.shape) for rank in range(3)}
    seen = []

    def replace(part):
        assert isinstance(part.array, shardfft.DeviceArray) and part.array.device == part.device
        seen.append((part.side.rank, part.device))
        new = np.ascontiguousarray(values[0][part.side.slices].transpose(part.side._order))
        staged = FakeArray(part.array.transpose(part.side._order), part.stream)
        staged.write_later(new, noise=2)

    with shardfft.plan(x.shape, devices=[1, 0, 2]) as plan:
        op = shardfft.Operator.calling(replace)
        for run in range(3):
            result = plan.apply(op, inputs(plan, x))
            assert np.allclose(gathered(result, plan.inputs), np.fft.ifftn(values[0])), run
        assert seen == [(0, 1), (1, 0), (2, 2)] * 3
        text = shardfft.Operator.cuda("double factor(const double* k, const long long* i) {\n return wrong; }")
        for one in (text, text.conj()):
            with pytest.raises(shardfft.Error, match=r"operator\(2\): error: identifier .wrong. is undefined|toolkit"):
                plan.apply(one, inputs(plan, x))
        ones = "__device__ {} factor(const double* k, const long long* i) {{ return k[0] + i[1]; }}"
        for kind in ("double", "complex"):
            for one in (shardfft.Operator.cuda(ones.format(kind)), shardfft.Operator.cuda(ones.format(kind)).conj()):
                with pytest.raises(shardfft.Error, match="the stand-in's|toolkit"):
                    plan.apply(one, inputs(plan, x))


def test_numpy_arrays(whole):
    x = whole((6, 5, 4))
    with shardfft.plan(x.shape, output="natural", devices=[1, 0]) as plan:
        spectra = plan.forward([side.asarray(x[side.slices]) for side in plan.inputs])
        assert all(type(spectrum) is np.ndarray for spectrum in spectra)
        assert np.allclose(gathered(spectra, plan.outputs), np.fft.fftn(x))


@pytest.mark.parametrize("kind", [FakeArray, DLPackArray])
@pytest.mark.parametrize("own", [True, False])
def test_pending_work_is_waited_for(whole, kind, own):
    x, devices = whole((6, 4, 5)), [2, 0]
    streams = None if own else [make_stream(device) for device in devices]
    with shardfft.plan(x.shape, streams=streams, devices=devices) as plan:
        theirs = [make_stream(device) for device in devices]
        for turn in range(5):
            xs = []
            for memory, side, stream in zip(plan.allocate_input(), plan.inputs, theirs, strict=True):
                xs.append(kind(memory, stream).write_later((turn + 1) * x[side.slices]))
            spectra = plan.forward(xs)
            plan.synchronize()
            assert np.allclose(gathered(spectra, plan.outputs), (turn + 1) * np.fft.fftn(x))


def test_refusals(whole):
    x = whole((6, 4, 5))
    with shardfft.plan(x.shape, devices=[0, 1]) as plan:
        xs = inputs(plan, x)
        with pytest.raises(ValueError, match="2 GPUs: give one array for each, not 1"):
            plan.forward(xs[:1])
        with pytest.raises(ValueError, match="rank 0: x lies on GPU 1, but the plan runs on GPU 0"):
            plan.forward(xs[::-1])
        with pytest.raises(TypeError, match="rank 1: x must have dtype"):
            plan.forward([xs[0], np.zeros(plan.inputs[1].shape)])
        with pytest.raises(TypeError, match="a stream for every GPU"):
            plan.set_streams([make_stream(0), None])
        with pytest.raises(ValueError, match="streams"):
            plan.set_streams([make_stream(0)])
        plan.forward(xs)
    with pytest.raises(shardfft.ArgumentError, match="closed"):
        plan.forward(xs)
    for devices, words in (([], "layout|GPU|rank"), ([0, 99], "99")):
        with pytest.raises(ValueError, match=words):
            shardfft.plan(x.shape, devices=devices)
