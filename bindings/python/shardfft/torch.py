"""Transforms of PyTorch's tensors with gradients, and of DTensors.

``fftn``, ``ifftn``, ``rfftn`` and ``irfftn`` have the arguments of ``torch.fft`` and take

- DTensors, whose placements are ``Shard`` (pieces as ``torch.chunk`` cuts them) and ``Replicate``, and give DTensors of
  the same placements: by plans where the ranks have MPI, else by PyTorch's own all-to-all around local transforms;
- tensors that are this rank's part of an array, cut as :func:`shardfft.fftn` takes it (``comm``, ``layout``), as do
  ``dctn``, ``idctn``, ``dstn`` and ``idstn``.

``forward``, ``backward`` and ``apply`` run any plan over a communicator: cosine transforms, kept modes, operators. All
are differentiable, backward, forward and twice, and collective; so is ``loss.backward()``.

``deposit`` and ``interpolate`` are those of a :class:`shardfft.ParticleMesh`, differentiable once.

``SpectralConv`` is the layer of Fourier neural operators on fields that are cut in space.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

try:
    import torch
except ImportError as error:
    raise ImportError("shardfft.torch needs PyTorch, which is not installed: pip install torch") from error

from ._frameworks import linear, torch_compiled, torch_dtensor
from ._frameworks.torch_autograd import mapped
from ._frameworks.torch_numbers import in_type_of, numbers_of, real_extent
from ._frameworks.torch_particles import deposit, interpolate
from ._frameworks.torch_spectral import SpectralConv
from ._ground import mpi
from ._ground.arguments import axes_of
from ._ground.errors import ArgumentError
from ._layouts.infer import layout_of, processor_of
from ._plans.recent import asked_again, asking
from ._plans.traced import living

if TYPE_CHECKING:
    from mpi4py import MPI

    from ._ground.words import LayoutName, Norm
    from ._layouts.layout import Layout
    from ._plans.operator import Operator
    from ._plans.plan import Plan

    Axes = Sequence[int] | int | None

__all__ = [
    "SpectralConv", "apply", "backward", "dctn", "deposit", "dstn", "fftn", "forward",
    "idctn", "idstn", "ifftn", "interpolate", "irfftn", "rfftn",
]  # fmt: skip


@torch.compiler.assume_constant_result  # type: ignore[misc]
def _number_with_plan(serial: int, what: str) -> int:
    """The number of a plan's map, which a compiled program holds in place of the plan."""
    key = serial, what
    if key not in _numbers:

        def with_plan(work: Callable[[Plan], Any]) -> Any:
            plan = living.get(serial)
            if plan is None:
                raise ArgumentError("the plan of this compiled program was dropped")
            return work(plan)

        _numbers[key] = torch_compiled.number_of(linear.Linear(with_plan, what))
    return _numbers[key]


#: Of maps that programs were compiled with, by all that tells them apart.
_numbers: dict[Any, int] = {}


def _with_plan(plan: Plan, what: str, x: torch.Tensor) -> torch.Tensor:
    if torch.compiler.is_compiling():
        return torch_compiled.run(x, _number_with_plan(plan._traced.serial, what))
    return mapped(x, linear.of_plan(plan, what, None, x, torch.Tensor))


def forward(plan: Plan, x: torch.Tensor) -> torch.Tensor:
    """Do what ``plan.forward(x)`` does, with gradients. Collective, and so is going back."""
    return _with_plan(plan, "forward", x)


def backward(plan: Plan, x: torch.Tensor) -> torch.Tensor:
    """Do what ``plan.backward(x)`` does, with gradients. Collective, and so is going back."""
    return _with_plan(plan, "backward", x)


def apply(plan: Plan, operator: Operator, x: torch.Tensor) -> torch.Tensor:
    """Do what ``plan.apply(operator, x)`` does, with gradients of ``x``. Collective, and so is going back.

    The operator's own factors get none: for those multiply spectra between :func:`forward` and :func:`backward`.
    """
    return mapped(x, linear.of_plan(plan, "apply", operator, x, torch.Tensor))


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
        return numbers_of(x, self.kind == "r2c", self.kind in ("c2c", "c2r"))

    def axes(self) -> list[int] | None:
        """Give the axes that are named or that ``s`` has extents of; None is all."""
        if self.dim is None:
            return None if self.s is None else list(range(-len(self.s), 0))
        return axes_of(self.dim)

    def extent(self, shape: tuple[int, ...], axes: list[int] | None) -> int | None:
        """Check ``s``; give the extent of the real axis, if it is told."""
        if self.s is None:
            return None
        n = real_extent(self.name, shape, self.s, tuple(range(len(shape)) if axes is None else axes))
        return n if self.name == "irfftn" else None

    def ask(self, x: torch.Tensor) -> Any:
        """What tells this call of a tensor apart from others."""
        of_tensor = type(self).__qualname__, self.name, self.what, tuple(x.shape), x.dtype, x.device
        return asking(of_tensor, self.layout, self.s, self.dim, self.norm, self.options)


