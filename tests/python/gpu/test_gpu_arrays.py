"""Arrays of CuPy, PyTorch and JAX on real GPUs, against numpy.fft; skipped if the library or a GPU is missing."""

import numpy as np
import pytest
import users

import shardfft
from shardfft import Layout, _core


@pytest.fixture(params=["cupy", "torch", "jax"])
def library(request):
    return users.make(request.param)


@pytest.fixture(params=["cupy", "torch"])
def with_streams(request):
    return users.make(request.param)


def device(comm):
    return comm.rank % len(_core.gpu_names())


def cut(whole, comm):
    return whole[Layout.slab(whole.shape, comm.size).local(comm.rank)]


@pytest.mark.parametrize("output", ["default", "natural"])
@pytest.mark.parametrize("layout", ["slab", "pencil"])
@pytest.mark.parametrize("kind", ["c2c", "r2c"])
def test_plans(comm, whole, close, library, kind, layout, output):
    x = whole((14, 12, 20), "complex128" if kind == "c2c" else "float64")
    exact = (np.fft.fftn if kind == "c2c" else np.fft.rfftn)(x)
    with shardfft.plan(x.shape, kind, comm=comm, layout=layout, output=output, processor="gpu") as plan:
        for _ in range(4):  # from the third on as a graph, if the arrays are the same
            a = library.array(x[plan.input.slices], plan.device)
            spectrum = plan.forward(a)
            assert isinstance(spectrum, library.kind) and library.device(spectrum) == plan.device
            assert tuple(spectrum.shape) == plan.output.shape
            close(library.numpy(spectrum), plan.output.layout, exact)
            close(library.numpy(a), plan.input.layout, x)
            close(library.numpy(plan.backward(spectrum)), plan.input.layout, x)


@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
def test_given_outputs(comm, whole, close, with_streams, dtype):
    x, library = whole((8, 12, 6), dtype), with_streams
    with shardfft.plan(x.shape, dtype=dtype, comm=comm, output="natural", processor="gpu") as plan:
        a, b = (library.array(x[plan.input.slices], plan.device) for _ in range(2))
        assert plan.forward(a, out=b) is b
        close(library.numpy(b), plan.output.layout, np.fft.fftn(x), np.finfo(dtype).dtype)
        plan.forward(a, out=a)
        close(library.numpy(a), plan.output.layout, np.fft.fftn(x), np.finfo(dtype).dtype)


def test_jax_arrays_are_not_written(comm, whole):
    library = users.make("jax")
    x = whole((8, 4, 6))
    with shardfft.plan(x.shape, comm=comm, output="natural", processor="gpu") as plan:
        a = library.array(x[plan.input.slices], plan.device)
        with pytest.raises(TypeError, match="JAX array"):
            plan.forward(a, out=a)


def test_memory_orders(comm, whole, close, library):
    x = whole((8, 6, 10))
    source = Layout.slab(x.shape, comm.size, 1, order=(2, 0, 1))
    target = Layout.slab(x.shape, comm.size, 0, order=(1, 2, 0))
    with shardfft.plan(x.shape, comm=comm, layout=source, output=target, processor="gpu") as plan:
        a = plan.input.asarray(library.array(x[plan.input.slices], plan.device))
        assert isinstance(a, library.kind)
        spectrum = plan.forward(a)
        close(library.numpy(spectrum), target, np.fft.fftn(x))
        close(library.numpy(plan.backward(spectrum)), source, x)


def test_pending_work_is_waited_for(comm, whole, close, library):
    x = whole((8, 6, 10))
    with shardfft.plan(x.shape, comm=comm, processor="gpu") as plan:
        plan.forward(library.array(x[plan.input.slices], plan.device))
        for turn in range(3):
            a = library.late((turn + 1) * x[plan.input.slices], plan.device)
            close(library.numpy(plan.forward(a)), plan.output.layout, (turn + 1) * np.fft.fftn(x))


