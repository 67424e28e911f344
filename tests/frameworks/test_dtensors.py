"""Transforms of DTensors against torch.fft of the whole: values, types, gradients, twice, and errors on every rank."""

import importlib.util
import os
import sys
from pathlib import Path

import pytest

import shardfft

torch = pytest.importorskip("torch", reason="PyTorch is not installed: DTensors are not tested (.ci/run frameworks)")
dist = torch.distributed
from torch.distributed.device_mesh import init_device_mesh  # noqa: E402
from torch.distributed.tensor import DTensor, Partial, Replicate, Shard, distribute_tensor  # noqa: E402

NAMES = ("fftn", "ifftn", "rfftn", "irfftn")
WITH_MPI = "OMPI_COMM_WORLD_SIZE" in os.environ
DEVICE = os.environ.get("SHARDFFT_TEST_DEVICE", "cpu")  # cuda: on GPUs, by NCCL
LINE = [
    ((8, 6, 5), [Shard(0)], None, None),
    ((7, 6, 5), [Shard(1)], (0, 2, 1), "ortho"),  # the halved axis is cut
    ((7, 6, 5), [Shard(2)], (-2, -1), None),
    ((2, 3, 7, 6, 5), [Shard(2)], (2, 3, 4), "forward"),  # batch and channels; pieces of 2, 2, 2, 1
    ((5, 6), [Shard(0)], (1, 0), None),  # pieces of 2, 2, 1, 0
    ((2, 7), [Shard(0)], (1,), None),  # nothing to exchange
]
SQUARE = [
    ((8, 6, 5), [Shard(0), Shard(1)], None, None),
    ((4, 7, 6, 5), [Shard(0), Shard(2)], (1, 2, 3), None),  # a batch along one dimension of the mesh
    ((4, 7, 6, 5), [Replicate(), Shard(3)], (1, 2, 3), "ortho"),
    ((4, 7, 6, 5), [Shard(3), Shard(1)], (1, 3), None),
]


@pytest.fixture(scope="session")
def meshes(processes):
    square = init_device_mesh(DEVICE, (2, 2)) if processes == 4 else None
    return {1: init_device_mesh(DEVICE, (processes,)), 2: square}


def whole_of(name, shape, dtype="float64"):
    x = torch.randn(shape, dtype=getattr(torch, dtype), generator=torch.Generator().manual_seed(7)).to(DEVICE)
    return x if name == "rfftn" else torch.complex(x, x.flip(0) / 2)


def check(meshes, name, shape, placements, dim, norm, dtype="float64", **words):
    mesh = meshes[len(placements)]
    if mesh is None:
        pytest.skip("needs four processes")
    whole = whole_of(name, shape, dtype)
    one, other = whole.clone().requires_grad_(), distribute_tensor(whole, mesh, placements).requires_grad_()
    exact = getattr(torch.fft, name)(one, dim=dim, norm=norm)
    mine = getattr(shardfft.torch, name)(other, dim=dim, norm=norm, **words)
    assert mine.dtype == exact.dtype and tuple(mine.placements) == tuple(placements) and mine.shape == exact.shape
    bound = 1e-4 if dtype == "float32" else 1e-11
    assert (mine.full_tensor() - exact).abs().max() <= bound * exact.abs().max()
    # The gradient of a sum of fourth powers, and a product with its Hessian.
    slopes, products = [], []
    for x, y in ((one, exact), (other, mine)):
        loss = ((y * y.conj()).real ** 2).sum()
        (slope,) = torch.autograd.grad(loss if x is one else loss.full_tensor(), x, create_graph=True)
        inner = (slope * slope.conj()).real.sum() if slope.is_complex() else (slope**2).sum()
        (product,) = torch.autograd.grad(inner if x is one else inner.full_tensor(), x)
        slopes.append(slope.detach() if x is one else slope.detach().full_tensor())
        products.append(product if x is one else product.full_tensor())
    for exact_one, other_one in (slopes, products):
        assert exact_one.dtype == other_one.dtype
        assert (other_one - exact_one).abs().max() <= 10 * bound * exact_one.abs().max()


@pytest.mark.parametrize("case", [*LINE, *SQUARE], ids=str)
@pytest.mark.parametrize("name", NAMES)
def test_as_torch_fft(meshes, name, case):
    check(meshes, name, *case)


@pytest.mark.parametrize("name", NAMES)
def test_single_precision(meshes, name):
    check(meshes, name, *LINE[0], dtype="float32")


def test_by_whom(meshes):
    """By plans if the ranks have MPI; if they do not, MPI is not even loaded."""
    if WITH_MPI:
        check(meshes, "rfftn", *LINE[1], by="mpi")
        check(meshes, "rfftn", *LINE[1], by="torch")
        return
    check(meshes, "fftn", *LINE[0])
    assert "mpi4py.MPI" not in sys.modules
    with pytest.raises(ValueError, match="not all ranks of the mesh have MPI"):
        check(meshes, "fftn", *LINE[0], by="mpi")


def test_odd_lengths(meshes):
    x = distribute_tensor(whole_of("irfftn", (8, 6, 4)), meshes[1], [Shard(0)])
    for n in (6, 7):
        for extents in ((8, 6, n), (6, n)):
            mine = shardfft.torch.irfftn(x, s=extents)
            assert torch.allclose(mine.full_tensor(), torch.fft.irfftn(x.full_tensor(), s=extents))


