"""PyTorch's gradients through plans over MPI: gradcheck, twice, forward mode and vmap, and errors on every rank."""

import copy

import numpy as np
import pytest
from mpi4py import MPI

import shardfft
from shardfft import Operator

torch = pytest.importorskip("torch", reason="PyTorch is not installed: gradients are not tested (.ci/run frameworks)")
torch.set_num_threads(1)


class _Mine(torch.autograd.Function):
    """This rank's block of an array that all have; the gradient is the whole of the ranks' blocks."""

    @staticmethod
    def forward(x, side, comm):
        return x[side.slices].clone()

    @staticmethod
    def setup_context(ctx, inputs, output):
        _, ctx.side, ctx.comm = inputs

    @staticmethod
    def backward(ctx, gradient):
        return _Whole.apply(gradient, ctx.side, ctx.comm), None, None

    @staticmethod
    def jvp(ctx, tangent, *_):
        return _Mine.apply(tangent, ctx.side, ctx.comm)


class _Whole(torch.autograd.Function):
    """The ranks' blocks as an array that all have; the gradient is this rank's block of it."""

    @staticmethod
    def forward(block, side, comm):
        whole = torch.zeros(side.layout.shape, dtype=block.dtype)
        parts = comm.allgather((side.slices, block.resolve_conj().resolve_neg().numpy()))
        for slices, part in parts:
            whole[slices] = torch.from_numpy(np.array(part))
        return whole

    @staticmethod
    def setup_context(ctx, inputs, output):
        _, ctx.side, ctx.comm = inputs

    @staticmethod
    def backward(ctx, gradient):
        return _Mine.apply(gradient, ctx.side, ctx.comm), None, None

    @staticmethod
    def jvp(ctx, tangent, *_):
        return _Whole.apply(tangent, ctx.side, ctx.comm)


def whole_map(call, source, target, comm):
    return lambda x: _Whole.apply(call(_Mine.apply(x, source, comm)), target, comm)


def random_of(side, rng):
    x = torch.from_numpy(rng.standard_normal(side.layout.shape))
    x = torch.complex(x, torch.from_numpy(rng.standard_normal(side.layout.shape))) if side.dtype.kind == "c" else x
    return x.requires_grad_()


def check(call, source, target, comm, rng, twice=True):
    """Exactly PyTorch's own check, for the map of whole arrays that all ranks have."""
    function, x = whole_map(call, source, target, comm), random_of(source, rng)
    assert torch.autograd.gradcheck(function, (x,), fast_mode=True, check_forward_ad=True)
    assert not twice or torch.autograd.gradgradcheck(lambda y: function(y * y), (x,), fast_mode=True)


CASES = [
    {"kind": "c2c"},
    {"kind": "r2c", "norm": "ortho", "layout": "pencil"},
    {"kind": "c2r", "n": 5},
    {"kind": "r2c", "modes": (2, 3, 4), "norm": "forward"},
    {"kind": "r2c", "transforms": ["dct2", "fft", "dst1"]},
    {"kind": "r2r", "transforms": ["dct1", "dst3", "dct4"]},
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: "-".join(map(str, case.values())))
def test_plans(comm, rng, case):
    shape = (4, 3, 3) if case["kind"] == "c2r" else (4, 3, 5)
    with shardfft.plan(shape, comm=comm, effort="estimate", **case) as plan:
        check(lambda x: shardfft.torch.forward(plan, x), plan.input, plan.output, comm, rng)
        check(lambda x: shardfft.torch.backward(plan, x), plan.output, plan.input, comm, rng)
        if case["kind"] in ("c2c", "r2c") and "transforms" not in case:
            operator = Operator.derivative(0) + 2j * Operator.gaussian(0.2)
            check(lambda x: shardfft.torch.apply(plan, operator, x), plan.input, plan.input, comm, rng)


def test_every_entry(comm, rng):
    """The slow mode of gradcheck compares every entry of the Jacobian."""
    with shardfft.plan((3, 4), "r2c", comm=comm, effort="estimate") as plan:
        function = whole_map(lambda x: shardfft.torch.forward(plan, x), plan.input, plan.output, comm)
        x = random_of(plan.input, rng)
        assert torch.autograd.gradcheck(function, (x,), check_forward_ad=True)