def test_pending_work_of_another_stream(comm, whole, close, with_streams):
    x, library = whole((8, 6, 10)), with_streams
    with shardfft.plan(x.shape, comm=comm, processor="gpu") as plan, library.stream(plan.device):
        a = library.late(x[plan.input.slices], plan.device)
        out = library.late(np.zeros(plan.output.shape, complex), plan.device)
        out = plan.output.asarray(out)
        plan.forward(a, out=out)
        close(library.numpy(out), plan.output.layout, np.fft.fftn(x))


def test_the_librarys_own_stream(comm, whole, close, with_streams):
    """Everything in the order of one stream, and nobody waits."""
    x, library = whole((8, 6, 10)), with_streams
    stream = library.stream(device(comm))
    with shardfft.plan(x.shape, comm=comm, output="natural", processor="gpu", stream=stream) as plan, stream:
        for turn in range(5):
            a = library.late((turn + 1) * x[plan.input.slices], plan.device)
            back = plan.backward(2 * plan.forward(a)) / 2
            close(library.numpy(back), plan.input.layout, (turn + 1) * x)
        plan.synchronize()


def test_operators(comm, whole, close, with_streams):
    """A library's work on the spectrum, and CUDA text, whose factors are those of NumPy."""
    x, library = whole((12, 9, 8)), with_streams
    k = np.meshgrid(*(np.fft.fftfreq(n, 1 / n) for n in x.shape), indexing="ij", sparse=True)
    factors = 1 / (1 + k[0] ** 2 + 2 * k[1] ** 2) + 0.5j * k[2]
    exact = np.fft.ifftn(np.fft.fftn(x) * factors)
    text = """__device__ complex factor(const double* k, const long long* i) {
      return complex(1 / (1 + k[0] * k[0] + 2 * k[1] * k[1]), 0.5 * k[2]);
    }"""

    def multiply(part):
        with library.given_stream(part.stream, part.device):
            spectrum = library.seen(part.array)
            spectrum *= library.array(factors[part.side.slices], part.device)

    with shardfft.plan(x.shape, comm=comm, processor="gpu") as plan:
        a = library.array(x[plan.input.slices], plan.device)
        for operator in (shardfft.Operator.calling(multiply), shardfft.Operator.cuda(text)):
            for _ in range(4):
                close(library.numpy(plan.apply(operator, a)), plan.input.layout, exact)
        conjugate = np.fft.ifftn(np.fft.fftn(x) * factors.conj())
        close(library.numpy(plan.apply(shardfft.Operator.cuda(text).conj(), a)), plan.input.layout, conjugate)


@pytest.mark.parametrize("real", [False, True])
def test_numpy_like(comm, whole, close, library, real):
    x = whole((9, 6, 8), "float32" if real else "complex128")
    precision = "float32" if real else "float64"
    exact = (np.fft.rfftn if real else np.fft.fftn)(x)
    local = library.array(cut(x, comm), device(comm))
    for _ in range(2):
        spectrum = (shardfft.rfftn if real else shardfft.fftn)(local, comm)
        assert isinstance(spectrum, library.kind)
        close(library.numpy(spectrum), Layout.slab(exact.shape, comm.size), exact, precision)
    back = shardfft.irfftn(spectrum, comm) if real else shardfft.ifftn(spectrum, comm)
    close(library.numpy(back), Layout.slab(x.shape, comm.size), x, precision)
    shardfft.clear_plans()


def test_numpy_like_converts(comm, close, library):
    x = np.arange(60).reshape(10, 6)
    spectrum = shardfft.fftn(library.array(cut(x, comm), device(comm)), comm)
    close(library.numpy(spectrum), Layout.slab(x.shape, comm.size), np.fft.fftn(x))
    shardfft.clear_plans()


