"""Solvers: manufactured solutions in every mixture of boundaries, orders, charges in free space, and errors."""

import itertools
import math

import numpy as np
import pytest
from mpi4py import MPI

import shardfft

COMM = MPI.COMM_WORLD
PI = np.pi
WALLS = list(itertools.product(("dirichlet", "neumann"), repeat=2))
ENDS = ["periodic", *WALLS]
LENGTHS = (1.5, 2.0, 0.7)


def wave(ends, x, length):
    """A function that an axis's boundary allows, its derivative, and minus its second derivative over itself."""
    if ends == "periodic":
        k = 2 * PI / length
        return np.sin(k * x + 0.3), k * np.cos(k * x + 0.3), k * k
    if ends[0] == ends[1]:
        k = 2 * PI / length
    else:
        k = 1.5 * PI / length
    if ends[0] == "dirichlet":
        return np.sin(k * x), k * np.cos(k * x), k * k
    return np.cos(k * x), -k * np.sin(k * x), k * k


def largest(error):
    return COMM.allreduce(float(np.abs(error).max()) if error.size else 0.0, MPI.MAX)


@pytest.mark.parametrize("points", ["centres", "nodes"])
def test_every_mixture_of_periodic_axes_and_walls(points):
    """Waves come back to rounding, with their gradient, on bricks, pencils and slabs alike."""
    for number, ends in enumerate(itertools.product(ENDS, repeat=3)):
        if number % 5 != COMM.size % 5 and len(set(ends)) == 3:
            continue
        layout = ("slab", "pencil", "brick")[number % 3]
        shift = (0.0, 2.5)[number % 2]
        with shardfft.poisson(
            (8, 7, 9), LENGTHS, ends, layout=layout, points=points, shift=shift, effort="estimate"
        ) as plan:
            waves = [wave(*axis) for axis in zip(ends, plan.points(), LENGTHS, strict=True)]
            u = waves[0][0] * waves[1][0] * waves[2][0]
            f = -(sum(w[2] for w in waves) + shift) * u
            if number % 4 == 0:
                solved, slopes = plan.solve(f, gradient=True)
                for axis, slope in enumerate(slopes):
                    expected = math.prod(w[1] if a == axis else w[0] for a, w in enumerate(waves))
                    assert largest(slope - expected) < 1e-10, (ends, axis)
            else:
                solved = plan.solve(f)
            assert largest(solved - u) < 1e-11, ends


@pytest.mark.parametrize("points", ["centres", "nodes"])
@pytest.mark.parametrize("ends", WALLS)
def test_values_at_walls(points, ends):
    """exp(a x) cos(b y) cos(c z), whose values at the walls of x are given; spectral ones are exact."""
    k, c = 2 * PI / LENGTHS[0], PI / LENGTHS[2]
    a = np.hypot(k, c)
    for eigenvalues, shapes in (("spectral", [(6, 9, 8)]), ("second_order", [(8, 12, 8), (16, 24, 16)])):
        errors = []
        for shape in shapes:
            with shardfft.poisson(
                shape, LENGTHS, ("periodic", ends, "neumann"), points=points, eigenvalues=eigenvalues, effort="estimate"
            ) as plan:
                x, y, z = plan.points()
                lateral = np.cos(k * x) * np.cos(c * z)
                values = {}
                for end, kind, at, normal in zip(("lower", "upper"), ends, (0, LENGTHS[1]), (-1, 1), strict=True):
                    edge = np.exp(a * at / 4) * (a / 4 * normal if kind == "neumann" else 1)
                    values[1, end] = edge * lateral
                u = np.exp(a * y / 4) * lateral
                f = (a * a / 16 - a * a) * u
                # The part that is no harmonic function has walls of its own: taken off, so that the rest is exact.
                if eigenvalues == "spectral":
                    f, u = np.zeros(plan.shape), harmonic(ends, a, y, values, lateral)
                errors.append(largest(plan.solve(f, values) - u))
        assert errors[0] < 1e-10 if eigenvalues == "spectral" else np.log2(errors[0] / errors[1]) > 1.7, errors


def harmonic(ends, a, y, values, lateral):
    """The solution A exp(a y) + B exp(-a y) that has the values."""
    rows, right = [], []
    for kind, at, normal, end in zip(ends, (0, LENGTHS[1]), (-1, 1), ("lower", "upper"), strict=True):
        grow, decay = np.exp(a * at), np.exp(-a * at)
        rows.append([normal * a * grow, -normal * a * decay] if kind == "neumann" else [grow, decay])
        edge = values[1, end] / lateral
        right.append(COMM.allreduce(float(edge.flat[0]) if edge.size else -np.inf, MPI.MAX))
    grow, decay = np.linalg.solve(rows, right)
    return (grow * np.exp(a * y) + decay * np.exp(-a * y)) * lateral


