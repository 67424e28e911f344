"""Frequencies and coordinates of a rank's part, against NumPy's of the whole array."""

import numpy as np
import pytest

import shardfft
from shardfft import Layout


def whole_arrays(vectors, shape):
    """One whole array an axis, of the axis's own vector."""
    return [
        np.broadcast_to(v.reshape([-1 if a == axis else 1 for a in range(len(shape))]), shape) for axis, v in vectors
    ]


def check(arrays, side, exact):
    """Each array broadcasts to this rank's part of the exact one."""
    assert len(arrays) == len(exact)
    for array, whole in zip(arrays, exact, strict=True):
        local = np.broadcast_to(array, side.shape[-array.ndim :])
        for piece in side.layout.pieces(side.rank):
            got = local[tuple(slice(None) for _ in piece.slices)] if side.slices else as_piece(array, piece)
            assert np.array_equal(got, whole[piece.slices])


def as_piece(flat, piece):
    shape = [len(range(part.start, part.stop, part.step)) for part in piece.slices]
    strides = [stride * flat.itemsize for stride in piece.strides]
    return np.lib.stride_tricks.as_strided(flat[piece.offset :], shape, strides)


@pytest.mark.parametrize("output", ["default", "natural"])
@pytest.mark.parametrize("layout", ["slab", "pencil", "brick", "cyclic"])
@pytest.mark.parametrize(("kind", "axes"), [("c2c", None), ("r2c", None), ("c2c", (2, 0)), ("r2c", (2, 1))])
@pytest.mark.parametrize("shape", [(16, 4, 8), (5, 7, 9)])
def test_frequencies(comm, shape, kind, axes, layout, output):
    with shardfft.plan(
        shape, kind, comm=comm, axes=axes, layout=layout, output=output, batch=2, effort="estimate"
    ) as plan:
        chosen = (0, 1, 2) if axes is None else axes
        assert plan.output.axes == chosen
        vectors = [(axis, np.fft.fftfreq(shape[axis], 0.25)) for axis in chosen]
        if kind == "r2c":
            vectors[-1] = (chosen[-1], np.fft.rfftfreq(shape[chosen[-1]], 0.25))
        exact = whole_arrays(vectors, plan.output.layout.shape)
        check(plan.output.frequencies(0.25), plan.output, exact)
        places = [(axis, np.arange(extent) * (axis + 1.0)) for axis, extent in enumerate(shape)]
        check(plan.input.coordinates((1, 2, 3)), plan.input, whole_arrays(places, shape))


@pytest.mark.parametrize("layout", ["slab", "brick", "cyclic"])
def test_wavenumbers(comm, layout):
    shape, words = (6, 5, 4), ("fft", "dst2", "dct4")
    with shardfft.plan(shape, "r2c", comm=comm, layout=layout, transforms=words, effort="estimate") as plan:
        vectors = [(0, np.pi * np.arange(4)), (1, np.pi * np.arange(1, 6)), (2, np.pi / 3 * (np.arange(4) + 0.5))]
        check(plan.output.wavenumbers((2, 1, 3)), plan.output, whole_arrays(vectors, plan.output.layout.shape))
        with pytest.raises(ValueError, match="this side of the plan is real"):
            plan.input.wavenumbers(1)
        with pytest.raises(ValueError, match="length must be finite and above 0"):
            plan.output.wavenumbers(0)


# The points of an axis of four: in steps of length / (4 + an addend).
POINTS = {
    "fft": ([0, 1, 2, 3], 0),
    "dct1": ([0, 1, 2, 3], -1),
    "dct2": ([0.5, 1.5, 2.5, 3.5], 0),
    "dct3": ([0, 1, 2, 3], 0),
    "dct4": ([0.5, 1.5, 2.5, 3.5], 0),
    "dst1": ([1, 2, 3, 4], 1),
    "dst2": ([0.5, 1.5, 2.5, 3.5], 0),
    "dst3": ([1, 2, 3, 4], 0),
    "dst4": ([0.5, 1.5, 2.5, 3.5], 0),
}