@pytest.mark.parametrize("norm", [None, "ortho", "forward"])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_rows_as_torch_fft(comm, rng, norm, dtype):
    """Values, types and gradients of the functions on this rank's rows are torch.fft's of the whole."""
    whole = torch.from_numpy(rng.standard_normal((5, 6, 7)).astype(dtype))
    rows = shardfft.Layout.slab((5, 6, 7), comm.size).local(comm.rank)[0]
    for name, like in (("fftn", whole), ("rfftn", whole), ("ifftn", whole * (1 + 2j)), ("irfftn", whole * (1 + 2j))):
        words = {"s": (6, 13), "dim": (1, 2)} if name == "irfftn" else {"dim": (0, 2)}
        one, other = like.clone().requires_grad_(), like[rows].clone().requires_grad_()
        exact = getattr(torch.fft, name)(one, norm=norm, **words)
        mine = getattr(shardfft.torch, name)(other, norm=norm, comm=comm, **words)
        (exact.abs() ** 2).sum().backward()
        (mine.abs() ** 2).sum().backward()
        assert mine.dtype == exact.dtype and other.grad.dtype == one.grad.dtype
        bound = {"rtol": 1e-4, "atol": 1e-3} if dtype == "float32" else {"rtol": 1e-11, "atol": 1e-10}
        assert torch.allclose(mine, exact[rows], **bound) and torch.allclose(other.grad, one.grad[rows], **bound)


def test_extents_that_are_told(comm, rng):
    """``s`` is checked, and without ``dim`` it names the last axes, as torch.fft has it."""
    whole = torch.from_numpy(rng.standard_normal((6, 4, 5))) + 0j
    rows = shardfft.Layout.slab((6, 4, 5), comm.size).local(comm.rank)[0]
    for name, s, dim in (("irfftn", (8,), None), ("irfftn", (4, 9), None), ("irfftn", (6, 4, 8), None),
                         ("irfftn", (6, 8), (0, -1)), ("fftn", (6, 4, 5), None), ("ifftn", (4, 5), None)):  # fmt: skip
        exact = getattr(torch.fft, name)(whole, s=s, dim=dim)
        assert torch.allclose(getattr(shardfft.torch, name)(whole[rows], s=s, dim=dim, comm=comm), exact[rows])
    for name, s, dim in (("irfftn", (4, 2, 8), None), ("irfftn", (2, 8), (1, 2)), ("rfftn", (6, 4, 4), None),
                         ("irfftn", (4, 8), 2)):  # fmt: skip
        with pytest.raises(NotImplementedError, match="s must be the extents"):
            getattr(shardfft.torch, name)(whole.real[rows], s=s, dim=dim, comm=comm)
    last = comm.rank == comm.size - 1
    raises(comm, NotImplementedError, "s must be the extents",
           lambda: shardfft.torch.fftn(whole[rows], s=(6, 4, 7) if last else None, comm=comm))  # fmt: skip


def test_cosines(comm, rng):
    x = torch.from_numpy(rng.standard_normal((4, 5, 3)))
    mine = x[shardfft.Layout.slab((4, 5, 3), comm.size).local(comm.rank)].clone().requires_grad_()
    for name in ("dctn", "idctn", "dstn", "idstn"):
        for kind in (1, 2, 3, 4):
            made = getattr(shardfft.torch, name)(mine, type=kind, comm=comm)
            exact = getattr(shardfft, name)(mine.detach().numpy(), comm, type=kind)
            assert np.allclose(made.detach().numpy(), exact)
    (shardfft.torch.dctn(mine, type=2, norm="ortho", dim=1, comm=comm) * 3).sum().backward()
    k, j = np.arange(5)[:, None], np.arange(5)
    slope = 3 * 2 * np.cos(np.pi * (2 * j + 1) * k / 10).sum(0) / np.sqrt(10)
    assert np.allclose(mine.grad.numpy(), np.broadcast_to(slope[:, None], mine.shape))
    with pytest.raises(ValueError, match="type must be 1, 2, 3 or 4"):
        shardfft.torch.dctn(mine, type=5, comm=comm)


