"""Maps of plans as functions that PyTorch differentiates: backward, forward, twice, and under ``torch.func.vmap``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import torch
from torch.autograd import forward_ad

if TYPE_CHECKING:
    from .._layouts.side import Side
    from .linear import Factors, Linear


def times(x: torch.Tensor, factors: Factors, overwrite: bool) -> torch.Tensor:
    """Multiply a tensor by real factors, in its own precision."""
    if not factors.vectors:
        return x.mul_(factors.number) if overwrite else x * factors.number
    dtype, device = x.dtype.to_real(), x.device
    for one in factors.on((dtype, device), lambda values: torch.as_tensor(values, dtype=dtype, device=device)):
        x = x.mul_(one) if overwrite else x * one
        overwrite = True
    return x


def _of_meta(x: torch.Tensor, linear: Linear) -> torch.Tensor:
    """Give a tensor without numbers for one."""
    return like(linear.sides()[1], x.device) if linear.agreed else linear(x, times)


class _Mapped(torch.autograd.Function):
    """A linear map; its gradient is the adjoint, whose gradient is the map. ``keep`` lives as long as the graph."""

    @staticmethod
    def forward(x: torch.Tensor, linear: Linear, keep: Any) -> torch.Tensor:
        x = x.detach()
        return _of_meta(x, linear) if x.is_meta else linear(x, times)

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
        many = linear.batched(len(fields)) if len(fields) else None
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


class _Plain(_Mapped):
    """The same outside of torch.func: PyTorch binds no arguments by name then, which takes longer than a call."""

    @staticmethod
    def forward(ctx: Any, x: torch.Tensor, linear: Linear, keep: Any) -> torch.Tensor:  # type: ignore[override]
        ctx.told = x.shape, linear, keep
        return _of_meta(x, linear) if x.is_meta else linear(x, times)

    setup_context = torch.autograd.Function.setup_context


# Steps of PyTorch's own between its C++ and these functions serve torch.func and old forms of functions: a step on a
# GPU waits for them, most of all in its backward pass, whose thread finds nothing in its processor's caches.
_plain = super(torch.autograd.Function, _Plain).apply
_Plain._backward_cls.apply = _Plain.backward


def like(side: Side, device: torch.device) -> torch.Tensor:
    """Make a tensor as a plan gives it, not initialised."""
    made = torch.empty(side._memory_shape, dtype=getattr(torch, side.dtype.name), device=device)
    return made.permute(tuple(side._places))


def mapped(x: torch.Tensor, linear: Linear, keep: Any = None) -> torch.Tensor:
    """Apply a map to a tensor. Collective, and so is going back, for which ``keep`` is kept."""
    if torch._C._are_functorch_transforms_active():
        return _Mapped.apply(x, linear, keep)
    if x.requires_grad or forward_ad._current_level >= 0:
        return _plain(x, linear, keep)
    return _of_meta(x, linear) if x.is_meta else linear(x, times)
