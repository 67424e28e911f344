"""PyTorch, CuPy and JAX on real GPUs, one a rank: calls on streams with pending work, gradients, compiled programs."""

import numpy as np
import pytest
from mpi4py import MPI

import shardfft
from shardfft import _core

if not _core.gpu_support().startswith("CUDA"):
    pytest.skip("needs a build with CUDA and its GPUs", allow_module_level=True)
DEVICE = MPI.COMM_WORLD.rank % len(_core.gpu_names())
SHAPE = (12, 10, 14)
EXCHANGES = ["auto", "nccl", "host_staged"]


def possible(exchange, comm):
    """Skip exchanges that this job cannot use, which is the same on all ranks."""
    if exchange == "nccl" and comm.size > len(_core.gpu_names()):
        pytest.skip("NCCL needs a GPU for each rank")
    return exchange


@pytest.fixture(scope="module")
def torch():
    torch = pytest.importorskip("torch", reason="PyTorch is not installed")
    if not torch.cuda.is_available():
        pytest.skip("this PyTorch has no GPUs")
    torch.cuda.set_device(DEVICE)
    return torch


@pytest.fixture(scope="module")
def cupy():
    cupy = pytest.importorskip("cupy", reason="CuPy is not installed")
    with cupy.cuda.Device(DEVICE):
        yield cupy


@pytest.fixture(scope="module")
def jax():
    jax = pytest.importorskip("jax", reason="JAX is not installed")
    if jax.default_backend() != "gpu":
        pytest.skip("this JAX has no GPUs")
    with jax.enable_x64(True), jax.default_device(jax.devices()[DEVICE]):
        yield jax


def delayed(torch, x, values):
    """Write into a tensor behind 50 ms of work of the current stream."""
    torch.cuda._sleep(100_000_000)
    x.copy_(values)
    return x


@pytest.mark.parametrize("exchange", EXCHANGES)
@pytest.mark.parametrize("kind", ["c2c", "r2c"])
def test_pending_work_of_torch(comm, whole, close, torch, kind, exchange):
    """Calls one behind the other on a stream whose input is not there yet, in new and in given arrays."""
    x = whole(SHAPE, "complex128" if kind == "c2c" else "float64")
    exact = (np.fft.fftn if kind == "c2c" else np.fft.rfftn)(x)
    words = {"comm": comm, "processor": "gpu", "exchange": possible(exchange, comm)}
    with shardfft.plan(SHAPE, kind, **words) as plan, torch.cuda.stream(torch.cuda.Stream()):
        mine = torch.from_numpy(x[plan.input.slices].copy()).cuda()
        out = None
        for turn in range(1, 6):
            spectrum = plan.forward(delayed(torch, torch.zeros_like(mine), turn * mine))
            out = spectrum.clone() if out is None else out
            plan.forward(2 * turn * mine, out=out)
            back = plan.backward(spectrum)
            for result, side, values in (
                (spectrum, plan.output, turn * exact),
                (out, plan.output, 2 * turn * exact),
                (back, plan.input, turn * x),
            ):
                close(result.cpu().numpy(), side.layout, values)


def test_pending_work_of_cupy(comm, whole, close, cupy):
    x = whole(SHAPE)
    with shardfft.plan(SHAPE, comm=comm, processor="gpu") as plan:
        stream = cupy.cuda.Stream(non_blocking=True)
        load = cupy.zeros(1 << 26)
        for turn in range(1, 6):
            with stream:
                for _ in range(40):
                    load += 1
                mine = turn * cupy.asarray(x[plan.input.slices])
                spectrum = plan.forward(mine)
                back = plan.backward(spectrum)
                del mine
                results = spectrum.get(), back.get()
            close(results[0], plan.output.layout, turn * np.fft.fftn(x))
            close(results[1], plan.input.layout, turn * x)


def test_two_plans_on_two_streams(comm, whole, close, torch):
    """An explicit stream of each plan: they run beside each other, and every rank calls them in the same order."""
    x = whole(SHAPE)
    streams = [torch.cuda.Stream() for _ in range(2)]
    plans = [
        shardfft.plan(SHAPE, comm=comm, processor="gpu", output="natural", stream=one.cuda_stream) for one in streams
    ]
    mine = torch.from_numpy(x[plans[0].input.slices].copy()).cuda()
    torch.cuda.synchronize()
    for turn in range(1, 6):
        inputs = [turn * mine, -turn * mine]
        torch.cuda.synchronize()
        results = [plan.forward(one) for plan, one in zip(plans, inputs, strict=True)]
        for plan, result, sign in zip(plans, results, (1, -1), strict=True):
            plan.synchronize()
            close(result.cpu().numpy(), plan.output.layout, sign * turn * np.fft.fftn(x))
    for plan in plans:
        plan.close()


