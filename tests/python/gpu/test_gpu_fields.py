"""DistArrays and gradients on real GPUs, against the same on CPUs; skipped if a library or a GPU is missing."""

import importlib.util
from pathlib import Path

import numpy as np
import pytest
import users
from mpi4py import MPI

import shardfft
from shardfft import DistArray, Layout, Operator


@pytest.fixture(params=["cupy", "torch"])
def library(request):
    return users.make(request.param)


def device(comm):
    return comm.rank % len(shardfft._core.gpu_names())


def on_gpu(library, array):
    """Give a DistArray of the same numbers on this rank's GPU."""
    moved = array.copy()
    moved.local = library.array(array.local, device(array.comm))
    return moved


def same(library, mine, exact):
    assert isinstance(mine.local, library.kind) and mine.layout == exact.layout
    assert np.allclose(
        library.numpy(mine.local), exact.local, atol=1e-12 * max(1.0, np.abs(exact.local).max(initial=0))
    )


def test_arithmetic_and_sums(comm, rng, library):
    one, other = (DistArray.from_global(rng.standard_normal((9, 6, 8)), comm) for _ in range(2))
    x, y = on_gpu(library, one), on_gpu(library, other)
    k = sum(p**2 for p in one.points(2 * np.pi))
    for work in (
        lambda a, b: 2 * a - b / (3 + a**2),
        lambda a, b: abs(k * a) + b * k,
        lambda a, b: -a * b,
    ):
        same(library, work(x, y), work(one, other))
    assert np.isclose(x.sum(), one.sum()) and np.isclose(x.mean(), one.mean()) and np.isclose(x.max(), one.max())
    assert np.isclose(x.vdot(y), one.vdot(other)) and np.isclose(x.norm(), one.norm())
    assert np.allclose(x.sum(axis=(0, 2)), one.sum(axis=(0, 2)))
    same(
        library,
        x.redistribute(Layout.slab(x.shape, comm.size, 1)),
        one.redistribute(Layout.slab(x.shape, comm.size, 1)),
    )


def test_parts_and_files(comm, rng, library, tmp_path):
    one = DistArray.from_global(rng.standard_normal((9, 6, 8)), comm)
    x, path = on_gpu(library, one), comm.bcast(str(tmp_path / "field"))
    assert np.allclose(x.gather(), one.gather()) and x[3, 4, 5] == one[3, 4, 5]
    same(library, x[2:7, ::2], one[2:7, ::2])
    for array in (x, one):
        array[1:4] = 2
        array[:, 2, :] = np.ones(8)
    same(library, x, one)
    same(library, np.where(x > 0, x, -1), np.where(one > 0, one, -1))
    x.save(path)
    assert np.array_equal(DistArray.load(path, comm, "pencil").gather(), one.gather())


def test_transforms_by_numpys_names(comm, rng, library):
    one = DistArray.from_global(rng.standard_normal((9, 6, 8)), comm)
    x = on_gpu(library, one)
    spectrum, exact = np.fft.rfftn(x, norm="forward"), np.fft.rfftn(one, norm="forward")
    same(library, spectrum, exact)
    same(library, np.fft.irfftn(spectrum, norm="forward"), one)
    assert np.isclose((abs(spectrum) ** 2).spectrum_sum(), (abs(one) ** 2).mean())
    for mine, plain in zip((abs(spectrum) ** 2).shells(), (abs(exact) ** 2).shells(), strict=True):
        assert np.allclose(mine, plain)
    same(library, spectrum * spectrum.frequencies()[0], exact * exact.frequencies()[0])


def test_vector_fields(comm, rng, library):
    one = DistArray.from_global(rng.standard_normal((3, 6, 5, 8)), comm, components=True)
    x = on_gpu(library, one)
    for work in (
        shardfft.curl,
        shardfft.divergence,
        shardfft.project,
        lambda v: shardfft.gradient(shardfft.divergence(v)),
    ):
        same(library, work(x), work(one))


@pytest.mark.parametrize("layout", ["slab", "pencil"])
def test_taylor_green(comm, layout):
    """The same program on GPUs and on CPUs."""
    users.make("cupy")
    path = Path(__file__).parents[3] / "examples" / "taylor_green.py"
    spec = importlib.util.spec_from_file_location("taylor_green", path)
    program = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(program)
    told = []
    for processor in ("cpu", "gpu"):
        flow = program.Flow(16, 100, comm, layout, processor)
        flow.start()
        for _ in range(3):
            flow.step(0.05)
        told.append((flow.energy(), flow.dissipation()))
        flow.plan.close()
    assert np.allclose(told[0], told[1], rtol=1e-13)