def test_under_func(comm, rng):
    """torch.func: vmap of a gradient, and a product with a Hessian, which is diagonal here."""
    with shardfft.plan((4, 6), comm=comm, norm="ortho", effort="estimate") as plan:

        def energy(x):
            return (shardfft.torch.forward(plan, x).abs() ** 2).sum()

        x = torch.from_numpy(rng.standard_normal((3, *plan.input.shape))) + 0j
        assert torch.allclose(torch.func.vmap(torch.func.grad(energy))(x), 2 * x)
        _, product = torch.func.jvp(torch.func.grad(energy), (x[0],), (x[1],))
        assert torch.allclose(product, 2 * x[1])


def test_gradients_after_other_plans(comm, rng):
    """Four plans are kept: that of the first transform has been closed when its gradient comes."""
    x = torch.from_numpy(rng.standard_normal((2, 4))).requires_grad_()
    y = shardfft.torch.fftn(x, comm=comm)
    for extent in range(5, 11):
        shardfft.torch.fftn(torch.ones(2, extent), comm=comm)
    (y.abs() ** 2).sum().backward()
    assert torch.allclose(x.grad, 2 * 8 * comm.size * x)


def raises(comm, kind, match, call):
    """The error on the last rank, and its words on all others."""
    with pytest.raises(kind if comm.rank == comm.size - 1 else (kind, shardfft.Error, ValueError), match=match):
        call()


@pytest.mark.ranks
def test_bad_input(comm):
    last = comm.rank == comm.size - 1
    good = torch.ones(2, 4)
    with shardfft.plan((2 * comm.size, 4), "r2c", "float32", comm=comm, effort="estimate") as plan:
        for bad, match in ((good.double(), "must have dtype float32"), (torch.ones(2, 5), "must have the shape"),
                           (good.numpy(), "must be a torch.Tensor"), (good.to("meta"), "(?i)meta")):  # fmt: skip
            if comm.size == 1 and isinstance(bad, torch.Tensor) and bad.is_meta:
                continue
            with pytest.raises(Exception, match=match if last else "."):
                shardfft.torch.forward(plan, bad if last else good)
        assert shardfft.torch.forward(plan, good).shape == plan.output.shape  # and the plan still works
    bad = good.to(torch.float8_e5m2)
    raises(comm, TypeError, "cannot be transformed", lambda: shardfft.torch.fftn(bad if last else good, comm=comm))
    raises(comm, TypeError, "needs real numbers", lambda: shardfft.torch.rfftn(good + 0j if last else good, comm=comm))
    if comm.size > 1:
        with pytest.raises(TypeError, match="different types: .*torch.complex128"):
            shardfft.torch.fftn(good.double() if last else good, comm=comm)
        with pytest.raises(TypeError, match="complex64 without numbers"):
            shardfft.torch.fftn(good.to("meta") if last else good, comm=comm)
        with pytest.raises(ValueError, match="gave different layouts"):
            shardfft.torch.fftn(good, comm=comm, layout="pencil" if last else None)
    with pytest.raises(shardfft.Error, match="closed"):
        shardfft.torch.forward(plan, good)
    with pytest.raises(NotImplementedError, match="crop or pad"):
        shardfft.torch.fftn(good, s=(3, 3), comm=comm)
    with pytest.raises(ValueError, match="no DTensors"):
        shardfft.torch.fftn(good, comm=comm, by="torch")


def test_refused_without_gradients(comm):
    """Plans' own calls name the functions with gradients."""
    with shardfft.plan((2, 4), comm=comm, effort="estimate") as plan:
        x = torch.from_numpy(plan.input.zeros()).requires_grad_()
        with pytest.raises((TypeError, shardfft.Error), match=r"shardfft\.torch"):
            plan.forward(x)