def _gpu_of(x: torch.Tensor) -> int | None:
    return x.get_device() if x.is_cuda else None


def _recipe(call: _Call, x: Any, comm: MPI.Comm, ask: Any) -> linear.Recipe:
    """Plan for what all ranks bring. Collective."""

    def prepare() -> tuple[tuple[torch.Tensor, list[int] | None], tuple[str, bool]]:
        known, axes = call.numbers(x), call.axes()
        word = f"{known.dtype} without numbers" if known.is_meta else str(known.dtype)
        return (known, axes), (word, known.is_cuda)

    (known, axes), told = mpi.meet(comm, prepare)
    if len({word for word, _ in told}) != 1:
        raise TypeError(f"the ranks' tensors have different types: {', '.join(word for word, _ in told)}")
    place = processor_of([on_gpu for _, on_gpu in told], _gpu_of(known))
    cut = layout_of(tuple(known.shape), call.layout, comm)
    n = mpi.agree(comm, lambda: call.extent(cut.shape, axes))
    kind, options = call.kind, {**({} if place else {"effort": "estimate"}), **place, **call.options}
    if kind == "r2r":
        options["transforms"] = [call.name] * (known.ndim if axes is None else len(axes))
        kind = "c2c" if known.is_complex() else kind
    precision = "float32" if known.dtype in (torch.float32, torch.complex64) else "float64"
    return linear.Recipe(
        cut.shape, kind, precision, comm, cut, output="natural", axes=axes, n=n, norm=call.norm, ask=ask, **options
    )


@torch.compiler.assume_constant_result  # type: ignore[misc]
def _number(call: tuple[Any, ...], options: tuple[Any, ...], shape: tuple[int, ...], dtype: Any, device: Any) -> int:
    """The number of a call's map, planned while a program is compiled. Collective."""
    asked = _Call(*call, dict(options))
    stands = torch.empty(shape, dtype=dtype, device="meta" if device is None else device)
    key = asked.ask(stands)
    if key is None or key not in _numbers:
        made = linear.Linear(_recipe(asked, stands, mpi.communicator(None), key), asked.what)
        _numbers[key] = torch_compiled.number_of(made)
    return _numbers[key]


def _local(call: _Call, x: Any, comm: MPI.Comm | None) -> torch.Tensor:
    """Transform this rank's part of an array."""
    if torch.compiler.is_compiling():
        if comm is not None:
            raise NotImplementedError("torch.compile takes transforms over all processes: leave out comm, or plan")
        known = call.numbers(x)
        device = known.device if known.is_cuda else None
        number = _number(tuple(call)[:-1], tuple(call.options.items()), tuple(known.shape), known.dtype, device)
        return in_type_of(x, torch_compiled.run(known, number))
    comm = mpi.communicator(comm)
    ask = None
    with contextlib.suppress(Exception):  # it is raised again where all ranks are told
        known = call.numbers(x)
        ask = call.ask(known)
    found = asked_again(comm, ask, lambda plan: plan._traced.recipe)
    if found is None:
        recipe = _recipe(call, x, comm, ask)
        known = call.numbers(x)
    else:
        recipe = found[1]
    return in_type_of(x, mapped(known, linear.Linear(recipe, call.what)))


def _fft(
    name: str,
    x: Any,
    s: Sequence[int] | None,
    dim: Axes,
    norm: str | None,
    comm: MPI.Comm | None,
    layout: LayoutName | Layout | None,
    by: str | None,
    options: dict[str, Any],
) -> Any:
    if torch_dtensor.is_dtensor(x):
        if comm is not None or layout is not None:
            raise TypeError("a DTensor knows its mesh and its placements: give neither comm nor layout")
        return torch_dtensor.transform(name, x, s, dim, norm, by, options)
    if by not in (None, "mpi"):
        raise ValueError(f"tensors that are no DTensors are transformed by plans over MPI, not by {by!r}")
    kind = {"rfftn": "r2c", "irfftn": "c2r"}.get(name, "c2c")
    what = "backward" if name == "ifftn" else "forward"
    return _local(_Call(name, kind, what, None if s is None else tuple(s), dim, norm, layout, options), x, comm)


