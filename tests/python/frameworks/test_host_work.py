"""How much Python runs in a call that was made before: on a GPU the caller waits for that, and for nothing else."""

import gc
import sys
import weakref

import pytest

import shardfft

torch = pytest.importorskip("torch", reason="PyTorch is not installed")
torch.set_num_threads(1)


def functions_in(call):
    """The package's functions that a call runs when it is made again."""
    for _ in range(3):
        call()
    names = []

    def note(frame, event, _):
        if event == "call" and "shardfft" in frame.f_code.co_filename:
            names.append(frame.f_code.co_name)

    sys.setprofile(note)
    try:
        call()
    finally:
        sys.setprofile(None)
    return [name for name in names if name != "<lambda>"]


def test_calls_that_were_made_before(comm):
    x = torch.randn(4 * comm.size, 6, 8, dtype=torch.complex64)
    with shardfft.plan(x.shape, dtype="complex64", comm=comm, effort="estimate", output="natural") as plan:
        part = torch.randn(plan.input.shape, dtype=torch.complex64)
        asks = part.clone().requires_grad_()
        out = torch.empty_like(part)
        calls = [
            (3, lambda: plan.forward(part)),
            (2, lambda: plan.forward(part, out=out)),
            (3, lambda: shardfft.torch.forward(plan, part)),
            (4, lambda: shardfft.torch.forward(plan, asks).abs().sum().backward()),
            (26, lambda: shardfft.fftn(part, comm)),
            (8, lambda: shardfft.torch.fftn(part, comm=comm)),
            (9, lambda: shardfft.torch.fftn(asks, comm=comm).abs().sum().backward()),
        ]
        for most, call in calls:
            assert len(functions_in(call)) <= most + 2 * (comm.size > 1)


def test_a_graph_keeps_its_plan(comm):
    """And nothing else does: plans end when they are dropped, not when garbage is collected."""
    plan = shardfft.plan((4 * comm.size, 6), "r2c", comm=comm, effort="estimate")
    x = torch.randn(plan.input.shape, dtype=torch.float64).requires_grad_()
    made, watched = shardfft.torch.forward(plan, x), weakref.ref(plan)
    gc.disable()
    try:
        del plan
        (gradient,) = torch.autograd.grad(made.abs().square().sum(), x, create_graph=True)
        gradient.sum().backward()
        assert x.grad is not None
        del made, gradient
        assert watched() is None
    finally:
        gc.enable()
