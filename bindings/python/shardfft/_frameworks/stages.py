"""The axes that are transformed while they are whole, and the cuts that move between: all-to-alls around local FFTs."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import NamedTuple


def check_norm(norm: str | None) -> None:
    """Raise ValueError unless ``norm`` is one of NumPy's words or None."""
    if norm not in (None, "backward", "ortho", "forward"):
        raise ValueError(f'norm must be "backward", "ortho" or "forward", not {norm!r}')


def chosen_axes(given: Sequence[int] | int | None, ndim: int, argument: str, what: str) -> tuple[int, ...]:
    """Give the axes that ``argument`` names, counted from 0; None names all. ValueError for others and repeated ones.

    Args:
        given: the argument.
        ndim: axes of the array.
        argument: its name, for messages.
        what: the name of the array in messages: ``a tensor``, ``an array``.
    """
    named = range(ndim) if given is None else [given] if isinstance(given, int) else list(given)
    if not named or any(not -ndim <= axis < ndim for axis in named):
        raise ValueError(f"{argument} must name axes of {what} of {ndim} axes, not {given}")
    axes = tuple(axis % ndim for axis in named)
    if len(set(axes)) != len(axes):
        raise ValueError(f"{argument} names an axis twice: {tuple(named)}")
    return axes


class Transform(NamedTuple):
    """Transform these axes, which all processes have whole."""

    axes: tuple[int, ...]


class Move(NamedTuple):
    """One dimension of the mesh, which cuts axis ``source``, cuts axis ``target`` from now on."""

    mesh_axis: int
    source: int
    target: int


def stages(
    ndim: int,
    cuts: Sequence[int],
    axes: Sequence[int],
    final: Sequence[int],
    *,
    still: Collection[int] = (),
    first: int | None = None,
    last: int | None = None,
    cost: Callable[[int, int], float] = lambda mesh_axis, axis: 0.0,
) -> list[Transform | Move]:
    """Plan the transform of ``axes`` of an array whose axis ``cuts[i]`` is cut along dimension i of a mesh.

    In the end the cuts are ``final``; axes that stay ``still`` are cut otherwise, and take no cut. Of real transforms
    one axis must come ``first``, or ``last``. If a cut may go to several axes, it goes to one that is done, and among
    those to that of the least ``cost``. Raises ValueError if all axes are cut.
    """
    here, pending, plan = list(cuts), list(axes), []

    def move(mesh_axis: int, wanted: int | None = None) -> None:
        whole = [axis for axis in range(ndim) if axis not in here and axis not in still]
        if not whole:
            raise ValueError(
                f"all {ndim} axes are cut, and one that lies whole on each process is needed to exchange others with: "
                "cut fewer axes, or leave this to plans over MPI"
            )
        best = min(whole, key=lambda axis: (axis in pending, axis == final[mesh_axis], cost(mesh_axis, axis)))
        target = best if wanted is None else wanted
        plan.append(Move(mesh_axis, here[mesh_axis], target))
        here[mesh_axis] = target

    while pending:
        home = [i for i, axis in enumerate(final) if here[i] != axis and axis not in here and axis not in pending]
        if home and plan and isinstance(plan[-1], Transform):  # so that no two cuts have to change places in the end
            move(home[0], final[home[0]])
        ready = [axis for axis in pending if axis not in here]
        if first in pending and first in here:
            ready = []
        if last is not None and len(ready) < len(pending):
            ready = [axis for axis in ready if axis != last]
        if ready:
            plan.append(Transform(tuple(ready)))
            pending = [axis for axis in pending if axis not in ready]
            continue
        cut = [axis for axis in pending if axis in here and axis != last] or [axis for axis in pending if axis in here]
        move(here.index(first if first in cut else cut[-1]))
    while here != list(final):
        wrong = [i for i, axis in enumerate(final) if here[i] != axis]
        free = [i for i in wrong if final[i] not in here]
        move(free[0], final[free[0]]) if free else move(wrong[0])
    return plan