@pytest.mark.skipif(WITH_MPI, reason="plans exchange by MPI")
def test_nothing_is_gathered(meshes, monkeypatch):
    """Two all-to-alls forth and two back, of a rank's share of the array each."""
    sent = []
    exchange = dist.all_to_all_single

    def count(output, input, *arguments, **words):
        sent.append(input.numel())
        return exchange(output, input, *arguments, **words)

    monkeypatch.setattr(dist, "all_to_all_single", count)
    for name in ("all_gather", "all_gather_into_tensor", "all_reduce", "broadcast"):
        monkeypatch.setattr(dist, name, lambda *_, **__: pytest.fail("a collective other than all-to-all"))
    monkeypatch.setattr(shardfft._frameworks.torch_dtensor, "_gather", lambda mesh, value: [value] * mesh.size())
    whole = whole_of("rfftn", (8, 4, 10))
    x = distribute_tensor(whole, meshes[1], [Shard(0)], src_data_rank=None).requires_grad_()
    y = shardfft.torch.rfftn(x)
    assert len(sent) == 2 and sum(sent) <= 2 * 2 * 8 * 4 * 6 // meshes[1].size() + 2
    (y.to_local().abs() ** 2).sum().backward()
    assert len(sent) == 4


def local(mesh, shape, placement=None, dtype=torch.float64, whole=(8, 6)):
    stride = (whole[1], 1)
    ones = torch.ones(shape, dtype=dtype, device=DEVICE)
    return DTensor.from_local(
        ones, mesh, [placement or Shard(0)], run_check=False, shape=torch.Size(whole), stride=stride
    )


def refused(call, match, own):
    """With the words of the rank that failed, on every rank."""
    with pytest.raises(own if isinstance(own, tuple) else (own, shardfft.ArgumentError), match=match):
        call()


def test_one_rank_is_wrong(meshes, processes):
    mesh, last = meshes[1], dist.get_rank() == processes - 1
    rows = 8 // processes
    good = local(mesh, (rows, 6))
    complexes = local(mesh, (rows, 6), dtype=torch.complex128) if last else good
    refused(lambda: shardfft.torch.rfftn(complexes), "rfftn needs real numbers, not torch.complex128", TypeError)
    for dtype in (torch.float16, torch.float32):
        other = local(mesh, (rows, 6), dtype=dtype) if last else good
        refused(lambda other=other: shardfft.torch.fftn(other), f"different calls: .*{dtype}", ValueError)
    turned = local(mesh, (8, -(-6 // processes) if processes == 2 else 0), Shard(1)) if last else good
    refused(lambda: shardfft.torch.fftn(turned), "different calls", ValueError)
    short = local(mesh, (rows - 1, 6)) if last else good
    refused(lambda: shardfft.torch.fftn(short), r"torch.chunk gives \(\d, 6\)", ValueError)
    refused(lambda: shardfft.torch.fftn(good, dim=(5,) if last else (0,)), "must name axes", ValueError)
    refused(lambda: shardfft.torch.fftn(good, norm="none" if last else None), "norm must be", ValueError)
    refused(lambda: shardfft.torch.rfftn(good + 0j if last else good), "needs real numbers", TypeError)
    assert torch.allclose(
        shardfft.torch.fftn(good).full_tensor().cpu(), torch.fft.fftn(torch.ones(8, 6, dtype=torch.float64))
    )


def test_bad_input(meshes):
    good = distribute_tensor(torch.ones(8, 6, device=DEVICE), meshes[1], [Shard(0)])
    partial = DTensor.from_local(torch.ones(8, 6, device=DEVICE), meshes[1], [Partial()])
    for call, kind, match in (
        (lambda: shardfft.torch.fftn(partial), ValueError, "must be Shard or Replicate"),
        (lambda: shardfft.torch.fftn(good, dim=(0, 0)), ValueError, "twice"),
        (lambda: shardfft.torch.fftn(good, dim=()), ValueError, "must name axes"),
        (lambda: shardfft.torch.fftn(good, s=(4, 6)), NotImplementedError, "crop or pad"),
        (lambda: shardfft.torch.irfftn(good, s=(8, 20)), ValueError, "20 real numbers .* has 11 modes, not 6"),
        (lambda: shardfft.torch.fftn(good, by="nccl"), ValueError, "by must be"),
        (lambda: shardfft.torch.fftn(good, layout="slab"), TypeError, "has its own mesh"),
        (lambda: shardfft.torch.fftn(good, by="torch", chunks=2), TypeError, "options of plans have no effect"),
    ):
        refused(call, match, kind)
    line = distribute_tensor(torch.ones(8, device=DEVICE), meshes[1], [Shard(0)])
    if WITH_MPI:
        assert torch.allclose(shardfft.torch.fftn(line).full_tensor().cpu(), torch.fft.fftn(torch.ones(8)))
    else:
        refused(lambda: shardfft.torch.fftn(line), "all 1 axes are cut", ValueError)


def test_fourier_layer(meshes):
    """The example: losses and gradients are those of one process."""
    path = Path(__file__).parents[2] / "examples" / "fourier_layer.py"
    spec = importlib.util.spec_from_file_location("fourier_layer", path)
    program = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(program)
    here, gradients = program.train(meshes[1], points=10, steps=12)
    alone, exact = program.train(points=10, steps=12)
    assert torch.allclose(torch.tensor(here), torch.tensor(alone), rtol=1e-12)
    pairs = zip(gradients, exact, strict=True)
    assert all(torch.allclose(one.cpu(), other, rtol=1e-10, atol=1e-14) for one, other in pairs)
    assert here[-1] < here[0] / 3
