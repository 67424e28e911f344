"""Recent plans of fftn, redistribute and their siblings, kept for calls with the same arguments."""

from __future__ import annotations

import atexit
import functools
import itertools
import sys
import threading
from collections import OrderedDict, defaultdict
from collections.abc import Callable, Hashable, Iterator
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import numpy as np

from .._ground import mpi
from .._layouts.layout import Layout
from .plan import Plan
from .planning import plan

if TYPE_CHECKING:
    from mpi4py import MPI

T = TypeVar("T")
Kept = TypeVar("Kept")
Ask = Hashable

#: Plans a group of ranks, of each sort; each holds its workspace.
LIMIT, MOVES = 4, 8

_NEVER, _MISSING = -1, 0
_MAIN = threading.main_thread().ident


class Remembered(NamedTuple):
    """A call that found a plan."""

    plans: OrderedDict[tuple[Any, ...], Any]  #: of the ranks of the call
    number: int  #: of the call among those that all of them made
    key: tuple[Any, ...]
    kept: Any


class _Group:
    """Plans of the same ranks in the same order, the most recent last.

    Making and closing plans is collective, so all members must keep the same plans. They do, because all see the same
    calls, and because other calls of a member with other ranks are counted in another group.
    """

    def __init__(self, limit: int, numbers: Iterator[int]) -> None:
        self.plans: OrderedDict[tuple[Any, ...], tuple[int, Any]] = OrderedDict()
        self.limit = limit
        self.asks: dict[Ask, Remembered] = {}  #: the last call that found a plan for these arguments
        self.numbers = numbers  #: of plans and of calls, of all sorts

    def number(self, key: tuple[Any, ...]) -> int:
        """Give the number of a plan, which is the same on all members, or _MISSING."""
        return self.plans[key][0] if key in self.plans else _MISSING

    def recall(self, key: Any) -> Any:
        """Give a plan, which is the most recent one from now on."""
        self.plans.move_to_end(key)
        return self.plans[key][1]

    def note(self, ask: Ask, key: tuple[Any, ...]) -> None:
        """Remember for the next call that asks so which plan it gets."""
        self.asks[ask] = Remembered(self.plans, next(self.numbers), key, self.plans[key][1])

    def keep(self, key: tuple[Any, ...], made: Any) -> None:
        if key in self.plans:
            self.plans.pop(key)[1].close()
        self.plans[key] = (next(self.numbers), made)
        while len(self.plans) > self.limit:
            self.plans.popitem(last=False)[1][1].close()
        alive = [plan for _, plan in self.plans.values()]
        self.asks = {ask: found for ask, found in self.asks.items() if found.kept in alive}


_members_key: int | None = None  #: MPI's key of the result of _members() for a communicator

#: By the limit, which differs from sort to sort, and the ranks.
_groups: dict[tuple[int, tuple[int, ...]], _Group] = {}

#: By the ranks: of two sorts no two plans or calls have one number, as ranks may confuse the sorts.
_numbers: defaultdict[tuple[int, ...], Iterator[int]] = defaultdict(lambda: itertools.count(1))


@functools.cache
def _first(ranks: int) -> tuple[int, ...]:
    return tuple(range(ranks))


def _members(comm: MPI.Comm) -> tuple[int, ...] | None:
    """Ranks of ``comm`` in the world, or None if they are not all of it.

    A plan has a communicator of its own, so any communicator of the same ranks in the same order can use it, and it
    outlives the one it was made with.
    """
    global _members_key
    if mpi.WITHOUT_MPI or comm is mpi.world:
        return _first(comm.size)
    known = None if _members_key is None else comm.Get_attr(_members_key)
    if known is not None:
        return known[0]
    from mpi4py import MPI

    if _members_key is None:
        _members_key = MPI.Comm.Create_keyval()
    group, world = comm.Get_group(), MPI.COMM_WORLD.Get_group()
    ranks = tuple(MPI.Group.Translate_ranks(group, range(comm.size), world))
    group.Free()
    world.Free()
    members = None if MPI.UNDEFINED in ranks else ranks
    comm.Set_attr(_members_key, (members,))
    return members


