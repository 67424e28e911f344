"""Plans as linear maps that know their adjoints, for gradients in any array library."""

from __future__ import annotations

import functools
import weakref
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import _core
from .._ground import mpi
from .._ground.errors import ArgumentError
from .._plans.recent import recent_plan
from .._transforms.cosine_scale import AFTER, BEFORE

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from .._layouts.side import Side
    from .._plans.operator import Operator
    from .._plans.plan import Plan
    from .._plans.poisson import Poisson


class Factors:
    """A number and vectors along axes, by which a local array is multiplied; copies on its device are kept."""

    def __init__(self, number: float = 1.0, vectors: dict[int, NDArray[Any]] | None = None) -> None:
        """``vectors``: for each axis values that broadcast to the array."""
        self.number, self.vectors = number, {}
        for axis, values in (vectors or {}).items():
            if values.size and (values == values.flat[0]).all():
                self.number *= float(values.flat[0])
            else:
                self.vectors[axis] = values
        self.are_one = not self.vectors and self.number == 1.0
        self._kept: dict[Any, list[Any]] = {}

    def __mul__(self, other: Factors) -> Factors:
        axes = {*self.vectors, *other.vectors}
        products = {axis: self.vectors.get(axis, 1.0) * other.vectors.get(axis, 1.0) for axis in axes}
        return Factors(self.number * other.number, products)

    def inverse(self) -> Factors:
        """The factors that undo the multiplication."""
        return Factors(1 / self.number, {axis: 1 / values for axis, values in self.vectors.items()})

    def on(self, place: Any, bring: Callable[[NDArray[Any]], Any]) -> list[Any]:
        """Return the factors in turn: a number, or arrays that ``bring`` has made once for each ``place``."""
        if not self.vectors:
            return [] if self.are_one else [self.number]
        if place not in self._kept:
            first, *others = self.vectors.values()
            self._kept[place] = [bring(values) for values in (first * self.number, *others)]
        return self._kept[place]


_ONE = Factors()


def _at(side: Side, axis: int, ends: tuple[int, ...], factor: float, points: int) -> NDArray[Any]:
    """``factor`` at the first or last index of an axis, else 1."""
    index = side._indices(axis)
    hit = np.zeros(index.shape, bool)
    for end in ends:
        hit |= index == (0 if end == 0 else points - 1)
    return np.where(hit, factor, 1.0)


def _waves(side: Side, axis: int) -> NDArray[Any]:
    """How many waves each number along a Fourier axis stands for; 1 for modes that are left out."""
    waves = side._values("weights", axis, None, np.float64)
    return np.where(waves == 0, 1.0, waves)


def _transformed(plan: Plan) -> dict[int, int]:
    """How many points are transformed along each axis."""
    axes, shape = plan.input.axes, plan.input.layout.shape
    if plan._problem.transform.kind.name == "c2r":
        shape = plan.output.layout.shape
    padded = plan._problem.options.get("padded") or [0] * len(axes)
    return {axis: points or shape[axis] for axis, points in zip(axes, padded, strict=True)}


def _factors(plan: Plan) -> tuple[Factors, Factors]:
    """Factors D of input and output so that the adjoint of ``forward`` is D_in A D_out, A that of ``Plan::adjoint``."""
    told = plan._problem
    words = told.options.get("transforms") or ["fft"] * len(plan.input.axes)
    to_real = told.transform.kind.name == "c2r"
    field, spectrum = (plan.output, plan.input) if to_real else (plan.input, plan.output)
    of_field, of_spectrum = {}, {}
    for axis, word in zip(plan.input.axes, words, strict=True):
        points = _transformed(plan)[axis]
        if word == "fft":
            of_spectrum[axis] = 1 / _waves(spectrum, axis)
        else:
            of_field[axis] = _at(field, axis, BEFORE.get(word, ()), 0.5, points)
            of_spectrum[axis] = _at(spectrum, axis, AFTER.get(word, ()), 2.0, points)
    source, target = Factors(1.0, of_field), Factors(1.0, of_spectrum)
    return (target.inverse(), source.inverse()) if to_real else (source, target)


