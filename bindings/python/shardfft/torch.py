"""Transforms of PyTorch's tensors with gradients, and of DTensors.

``fftn``, ``ifftn``, ``rfftn`` and ``irfftn`` have the arguments of ``torch.fft`` and take

- DTensors, whose placements are ``Shard`` (pieces as ``torch.chunk`` cuts them) and ``Replicate``, and give DTensors of
  the same placements: by plans if the ranks have MPI, else by PyTorch's own all-to-all around local transforms;
- tensors that are this rank's part of an array, cut as :func:`shardfft.fftn` takes it (``comm``, ``layout``), as do
  ``dctn``, ``idctn``, ``dstn`` and ``idstn``.

``forward``, ``backward`` and ``apply`` run any plan over a communicator: cosine transforms, kept modes, operators. All
are differentiable, backward, forward and twice, and collective; so is ``loss.backward()``.

``deposit`` and ``interpolate`` are those of a :class:`shardfft.ParticleMesh`, differentiable once; ``solve`` is that of
a :func:`shardfft.poisson`, on CPUs.

``SpectralConv`` is the layer of Fourier neural operators on fields that are cut in space.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

try:
    import torch
except ImportError as error:
    raise ImportError("shardfft.torch needs PyTorch, which is not installed: pip install torch") from error

from ._frameworks import linear, torch_compiled, torch_dtensor
from ._frameworks.torch_autograd import mapped
from ._frameworks.torch_numbers import in_type_of, no_other_names, numbers_of, real_extent
from ._frameworks.torch_particles import deposit, interpolate
from ._frameworks.torch_recipes import again, recipe_of, tried
from ._frameworks.torch_spectral import SpectralConv
from ._ground import mpi
from ._ground.arguments import axes_of
from ._ground.naming import named
from ._plans.recent import Ask, asking
from ._plans.traced import living

if TYPE_CHECKING:
    from mpi4py import MPI

    from ._ground.words import LayoutName, Norm
    from ._layouts.layout import Layout
    from ._plans.operator import Operator
    from ._plans.plan import Plan
    from ._plans.poisson import Poisson

    Axes = Sequence[int] | int | None

__all__ = [
    "SpectralConv", "apply", "backward", "dctn", "deposit", "dstn", "fftn", "forward",
    "idctn", "idstn", "ifftn", "interpolate", "irfftn", "rfftn", "solve",
]  # fmt: skip


#: Of maps that programs were compiled with, by all that tells them apart.
_numbers: dict[Any, int] = {}


@torch.compiler.assume_constant_result  # type: ignore[misc]
def _number_with_plan(serial: int, what: str) -> int:
    """The number of a plan's map, which a compiled program holds in place of the plan."""
    return torch_compiled.number_of(linear.kept_of_plan(living[serial], what))


def _with_plan(plan: Plan, what: str, x: torch.Tensor) -> torch.Tensor:
    if torch.compiler.is_compiling():
        return torch_compiled.run(x, _number_with_plan(plan._traced.serial, what))
    known = plan._traced.maps.get(what) if isinstance(x, torch.Tensor) else None
    return mapped(x, known or linear.kept_of_plan(plan, what, x, torch.Tensor), plan)


def forward(plan: Plan, x: torch.Tensor) -> torch.Tensor:
    """Call ``plan.forward(x)`` with gradients. Collective, and so is the backward pass."""
    return _with_plan(plan, "forward", x)


def backward(plan: Plan, x: torch.Tensor) -> torch.Tensor:
    """Call ``plan.backward(x)`` with gradients. Collective, and so is the backward pass."""
    return _with_plan(plan, "backward", x)


def apply(plan: Plan, operator: Operator, x: torch.Tensor) -> torch.Tensor:
    """Call ``plan.apply(operator, x)`` with gradients of ``x``. Collective, and so is the backward pass.

    The operator's own factors get none: for those multiply spectra between :func:`forward` and :func:`backward`.
    """
    return mapped(x, linear.of_plan(plan, "apply", operator, x, torch.Tensor))


def solve(plan: Poisson, f: torch.Tensor) -> torch.Tensor:
    """Solve as :meth:`shardfft.Poisson.solve`, with gradients. Collective, and so is the backward pass."""
    return mapped(f, linear.Solve(plan))


