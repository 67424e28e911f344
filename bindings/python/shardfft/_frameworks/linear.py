"""Plans as linear maps that know their adjoints: what gradients go back through, in any array library."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from .._plans.recent import recent_plan

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from .._layouts.side import Side
    from .._plans.operator import Operator
    from .._plans.plan import Plan

#: Which numbers of an axis (0: the first, -1: the last) the adjoint of a cosine or sine transform takes twice, of what
#: the transform gives, and by half, of what the adjoint gives. All else of the adjoint is the inverse, without 1/N.
_TWICE = {"dct1": (0, -1), "dct2": (0,), "dst2": (-1,)}
_HALF = {"dct1": (0, -1), "dct3": (0,), "dst3": (-1,)}

Factors = Any  #: an array of NumPy that broadcasts to a local array, or a number


def _points(word: str, extent: int) -> int:
    """The factor N of an axis."""
    if word == "fft":
        return extent
    return {"dct1": 2 * (extent - 1), "dst1": 2 * (extent + 1)}.get(word, 2 * extent)


def _at(side: Side, axis: int, ends: tuple[int, ...], factor: float, points: int) -> Factors:
    """``factor`` at the first or last index of an axis, else 1."""
    if not ends:
        return 1.0
    index = side._indices(axis)
    hit = np.zeros(index.shape, bool)
    for end in ends:
        hit |= index == (0 if end == 0 else points - 1)
    return np.where(hit, factor, 1.0)


def _waves(side: Side, axis: int) -> NDArray[Any]:
    """How many waves each number along a Fourier axis stands for; 1 for what is left out."""
    waves = side._values("weights", axis, None, np.float64)
    return np.where(waves == 0, 1.0, waves)


def _factors(plan: Plan) -> tuple[Factors, Factors]:
    """Factors D of input and output so that the adjoint of ``forward`` is D_in backward D_out, up to a number."""
    told = plan._problem
    words = told.options.get("transforms") or ["fft"] * len(plan.input.axes)
    to_real = told.transform.kind.name == "c2r"
    field, spectrum = (plan.output, plan.input) if to_real else (plan.input, plan.output)
    of_field: Factors = 1.0
    of_spectrum: Factors = 1.0
    for axis, word in zip(plan.input.axes, words, strict=True):
        points = field.layout.shape[axis]
        if word == "fft":
            of_spectrum = of_spectrum / _waves(spectrum, axis)
        else:
            of_field = of_field * _at(field, axis, _HALF.get(word, ()), 0.5, points)
            of_spectrum = of_spectrum * _at(spectrum, axis, _TWICE.get(word, ()), 2.0, points)
    return (1 / of_spectrum, 1 / of_field) if to_real else (of_field, of_spectrum)


def _scale(plan: Plan) -> float:
    """The factor of ``forward`` by that of ``backward``."""
    told = plan._problem
    words = told.options.get("transforms") or ["fft"] * len(plan.input.axes)
    to_real = told.transform.kind.name == "c2r"
    side = plan.output if to_real else plan.input
    points = math.prod(
        _points(word, side.layout.shape[axis]) for axis, word in zip(plan.input.axes, words, strict=True)
    )
    norm = told.options.get("norm") or "backward"
    norm = getattr(norm, "name", norm)
    if norm in ("ortho", "none"):
        return 1.0
    return float(points) if (norm == "backward") != to_real else 1.0 / points


class Recipe:
    """A plan that is always at hand: made anew where it was closed since, as recent plans are."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        self._arguments, self._options = arguments, options

    def __call__(self, work: Callable[[Plan], Any]) -> Any:
        """Do ``work`` with the plan. Collective."""
        plan, kept = recent_plan(*self._arguments, **self._options)
        if kept:
            return work(plan)
        with plan:
            return work(plan)


class Linear:
    """``after * what(before * x)`` with a plan's ``forward``, ``backward`` or ``apply``."""

    def __init__(
        self,
        with_plan: Callable[[Callable[[Plan], Any]], Any],
        what: str,
        before: Factors = 1.0,
        after: Factors = 1.0,
        operator: Operator | None = None,
    ) -> None:
        self._with_plan, self.what, self._operator = with_plan, what, operator
        self._before, self._after = before, after

    def __call__(self, x: Any, times: Callable[[Any, Factors], Any]) -> Any:
        """Map an array; ``times`` multiplies one of its library by factors. Collective."""

        def work(plan: Plan) -> Any:
            if plan._problem.options.get("overwrite_input"):
                error = ValueError("gradients may need x again: plan without overwrite_input")
                plan._refuse(error)
                raise error
            known = x if _is_one(self._before) else times(x, self._before)
            if self._operator is None:
                result = plan.forward(known) if self.what == "forward" else plan.backward(known)
            else:
                result = plan.apply(self._operator, known)
            return result if _is_one(self._after) else times(result, self._after)

        return self._with_plan(work)

    def sides(self) -> tuple[Side, Side]:
        """What the map takes and gives. Collective where the plan was closed."""

        def work(plan: Plan) -> tuple[Side, Side]:
            source, target = plan.input, plan.output if self.what == "forward" else plan.input
            return (plan.output if self.what == "backward" else source), target

        return self._with_plan(work)

    def refuse(self, error: Exception) -> None:
        """Tell the ranks that make the same call why it fails here: they raise too and do not wait."""
        self._with_plan(lambda plan: plan._refuse(error))

    @functools.cached_property
    def adjoint(self) -> Linear:
        """The adjoint with respect to the real inner product, the real part of the sum of conj(a) b. Collective."""

        def work(plan: Plan) -> Linear:
            source, target = _factors(plan)
            if self._operator is not None:
                conjugate = self._operator.conj()
                return self._other("apply", self._after / source, self._before * source, conjugate)
            scale = _scale(plan)
            if self.what == "forward":
                return self._other("backward", self._after * target, self._before * source * scale)
            return self._other("forward", self._after / source, self._before / target / scale)

        return self._with_plan(work)

    def _other(self, what: str, before: Factors, after: Factors, operator: Operator | None = None) -> Linear:
        made = Linear(self._with_plan, what, _small(before), _small(after), operator)
        made.__dict__["adjoint"] = self
        return made


def _small(factors: Factors) -> Factors:
    """A number where all are one and the same."""
    values = np.asarray(factors)
    if values.size and (values == values.flat[0]).all():
        return float(values.flat[0])
    return values


def _is_one(factors: Factors) -> bool:
    return isinstance(factors, float) and factors == 1.0


def of_plan(plan: Plan, what: str, operator: Operator | None = None, x: Any = None, kind: type = object) -> Linear:
    """Give the map of a call of a plan; TypeError on this rank, and an error on the others, unless x is of a kind."""
    plan._open()
    if plan.comm is None:
        raise TypeError("gradients go through plans over a communicator, not through those over devices of one process")
    linear = Linear(lambda work: work(plan), what, operator=operator)
    if not isinstance(x, kind):
        module = "torch.Tensor" if kind.__module__.startswith("torch") else "jax.Array"
        error = TypeError(f"x must be a {module}, not {type(x).__name__}")
        linear.refuse(error)
        raise error
    return linear
