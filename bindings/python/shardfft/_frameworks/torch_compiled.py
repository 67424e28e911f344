"""Maps of plans as an operator that torch.compile takes: of a map it sees a number, shapes and the gradient."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any

import torch

from .torch_autograd import like, mapped

if TYPE_CHECKING:
    from .linear import Linear

_maps: dict[int, Linear] = {}
_numbers = itertools.count(1)


def number_of(linear: Linear) -> int:
    """Give a map the number by which compiled programs find it, as long as the process lives."""
    if linear.number is None:
        linear.number = next(_numbers)
        _maps[linear.number] = linear
    return linear.number


@torch.library.custom_op("shardfft::mapped", mutates_args=())
def run(x: torch.Tensor, number: int) -> torch.Tensor:
    """Apply a map. Collective."""
    return mapped(x, _maps[number])


@run.register_fake
def _(x: torch.Tensor, number: int) -> torch.Tensor:
    return like(_maps[number].sides()[1], x.device)


def _note(ctx: Any, inputs: tuple[Any, ...], output: Any) -> None:
    ctx.shape, ctx.number = inputs[0].shape, inputs[1]


def _back(ctx: Any, gradient: torch.Tensor) -> tuple[torch.Tensor, None]:
    return run(gradient, number_of(_maps[ctx.number].adjoint)).reshape(ctx.shape), None


run.register_autograd(_back, setup_context=_note)