def gaussian(n, kernel, width):
    """The error of a Gaussian charge in the middle, beside erf(r) / r."""
    from scipy.special import erf

    with shardfft.poisson((n,) * 3, 1.0, "open", kernel=kernel, effort="estimate") as plan:
        r2, sigma = sum((x - 0.5) ** 2 for x in plan.points()), 1 / width
        f = np.exp(-r2 / (2 * sigma**2)) / (2 * PI * sigma**2) ** 1.5
        r = np.sqrt(r2)
        exact = -erf(r / (np.sqrt(2) * sigma)) / (4 * PI * r)
        return largest(plan.solve(f) - exact) / (1 / (4 * PI * sigma))


def test_a_gaussian_in_free_space():
    """Spectral for the truncated kernel, second order for the others."""
    assert gaussian(40, "truncated", 18) < 1e-10
    for kernel in ("hockney", "integrated"):
        coarse, fine = (gaussian(n, kernel, 8) for n in (20, 40))
        assert 1.6 < np.log2(coarse / fine) < 2.6, (kernel, coarse, fine)


MIXED = [
    ends for ends in itertools.product(("periodic", ("dirichlet", "neumann"), "open"), repeat=3)
    if 0 < ends.count("open") < 3
]  # fmt: skip


def solution(ends, plan, lengths, width):
    """A wave along axes that are not open times a Gaussian along the others: u, its Laplacian and its slopes."""
    parts = []
    for one, x, length in zip(ends, plan.points(), lengths, strict=True):
        if one == "open":
            y = (x - length / 2) * width / length
            value = np.exp(-y * y / 2)
            parts.append((value, -y * width / length * value, (y * y - 1) * (width / length) ** 2))
        else:
            value, slope, square = wave(one, x, length)
            parts.append((value, slope, -square))
    u = math.prod(part[0] for part in parts)
    slopes = [math.prod(part[a == axis] for a, part in enumerate(parts)) for axis in range(len(ends))]
    return u, u * sum(part[2] for part in parts), slopes


@pytest.mark.parametrize("ends", MIXED)
def test_open_axes_beside_others(ends):
    """Below 1e-10 with the truncated kernel, and the gradient."""
    lengths, shape = (1.0, 1.2, 0.9), [36 if one == "open" else 6 for one in ends]
    with shardfft.poisson(shape, lengths, ends, effort="estimate") as plan:
        u, laplacian, slopes = solution(ends, plan, lengths, 16)
        solved, gradient = plan.solve(laplacian, gradient=True)
        assert largest(solved - u) < 1e-10
        for got, expected in zip(gradient, slopes, strict=True):
            assert largest(got - expected) < 1e-8


@pytest.mark.parametrize("kernel", ["hockney", "integrated"])
@pytest.mark.parametrize("ends", [("periodic", "open"), ("open", ("neumann", "dirichlet"), "open")])
def test_orders_of_open_axes_beside_others(ends, kernel):
    """Second order, by the same solutions."""
    errors = []
    for n in (20, 40):
        lengths, shape = (1.0, 1.2, 0.9)[: len(ends)], [n if one == "open" else 4 for one in ends]
        with shardfft.poisson(shape, lengths, ends, kernel=kernel, effort="estimate") as plan:
            u, laplacian, _ = solution(ends, plan, lengths, 9)
            errors.append(largest(plan.solve(laplacian) - u))
    assert np.log2(errors[0] / errors[1]) > 1.6, errors


def test_open_axes_send_and_keep_less():
    """With three open axes slabs send half as much as padded arrays, and keep less than 0.6 of their memory."""
    if COMM.size == 1 or 16 % COMM.size:
        return
    options = {"exchange": "alltoallv", "effort": "estimate"}
    with (
        shardfft.poisson((16, 16, 16), 1.0, "open", **options) as plan,
        shardfft.plan((32, 32, 32), "r2c", **options) as padded,
    ):
        plan.solve(plan.zeros())
        padded.apply(shardfft.Operator.laplacian(), padded.input.zeros())
        sent, kept = [], []
        for one, arrays in ((plan, 2 * plan.zeros().nbytes), (padded, 2 * padded.input.nbytes)):
            report = one.report()
            sent.append(sum(step["bytes_sent"] for step in report["apply"]["steps"]))
            kept.append(arrays + one.workspace_bytes + report["window_bytes"])
        assert 2 * sent[0] <= sent[1] and kept[0] < 0.6 * kept[1], (sent, kept)