def _adjoints(plan: Plan) -> dict[str, tuple[str, Factors, Factors]]:
    """For each call of a plan the one that its adjoint makes, and the factors around it; made once a plan."""
    if plan._traced.adjoints is None:
        source, target = _factors(plan)
        inverses = source.inverse(), target.inverse()
        plan._traced.adjoints = {
            "forward": ("forward_adjoint", target, source),
            "backward": ("backward_adjoint", *inverses),
            "forward_adjoint": ("forward", *inverses),
            "backward_adjoint": ("backward", target, source),
            "apply": ("apply", inverses[0], source),
        }
    return plan._traced.adjoints


class _Maps(dict[str, "Linear"]):
    """Maps of calls, each made once: they keep their adjoints."""

    def __init__(self, with_plan: Recipe | _Given) -> None:
        self._with_plan = with_plan

    def __missing__(self, what: str) -> Linear:
        return self.setdefault(what, Linear(self._with_plan, what))


class Recipe:
    """A plan that is always at hand: made anew if it was closed since, as recent plans are."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        self._arguments, self._options = arguments, options
        self._plan: Plan | None = None
        self.at_hand: Callable[[], Plan | None] = lambda: None  #: gives the plan if it was made
        self.maps = _Maps(self)
        self._many: dict[int, Recipe] = {}

    def __call__(self, work: Callable[..., Any], *told: Any) -> Any:
        """Do ``work`` with the plan and what it is told. Collective."""
        if self._plan is not None and not self._plan._core.closed:
            return work(self._plan, *told)
        plan, kept = recent_plan(*self._arguments, **self._options)
        if kept:
            plan._traced.recipe = self
            self._plan = plan  # PyTorch goes back on threads of its own, which find no recent plans
            self.at_hand = weakref.ref(plan)
            return work(plan, *told)
        with plan:
            return work(plan, *told)

    def batched(self, fields: int) -> Recipe | None:
        """The same for so many fields at once; None: it is of several already."""
        if "batch" in self._options:
            return None
        if fields not in self._many:
            self._many[fields] = Recipe(*self._arguments, **{**self._options, "batch": fields, "ask": None})
        return self._many[fields]


class _Adjoint:
    """The adjoint with respect to the real inner product, the real part of the sum of conj(a) b. Collective.

    Once it is made it is an attribute, so that to read it takes no call.
    """

    def __get__(self, linear: Linear, _: type[Linear]) -> Linear:
        return linear._find_adjoint()


class Linear:
    """``after * what(before * x)`` with a plan's ``forward``, ``backward``, their adjoints or ``apply``."""

    def __init__(
        self,
        with_plan: Recipe | _Given,
        what: str,
        before: Factors | None = None,
        after: Factors | None = None,
        operator: Operator | None = None,
    ) -> None:
        self._with_plan, self.what, self._operator = with_plan, what, operator
        self._before, self._after = before or _ONE, after or _ONE
        self.agreed = isinstance(with_plan, Recipe)  #: on the tensors: if one has no numbers, none has
        self.number: int | None = None  #: by which torch.compile knows it
        self.step: _core.Step | None = None  #: the map in few steps, for PyTorch's tensors
        self._noted: Callable[[], Plan | None] | None = None  #: gives the plan of these steps
        self._of: Callable[[], Linear | None] = lambda: None  #: gives the map of which this is the adjoint

    def __call__(self, x: Any, times: Callable[[Any, Factors, bool], Any], plan: Plan | None = None) -> Any:
        """Map an array, by ``plan`` if it is known. Collective.

        ``times`` multiplies an array of its library by factors, and may write into it if it is told so.
        """
        if plan is None:
            plan = self._with_plan.at_hand()
            if plan is None or plan._core.closed:
                return self._with_plan(lambda made: self(x, times, made))
        if plan._traced.overwrites:
            error = ValueError("gradients may need x again: plan without overwrite_input")
            plan._refuse(error)
            raise error
        with plan._traced.alone:
            known = x if self._before.are_one else times(x, self._before, False)
            result = plan._run(self.what, known, None, self._operator)
        return result if self._after.are_one else times(result, self._after, True)

    def note(self, factors_of: Callable[[Factors, Any], list[Any]], x: Any, result: Any) -> None:
        """Note the map in few steps, once for each plan that took tensors as they are."""
        at_hand = self._with_plan.at_hand
        plan, key = at_hand(), (self.what, type(x if self._before.are_one else result))
        if self._noted is not at_hand and plan is not None and key in plan._again:
            before, after = factors_of(self._before, x), factors_of(self._after, result)
            self.step, self._noted = _core.Step(at_hand, key, tuple(before), tuple(after)), at_hand

    def sides(self) -> tuple[Side, Side]:
        """The sides of input and output. Collective if the plan was closed."""

        def work(plan: Plan) -> tuple[Side, Side]:
            _, source, target, *_ = plan._ends[self.what][0]
            return source, target

        return self._with_plan(work)

    def refuse(self, error: Exception) -> None:
        """Tell the ranks that make the same call why it fails here: they raise too and do not wait."""
        self._with_plan(lambda plan: plan._refuse(error))

    def batched(self, fields: int) -> Linear | None:
        """The same map of so many fields at once; None if it is to be applied to one after the other."""
        many = self._with_plan.batched(fields) if isinstance(self._with_plan, Recipe) and not self._operator else None
        return None if many is None else Linear(many, self.what, self._before, self._after)

    adjoint = _Adjoint()

    def _find_adjoint(self) -> Linear:
        known = self._of()
        if known is not None:
            return known  # not kept: no circle, which would keep plans until they are collected
        what, before, after = self._with_plan(_adjoints)[self.what]
        conjugate = None if self._operator is None else self._operator.conj()
        made = Linear(self._with_plan, what, _product(self._after, before), _product(self._before, after), conjugate)
        made._of = weakref.ref(self)
        self.__dict__["adjoint"] = made
        return made