def _fixed(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


def _find(key: tuple[Any, ...], members: tuple[int, ...] | None, traced: bool, limit: int) -> tuple[_Group | None, int]:
    """Return the group that may keep the plan, and its entry for ``key``."""
    # A trace is written when its plan ends, and plans must not run on two threads at once.
    if members is None or traced or threading.get_ident() != _MAIN:
        return None, _NEVER
    try:
        group = _groups.setdefault((limit, members), _Group(limit, _numbers[members]))
        return group, group.number(key)
    except Exception:  # an argument that cannot be a key
        return None, _NEVER


def asking(array: Hashable, *what: Any) -> Ask:
    """Return a key of a rank's array and of the user's arguments; None for arguments without a fixed value."""
    key = [array]
    try:
        for one in what:
            key.append(one if one is None or type(one) is str else _constant(one))
        return tuple(key)
    except TypeError:
        return None


def _constant(value: Any) -> Hashable:
    kind = type(value)
    if value is None or kind in (str, Layout):
        return value
    if kind is dict:
        return tuple((name, _constant(one)) for name, one in value.items())
    if kind in (bool, int, float) or isinstance(value, np.generic):
        return kind, value  # True is no 1
    if kind in (list, tuple):
        return kind, *map(_constant, value)
    raise TypeError


def asked_again(comm: MPI.Comm, ask: Ask, prepare: Callable[[Kept], T], limit: int = LIMIT) -> tuple[Kept, T] | None:
    """Return the plan for the call of all ranks, and the result of ``prepare``, if they made the same call before.

    Collective: one meeting, of one number a rank. It is that of the rank's last call with these arguments; if the
    numbers are equal, all ranks repeat that call, and nothing else of theirs need be compared.
    """
    group = None if ask is None else _groups.get((limit, _members(comm) or ()))
    return met_again(comm, None if group is None else group.asks.get(ask), prepare)


def remembered(comm: MPI.Comm, ask: Ask, limit: int) -> Remembered | None:
    """Return this rank's last call with these arguments, if its plan is still kept."""
    group = None if ask is None else _groups.get((limit, _members(comm) or ()))
    return None if group is None else group.asks.get(ask)


def met_again(comm: MPI.Comm, call: Remembered | None, prepare: Callable[[Any], T]) -> tuple[Any, T] | None:
    """As :func:`asked_again`, of a call that was remembered and whose plan was not closed since."""
    number = _MISSING
    if call is not None and threading.get_ident() == _MAIN:
        try:
            ready = prepare(call.kept)
            number = call.number
        except Exception:
            number = _MISSING  # it fails again when all ranks are told
    least, most = mpi.extremes(comm, number) if comm.size > 1 else (number, number)
    if least != most or call is None or number == _MISSING:
        return None
    call.plans.move_to_end(call.key)
    return call.kept, ready


def recent_plan(
    shape: tuple[int, ...], kind: str, dtype: str, comm: MPI.Comm, layout: Layout, *, ask: Ask = None, **options: Any
) -> tuple[Plan, bool]:
    """Give a plan for these arguments of :func:`plan`, and whether it was kept. Collective.

    One that was not is the caller's to close. ``ask``: for :func:`asked_again`.
    """
    key = (kind, dtype, layout, *((name, _fixed(value)) for name, value in sorted(options.items())))
    return kept(
        comm, key, lambda: plan(shape, kind, dtype, comm, layout=layout, **options), ask, bool(options.get("trace"))
    )


def kept(
    comm: MPI.Comm, key: tuple[Any, ...], make: Callable[[], Kept], ask: Ask, traced: bool = False, limit: int = LIMIT
) -> tuple[Kept, bool]:
    """Return the entry of ``key``, or make it by ``make``, as :func:`recent_plan` does. Collective."""
    group, number = _find(key, _members(comm), traced, limit)
    # Ranks that were called with other arguments, which planning will find, have other plans or none.
    least, most = mpi.extremes(comm, number)
    if group is not None and number > _MISSING and least == most:
        group.note(ask, key)
        return group.recall(key), True
    made = make()
    if group is None or least == _NEVER:
        return made, False
    group.keep(key, made)
    group.note(ask, key)
    return made, True


def clear_plans() -> None:
    """Close the plans that ``fftn``, ``redistribute`` and their siblings have kept, and free their memory.

    Collective over all ranks that called them.

    Example:
        >>> import numpy as np
        >>> import shardfft
        >>> spectrum = shardfft.fftn(np.ones((4, 6)))
        >>> shardfft.clear_plans()
    """
    # In an order that any two ranks agree on.
    for members in sorted(_groups):
        for _, one in _groups[members].plans.values():
            one.close()
    _groups.clear()


def _at_exit() -> None:
    """End the plans while MPI still runs; after an uncaught error without the other ranks, who may never come here."""
    if getattr(sys, "last_value", None) is None:
        clear_plans()
        return
    for group in _groups.values():
        for _, one in group.plans.values():
            one._abandon()
    _groups.clear()


atexit.register(_at_exit)
