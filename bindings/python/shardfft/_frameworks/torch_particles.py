"""Deposit and interpolation of particles as functions that PyTorch differentiates once."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import torch

if TYPE_CHECKING:
    from .._plans.particles import ParticleMesh

Run = Callable[..., Any]


def _plain(x: torch.Tensor) -> Any:
    return x.detach().cpu().numpy()


def _as(array: Any, like: torch.Tensor) -> torch.Tensor:
    return torch.as_tensor(array).to(like.device)


class _OverMesh(torch.autograd.Function):
    """A function of positions and of numbers of particles or points, whose adjoint the mesh has."""

    @staticmethod
    def forward(ctx: Any, positions: torch.Tensor, numbers: torch.Tensor, run: Run, adjoint: Run) -> torch.Tensor:
        ctx.adjoint = adjoint
        ctx.save_for_backward(positions, numbers)
        return _as(run(_plain(positions), _plain(numbers)), positions)

    @staticmethod
    @torch.autograd.function.once_differentiable  # type: ignore[misc]
    def backward(ctx: Any, gradient: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, None, None]:
        positions, numbers = ctx.saved_tensors
        by_positions, by_numbers = ctx.adjoint(_plain(positions), _plain(numbers), _plain(gradient))
        return _as(by_positions, positions), _as(by_numbers, numbers), None, None


def deposit(mesh: ParticleMesh, positions: torch.Tensor, weights: torch.Tensor | None = None) -> torch.Tensor:
    """:meth:`shardfft.ParticleMesh.deposit` of tensors, with gradients by positions and weights.

    It computes on CPUs. Collective, and so is going back: if one rank's tensors need gradients, all ranks' must.
    """
    ones = torch.ones(len(positions), dtype=positions.dtype, device=positions.device)
    return _OverMesh.apply(positions, ones if weights is None else weights, mesh.deposit, mesh.deposit_adjoint)


def interpolate(mesh: ParticleMesh, positions: torch.Tensor, field: torch.Tensor) -> torch.Tensor:
    """:meth:`shardfft.ParticleMesh.interpolate` of tensors, with gradients by positions and the field.

    It computes on CPUs. Collective, and so is going back: if one rank's tensors need gradients, all ranks' must.
    """
    return _OverMesh.apply(positions, field, mesh.interpolate, mesh.interpolate_adjoint)
