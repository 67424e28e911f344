"""Plans for tensors of which each rank has a part: found again, or agreed on by all ranks."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import torch

from .._ground import mpi
from .._layouts.infer import layout_of, processor_of
from .._plans.recent import Ask, asked_again, asking
from .linear import Recipe

if TYPE_CHECKING:
    from mpi4py import MPI

    from .._ground.words import LayoutName
    from .._layouts.layout import Layout


#: Types of arguments that are equal only if they mean the same.
_FIXED = frozenset((str, type(None)))

_recipe_of_plan = operator.attrgetter("_traced.recipe")


def tried(numbers: Callable[[Any], torch.Tensor], x: Any) -> torch.Tensor | None:
    """Give a tensor that can be transformed; None if there is an error, which is raised when all ranks are told."""
    try:
        return numbers(x)
    except Exception:
        return None


def again(
    comm: MPI.Comm, known: torch.Tensor | None, layout: Any, options: dict[str, Any], asked: tuple[Any, ...]
) -> tuple[Ask, Recipe | None]:
    """Give a key of a call, and its plan if all ranks made the same call before. Collective.

    ``asked`` is all else that tells the call apart, as fixed values.
    """
    ask: Ask = None
    if known is not None:
        array = known.shape, known.dtype, known.device
        plain = layout is None and not options and _FIXED.issuperset(map(type, asked))
        ask = (array, asked) if plain else asking(array, layout, options or None, *asked)
    found = asked_again(comm, ask, _recipe_of_plan)
    return ask, None if found is None else found[1]


def recipe_of(
    comm: MPI.Comm,
    x: Any,
    numbers: Callable[[Any], torch.Tensor],
    ask: Ask,
    layout: LayoutName | Layout | None,
    options: dict[str, Any],
    plan_of: Callable[[torch.Tensor, Layout], tuple[str, dict[str, Any]]],
    whole: int = 0,
) -> tuple[torch.Tensor, Recipe]:
    """Give this rank's tensor as ``numbers`` checks and converts it, and a plan for those of all ranks. Collective.

    Args:
        comm, x, layout, options: of the call; the first ``whole`` axes of x are a batch, which no layout counts.
        numbers: must not communicate.
        ask: of :func:`again`, which did not find the plan.
        plan_of: the plan's kind and further arguments, of the tensor and the layout; collective.
    """

    def prepare() -> tuple[torch.Tensor, tuple[str, bool]]:
        known = numbers(x)
        word = " ".join([str(known.dtype), *map(str, known.shape[:whole]), *["without numbers"] * known.is_meta])
        return known, (word, known.is_cuda)

    known, told = mpi.meet(comm, prepare)
    if len({word for word, _ in told}) != 1:
        differ = "different types or batches" if whole else "different types"
        raise TypeError(f"the ranks' tensors have {differ}: {', '.join(word for word, _ in told)}")
    place = processor_of([on_gpu for _, on_gpu in told], known.get_device() if known.is_cuda else None)
    cut = layout_of(tuple(known.shape[whole:]), layout, comm)
    kind, fixed = plan_of(known, cut)
    precision = "float32" if known.dtype in (torch.float32, torch.complex64) else "float64"
    options = {**({} if place else {"effort": "estimate"}), **place, **options}
    return known, Recipe(cut.shape, kind, precision, comm, cut, ask=ask, **fixed, **options)
