"""The layer of Fourier neural operators, on fields that are cut over ranks in space."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import torch

from .._ground import mpi
from .._ground.arguments import integer, integers
from .._layouts.layout import Layout
from .linear import Linear
from .torch_autograd import mapped
from .torch_numbers import in_type_of, numbers_of
from .torch_recipes import again, recipe_of, tried

if TYPE_CHECKING:
    from mpi4py import MPI

    from .._ground.words import LayoutName


class SpectralConv(torch.nn.Module):
    """Mix the channels of fields by a matrix for each kept mode: the convolution of Fourier neural operators.

    Takes this rank's part of fields (batch, in_channels, points along each axis of space), all whole but space, and
    gives that of (batch, out_channels, the same points), with gradients. Numbers of points may differ between calls.
    Each rank has the weights of its modes, whose gradients are whole. Making a layer, calling it and going back are
    collective over ``comm``.

    Args:
        in_channels, out_channels: of the fields.
        modes: how many to keep along each axis of space, as the option ``modes`` of :func:`shardfft.plan`.
        kind: ``r2c`` of real fields, ``c2c`` of complex ones.
        dtype: of the weights, real or complex; they are converted to the precision of the fields.
        device: of the weights.
        comm: whose ranks share the fields; None is all.
        layout: how space is cut, a name or a :class:`shardfft.Layout` of the points; None: runs of its first axis.
        options: of :func:`shardfft.plan`.

    Attributes:
        weight: of this rank's modes, (in_channels, out_channels, modes along each axis).
        modes: the :class:`shardfft.Layout` of all modes; ``modes.local(comm.rank)`` are those of ``weight``.

    Raises ValueError or TypeError for fields of other axes, channels or types, and ``shardfft.ArgumentError``, which
    says why, on the other ranks.
    """

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        modes: Sequence[int],
        *,
        kind: str = "r2c",
        dtype: torch.dtype = torch.complex64,
        device: Any = None,
        comm: MPI.Comm | None = None,
        layout: LayoutName | Layout | None = None,
        **options: Any,
    ) -> None:
        super().__init__()
        self.in_channels, self.out_channels = integer(in_channels, "in_channels"), integer(out_channels, "out_channels")
        kept = integers(modes, "modes")
        if min(self.in_channels, self.out_channels, *kept, len(kept)) < 1:
            raise ValueError(f"channels and modes must be at least 1, not {in_channels}, {out_channels} and {modes}")
        if kind not in ("r2c", "c2c"):
            raise ValueError(f"kind must be r2c or c2c, not {kind!r}")
        self.comm, self.layout = mpi.communicator(comm), layout
        self._kind, self._options = kind, {**options, "modes": tuple(kept)}
        extents = [*kept[:-1], kept[-1] // 2 + 1] if kind == "r2c" else kept
        # A transform of rows ends in columns, and one of lines along the last axis in lines along the first.
        self.modes = Layout.slab(extents, self.comm.size, min(1, len(kept) - 1))
        if layout in ("pencil", "brick"):
            self.modes = Layout.pencil(extents, self.comm.size, 0)
        shape = self.in_channels, self.out_channels, *self.modes.local_shape(self.comm.rank)
        self.weight = torch.nn.Parameter(torch.empty(shape, dtype=dtype, device=device))
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw weights of variance 1 / in_channels; if ranks have one seed, the same on any number of ranks."""
        mine = self.modes.local(self.comm.rank)
        assert mine is not None  # slabs and pencils are boxes
        with torch.no_grad():
            for row in self.weight:  # the weights of all modes are too many for one rank
                drawn = torch.randn(self.out_channels, *self.modes.shape, dtype=row.dtype)
                row.copy_(drawn[(slice(None), *mine)] / math.sqrt(self.in_channels))

    def _numbers(self, x: Any) -> torch.Tensor:
        """Give a tensor that can be transformed."""
        known = numbers_of(x, self._kind == "r2c", self._kind == "c2c")
        if type(x).__name__ == "DTensor":
            raise TypeError("SpectralConv takes a rank's part of fields: give x.to_local()")
        if known.ndim != 2 + self.modes.ndim or known.shape[1] != self.in_channels or known.shape[0] < 1:
            want = ", ".join(["batch", str(self.in_channels), *["points"] * self.modes.ndim])
            raise ValueError(f"x must have the shape ({want}), not {tuple(known.shape)}")
        return known

    def _map(self, x: Any, channels: int, what: str) -> tuple[torch.Tensor, Linear]:
        """Give fields that can be transformed, and a plan's call for so many channels like them. Collective."""

        def plan_of(known: torch.Tensor, _: Layout) -> tuple[str, dict[str, Any]]:
            return self._kind, {"batch": len(known) * channels, "output": self.modes}

        asked, known = (type(self).__qualname__, channels, self._kind), tried(self._numbers, x)
        ask, recipe = again(self.comm, known, self.layout, self._options, asked)
        if known is None or recipe is None:
            known, recipe = recipe_of(self.comm, x, self._numbers, ask, self.layout, self._options, plan_of, whole=2)
        return known, recipe.maps[what]

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Give fields of ``out_channels`` on the same points. Collective."""
        known, to_modes = self._map(x, self.in_channels, "forward")
        _, to_points = self._map(x, self.out_channels, "backward")
        own = self.weight.shape[2:]
        spectrum = mapped(known.reshape(to_modes.sides()[0].shape), to_modes)
        spectrum = spectrum.reshape(len(known), self.in_channels, *own)
        mixed = torch.einsum("bi...,io...->bo...", spectrum, self.weight.to(spectrum.dtype))
        made = mapped(mixed.reshape(to_points.sides()[0].shape), to_points)
        return in_type_of(x, made.reshape(len(known), self.out_channels, *known.shape[2:]))