CASES = [
    {"kind": "c2c"},
    {"kind": "r2c", "norm": "ortho", "layout": "pencil"},
    {"kind": "c2r", "n": 5},
    {"kind": "r2c", "modes": (3, 3, 4), "norm": "forward"},
    {"kind": "r2r", "transforms": ["dct1", "dst3", "dct4"]},
]


def of_side(side, rng):
    x = rng.standard_normal(side.layout.shape) + 1j * rng.standard_normal(side.layout.shape)
    return (x if side.dtype.kind == "c" else x.real)[side.slices]


def torch_slopes(torch, plan, whole_map, x, where):
    """The value, the gradient of a sum of fourth powers, and a product with its Hessian."""
    y = torch.as_tensor(np.ascontiguousarray(x), device=where).requires_grad_()
    made = whole_map(plan, y)
    (slope,) = torch.autograd.grad((made.abs() ** 4).sum(), y, create_graph=True)
    (product,) = torch.autograd.grad((slope.abs() ** 2).sum(), y)
    assert slope.device == y.device and slope.dtype == y.dtype
    return [one.detach().cpu().numpy() for one in (made, slope, product)]


@pytest.mark.parametrize("case", CASES, ids=lambda case: "-".join(map(str, case.values())))
def test_torch_gradients(comm, rng, case):
    """Those of plans on GPUs are those of plans on CPUs, which gradcheck checks."""
    torch = users.make("torch").torch
    shape = (6, 4, 3) if case["kind"] == "c2r" else (6, 4, 5)
    plans = [shardfft.plan(shape, comm=comm, processor=one, effort="estimate", **case) for one in ("cpu", "gpu")]
    maps = [(shardfft.torch.forward, "input"), (shardfft.torch.backward, "output")]
    if case["kind"] in ("c2c", "r2c"):
        operator = Operator.derivative(0) + 2j * Operator.gaussian(0.2)
        maps.append((lambda plan, x: shardfft.torch.apply(plan, operator, x), "input"))
    for call, side in maps:
        x = of_side(getattr(plans[0], side), rng)
        exact, mine = (
            torch_slopes(torch, plan, call, x, where)
            for plan, where in zip(plans, ("cpu", f"cuda:{plans[1].device}"), strict=True)
        )
        for one, other in zip(exact, mine, strict=True):
            assert np.allclose(one, other, rtol=1e-11, atol=1e-11 * np.abs(one).max(initial=0))
    for plan in plans:
        plan.close()


def test_rows_of_torch(comm, rng):
    """shardfft.torch's functions on this rank's rows: values, types and gradients are torch.fft's of the whole."""
    torch = users.make("torch").torch
    where = f"cuda:{device(comm)}"
    for name, like in (("rfftn", rng.standard_normal((5, 6, 7))), ("ifftn", rng.standard_normal((5, 6, 7)) * (1 + 2j))):
        whole = torch.as_tensor(like, device=where)
        rows = Layout.slab((5, 6, 7), comm.size).local(comm.rank)[0]
        one, other = whole.clone().requires_grad_(), whole[rows].clone().requires_grad_()
        exact, mine = getattr(torch.fft, name)(one), getattr(shardfft.torch, name)(other, comm=comm)
        for y in (exact, mine):
            (y.abs() ** 2).sum().backward()
        assert mine.device == exact.device and torch.allclose(mine, exact[rows])
        assert torch.allclose(other.grad, one.grad[rows])
    shardfft.clear_plans()


def test_jax_gradients(comm, rng):
    jax = users.make("jax").jax
    jnp = jax.numpy
    here = jax.devices("gpu")[device(comm)]
    with jax.default_device(here), shardfft.plan((6, 4, 5), "r2c", comm=comm, processor="gpu") as plan:
        x, t = (jax.device_put(of_side(plan.input, rng), here) for _ in range(2))

        def loss(y):
            return jnp.sum(jnp.abs(shardfft.jax.forward(plan, y)) ** 4)

        slope = jax.grad(loss)(x)
        assert next(iter(slope.devices())) == here and np.allclose(jax.jit(jax.grad(loss))(x), slope)
        exact = comm.allreduce(float(jnp.sum(slope * t)))
        ahead, behind = (comm.allreduce(float(loss(x + step * t))) for step in (1e-5, -1e-5))
        assert np.isclose((ahead - behind) / 2e-5, exact, rtol=1e-6)
        assert np.isclose(comm.allreduce(float(jax.jvp(loss, (x,), (t,))[1])), exact, rtol=1e-11)


def test_ranks_share_devices(comm):
    """Each rank computes on a GPU of its own if there are enough."""
    users.make("cupy")
    with shardfft.plan((8, 6, 4), comm=comm, processor="gpu") as plan:
        local = comm.Split_type(MPI.COMM_TYPE_SHARED)
        used = local.allgather(plan.device)
        local.Free()
        assert len(set(used)) == min(comm.size, len(shardfft._core.gpu_names()))