@pytest.mark.parametrize("shift", [0.0, 9.0])
def test_point_charges_against_a_direct_sum(shift):
    """Hockney's kernel is the sum over charges at points, to rounding."""
    shape, lengths = (9, 8, 10), (1.0, 1.0, 1.3)
    rng = np.random.default_rng(3)
    charges = [(tuple(rng.integers(0, n) for n in shape), rng.normal()) for _ in range(5)]
    with shardfft.poisson(shape, lengths, "open", kernel="hockney", shift=shift, layout="brick") as plan:
        points = plan.points()
        whole = np.zeros(shape)
        steps = [length / n for length, n in zip(lengths, shape, strict=True)]
        exact, near = np.zeros(plan.shape), np.zeros(plan.shape, bool)
        for index, charge in charges:
            whole[index] += charge / np.prod(steps)
            offsets = [x - (i + 0.5) * h for x, i, h in zip(points, index, steps, strict=True)]
            r = np.sqrt(sum(x * x for x in offsets))
            near |= r == 0
            with np.errstate(divide="ignore"):
                exact -= charge * np.exp(-np.sqrt(shift) * r) / (4 * PI * r)
        own = plan.layout.local(COMM.rank)
        f = whole[own] if own is not None else plan.zeros()
        assert largest(np.where(near, 0, plan.solve(f) - np.where(near, 0, exact))) < 1e-12


def test_stretched_walls():
    """Second order; the singular mode; and values at the walls, exact for Poiseuille's parabola."""
    for ends in WALLS:
        errors = []
        for n in (16, 32):
            faces = np.tanh(1.8 * np.linspace(-1, 1, n + 1)) / np.tanh(1.8) + 1
            with shardfft.poisson(
                (6, n, 8), (1.0, np.diff(faces), 2.0), ("periodic", ends, "neumann"), effort="estimate"
            ) as plan:
                axes = zip(("periodic", ends, ("neumann",) * 2), plan.points(), (1.0, 2.0, 2.0), strict=True)
                waves = [wave(*axis) for axis in axes]
                u = waves[0][0] * waves[1][0] * waves[2][0]
                solved, slopes = plan.solve(-sum(w[2] for w in waves) * u, gradient=True)
                errors.append(largest(solved - u))
                assert largest(slopes[1] - waves[0][0] * waves[1][1] * waves[2][0]) < 8 / n
                assert plan.is_singular == (ends == ("neumann", "neumann"))
        assert 1.7 < np.log2(errors[0] / errors[1]) < 2.3, (ends, errors)
    for axis in range(3):  # the stretched axis may be any, cut or whole
        cells = 0.1 + np.arange(7) / 10
        lengths, shape = [1.0, 1.0, 1.0], [6, 6, 6]
        lengths[axis], shape[axis] = cells, 7
        ends = [("dirichlet", "neumann") if a == axis else "periodic" for a in range(3)]
        with shardfft.poisson(shape, lengths, ends) as plan:
            y = plan.points()[axis]
            values = {(axis, "lower"): 3.0, (axis, "upper"): -2.0}
            solved = plan.solve(plan.zeros(), values)
            assert largest(solved - (3 - 2 * y)) < 1e-12
    with shardfft.poisson((8, 6), (np.full(8, 0.25), 1.0), ("neumann", "periodic")) as plan:
        f = np.cos(PI * plan.points()[0]) + 0 * plan.points()[1]
        assert abs(COMM.allreduce(float(plan.solve(f).sum()))) < 1e-12


@pytest.mark.parametrize("ends", WALLS)
def test_blocks_of_stretched_lines(ends):
    """Slabs along the stretched axis send no lines, and solve as whole lines do: slopes and the singular mode too."""
    n = 4 * COMM.size**2 + 5
    shape, cells = (n, 6, 8), 0.1 + np.abs(np.sin(np.arange(n)))
    f, solved = np.random.default_rng(1).normal(size=shape), []
    options = {"exchange": "alltoallv", "effort": "estimate", "threads": 2, "fake_ranks_per_host": 1}
    for axis in (0, 1):
        layout = shardfft.Layout.slab(shape, COMM.size, axis)
        with shardfft.poisson(
            shape, (cells, 1.0, 2.0), (ends, "periodic", "neumann"), layout=layout, wrong_mean="remove", **options
        ) as plan:
            own = layout.local(COMM.rank)
            u, slopes = plan.solve(f[own] if own is not None else plan.zeros(), gradient=True)
            solved.append([np.concatenate(COMM.allgather(one), axis) for one in (u, *slopes)])
            sent = sum(step["bytes_sent"] for step in plan.report()["apply"]["steps"])
            assert (sent == 0) == (axis == 0 or COMM.size == 1)
    for blocks, whole in zip(*solved, strict=True):
        assert np.abs(blocks - whole).max() < 1e-11 * np.abs(whole).max()


