"""Adjoints, through which gradients go back: <g, F x> = <F* g, x> over all ranks, for all kinds, norms and modes."""

import numpy as np
import pytest

import shardfft
from shardfft import Operator
from shardfft._frameworks import linear

WORDS = [f"{family}{number}" for family in ("dct", "dst") for number in (1, 2, 3, 4)]
NORMS = ("backward", "ortho", "forward", "none")
CASES = [
    *({"kind": kind, "norm": norm} for kind in ("c2c", "r2c", "c2r") for norm in NORMS),
    *({"kind": "r2r", "norm": norm, "transforms": ["dct1", "dst3", "dct2"]} for norm in NORMS),
    *({"kind": kind, "transforms": ["fft", word, "fft"]} for kind in ("r2c", "c2r") for word in WORDS),
    *(
        {"kind": kind, "modes": modes, "lone_mode": lone}
        for kind in ("c2c", "r2c")
        for modes in ((4, 3, 4), (3, 4, 6))
        for lone in ("split", "keep", "zero")
    ),
    {"kind": "r2r", "modes": (4, 5, 2), "transforms": ["dct1", "dst2", "dct2"]},
    {"kind": "r2c", "modes": (4, 2, 3), "transforms": ["dst1", "fft", "dct3"], "batch": 2},
]


def random_of(side, rng):
    values = rng.standard_normal(side.shape)
    return side.asarray(values + 1j * rng.standard_normal(side.shape) if side.dtype.kind == "c" else values)


def times(x, factors, _):
    """Multiply as an array library would."""
    for one in factors.on(None, lambda values: values):
        x = x * one
    return x


def check(linear, comm):
    rng = np.random.default_rng(comm.rank)
    source, target = linear.sides()
    x, g = random_of(source, rng), random_of(target, rng)
    there, back = linear(x, times), linear.adjoint(g, times)
    assert back.dtype == source.dtype and back.shape == source.shape
    pairs = [(g, there), (back, x)]
    one, other = (comm.allreduce(float(np.sum(np.real(np.conj(a) * b)))) for a, b in pairs)
    size = comm.allreduce(float(np.linalg.norm(g) * np.linalg.norm(there)))
    assert abs(one - other) <= 1e-13 * size, (one, other)
    assert linear.adjoint.adjoint is linear


@pytest.mark.parametrize("case", CASES, ids=lambda case: "-".join(map(str, case.values())))
def test_adjoint(comm, case):
    shape = (6, 5, 5) if case["kind"] == "c2r" else (6, 5, 8)
    with shardfft.plan(shape, layout="pencil", effort="estimate", comm=comm, **case) as plan:
        check(linear.of_plan(plan, "forward"), comm)
        check(linear.of_plan(plan, "backward"), comm)
        if case["kind"] != "c2r":
            check(linear.of_plan(plan, "apply", 2 - Operator.laplacian()), comm)


@pytest.mark.parametrize("kind", ["c2c", "r2c"])
def test_adjoint_of_complex_factors(comm, kind):
    """Of edge modes too, whose factors belong to no real operator."""

    def factor(p, q, r):
        return 1j * p + (2 - 3j) * q + r**2

    with shardfft.plan((6, 5, 8), kind, effort="estimate", comm=comm) as plan:
        rng = np.random.default_rng(comm.rank)
        numbers = Operator.array(random_of(plan.output, rng) * (1 + 1j))
        for operator in (
            Operator.derivative(0), Operator.derivative(-1, 2) * (1 + 2j), 1j / (3 + Operator.derivative(1)), numbers,
            Operator.of_wavenumbers(factor) - Operator.gaussian(0.3), Operator.of_indices(factor),
        ):  # fmt: skip
            check(linear.of_plan(plan, "apply", operator), comm)
        with pytest.raises(NotImplementedError, match="convolution have no gradients"):
            _ = linear.of_plan(plan, "apply", plan.convolution(plan.input.zeros())).adjoint


def test_closed_plans_are_made_anew(comm):
    """Gradients come after many other transforms, when the plan that they need has been closed."""
    layout = shardfft.Layout.slab((6, 4), comm.size)
    recipe = linear.Recipe((6, 4), "c2c", "float64", comm, layout, output="natural", effort="estimate")
    there_and_back = linear.Linear(recipe, "forward")
    x = np.ones(layout.local_shape(comm.rank), complex)
    there = there_and_back(x, times)
    shardfft.clear_plans()
    assert np.allclose(there_and_back.adjoint(there, times), 24 * x)
    shardfft.clear_plans()
