"""Deposit and interpolation of particles as functions that PyTorch differentiates once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch

if TYPE_CHECKING:
    from .._plans.particles import ParticleMesh


def _plain(x: torch.Tensor) -> Any:
    return x.detach().cpu().numpy()


def _as(array: Any, like: torch.Tensor) -> torch.Tensor:
    return torch.as_tensor(array).to(like.device)


class _Deposit(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, positions: torch.Tensor, weights: torch.Tensor, mesh: ParticleMesh) -> torch.Tensor:
        ctx.mesh = mesh
        ctx.save_for_backward(positions, weights)
        return _as(mesh.deposit(_plain(positions), _plain(weights)), positions)

    @staticmethod
    @torch.autograd.function.once_differentiable  # type: ignore[misc]
    def backward(ctx: Any, gradient: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, None]:
        positions, weights = ctx.saved_tensors
        by_positions, by_weights = ctx.mesh.deposit_adjoint(_plain(positions), _plain(weights), _plain(gradient))
        return _as(by_positions, positions), _as(by_weights, weights), None


class _Interpolate(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, positions: torch.Tensor, field: torch.Tensor, mesh: ParticleMesh) -> torch.Tensor:
        ctx.mesh = mesh
        ctx.save_for_backward(positions, field)
        return _as(mesh.interpolate(_plain(positions), _plain(field)), positions)

    @staticmethod
    @torch.autograd.function.once_differentiable  # type: ignore[misc]
    def backward(ctx: Any, gradient: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, None]:
        positions, field = ctx.saved_tensors
        by_positions, by_field = ctx.mesh.interpolate_adjoint(_plain(positions), _plain(field), _plain(gradient))
        return _as(by_positions, positions), _as(by_field, field), None


def deposit(mesh: ParticleMesh, positions: torch.Tensor, weights: torch.Tensor | None = None) -> torch.Tensor:
    """:meth:`shardfft.ParticleMesh.deposit` of tensors, with gradients by positions and weights.

    It computes on CPUs. Collective, and so is going back: if one rank's tensors need gradients, all ranks' must.
    """
    ones = torch.ones(len(positions), dtype=positions.dtype, device=positions.device)
    return _Deposit.apply(positions, ones if weights is None else weights, mesh)


def interpolate(mesh: ParticleMesh, positions: torch.Tensor, field: torch.Tensor) -> torch.Tensor:
    """:meth:`shardfft.ParticleMesh.interpolate` of tensors, with gradients by positions and the field.

    It computes on CPUs. Collective, and so is going back: if one rank's tensors need gradients, all ranks' must.
    """
    return _Interpolate.apply(positions, field, mesh)