def fftn(
    x: Any,
    s: Sequence[int] | None = None,
    dim: Axes = None,
    norm: Norm | None = None,
    *,
    comm: MPI.Comm | None = None,
    layout: LayoutName | Layout | None = None,
    by: str | None = None,
    **options: Any,
) -> Any:
    """Transform a DTensor, or an array of which ``x`` is this rank's part, as ``torch.fft.fftn``. Collective.

    Args:
        x: a DTensor, or this rank's part of an array.
        s: extents of ``dim``; those of ``x``, but for the last one of :func:`irfftn`.
        dim: axes to transform; None is all, or the last ones that ``s`` has extents of.
        norm: ``backward`` (None), ``ortho`` or ``forward``.
        comm, layout: of tensors that are no DTensors, as for :func:`shardfft.fftn`.
        by: DTensors: ``mpi`` by a plan, ``torch`` by PyTorch's all-to-all; None: by a plan where the ranks have MPI.
        options: of :func:`shardfft.plan`, for what plans transform.

    Raises TypeError or ValueError on a rank whose tensor cannot be transformed, and ``shardfft.ArgumentError``, which
    says why, on the other ranks.
    """
    return _fft("fftn", x, s, dim, norm, comm, layout, by, options)


def ifftn(
    x: Any,
    s: Sequence[int] | None = None,
    dim: Axes = None,
    norm: Norm | None = None,
    *,
    comm: MPI.Comm | None = None,
    layout: LayoutName | Layout | None = None,
    by: str | None = None,
    **options: Any,
) -> Any:
    """Invert :func:`fftn`; the arguments are the same. Collective."""
    return _fft("ifftn", x, s, dim, norm, comm, layout, by, options)


def rfftn(
    x: Any,
    s: Sequence[int] | None = None,
    dim: Axes = None,
    norm: Norm | None = None,
    *,
    comm: MPI.Comm | None = None,
    layout: LayoutName | Layout | None = None,
    by: str | None = None,
    **options: Any,
) -> Any:
    """Transform real numbers, and halve the last axis of ``dim``; the arguments are those of :func:`fftn`. Collective.

    If that axis is cut, the result is cut as ``torch.chunk`` cuts its n/2 + 1 modes.
    """
    return _fft("rfftn", x, s, dim, norm, comm, layout, by, options)


def irfftn(
    x: Any,
    s: Sequence[int] | None = None,
    dim: Axes = None,
    norm: Norm | None = None,
    *,
    comm: MPI.Comm | None = None,
    layout: LayoutName | Layout | None = None,
    by: str | None = None,
    **options: Any,
) -> Any:
    """Invert :func:`rfftn`; the arguments are the same. Collective.

    The last number of ``s`` is the extent of the real array along the last axis; None is 2 (m - 1).
    """
    return _fft("irfftn", x, s, dim, norm, comm, layout, by, options)


def _cosine(
    family: str, what: str, x: Any, type: int, dim: Axes, norm: Any, comm: Any, layout: Any, options: Any
) -> torch.Tensor:
    if type not in (1, 2, 3, 4):
        raise ValueError(f"type must be 1, 2, 3 or 4, not {type!r}")
    return _local(_Call(f"{family}{type}", "r2r", what, None, dim, norm, layout, options), x, comm)


def dctn(
    x: torch.Tensor, type: int = 2, dim: Axes = None, norm: Norm | None = None, *, comm: MPI.Comm | None = None,
    layout: LayoutName | Layout | None = None, **options: Any,
) -> torch.Tensor:  # fmt: skip
    """Make the cosine transform of :func:`shardfft.dctn`, with gradients. Collective."""
    return _cosine("dct", "forward", x, type, dim, norm, comm, layout, options)


def idctn(
    x: torch.Tensor, type: int = 2, dim: Axes = None, norm: Norm | None = None, *, comm: MPI.Comm | None = None,
    layout: LayoutName | Layout | None = None, **options: Any,
) -> torch.Tensor:  # fmt: skip
    """Invert :func:`dctn` of the same type. Collective."""
    return _cosine("dct", "backward", x, type, dim, norm, comm, layout, options)


def dstn(
    x: torch.Tensor, type: int = 2, dim: Axes = None, norm: Norm | None = None, *, comm: MPI.Comm | None = None,
    layout: LayoutName | Layout | None = None, **options: Any,
) -> torch.Tensor:  # fmt: skip
    """Make the sine transform of :func:`shardfft.dstn`, with gradients. Collective."""
    return _cosine("dst", "forward", x, type, dim, norm, comm, layout, options)


def idstn(
    x: torch.Tensor, type: int = 2, dim: Axes = None, norm: Norm | None = None, *, comm: MPI.Comm | None = None,
    layout: LayoutName | Layout | None = None, **options: Any,
) -> torch.Tensor:  # fmt: skip
    """Invert :func:`dstn` of the same type. Collective."""
    return _cosine("dst", "backward", x, type, dim, norm, comm, layout, options)
