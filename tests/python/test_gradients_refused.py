"""A tensor that requires gradients: refused, so that none gets lost in silence, but for calls under no_grad()."""

import importlib
import sys

import numpy as np
import pytest

import shardfft
from shardfft._frameworks import linear
from shardfft._libraries import array_libraries


class Tensor:
    """As much of a tensor on CPUs as a plan needs."""

    def __init__(self, array, requires_grad=False):
        self.array, self.requires_grad = array, requires_grad
        self.shape, self.dtype = array.shape, array.dtype
        self.device = type("Device", (), {"type": "cpu"})()

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()

    def __dlpack__(self, **words):
        if self.requires_grad:
            raise BufferError("Can't export tensors that require gradient, use tensor.detach()")
        return self.array.__dlpack__(**words)

    def __array__(self, dtype=None, copy=None):
        return self.array

    def detach(self):
        return Tensor(self.array)

    def permute(self, axes):
        return Tensor(self.array.transpose(axes))

    def is_contiguous(self):
        return self.array.flags.c_contiguous

    def is_pinned(self):
        return False

    is_conj = is_neg = is_pinned
    is_cuda = is_cpu = False


class Torch:
    """The module, of which a test says whether gradients are asked for."""

    Tensor = Tensor
    nn = type("nn", (), {"Parameter": type("Parameter", (Tensor,), {})})
    strided = "strided"
    complex128 = np.dtype(complex)

    def __init__(self):
        self.enabled = True

    def is_grad_enabled(self):
        return self.enabled

    @staticmethod
    def empty(shape, dtype, device, pin_memory):
        return Tensor(np.empty(shape, dtype))


@pytest.fixture
def torch(monkeypatch):
    module = Torch()
    monkeypatch.setitem(array_libraries.sys.modules, "torch", module)
    return module


def test_refused_and_under_no_grad(comm, torch, rng):
    with shardfft.plan((8, 6), comm=comm, effort="estimate") as plan:
        x = np.ascontiguousarray(rng.standard_normal(plan.input.shape) + 0j)
        exact = plan.forward(x)
        asks = Tensor(x, requires_grad=True)
        for call in (plan.forward, plan.input.asarray, lambda one: shardfft.fftn(one, comm)):
            torch.enabled = True
            with pytest.raises((TypeError, shardfft.Error), match=r"has no gradient.*torch\.no_grad\(\)"):
                call(asks)
            torch.enabled = False
            call(asks)
        assert np.array_equal(plan.forward(asks).array, exact)
        out = Tensor(plan.output.empty(), requires_grad=True)
        assert plan.forward(asks, out=out) is out and np.array_equal(out.array, exact)
        assert np.array_equal(plan.forward(Tensor(x)).array, exact)


def test_not_where_the_input_may_be_overwritten(comm, torch):
    with shardfft.plan((8, 6), "r2c", comm=comm, effort="estimate", overwrite_input=True) as plan:
        forward = linear.of_plan(plan, "forward")
        torch.enabled = False
        asks = Tensor(plan.output.zeros(), requires_grad=True)
        for call in (lambda: forward(plan.input.zeros(), None), lambda: plan.backward(asks)):
            with pytest.raises((TypeError, ValueError, shardfft.Error), match="plan without overwrite_input"):
                call()


@pytest.mark.parametrize(
    "module, says", [("torch", "needs PyTorch.*pip install torch"), ("jax", "needs JAX.*pip install jax")]
)
def test_where_they_are_missing(monkeypatch, module, says):
    monkeypatch.setitem(sys.modules, module, None)
    monkeypatch.delitem(sys.modules, f"shardfft.{module}", raising=False)
    with pytest.raises(ImportError, match=says):
        importlib.import_module(f"shardfft.{module}")