#: Types of numbers that each kind of plan transforms as they are.
_AS_THEY_ARE = {
    "r2c": (torch.float32, torch.float64),
    "r2r": (torch.float32, torch.float64, torch.complex64, torch.complex128),
    **dict.fromkeys(("c2c", "c2r"), (torch.complex64, torch.complex128)),
}


class _Call(NamedTuple):
    """A transform of an array of which each rank has a part."""

    name: str  #: a function of this module, or a kind of cosine
    kind: str
    what: str  #: the plan's call
    s: tuple[int, ...] | None
    dim: Axes
    norm: str | None
    layout: LayoutName | Layout | None
    options: dict[str, Any]

    def numbers(self, x: Any) -> torch.Tensor:
        """Give a tensor that can be transformed."""
        no_other_names(self.options)
        if self.dim is not None:
            self.axes()
        return numbers_of(x, self.kind == "r2c", self.kind in ("c2c", "c2r"))

    def axes(self) -> list[int] | None:
        """Give the axes that are named or that ``s`` has extents of; None is all."""
        if self.dim is None:
            return None if self.s is None else list(range(-len(self.s), 0))
        return axes_of(self.dim)

    def rows(self, x: torch.Tensor, result: torch.Tensor) -> torch.Tensor:
        """Give a result in the type of ``x``: without rows it still says how long they are."""
        if self.layout is None and 0 in result.shape:
            axis = (self.axes() or [-1])[-1] % x.ndim
            points = x.shape[axis]
            made = {"r2c": points // 2 + 1, "c2r": self.s[-1] if self.s else 2 * (points - 1)}.get(self.kind, points)
            result = result.reshape(0, *(made if i == axis else x.shape[i] for i in range(1, x.ndim)))
        return in_type_of(x, result)

    def extent(self, shape: tuple[int, ...], axes: list[int] | None) -> int | None:
        """Check ``s``; give the extent of the real axis, if it is told."""
        if self.s is None:
            return None
        n = real_extent(self.name, shape, self.s, tuple(range(len(shape)) if axes is None else axes))
        return n if self.name == "irfftn" else None

    def recipe(self, comm: MPI.Comm, x: Any, ask: Ask = None) -> tuple[torch.Tensor, linear.Recipe]:
        """Plan for the inputs of all ranks. Collective."""

        def plan_of(known: torch.Tensor, cut: Layout) -> tuple[str, dict[str, Any]]:
            axes = self.axes()
            n = mpi.agree(comm, lambda: self.extent(cut.shape, axes))
            kind, fixed = self.kind, {"output": "natural", "axes": axes, "n": n, "norm": self.norm}
            if kind == "r2r":
                fixed["transforms"] = [self.name] * (known.ndim if axes is None else len(axes))
                kind = "c2c" if known.is_complex() else kind
            return kind, fixed

        return recipe_of(comm, x, self.numbers, ask, self.layout, self.options, plan_of)


@torch.compiler.assume_constant_result  # type: ignore[misc]
def _number(call: tuple[Any, ...], options: tuple[Any, ...], shape: tuple[int, ...], dtype: Any, device: Any) -> int:
    """The number of a call's map, planned while a program is compiled. Collective."""
    asked = _Call(*call, dict(options))
    stands = torch.empty(shape, dtype=dtype, device="meta" if device is None else device)
    key = asking((shape, dtype, device), *call, options)
    if key is None or key not in _numbers:
        made = asked.recipe(mpi.communicator(None), stands)[1].maps[asked.what]
        _numbers[key] = torch_compiled.number_of(made)
    return _numbers[key]


def _local(asked: tuple[Any, ...], layout: Any, options: dict[str, Any], x: Any, comm: MPI.Comm | None) -> torch.Tensor:
    """Transform this rank's part of an array; ``asked`` are the first six of a :class:`_Call`."""
    if torch.compiler.is_compiling():
        if comm is not None:
            raise NotImplementedError("torch.compile takes transforms over all processes: leave out comm, or plan")
        call = _Call(*asked, layout, options)
        known = call.numbers(x)
        device = known.device if known.is_cuda else None
        number = _number(tuple(call)[:-1], tuple(call.options.items()), tuple(known.shape), known.dtype, device)
        return call.rows(x, torch_compiled.run(known, number))
    comm = mpi.communicator(comm)
    fits = type(x) is torch.Tensor and x.dtype in _AS_THEY_ARE[asked[1]]
    known = x if fits else tried(_Call(*asked, layout, options).numbers, x)
    ask, recipe = again(comm, known, layout, options, asked)
    if recipe is None:
        known, recipe = _Call(*asked, layout, options).recipe(comm, x, ask)
    result = mapped(known, recipe.maps[asked[2]])
    return result if known is x and result.numel() else _Call(*asked, layout, options).rows(x, result)


# The functions that make functions say no type of what they give, so that type checkers find it themselves.
def _fourier(name: str, kind: str, what: str, says: str):  # type: ignore[no-untyped-def]
    def function(
        x: Any, s: Sequence[int] | None = None, dim: Axes = None, norm: Norm | None = None, *,
        comm: MPI.Comm | None = None, layout: LayoutName | Layout | None = None, by: str | None = None, **options: Any,
    ) -> Any:  # fmt: skip
        if type(x) is not torch.Tensor and torch_dtensor.is_dtensor(x):
            if comm is not None or layout is not None:
                raise TypeError("a DTensor has its own mesh and placements: give neither comm nor layout")
            return torch_dtensor.transform(name, x, s, dim, norm, by, options)
        if by not in (None, "mpi"):
            raise ValueError(f"tensors that are no DTensors are transformed by plans over MPI, not by {by!r}")
        return _local((name, kind, what, None if s is None else tuple(s), dim, norm), layout, options, x, comm)

    return named(function, name, says)


def _cosines(name: str, what: str, says: str):  # type: ignore[no-untyped-def]
    def function(
        x: torch.Tensor, type: int = 2, dim: Axes = None, norm: Norm | None = None, *, comm: MPI.Comm | None = None,
        layout: LayoutName | Layout | None = None, **options: Any,
    ) -> torch.Tensor:  # fmt: skip
        if type not in (1, 2, 3, 4):
            raise ValueError(f"type must be 1, 2, 3 or 4, not {type!r}")
        word = f"{name.removeprefix('i')[:3]}{type}"
        return _local((word, "r2r", what, None, dim, norm), layout, options, x, comm)

    return named(function, name, says)


fftn = _fourier(
    "fftn",
    "c2c",
    "forward",
    """Transform a DTensor, or an array of which ``x`` is this rank's part, as ``torch.fft.fftn``. Collective.

    Args:
        x: a DTensor, or this rank's part of an array.
        s: extents of ``dim``; those of ``x``, but for the last one of :func:`irfftn`.
        dim: axes to transform; None is all, or the last ones that ``s`` has extents of.
        norm: ``backward`` (None), ``ortho`` or ``forward``.
        comm, layout: of tensors that are no DTensors, as for :func:`shardfft.fftn`.
        by: DTensors: ``mpi`` by a plan, ``torch`` by PyTorch's all-to-all; None: by a plan if the ranks have MPI.
        options: of :func:`shardfft.plan`, if a plan transforms.

    Raises TypeError or ValueError on a rank whose tensor cannot be transformed, and ``shardfft.ArgumentError``, which
    says why, on the other ranks.
    """,
)
ifftn = _fourier("ifftn", "c2c", "backward", "Invert :func:`fftn`; the arguments are the same. Collective.")
rfftn = _fourier(
    "rfftn",
    "r2c",
    "forward",
    """Transform real numbers, and halve the last axis of ``dim``; the arguments are those of :func:`fftn`. Collective.

    If that axis is cut, the result is cut as ``torch.chunk`` cuts its n/2 + 1 modes.
    """,
)
irfftn = _fourier(
    "irfftn",
    "c2r",
    "forward",
    """Invert :func:`rfftn`; the arguments are the same. Collective.

    The last number of ``s`` is the extent of the real array along the last axis; None is 2 (m - 1).
    """,
)
_SAYS = "Make the {} transform of :func:`shardfft.{}`, with gradients. Collective."
_INVERTS = "Invert :func:`{}` of the same type. Collective."
dctn = _cosines("dctn", "forward", _SAYS.format("cosine", "dctn"))
idctn = _cosines("idctn", "backward", _INVERTS.format("dctn"))
dstn = _cosines("dstn", "forward", _SAYS.format("sine", "dstn"))
idstn = _cosines("idstn", "backward", _INVERTS.format("dstn"))