def test_fields_of_tensors(comm):
    """Vector calculus and NumPy's factors beside tensors: the same numbers, and they stay tensors."""
    numbers = np.random.default_rng(5).standard_normal((3, 6, 5, 8))
    field = shardfft.DistArray.from_global(numbers, comm, components=True)
    tensors = field.copy()
    tensors.local = torch.as_tensor(field.local)
    factors = sum(k**2 for k in field.points(2 * np.pi))
    for work in (
        lambda x: shardfft.curl(x),
        lambda x: shardfft.project(x),
        lambda x: shardfft.gradient(shardfft.divergence(x)),
        lambda x: factors * x - x / (1 + factors),
    ):
        made, exact = work(tensors), work(field)
        assert isinstance(made.local, torch.Tensor)
        assert np.allclose(made.local.numpy(), exact.local, atol=1e-12)
    for name in ("sum", "prod", "min", "max", "mean", "std", "norm"):
        assert np.isclose(getattr(tensors, name)(), getattr(field, name)(), rtol=1e-10)
    for name in ("any", "all", "sum"):
        made, exact = getattr(tensors > 0, name)(), getattr(field > 0, name)()
        assert made == exact and made.dtype == exact.dtype
    assert np.isclose(tensors.vdot(2j * tensors), field.vdot(2j * field))
    assert np.allclose(tensors.max(axis=(1, 3)), field.max(axis=(1, 3)))


def test_half_precision(comm):
    x = torch.randn(3, 4, 6)
    exact = shardfft.torch.rfftn(x)
    assert shardfft.torch.dctn(x.half()).dtype is torch.float16
    assert shardfft.torch.dctn(x.bfloat16()).dtype is torch.bfloat16
    spectrum = shardfft.torch.rfftn(x.half())
    assert spectrum.dtype is torch.complex32
    assert torch.allclose(spectrum.to(torch.complex64), exact, atol=0.1)
    assert shardfft.torch.irfftn(spectrum).dtype is torch.float16


def test_without_numbers(comm):
    result = shardfft.torch.rfftn(torch.empty(3, 4, 6, device="meta"))
    assert result.is_meta and result.shape == shardfft.torch.rfftn(torch.zeros(3, 4, 6)).shape


def test_vmap_is_a_batch(comm, monkeypatch):
    x = torch.randn(5, 3, 4, 6, dtype=torch.float64)
    one_by_one = torch.stack([shardfft.torch.rfftn(field) for field in x])
    calls = []
    run = shardfft.Plan._run
    monkeypatch.setattr(shardfft.Plan, "_run", lambda plan, *told: calls.append(told[1].shape) or run(plan, *told))
    assert torch.allclose(torch.func.vmap(shardfft.torch.rfftn)(x), one_by_one)
    assert [len(shape) for shape in calls] == [4]
    none = torch.func.vmap(shardfft.torch.rfftn)(x[:0].requires_grad_())
    assert none.shape == (0, *one_by_one.shape[1:]) and none.dtype == one_by_one.dtype and none.requires_grad