@pytest.mark.parametrize("layout", ["slab", "cyclic"])
@pytest.mark.parametrize("word", POINTS)
def test_points(comm, word, layout):
    """Along a transformed axis the points of its transform, along another from 0."""
    steps, more = POINTS[word]
    with shardfft.plan((3, 4), comm=comm, axes=1, layout=layout, transforms=[word], effort="estimate") as plan:
        exact = [(0, np.arange(3) * (2 / 3)), (1, np.array(steps) * (5 / (4 + more)))]
        check(plan.input.points((2, 5)), plan.input, whole_arrays(exact, (3, 4)))
        with pytest.raises(ValueError, match="length must be finite and above 0"):
            plan.input.points((2, -5))


def test_spectra_have_no_points(comm):
    for options in ({"kind": "r2c"}, {"modes": (3, 4)}):
        with shardfft.plan((6, 8), comm=comm, effort="estimate", **options) as plan:
            plan.input.points(1)
            with pytest.raises(ValueError, match="a spectrum and has no points"):
                plan.output.points(1)


def test_poisson_with_walls(comm):
    """The error of a new user: coordinates() leaves out the half step of dct2."""
    words, lengths = ("fft", "dct2", "dst1"), (2 * np.pi, 1.0, 3.0)
    with shardfft.plan((12, 8, 7), "r2c", comm=comm, transforms=words, effort="estimate") as plan:
        x, y, z = plan.input.points(lengths)
        exact = np.cos(2 * x) * np.cos(3 * np.pi * y) * np.sin(2 * np.pi * z / 3)
        charge = -(4 + 9 * np.pi**2 + 4 * np.pi**2 / 9) * exact
        potential = plan.apply(shardfft.Operator.inverse_laplacian(lengths), charge)
        assert np.allclose(potential, exact, atol=1e-13)


def test_of_several_pieces(comm):
    """Spectra of six steps have no product of slices; every element has its frequency."""
    with shardfft.plan((comm.size**2 * 4,), comm=comm, algorithm="six_step", effort="estimate") as plan:
        (frequencies,) = plan.output.frequencies()
        check(
            [frequencies],
            plan.output,
            whole_arrays([(0, np.fft.fftfreq(plan.input.layout.shape[0]))], plan.input.layout.shape),
        )


def test_inverse_real_plans_have_them_on_the_input_side(comm):
    with shardfft.plan((4, 5), "c2r", comm=comm, n=9, effort="estimate") as plan:
        exact = whole_arrays([(0, np.fft.fftfreq(4)), (1, np.fft.rfftfreq(9))], (4, 5))
        check(plan.input.frequencies(), plan.input, exact)
        with pytest.raises(ValueError, match="real and has no frequencies"):
            plan.output.frequencies()


def test_types(comm):
    with shardfft.plan((4, 6), "r2c", "float32", comm=comm, effort="estimate") as plan:
        assert {array.dtype for array in plan.output.frequencies()} == {np.dtype(np.float32)}
        assert {array.dtype for array in plan.input.coordinates(dtype="float64")} == {np.dtype(np.float64)}
        product = plan.output.zeros() * plan.output.frequencies()[0]
        assert product.dtype == plan.output.dtype


@pytest.mark.parametrize("spacing", [0, -1, np.inf, np.nan, (1, 0)])
def test_bad_spacing(comm, spacing):
    with shardfft.plan((4, 6), comm=comm, effort="estimate") as plan, pytest.raises(ValueError, match="spacing"):
        plan.output.frequencies(spacing)


def test_a_derivative(comm):
    """Along y of sin(3 x) cos(2 y), by pencils."""
    shape = (18, 12, 10)
    step = [2 * np.pi / extent for extent in shape]
    with shardfft.plan(shape, "r2c", comm=comm, layout=Layout.pencil(shape, comm.size), effort="estimate") as plan:
        x, y, _ = plan.input.coordinates(step)
        field = plan.input.zeros()
        field[...] = np.sin(3 * x) * np.cos(2 * y)
        ky = 2 * np.pi * plan.output.frequencies(step)[1]
        result = plan.backward(1j * ky * plan.forward(field))
        assert np.allclose(result, -2 * np.sin(3 * x) * np.sin(2 * y), atol=1e-12)
