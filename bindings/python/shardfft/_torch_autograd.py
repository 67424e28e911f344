"""Maps of plans as functions that PyTorch differentiates: backward, forward, twice, and under ``torch.func.vmap``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch

if TYPE_CHECKING:
    from ._linear import Linear


def times(x: torch.Tensor, factors: Any) -> torch.Tensor:
    """Multiply a tensor by real factors, in its own precision."""
    if isinstance(factors, float):
        return x * factors
    return x * torch.as_tensor(factors, dtype=x.real.dtype, device=x.device)


class _Mapped(torch.autograd.Function):
    """A linear map; its gradient is the adjoint, whose gradient is the map."""

    @staticmethod
    def forward(x: torch.Tensor, linear: Linear) -> torch.Tensor:
        with torch.no_grad():
            return linear(x.detach(), times)

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Any) -> None:
        ctx.linear = inputs[1]

    @staticmethod
    def backward(ctx: Any, gradient: torch.Tensor) -> tuple[torch.Tensor, None]:
        return _Mapped.apply(gradient, ctx.linear.adjoint), None

    @staticmethod
    def jvp(ctx: Any, tangent: torch.Tensor, _: None) -> torch.Tensor:
        return _Mapped.apply(tangent, ctx.linear)

    @staticmethod
    def vmap(info: Any, in_dims: tuple[int | None, None], x: torch.Tensor, linear: Linear) -> tuple[torch.Tensor, int]:
        return torch.stack([_Mapped.apply(one, linear) for one in x.movedim(in_dims[0], 0)]), 0


def mapped(x: torch.Tensor, linear: Linear) -> torch.Tensor:
    """Apply a map to a tensor. Collective, and so is going back."""
    return _Mapped.apply(x, linear)