class Solve:
    """A solver of Poisson's equation as a map, with all that :class:`Linear` has."""

    agreed, number, step = False, None, None

    def __init__(self, solver: Poisson, what: str = "solve") -> None:
        self._solver, self._what = solver, what

    def __call__(self, x: Any, _: Any) -> Any:
        """Map an array. Collective."""
        result = getattr(self._solver, self._what)(x)
        return x.new_tensor(result) if isinstance(result, np.ndarray) and hasattr(x, "new_tensor") else result

    def note(self, *_: Any) -> None:
        """Its calls have no fewer steps."""

    def sides(self) -> tuple[Any, Any]:
        """The input and the output of the map."""
        return self._solver._part, self._solver._part

    def refuse(self, error: Exception) -> None:
        """Tell the other ranks why the call fails here."""

        def fail() -> None:
            raise error

        mpi.agree(self._solver.comm, fail, self._what)

    def batched(self, _: int) -> None:
        """Solve for one field after the other."""

    @functools.cached_property
    def adjoint(self) -> Solve:
        """The adjoint; its own is the map, up to means that no right-hand side has."""
        made = Solve(self._solver, "adjoint" if self._what == "solve" else "solve")
        made.__dict__["adjoint"] = self
        return made


def _product(own: Factors, of_plan: Factors) -> Factors:
    """Both, or the plan's own ones, whose copies live as long as the plan."""
    return of_plan if own.are_one else own * of_plan


def of_plan(plan: Plan, what: str, operator: Operator | None = None, x: Any = None, kind: type = object) -> Linear:
    """Give the map of a call of a plan; TypeError on this rank, and an error on the others, unless x is of a kind."""
    plan._open()
    if plan.comm is None:
        raise TypeError("gradients go through plans over a communicator, not through those over devices of one process")
    linear = Linear(_Given(lambda: plan), what, operator=operator)
    linear.agreed = plan.comm.size == 1
    if not isinstance(x, kind):
        module = "torch.Tensor" if kind.__module__.startswith("torch") else "jax.Array"
        error = TypeError(f"x must be a {module}, not {type(x).__name__}")
        linear.refuse(error)
        raise error
    return linear


class _Given:
    """A plan that the user made, which ``at_hand`` gives if it was not dropped."""

    def __init__(self, at_hand: Callable[[], Plan | None]) -> None:
        self.at_hand = at_hand

    def __call__(self, work: Callable[..., Any], *told: Any) -> Any:
        plan = self.at_hand()
        if plan is None:
            raise ArgumentError("the plan of this compiled program was dropped")
        return work(plan, *told)


def kept_of_plan(plan: Plan, what: str, x: Any = None, kind: type = object) -> Linear:
    """As :func:`of_plan`, for callers that keep the plan: the same map again, which does not."""
    maps = plan._traced.maps
    if what not in maps or plan._core.closed or not isinstance(x, kind):
        agreed = of_plan(plan, what, None, x, kind).agreed
        maps[what] = Linear(_Given(weakref.ref(plan)), what)
        maps[what].agreed = agreed
    return maps[what]
