"""Tensors as programs have them: views, several threads that go back, inference mode. Values are those of torch.fft."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from mpi4py import MPI

import shardfft
from shardfft._libraries.array_libraries import library_of

torch = pytest.importorskip("torch", reason="PyTorch is not installed: gradients are not tested (.ci/run frameworks)")
torch.set_num_threads(1)

#: Views of a tensor as an input.
VIEWS = {
    "transposed": lambda x: x.transpose(0, 2),
    "every second": lambda x: x[::2],
    "conjugate": torch.conj,
    "expanded": lambda x: x[:1].expand(3, 4, 6),
    "a function of it": torch.square,
}


@pytest.mark.parametrize("view", VIEWS.values(), ids=VIEWS)
def test_views(view):
    """Also again, when a plan has remembered how it runs."""
    alone, x = MPI.COMM_SELF, torch.randn(4, 4, 6, dtype=torch.complex128).requires_grad_()
    weights = torch.randn_like(view(x))
    for _ in range(2):
        for loss in (
            lambda y: (weights * y).real.sum(),
            lambda y: y.real.sum(),
            lambda y: y.conj().abs().square().sum(),
        ):
            ours, exact = shardfft.torch.fftn(view(x), comm=alone), torch.fft.fftn(view(x))
            assert torch.allclose(ours, exact)
            assert torch.allclose(*(torch.autograd.grad(loss(one), x)[0] for one in (ours, exact)))


def test_which_tensors_are_used_as_they_are():
    """Their form is seen in one call where PyTorch has DLPack's table of functions, else by attributes."""
    x = torch.randn(1, 4, 6, dtype=torch.complex128)
    with shardfft.plan(x.shape, comm=MPI.COMM_SELF, effort="estimate", output="natural") as plan:
        fits = library_of(x).look(plan.input, -1, False).fits
        assert fits(x) and fits(torch.nn.Parameter(x.detach().clone()).requires_grad_(False))
        assert fits(torch.randn(3, 4, 6, dtype=x.dtype)[1:2])
        others = (
            x[0], x.to(torch.complex64), x.real.contiguous(), torch.randn(1, 6, 4, dtype=x.dtype).mT, x.conj(),
            x.imag.clone(), torch.randn(1, 4, 12, dtype=x.dtype)[..., ::2], x.to("meta"), x.to_sparse(), x.numpy(),
            x.clone().requires_grad_(),
        )  # fmt: skip
        assert not any(map(fits, others))
        with torch.no_grad():
            assert fits(x.clone().requires_grad_())


def test_several_threads_go_back():
    x = torch.randn(3, 4, 6, dtype=torch.float64).requires_grad_()
    (exact,) = torch.autograd.grad(torch.fft.rfftn(x).abs().square().sum(), x)
    with shardfft.plan(x.shape, "r2c", comm=MPI.COMM_SELF, effort="estimate", output="natural") as plan:
        losses = [shardfft.torch.forward(plan, x).abs().square().sum() for _ in range(8)]
        with ThreadPoolExecutor(4) as threads:
            gradients = list(threads.map(lambda loss: torch.autograd.grad(loss, x)[0], losses))
    assert all(torch.allclose(one, exact) for one in gradients)


def test_inference(comm):
    x = torch.randn(3, 4, 6).requires_grad_()
    known = shardfft.torch.rfftn(x)
    for _ in range(2):
        with torch.inference_mode():
            result = shardfft.torch.rfftn(x)
        assert result.is_inference() and torch.equal(result, known)


@pytest.mark.parametrize(
    ("name", "words", "extents"),
    [
        ("fftn", {}, (4, 6)),
        ("rfftn", {}, (4, 4)),
        ("rfftn", {"dim": (2, 1)}, (3, 6)),
        ("rfftn", {"dim": (1, 0)}, (4, 6)),
        ("irfftn", {}, (4, 10)),
        ("irfftn", {"s": (4, 11), "dim": (1, 2)}, (4, 11)),
        ("dctn", {"dim": 1}, (4, 6)),
    ],
)
def test_ranks_without_rows(comm, name, words, extents):
    whole = torch.randn(1, 4, 6, dtype=torch.float64)
    for _ in range(2):
        x = whole[: comm.rank == 0].clone().requires_grad_()
        y = getattr(shardfft.torch, name)(x, comm=comm, **words)
        assert y.shape == (len(x), *extents)
        (slope,) = torch.autograd.grad(y.abs().square().sum(), x, create_graph=True)
        assert slope.shape == x.shape
        slope.square().sum().backward()
        assert x.grad.shape == x.shape


def test_names_of_arguments(comm):
    x = torch.randn(3, 4)
    for name in ("fftn", "irfftn", "dctn"):
        for word in ("axes", "axis"):
            with pytest.raises(TypeError, match=f"'{word}' is called 'dim' here, as in torch.fft"):
                getattr(shardfft.torch, name)(x, comm=comm, **{word: (0,)})