def test_group_plans(whole, library):
    x = whole((10, 6, 8))
    for devices in ([0], [0, 0], list(range(len(_core.gpu_names())))):
        with shardfft.plan(x.shape, output="natural", devices=devices) as plan:
            xs = [library.array(x[side.slices], number) for side, number in zip(plan.inputs, devices, strict=True)]
            for _ in range(4):
                spectra = plan.forward(xs)
            result = np.concatenate([library.numpy(spectrum) for spectrum in spectra])
            assert all(isinstance(spectrum, library.kind) for spectrum in spectra)
            assert np.allclose(result, np.fft.fftn(x))


@pytest.mark.parametrize("memory", ["auto", "managed"])
def test_plan_memory_is_cupys(comm, whole, close, memory):
    library = users.make("cupy")
    x = whole((8, 6, 10))
    with shardfft.plan(x.shape, comm=comm, processor="gpu", memory=memory) as plan:
        a, b = plan.allocate_input(), plan.allocate_output()
        assert isinstance(a, library.kind) and a.shape == plan.input.shape and b.shape == plan.output.shape
        a[...] = library.array(x[plan.input.slices], plan.device)
        plan.forward(a, out=b)
        close(library.numpy(b), plan.output.layout, np.fft.fftn(x))
        close(library.numpy(plan.backward(b)), plan.input.layout, x)


def test_plan_memory_in_torch(comm, whole, close):
    library = users.make("torch")
    x = whole((8, 6, 10))
    with shardfft.plan(x.shape, comm=comm, processor="gpu") as plan:
        raw = plan.input._of_memory(plan._core.allocate_input(0))
        a = library.torch.from_dlpack(raw)
        assert a.data_ptr() == raw.__cuda_array_interface__["data"][0]
        a[...] = library.array(x[plan.input.slices], plan.device)
        close(library.numpy(plan.forward(a)), plan.output.layout, np.fft.fftn(x))


def test_torch_in_host_memory(comm, whole, close):
    torch = users.make("torch").torch
    x = whole((8, 6, 10))
    for processor in ("cpu", "gpu"):
        with shardfft.plan(x.shape, comm=comm, processor=processor, effort="estimate") as plan:
            a = torch.from_numpy(x[plan.input.slices].copy())
            spectrum = plan.forward(a)
            assert isinstance(spectrum, torch.Tensor) and spectrum.device.type == "cpu"
            close(spectrum.numpy(), plan.output.layout, np.fft.fftn(x))
            if processor == "gpu":
                close(plan.forward(a.pin_memory()).numpy(), plan.output.layout, np.fft.fftn(x))


def test_refusals(comm, whole, library):
    x = whole((8, 6, 10))
    with shardfft.plan(x.shape, comm=comm, processor="gpu") as plan:
        a = library.array(x[plan.input.slices], plan.device)
        with pytest.raises(TypeError, match="dtype"):
            plan.forward(a.real)
        with pytest.raises(ValueError, match="shape"):
            plan.forward(a[None])
        plan.forward(a)
    with (
        shardfft.plan(x.shape, comm=comm, effort="estimate") as plan,
        pytest.raises(TypeError, match="processor='gpu'"),
    ):
        plan.forward(a)


def test_what_torch_puts_off(comm, whole, close):
    """Conjugates are marked, not made."""
    library = users.make("torch")
    x = whole((8, 6, 10))
    with shardfft.plan(x.shape, comm=comm, processor="gpu") as plan:
        a = library.array(x[plan.input.slices], plan.device).conj()
        assert a.is_conj()
        close(library.numpy(plan.forward(a)), plan.output.layout, np.fft.fftn(x.conj()))


def test_gradients_are_not_traced(comm, whole):
    library = users.make("torch")
    x = whole((8, 6, 10))
    with shardfft.plan(x.shape, comm=comm, processor="gpu") as plan:
        a = library.array(x[plan.input.slices], plan.device).requires_grad_()
        with pytest.raises(TypeError, match="has no gradient"):
            plan.forward(a)
        plan.forward(a.detach())
