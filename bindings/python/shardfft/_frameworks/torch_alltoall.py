"""A cut that moves from one axis of a tensor to another, by PyTorch's all-to-all, with gradients."""

from __future__ import annotations

from typing import Any

import torch
import torch.distributed as dist


def chunks(extent: int, pieces: int) -> list[tuple[int, int]]:
    """The cuts of an axis by ``torch.chunk``: equal pieces, rounded up; the last ones may be short or empty."""
    size = -(-extent // pieces)
    return [(min(i * size, extent), min((i + 1) * size, extent)) for i in range(pieces)]


class _Moved(torch.autograd.Function):
    """The gradient moves back."""

    @staticmethod
    def forward(x: torch.Tensor, group: Any, source: int, target: int, n: int, m: int) -> torch.Tensor:
        return _move(x, group, source, target, n, m)

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Any) -> None:
        ctx.how = inputs[1:]

    @staticmethod
    def backward(ctx: Any, gradient: torch.Tensor) -> tuple[Any, ...]:
        group, source, target, n, m = ctx.how
        return _Moved.apply(gradient, group, target, source, m, n), None, None, None, None, None

    @staticmethod
    def jvp(ctx: Any, tangent: torch.Tensor, *_: None) -> torch.Tensor:
        return _Moved.apply(tangent, *ctx.how)


def moved(x: torch.Tensor, group: Any, source: int, target: int, n: int, m: int) -> torch.Tensor:
    """Cut axis ``target`` of extent ``m`` instead of axis ``source`` of extent ``n``. Collective."""
    return _Moved.apply(x, group, source, target, n, m)


def _move(x: torch.Tensor, group: Any, source: int, target: int, n: int, m: int) -> torch.Tensor:
    size, rank = dist.get_world_size(group), dist.get_rank(group)
    of_source, of_target = chunks(n, size), chunks(m, size)
    parts = [x.narrow(target, low, high - low) for low, high in of_target]
    # Numbers of a message lie one behind the other; complex ones go as pairs, which all backends know.
    sent = torch.cat([_flat(part) for part in parts])
    shape = list(x.shape)
    shape[target] = of_target[rank][1] - of_target[rank][0]
    shapes = [[*shape[:source], high - low, *shape[source + 1 :]] for low, high in of_source]
    double = 2 if x.is_complex() else 1
    counts = [double * torch.Size(one).numel() for one in shapes]
    received = sent.new_empty(sum(counts))
    dist.all_to_all_single(received, sent, counts, [double * part.numel() for part in parts], group=group)
    got = received.split(counts)
    return torch.cat(
        [_shaped(one, one_shape, x.is_complex()) for one, one_shape in zip(got, shapes, strict=True)], source
    )


def _flat(x: torch.Tensor) -> torch.Tensor:
    x = x.resolve_conj().contiguous()
    return (torch.view_as_real(x) if x.is_complex() else x).reshape(-1)


def _shaped(flat: torch.Tensor, shape: list[int], is_complex: bool) -> torch.Tensor:
    return torch.view_as_complex(flat.reshape([*shape, 2])) if is_complex else flat.reshape(shape)
