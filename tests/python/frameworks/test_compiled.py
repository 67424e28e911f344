"""torch.compile takes transforms whole: values and gradients are those of eager calls, compiled once for a shape."""

import pytest

import shardfft

torch = pytest.importorskip("torch", reason="PyTorch is not installed: compiled programs are not tested")
torch.set_num_threads(1)


@pytest.mark.parametrize("name", ["fftn", "ifftn", "rfftn"])
def test_compiled(comm, name):
    """torch.compile takes a transform whole, its gradient too, and compiles the same shape once."""
    x = torch.randn(3, 4, 6, dtype=torch.float64, requires_grad=True)

    def loss(y):
        return (getattr(shardfft.torch, name)(2 * y).abs() ** 2).sum()

    loss(x).backward()
    eager, x.grad = x.grad, None
    torch._dynamo.reset()
    torch._dynamo.utils.counters.clear()
    compiled = torch.compile(loss, fullgraph=True, backend="aot_eager")
    for _ in range(3):
        compiled(x).backward()
        assert torch.allclose(x.grad, eager)
        x.grad = None
    assert torch._dynamo.utils.counters["stats"]["unique_graphs"] == 1


def test_compiled_with_a_plan(comm):
    """The plan's map and its gradient, compiled once."""
    with shardfft.plan((3 * comm.size, 4, 6), "r2c", comm=comm, effort="estimate") as plan:
        x = torch.randn(plan.input.shape, dtype=torch.float64, requires_grad=True)

        def loss(y):
            return (shardfft.torch.forward(plan, y).abs() ** 2).sum()

        (exact,) = torch.autograd.grad(loss(x), x)
        torch._dynamo.reset()
        torch._dynamo.utils.counters.clear()
        compiled = torch.compile(loss, fullgraph=True, backend="aot_eager")
        for _ in range(2):
            value = compiled(x)
            assert torch.allclose(value, loss(x))
            assert torch.allclose(torch.autograd.grad(value, x)[0], exact)
        assert torch._dynamo.utils.counters["stats"]["unique_graphs"] == 1