def plain_spectral(x, weight, modes):
    """The work of SpectralConv on whole fields, by torch.fft; of odd numbers of modes or all."""
    real, dims, points = not x.is_complex(), tuple(range(2, x.ndim)), x.shape[2:]
    spectrum = (torch.fft.rfftn if real else torch.fft.fftn)(x, dim=dims)
    kept = [torch.arange((m + 1) // 2 - m, (m + 1) // 2).roll(-(m // 2)) for m in modes]
    if real:
        kept[-1] = torch.arange(modes[-1] // 2 + 1)
    kept = (..., *torch.meshgrid(*kept, indexing="ij"))
    mixed = torch.zeros(len(x), weight.shape[1], *spectrum.shape[2:], dtype=spectrum.dtype)
    mixed[kept] = torch.einsum("bi...,io...->bo...", spectrum[kept], weight.to(spectrum.dtype))
    return torch.fft.irfftn(mixed, s=points, dim=dims) if real else torch.fft.ifftn(mixed, dim=dims)


@pytest.mark.parametrize("weights", ["float64", "complex128"])
@pytest.mark.parametrize(
    ("kind", "modes", "points", "channels", "layout"),
    [
        ("r2c", (5, 3), (8, 7), (2, 3), None),
        ("r2c", (3, 7, 5), (6, 7, 8), (2, 2), "pencil"),
        ("c2c", (5, 3), (7, 6), (1, 2), None),
        ("c2c", (3, 6), (5, 6), (3, 1), None),
    ],
)
def test_spectral_layer(comm, rng, kind, modes, points, channels, layout, weights):
    """Values and gradients are those of a plain layer on whole fields; one layer takes several numbers of points."""
    layer = shardfft.torch.SpectralConv(
        *channels, modes, kind=kind, dtype=getattr(torch, weights), comm=comm, layout=layout
    )
    known = rng.standard_normal((*channels, *layer.modes.shape)) + 1j * rng.standard_normal((1,))
    whole_weight = torch.from_numpy(known).to(layer.weight.dtype) if weights[0] == "c" else torch.from_numpy(known.real)
    whole_weight = whole_weight.clone().requires_grad_()
    mine = (..., *layer.modes.local(comm.rank))
    with torch.no_grad():
        layer.weight.copy_(whole_weight[mine])
    for batch, more, dtype in ((2, 0, "float64"), (1, 0, "float64"), (2, 1, "float32")):
        x = torch.from_numpy(rng.standard_normal((batch, channels[0], points[0] + more, *points[1:])).astype(dtype))
        x = (x * (1 + 2j) if kind == "c2c" else x).requires_grad_()
        of_space = (shardfft.Layout.pencil if layout else shardfft.Layout.slab)(x.shape[2:], comm.size)
        here = (..., *of_space.local(comm.rank))
        part = x[here].detach().clone().requires_grad_()
        exact, made = plain_spectral(x, whole_weight, modes), layer(part)
        numbers = torch.from_numpy(rng.standard_normal(exact.shape))
        (exact.abs() ** 2 * numbers).sum().backward()
        (made.abs() ** 2 * numbers[here]).sum().backward()
        bound = {"rtol": 1e-4, "atol": 1e-3} if dtype == "float32" else {"rtol": 1e-11, "atol": 1e-10}
        assert made.dtype == x.dtype and part.grad.dtype == x.dtype and layer.weight.grad.dtype == layer.weight.dtype
        assert torch.allclose(made, exact[here], **bound) and torch.allclose(part.grad, x.grad[here], **bound)
        assert torch.allclose(layer.weight.grad, whole_weight.grad[mine], **bound)
        whole_weight.grad, layer.weight.grad = None, None


def test_spectral_layer_is_drawn_alike(comm):
    """The same weights on any number of ranks; half precision comes back."""
    torch.manual_seed(3)
    layer = shardfft.torch.SpectralConv(2, 2, (3, 3), comm=comm)
    torch.manual_seed(3)
    alone = shardfft.torch.SpectralConv(2, 2, (3, 3), comm=MPI.COMM_SELF)
    assert torch.equal(layer.weight, alone.weight[(..., *layer.modes.local(comm.rank))])
    x = torch.randn(1, 2, 3, 6, generator=torch.Generator().manual_seed(1))
    assert layer(x.half()).dtype is torch.float16
    assert torch.allclose(layer(x.half()).float(), layer(x), atol=0.01)
    assert [name for name, _ in copy.deepcopy(layer).named_parameters()] == ["weight"]


@pytest.mark.ranks
def test_bad_fields_of_the_spectral_layer(comm):
    last = comm.rank == comm.size - 1
    layer = shardfft.torch.SpectralConv(2, 2, (3, 3), comm=comm)
    good = torch.ones(1, 2, 3, 6)
    for bad, kind, match in (
        (good[0], ValueError, "must have the shape .batch, 2, points, points."),
        (good[:, :1], ValueError, "must have the shape"),
        (good + 0j, TypeError, "needs real numbers"),
        (good.numpy(), TypeError, "must be a torch.Tensor"),
    ):
        raises(comm, kind, match, lambda bad=bad: layer(bad if last else good))
    if comm.size > 1:
        for bad in (torch.ones(2, 2, 3, 6), good.double()):
            with pytest.raises(TypeError, match="different types or batches"):
                layer(bad if last else good)
    assert layer(good).shape == good.shape
    for words, match in (
        ({"modes": (3, 0)}, "at least 1"),
        ({"kind": "r2r"}, "r2c or c2c"),
        ({"modes": ()}, "at least 1"),
    ):
        with pytest.raises(ValueError, match=match):
            shardfft.torch.SpectralConv(2, 2, **{"modes": (3, 3), **words}, comm=comm)
    with pytest.raises((ValueError, shardfft.Error), match="modes"):
        shardfft.torch.SpectralConv(2, 2, (3, 9), comm=comm)(good)
