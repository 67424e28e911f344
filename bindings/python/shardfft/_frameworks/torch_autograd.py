"""Maps of plans as functions that PyTorch differentiates: backward, forward, twice, and under ``torch.func.vmap``."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, cast

import torch
from torch.autograd import forward_ad

from .. import _core

if TYPE_CHECKING:
    from .._layouts.side import Side
    from .linear import Factors, Linear


def _of(factors: Factors, x: torch.Tensor) -> list[Any]:
    """Factors for a tensor: numbers, or vectors on its device and in its precision."""
    dtype, device = x.dtype.to_real(), x.device
    return factors.on((dtype, device), lambda values: torch.as_tensor(values, dtype=dtype, device=device))


def times(x: torch.Tensor, factors: Factors, overwrite: bool) -> torch.Tensor:
    """Multiply a tensor by real factors, in its own precision."""
    for one in _of(factors, x):
        x = x.mul_(one) if overwrite else x * one
        overwrite = True
    return x


def _applied(x: torch.Tensor, linear: Linear) -> torch.Tensor:
    """Apply a map to any tensor, of which no gradient is asked here. Collective.

    Tensors of the same form as this one get there in the few steps that are noted here.
    """
    if x.is_meta and linear.agreed:
        return like(linear.sides()[1], x.device)
    made = linear(x, times)
    linear.note(_of, x, made)
    return made


class _Mapped(torch.autograd.Function):
    """A linear map; its gradient is the adjoint, whose gradient is the map. ``keep`` lives as long as the graph."""

    @staticmethod
    def forward(x: torch.Tensor, linear: Linear, keep: Any) -> torch.Tensor:
        return _applied(x.detach(), linear)

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Any) -> None:
        ctx.told = inputs[0].shape, *inputs[1:]

    @staticmethod
    def backward(ctx: Any, gradient: torch.Tensor) -> tuple[torch.Tensor, None, None]:
        shape, linear, keep = ctx.told
        back = mapped(gradient, linear.adjoint, keep)
        # A plan's array without elements has extents of its own.
        return back if back.shape == shape else back.reshape(shape), None, None

    @staticmethod
    def jvp(ctx: Any, tangent: torch.Tensor, *_: None) -> torch.Tensor:
        return mapped(tangent, *ctx.told[1:])

    @staticmethod
    def vmap(
        info: Any, in_dims: tuple[int | None, ...], x: torch.Tensor, linear: Linear, keep: Any
    ) -> tuple[torch.Tensor, int]:
        fields = x.movedim(in_dims[0], 0)
        if not len(fields):
            target = linear.sides()[1]
            return nothing(fields, (0, *target.shape), getattr(torch, target.dtype.name)), 0
        many = linear.batched(len(fields))
        if many is not None:
            return mapped(fields, many, keep), 0
        return torch.stack([mapped(one, linear, keep) for one in fields]), 0


class _Nothing(torch.autograd.Function):
    """From no elements to no elements: PyTorch's own transforms of them end the graph of second derivatives."""

    @staticmethod
    def forward(x: torch.Tensor, shape: Sequence[int], dtype: torch.dtype) -> torch.Tensor:
        return x.new_zeros(shape, dtype=dtype)

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Any) -> None:
        ctx.like = inputs[0].shape, inputs[0].dtype

    @staticmethod
    def backward(ctx: Any, gradient: torch.Tensor) -> tuple[torch.Tensor, None, None]:
        return _Nothing.apply(gradient, *ctx.like), None, None


def nothing(x: torch.Tensor, shape: Sequence[int], dtype: torch.dtype) -> torch.Tensor:
    """Give an empty tensor for an empty one, so that a process without elements goes back as all others do."""
    return _Nothing.apply(x, shape, dtype)


_gradients = _core.Gradients(_applied, _Mapped.apply, torch._C._are_functorch_transforms_active, forward_ad)


class _Plain(_Mapped):
    """The same outside of torch.func: PyTorch binds no arguments by name then, which takes longer than a call."""

    forward = staticmethod(_gradients.forward)
    setup_context = torch.autograd.Function.setup_context


# Steps of PyTorch's own between its C++ and these functions serve torch.func and old forms of functions: a step on a
# GPU waits for them, most of all in its backward pass, whose thread finds nothing in its processor's caches.
_gradients.recorded = super(torch.autograd.Function, _Plain).apply
_Plain._backward_cls.apply = _core.as_method(_gradients.backward)


def like(side: Side, device: torch.device) -> torch.Tensor:
    """Make a tensor as a plan gives it, not initialised."""
    made = torch.empty(side._memory_shape, dtype=getattr(torch, side.dtype.name), device=device)
    return made.permute(tuple(side._places))


#: Apply a map to a tensor, and keep what the third argument names for going back. Collective, and so is going back.
mapped = cast("Callable[..., torch.Tensor]", _gradients.mapped)