def test_means_are_told():
    with shardfft.poisson((8, 6, 4), 1.0, ("periodic", "neumann", "neumann")) as plan:
        assert plan.is_singular
        with pytest.raises(ValueError, match="mean of f is 1, but a solution needs the mean 0"):
            plan.solve(np.ones(plan.shape))
        with pytest.raises(ValueError, match="needs the mean 3"):
            plan.solve(plan.zeros(), {(1, "upper"): 3.0})
        assert largest(plan.solve(np.full(plan.shape, 3.0), {(1, "upper"): 3.0}) - plan.points()[1] ** 2 * 1.5) < 1
    with shardfft.poisson((8, 6, 4), 1.0, "periodic", wrong_mean="remove") as plan:
        assert largest(plan.solve(np.ones(plan.shape))) < 1e-15


@pytest.mark.parametrize("points", ["centres", "nodes"])
def test_the_adjoint(points):
    """<g, S f> = <S* g, f> for random f and g, in single precision too."""
    cells = 0.1 + np.arange(6) / 10
    for ends, sizes in (
        (("periodic", ("neumann", "dirichlet"), "neumann"), (1.0, 1.0, 1.0)),
        (("neumann", "neumann", "neumann"), (1.0, 1.0, cells)),
        (("open", "open", ("dirichlet", "neumann")), (1.0, 1.0, 1.0)),
    ):
        for dtype, bound in (("float64", 1e-12), ("float32", 1e-4)):
            with shardfft.poisson((6, 6, 6), sizes, ends, dtype, points=points, wrong_mean="remove") as plan:
                rng = np.random.default_rng(COMM.rank)
                f, g = rng.normal(size=plan.shape).astype(dtype), rng.normal(size=plan.shape).astype(dtype)
                one = COMM.allreduce(float(np.vdot(g, plan.solve(f))))
                other = COMM.allreduce(float(np.vdot(plan.adjoint(g), f)))
                assert abs(one - other) < bound * max(1, abs(one))


WRONG = [
    ({"boundary": ("periodic", ("open", "dirichlet"))}, "at one end only"),
    ({"boundary": "periodical"}, "a boundary is one of"),
    ({"lengths": (1.0, -1.0)}, "above 0"),
    ({"lengths": (1.0, [0.5] * 5 + [-0.5]), "boundary": ("periodic", "wall")}, "a cell of the width -0.5 behind 5"),
    ({"lengths": (1.0, [0.5] * 4), "boundary": ("periodic", "wall")}, "4 widths of cells, but axis 1 has 6"),
    ({"lengths": (1.0, [0.5] * 6)}, "must have a wall at each end"),
    ({"lengths": (1.0, [0.5] * 6), "boundary": ("open", "wall")}, "beside open ones"),
    ({"shift": -1.0}, "shift is -1"),
    ({"kernel": "ewald"}, "kernel must be one of"),
    ({"shape": (8,), "lengths": 1.0, "boundary": "open"}, "alone is not supported"),
    ({"norm": "ortho"}, "option norm is the solver's own"),
    ({"workspace": "least"}, "option workspace is the solver's own"),
    ({"processor": "gpu"}, "no GPU support"),
]


@pytest.mark.parametrize("change, words", WRONG)
def test_wrong_arguments_on_all_ranks(change, words):
    given = {"shape": (8, 6), "lengths": 1.0, "boundary": "periodic", **change}
    with pytest.raises((ValueError, shardfft.Error), match=words):
        shardfft.poisson(**given)


def test_wrong_calls_on_all_ranks():
    last = COMM.rank == COMM.size - 1
    with shardfft.poisson((8, 6), 1.0, ("periodic", "wall")) as plan:
        with pytest.raises(ValueError, match="no wall"):
            plan.solve(plan.zeros(), {(0, "lower"): 1.0})
        with pytest.raises(ValueError, match="shape"):
            plan.solve(np.zeros((3, 3)) if last else plan.zeros())
        with pytest.raises(shardfft.Error, match="not supported"):
            plan.solve(plan.zeros(), {(1, "lower"): 1.0}, gradient=True)
        if COMM.size > 1:
            with pytest.raises((ValueError, shardfft.Error), match="different walls"):
                plan.solve(plan.zeros(), {(1, "lower"): 1.0} if last else {})
        assert largest(plan.solve(plan.zeros())) == 0