def test_memory_that_comes_and_goes(comm, whole, close, cupy):
    """Outputs of a plan are dropped between calls, so that new ones lie at their addresses: peers must not miss it."""
    x = whole(SHAPE)
    with shardfft.plan(SHAPE, comm=comm, processor="gpu") as plan:
        mine = cupy.asarray(x[plan.input.slices])
        for turn in range(1, 6):
            out = plan.allocate_output()
            plan.forward(turn * mine, out=out)
            close(cupy.asnumpy(out), plan.output.layout, turn * np.fft.fftn(x))
            del out


def rows_of(x, comm):
    return x[shardfft.Layout.slab(tuple(x.shape), comm.size).local(comm.rank)[0]]


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("name", ["fftn", "ifftn", "rfftn", "irfftn"])
def test_gradients_of_torch(comm, torch, name, dtype):
    """Values, gradients and products with the Hessian are those of torch.fft on the whole array."""
    whole = torch.randn(SHAPE, dtype=getattr(torch, dtype), generator=torch.Generator().manual_seed(3)).cuda()
    whole = whole if name == "rfftn" else torch.complex(whole, whole.flip(0) / 2)
    one, other = whole.clone().requires_grad_(), rows_of(whole, comm).clone().requires_grad_()
    exact = getattr(torch.fft, name)(one)
    mine = getattr(shardfft.torch, name)(other, comm=comm)
    bound = 1e-4 if dtype == "float32" else 1e-11
    slopes = [
        torch.autograd.grad((y.abs() ** 4).sum(), x, create_graph=True)[0] for x, y in ((one, exact), (other, mine))
    ]
    twice = [torch.autograd.grad((g.abs() ** 2).sum(), x)[0] for g, x in zip(slopes, (one, other), strict=True)]
    for ours, theirs in ((mine, exact), slopes[::-1], twice[::-1]):
        assert ours.dtype == theirs.dtype and ours.device == theirs.device
        assert (ours - rows_of(theirs, comm)).abs().max() <= 10 * bound * theirs.abs().max()


def test_compiled_by_torch(comm, torch):
    """The whole program and its gradient, with kernels that PyTorch generates."""
    x = torch.randn(rows_of(torch.empty(SHAPE), comm).shape, dtype=torch.float64, device="cuda", requires_grad=True)

    def loss(y):
        return (shardfft.torch.rfftn(2 * y).abs() ** 2).sum()

    loss(x).backward()
    eager, x.grad = x.grad, None
    for backend in ("aot_eager", "inductor"):
        torch._dynamo.reset()
        compiled = torch.compile(loss, fullgraph=True, backend=backend)
        for _ in range(3):
            compiled(x).backward()
            assert torch.allclose(x.grad, eager), backend
            x.grad = None


def test_gradients_of_jax(comm, whole, jax):
    """jit and grad through a plan of all ranks, whose arrays are on this rank's GPU."""
    jnp = jax.numpy
    x, w = whole(SHAPE, "float64"), whole((12, 10, 8), "float64")
    with shardfft.plan(SHAPE, "r2c", comm=comm, processor="gpu", output="natural") as plan:
        mine, weights = jnp.asarray(x[plan.input.slices]), jnp.asarray(w[plan.output.slices])

        def energy(y):
            return jnp.sum(jnp.abs(shardfft.jax.forward(plan, y) * weights) ** 2)

        exact = jax.grad(lambda y: jnp.sum(jnp.abs(jnp.fft.rfftn(y) * w) ** 2))(jnp.asarray(x))[plan.input.slices]
        for gradient in (jax.grad(energy), jax.jit(jax.grad(energy))):
            slope = gradient(mine)
            assert slope.devices() == mine.devices()
            assert np.allclose(slope, exact, rtol=1e-11, atol=1e-10 * float(jnp.max(jnp.abs(exact))))
