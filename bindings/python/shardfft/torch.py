"""Transforms of PyTorch's tensors with gradients, and of DTensors.

``fftn``, ``ifftn``, ``rfftn`` and ``irfftn`` have the arguments of ``torch.fft`` and take

- DTensors, whose placements are ``Shard`` (pieces as ``torch.chunk`` cuts them) and ``Replicate``, and give DTensors of
  the same placements: by plans where the ranks have MPI, else by PyTorch's own all-to-all around local transforms;
- tensors that are this rank's part of an array, cut as :func:`shardfft.fftn` takes it (``comm``, ``layout``), as do
  ``dctn``, ``idctn``, ``dstn`` and ``idstn``.

``forward``, ``backward`` and ``apply`` run any plan over a communicator: cosine transforms, kept modes, operators. All
are differentiable, backward, forward and twice, and collective; so is ``loss.backward()``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

try:
    import torch
except ImportError as error:
    raise ImportError("shardfft.torch needs PyTorch, which is not installed: pip install torch") from error

from ._frameworks import linear, torch_dtensor
from ._frameworks.torch_autograd import mapped
from ._frameworks.torch_numbers import numbers_of, real_extent
from ._ground import mpi
from ._ground.arguments import axes_of
from ._layouts.infer import layout_of, processor_of
from ._libraries.gpu_arrays import device_of

if TYPE_CHECKING:
    from mpi4py import MPI

    from ._ground.words import LayoutName, Norm
    from ._layouts.layout import Layout
    from ._plans.operator import Operator
    from ._plans.plan import Plan

    Axes = Sequence[int] | int | None

__all__ = ["apply", "backward", "dctn", "dstn", "fftn", "forward", "idctn", "idstn", "ifftn", "irfftn", "rfftn"]


def _with_plan(plan: Plan, what: str, x: torch.Tensor, operator: Operator | None = None) -> torch.Tensor:
    return mapped(x, linear.of_plan(plan, what, operator, x, torch.Tensor))


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
    return _with_plan(plan, "apply", x, operator)


def _local(
    x: Any,
    kind: str,
    what: str,
    comm: MPI.Comm | None,
    dim: Axes,
    norm: str | None,
    layout: LayoutName | Layout | None,
    options: dict[str, Any],
    name: str = "",
    s: Sequence[int] | None = None,
    word: str = "fft",
) -> torch.Tensor:
    """Transform this rank's part of an array."""
    comm = mpi.communicator(comm)

    def prepare() -> tuple[torch.Tensor, list[int] | None]:
        known = numbers_of(x, kind == "r2c", kind in ("c2c", "c2r") and word == "fft")
        if dim is None:
            return known, None if s is None else list(range(-len(s), 0))
        return known, axes_of(dim)

    def length() -> int | None:
        """Check ``s``; give the extent of the real axis, if it is told."""
        if s is None:
            return None
        n = real_extent(name, cut.shape, s, tuple(range(known.ndim) if axes is None else axes))
        return n if name == "irfftn" else None

    known, axes = mpi.agree(comm, prepare)
    told = comm.allgather((str(known.dtype), device_of(known.detach()) is not None))
    if len({dtype for dtype, _ in told}) != 1:
        raise TypeError(f"the ranks' tensors have different types: {', '.join(dtype for dtype, _ in told)}")
    place = processor_of([on_gpu for _, on_gpu in told], device_of(known.detach()))
    cut = layout_of(tuple(known.shape), layout, comm)
    n = mpi.agree(comm, length)
    effort = {} if place else {"effort": "estimate"}
    if word != "fft":
        options = {**options, "transforms": [word] * (known.ndim if axes is None else len(axes))}
        kind = "c2c" if known.is_complex() else "r2r"
    precision = "float32" if known.dtype in (torch.float32, torch.complex64) else "float64"
    recipe = linear.Recipe(
        cut.shape, kind, precision, comm, cut, output="natural", axes=axes, n=n, norm=norm, **effort, **place, **options
    )
    return mapped(known, linear.Linear(recipe, what))


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
    return _local(x, kind, what, comm, dim, norm, layout, options, name, s)


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
    return _local(x, "r2r", what, comm, dim, norm, layout, options, word=f"{family}{type}")


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
