"""Recent plans of fftn and its siblings, kept for calls with the same arguments."""

from __future__ import annotations

import atexit
import sys
import threading
from collections import OrderedDict
from typing import TYPE_CHECKING, Any

from .._ground import mpi
from .plan import Plan, plan

if TYPE_CHECKING:
    from mpi4py import MPI

    from .._layouts.layout import Layout

#: Plans a group of ranks; each holds its workspace.
LIMIT = 4

_NEVER, _MISSING = -1, 0


class _Group:
    """Plans of the same ranks in the same order, the most recent last.

    Making and closing plans is collective, so all members must keep the same plans. They do, because all see the same
    calls, and because what else a member does with other ranks is counted in another group.
    """

    def __init__(self) -> None:
        self.plans: OrderedDict[tuple[Any, ...], tuple[int, Plan]] = OrderedDict()
        self.made = 0

    def number(self, key: tuple[Any, ...]) -> int:
        """Give the number of a plan, which is the same on all members, or _MISSING."""
        return self.plans[key][0] if key in self.plans else _MISSING

    def recall(self, key: tuple[Any, ...]) -> Plan:
        self.plans.move_to_end(key)
        return self.plans[key][1]

    def keep(self, key: tuple[Any, ...], made: Plan) -> None:
        self.made += 1
        if key in self.plans:
            self.plans.pop(key)[1].close()
        self.plans[key] = (self.made, made)
        while len(self.plans) > LIMIT:
            self.plans.popitem(last=False)[1][1].close()


_groups: dict[tuple[int, ...], _Group] = {}


def _members(comm: MPI.Comm) -> tuple[int, ...] | None:
    """Ranks of ``comm`` in the world, or None where they are not all of it.

    A plan has a communicator of its own, so any communicator of the same ranks in the same order can use it, and it
    outlives the one it was made with.
    """
    if mpi.WITHOUT_MPI:
        return (0,)
    from mpi4py import MPI

    group, world = comm.Get_group(), MPI.COMM_WORLD.Get_group()
    ranks = tuple(MPI.Group.Translate_ranks(group, range(comm.size), world))
    group.Free()
    world.Free()
    return None if MPI.UNDEFINED in ranks else ranks


def _fixed(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


def _find(key: tuple[Any, ...], members: tuple[int, ...] | None, traced: bool) -> tuple[_Group | None, int]:
    """Give the group that may keep the plan, and what it has for ``key``."""
    # A trace is written when its plan ends, and plans must not run on two threads at once.
    if members is None or traced or threading.current_thread() is not threading.main_thread():
        return None, _NEVER
    try:
        group = _groups.setdefault(members, _Group())
        return group, group.number(key)
    except Exception:  # an argument that cannot be a key
        return None, _NEVER


def recent_plan(
    shape: tuple[int, ...], kind: str, dtype: str, comm: MPI.Comm, layout: Layout, **options: Any
) -> tuple[Plan, bool]:
    """Give a plan for these arguments of :func:`plan`, and whether it was kept. Collective.

    One that was not is the caller's to close.
    """
    key = (kind, dtype, layout, *((name, _fixed(value)) for name, value in sorted(options.items())))
    group, number = _find(key, _members(comm), bool(options.get("trace")))
    # Ranks that were called with other arguments, which plan() will find, have other plans or none.
    numbers = comm.allgather(number)
    if group is not None and number > _MISSING and all(other == number for other in numbers):
        return group.recall(key), True
    made = plan(shape, kind, dtype, comm, layout=layout, **options)
    if group is None or _NEVER in numbers:
        return made, False
    group.keep(key, made)
    return made, True


def clear_plans() -> None:
    """Close the plans that ``fftn`` and its siblings have kept, and free their memory.

    Collective over all ranks that called them.

    Example:
        >>> import numpy as np
        >>> import shardfft
        >>> spectrum = shardfft.fftn(np.ones((4, 6)))
        >>> shardfft.clear_plans()
    """
    # In an order that any two ranks agree on.
    for members in sorted(_groups):
        for _, kept in _groups[members].plans.values():
            kept.close()
    _groups.clear()


def _at_exit() -> None:
    """End the plans while MPI still runs; after an uncaught error without the other ranks, who may never come here."""
    if getattr(sys, "last_value", None) is None:
        clear_plans()
        return
    for group in _groups.values():
        for _, kept in group.plans.values():
            kept._abandon()
    _groups.clear()


atexit.register(_at_exit)
