"""Operators between a forward and a backward transform, against NumPy and SciPy."""

import gc
import re
import weakref

import numpy as np
import pytest
import scipy.fft
import scipy.ndimage

import shardfft
from shardfft import Layout, Operator


def cut(whole, comm):
    return whole[Layout.slab(whole.shape, comm.size).local(comm.rank)]


def wavenumbers(shape, lengths, real):
    modes = [2 * np.pi * np.fft.fftfreq(n, length / n) for n, length in zip(shape, lengths, strict=True)]
    if real:
        modes[-1] = 2 * np.pi * np.fft.rfftfreq(shape[-1], lengths[-1] / shape[-1])
    return np.meshgrid(*modes, indexing="ij", sparse=True)


def answer(x, factors):
    if x.dtype.kind == "c":
        return np.fft.ifftn(np.fft.fftn(x) * factors)
    return np.fft.irfftn(np.fft.rfftn(x) * factors, s=x.shape, axes=range(x.ndim))


def random(rng, shape, dtype):
    x = rng.standard_normal(shape)
    return (x + 1j * rng.standard_normal(shape) if np.dtype(dtype).kind == "c" else x).astype(dtype)


@pytest.mark.parametrize("shape", [(8, 6, 10), (7, 5, 9), (12, 8), (16,)])
@pytest.mark.parametrize("dtype", ["float64", "complex128", "complex64"])
@pytest.mark.parametrize("norm", ["backward", "ortho", "none"])
def test_functions_and_arrays(comm, rng, close, shape, dtype, norm):
    x = random(rng, shape, dtype)
    real = x.dtype.kind == "f"
    lengths = [3.0, 1.0, 2 * np.pi][: len(shape)]
    precision = "float32" if dtype == "complex64" else "float64"

    def factor(*k):
        return 1 / (1 + sum(one**2 for one in k))

    exact = answer(x, factor(*wavenumbers(shape, lengths, real)))
    with shardfft.plan(shape, "r2c" if real else "c2c", dtype, comm, norm=norm, effort="estimate") as plan:
        op = Operator.of_wavenumbers(factor, lengths)
        for _ in range(2):
            close(plan.apply(op, cut(x, comm)), plan.input.layout, exact, precision)
        steps = [length / n for length, n in zip(lengths, shape, strict=True)]
        op = Operator.array(factor(*(2 * np.pi * one for one in plan.output.frequencies(steps))))
        close(plan.apply(op, cut(x, comm)), plan.input.layout, exact, precision)
        whole = rng.standard_normal(plan.output.layout.shape)
        if not real:
            op = Operator.of_indices(lambda *index: whole[index])
            close(plan.apply(op, cut(x, comm)), plan.input.layout, answer(x, whole), precision)


@pytest.mark.parametrize("dtype", ["float64", "complex128"])
def test_names(comm, rng, close, dtype):
    shape, lengths = (8, 6, 10), (3.0, 1.0, 2 * np.pi)
    x = random(rng, shape, dtype)
    k = wavenumbers(shape, lengths, x.dtype.kind == "f")
    square = sum(one**2 for one in k)
    inverse = np.where(square == 0, 0, -1 / np.where(square == 0, 1, square))
    slope = np.where(np.abs(k[0]) == np.abs(k[0]).max(), 0, 1j * k[0])  # 8 points: the lone mode has no derivative
    with shardfft.plan(shape, "r2c" if x.dtype.kind == "f" else "c2c", comm=comm, effort="estimate") as plan:
        for op, factors in [
            (Operator.derivative(0, lengths=lengths), slope),
            (Operator.derivative(1, 2, lengths), -(k[1] ** 2)),
            (Operator.laplacian(lengths), -square),
            (Operator.inverse_laplacian(lengths), inverse),
            (Operator.gaussian(0.1, lengths), np.exp(-0.005 * square)),
            (Operator.laplacian(lengths) * Operator.inverse_laplacian(lengths), np.where(square == 0, 0, 1)),
            (Operator.of_wavenumbers(lambda a, b, c: 1 + b**2, lengths) * Operator.derivative(2), 1),
        ]:
            if np.ndim(factors) == 0:
                m = wavenumbers(shape, (2 * np.pi,) * 3, x.dtype.kind == "f")[2]
                factors = (1 + k[1] ** 2) * np.where(np.abs(m) == 5, 0, 1j * m)
            close(plan.apply(op, cut(x, comm)), plan.input.layout, answer(x, factors))


# Half waves of the first function that SciPy's transforms of each type expand fields in.
FIRST = {"dct1": 0, "dct2": 0, "dct3": 0.5, "dct4": 0.5, "dst1": 1, "dst2": 1, "dst3": 0.5, "dst4": 0.5}


def cosine_answer(x, words, factors):
    """SciPy's transforms of each axis, the factors, and back; axes with "fft" come first."""
    complex_type = words[0] == "fft"
    fourier = [axis for axis, word in enumerate(words) if word == "fft"]
    rest = [axis for axis, word in enumerate(words) if word != "fft"]

    def of_axis(y, axis, inverse):
        name = ("i" if inverse else "") + words[axis][:3]
        parts = (getattr(scipy.fft, name)(part, int(words[axis][3]), axis=axis) for part in (y.real, y.imag))
        real, imag = parts
        return real + 1j * imag

    y = np.fft.fftn(x, axes=fourier) if complex_type else x + 0j
    for axis in rest:
        y = of_axis(y, axis, False)
    y = y * factors
    for axis in rest:
        y = of_axis(y, axis, True)
    return np.fft.ifftn(y, axes=fourier) if complex_type else y


@pytest.mark.parametrize(
    "words",
    [("dct1", "dct2"), ("dct3", "dct4"), ("dst1", "dst2"), ("dst3", "dst4"), ("fft", "dct2"), ("fft", "dst1")],
)
def test_cosine_and_sine_axes(comm, rng, close, words):
    shape, lengths = (6, 7), (3.0, 0.7)
    x = rng.standard_normal(shape)
    k = [
        2 * np.pi * np.fft.fftfreq(n, length / n) if word == "fft" else np.pi / length * (np.arange(n) + FIRST[word])
        for n, length, word in zip(shape, lengths, words, strict=True)
    ]
    k = np.meshgrid(*k, indexing="ij", sparse=True)
    square = k[0] ** 2 + k[1] ** 2
    inverse = np.where(square == 0, 0, -1 / np.where(square == 0, 1, square))
    kind = "r2c" if "fft" in words else "r2r"
    with shardfft.plan(shape, kind, comm=comm, transforms=words, effort="estimate") as plan:
        for op, factors in [
            (Operator.laplacian(lengths), -square),
            (Operator.inverse_laplacian(lengths), inverse),
            (Operator.derivative(1, 2, lengths), -(k[1] ** 2)),
            (Operator.gaussian(0.1, lengths), np.exp(-0.005 * square)),
            (Operator.of_wavenumbers(lambda a, b: 1 / (1 + a**2 + b), lengths), 1 / (1 + k[0] ** 2 + k[1])),
            (Operator.array(2.0) * Operator.gaussian(0.1, lengths), 2 * np.exp(-0.005 * square)),
        ]:
            close(plan.apply(op, cut(x, comm)), plan.input.layout, cosine_answer(x, words, factors).real)
        domain = [2 * np.pi if word == "fft" else np.pi for word in words]
        same = [plan.apply(Operator.laplacian(said), cut(x, comm)) for said in (None, domain)]
        assert np.array_equal(*same)
        same = [plan.apply(Operator.of_wavenumbers(lambda a, b: a + b, said), cut(x, comm)) for said in (None, domain)]
        assert np.array_equal(*same)
        with pytest.raises(shardfft.Error, match="even orders only"):
            plan.apply(Operator.derivative(1), cut(x, comm))
        with pytest.raises(shardfft.Error, match="no convolution"):
            plan.convolution(cut(x, comm))
        if kind == "r2r":
            with pytest.raises(shardfft.ArgumentError, match="the spectrum is real"):
                plan.apply(Operator.array(1j), cut(x, comm))


def test_sums_numbers_and_quotients(comm, rng, close):
    """In one pass, with any operators joined; the divisor's zero gives 0, as in the inverse Laplacian."""
    shape = (8, 6)
    x = rng.standard_normal(shape)
    k = wavenumbers(shape, (2 * np.pi,) * 2, True)
    square = k[0] ** 2 + k[1] ** 2
    laplacian, smooth = Operator.laplacian(), Operator.gaussian(0.3)
    bell = np.exp(-0.045 * square)
    with shardfft.plan(shape, "r2c", comm=comm, effort="estimate") as plan:
        for op, factors in [
            (laplacian + smooth, bell - square),
            (laplacian - 4, -square - 4),
            (4 - laplacian, 4 + square),
            (-laplacian * np.float64(0.5), square / 2),
            (np.float32(2) * smooth, 2 * bell),
            (1 / (1 - 0.1 * laplacian), 1 / (1 + 0.1 * square)),
            (smooth / 4 + 1, bell / 4 + 1),
            (smooth / laplacian, np.where(square == 0, 0, -bell / np.where(square == 0, 1, square))),
            (Operator.of_indices(lambda i, j: j) + Operator.of_wavenumbers(lambda k, m: k**2), k[1] + k[0] ** 2),
        ]:
            close(plan.apply(op, cut(x, comm)), plan.input.layout, answer(x, factors))


def test_operators_join_with_operators_and_numbers_only():
    for wrong in ("2", None, [2], np.ones(2), True):
        for join in ("__mul__", "__add__", "__sub__", "__truediv__", "__rtruediv__"):
            assert getattr(Operator.laplacian(), join)(wrong) is NotImplemented
    with pytest.raises(TypeError, match="unsupported operand"):
        Operator.laplacian() + "2"


def test_negative_axes(comm, rng, close):
    x = rng.standard_normal((6, 8))
    with shardfft.plan((6, 8), "r2c", comm=comm, effort="estimate") as plan:
        for axis in (0, 1):
            same = [plan.apply(Operator.derivative(one), cut(x, comm)) for one in (axis, axis - 2)]
            assert np.array_equal(*same)
        for axis in (2, -3):
            with pytest.raises(shardfft.ArgumentError, match=f"axis {axis}, .* does not exist in an array of 2 axes"):
                plan.apply(Operator.derivative(axis), cut(x, comm))


def test_complex_numbers_do_not_suit_real_spectra(comm):
    words = r"the operator's factor is 0 \+ 1i, but the spectrum is real"
    with (
        shardfft.plan((8, 6), "r2r", comm=comm, transforms=["dct2", "dct2"], effort="estimate") as plan,
        pytest.raises(shardfft.ArgumentError, match=words),
    ):
        plan.apply(1j * Operator.laplacian(), plan.input.zeros())


def test_in_place_and_fields(comm, rng):
    x = rng.standard_normal((2, 6, 8))
    with shardfft.plan((6, 8), "r2c", comm=comm, batch=2, effort="estimate") as plan:
        mine = plan.input.asarray(np.stack([cut(field, comm) for field in x]))
        plan.apply(Operator.laplacian(), mine, out=mine)
        square = sum(one**2 for one in wavenumbers((6, 8), (2 * np.pi,) * 2, True))
        exact = np.stack([cut(answer(field, -square), comm) for field in x])
        assert np.allclose(mine, exact)
        assert plan.report()["apply"]["runs"] == 1


@pytest.mark.parametrize("dtype", ["float64", "float32", "complex128"])
@pytest.mark.parametrize("shape", [(9, 8, 5), (10, 7)])
def test_convolve(comm, rng, close, shape, dtype):
    x, kernel = random(rng, shape, dtype), random(rng, shape, dtype)
    exact = np.fft.ifftn(np.fft.fftn(x) * np.fft.fftn(kernel))
    exact = exact if np.dtype(dtype).kind == "c" else exact.real
    precision = "float32" if dtype == "float32" else "float64"
    result = shardfft.convolve(cut(x, comm), cut(kernel, comm), comm)
    close(result, Layout.slab(shape, comm.size), exact, precision)
    assert result.dtype == np.dtype(dtype)


def test_convolve_as_scipy(comm, rng, close):
    """A kernel of few points, which SciPy centres."""
    x, kernel = rng.standard_normal((12, 10)), rng.standard_normal((3, 3))
    whole = np.zeros(x.shape)
    whole[:3, :3] = kernel
    whole = np.roll(whole, (-1, -1), (0, 1))
    exact = scipy.ndimage.convolve(x, kernel, mode="wrap")
    close(shardfft.convolve(cut(x, comm), cut(whole, comm), comm), Layout.slab(x.shape, comm.size), exact)


def test_convolve_along_some_axes(comm, rng, close):
    x, kernel = rng.standard_normal((6, 8)), rng.standard_normal((6, 8))
    exact = np.fft.ifft(np.fft.fft(x, axis=1) * np.fft.fft(kernel, axis=1), axis=1).real
    close(shardfft.convolve(cut(x, comm), cut(kernel, comm), comm, axes=1), Layout.slab(x.shape, comm.size), exact)


@pytest.mark.parametrize("verify", [False, True])
def test_calls(comm, rng, close, verify):
    x, seen = rng.standard_normal((8, 6, 5)), []
    exact = answer(x, 1 / (1 + sum(k**2 for k in wavenumbers(x.shape, (2 * np.pi,) * 3, True))))

    def damp(part):
        assert isinstance(part.array, np.ndarray) and (part.device, part.stream) == (None, 0)
        part.array[...] /= 1 + sum(k**2 for k in part.side.wavenumbers(2 * np.pi))
        seen.append(part.array.shape == part.side.shape == plan.output.shape)

    with shardfft.plan(x.shape, "r2c", comm=comm, verify=verify, effort="estimate") as plan:
        op = Operator.calling(damp)
        for _ in range(2):
            close(plan.apply(op, cut(x, comm)), plan.input.layout, exact)
        assert seen == [True] * (4 if verify else 2)
        with pytest.raises(shardfft.ArgumentError, match="cannot be joined"):
            plan.apply(op + 1, cut(x, comm))
        with pytest.raises(shardfft.Error, match="is for plans on GPUs"):
            plan.apply(Operator.cuda("double factor(const double* k, const long long* i) { return 1; }"), cut(x, comm))
    with pytest.raises(TypeError, match="a function of a SpectrumPart"):
        Operator.calling(3)
    with pytest.raises(TypeError, match="a str of CUDA source"):
        Operator.cuda(3)


def test_an_operator_that_calls_its_owner_keeps_no_plan_alive(comm):
    class Solver:
        def __init__(self):
            self.plan = shardfft.plan((8, 6), comm=comm, effort="estimate")
            self.operator = Operator.calling(self.double)

        def double(self, part):
            part.array[...] *= 2

    solver = Solver()
    for operator in (solver.operator, Operator.calling(solver.double)):
        for _ in range(2):
            assert np.allclose(solver.plan.apply(operator, solver.plan.input.zeros() + 1), 2)
    solver.plan.close()
    alive = weakref.ref(solver)
    del solver, operator
    gc.collect()
    assert alive() is None


@pytest.mark.parametrize("raised", [KeyError("no spectrum today"), KeyboardInterrupt("no spectrum today")])
def test_calls_that_raise(comm, raised):
    def fail(part):
        if part.side.rank == comm.size - 1:
            raise raised

    mine = comm.Dup()  # a failure ends all plans of a communicator
    plan = shardfft.plan((8, 6), comm=mine, effort="estimate")
    words = re.escape(f"the operator's function failed: {type(raised).__name__}: {raised}")
    with pytest.raises(shardfft.Error, match=words) as failed:
        plan.apply(Operator.calling(fail), plan.input.zeros())
    assert failed.value.__cause__ is (raised if comm.rank == comm.size - 1 else None)
    plan.close()


def test_errors(comm):
    with shardfft.plan((6, 8), comm=comm, axes=1, effort="estimate") as plan:
        x = plan.input.zeros()
        with pytest.raises(TypeError, match=r"shardfft\.Operator"):
            plan.apply("laplacian", x)
        with pytest.raises(shardfft.ArgumentError, match="does not transform axis 0"):
            plan.apply(Operator.derivative(0), x)
        with pytest.raises((ValueError, shardfft.Error), match="do not broadcast|refused"):
            plan.apply(Operator.array(np.ones((3, 3, 3))), x)
        with pytest.raises((ZeroDivisionError, shardfft.Error)):
            plan.apply(Operator.of_indices(lambda *_: 1 // (0 if comm.rank == comm.size - 1 else 1)), x)
        with pytest.raises((ValueError, shardfft.Error), match="local array"):
            plan.convolution(np.zeros((50, 50)))
        plan.apply(Operator.laplacian(), x)
    with pytest.raises((ValueError, shardfft.Error), match="must be alike"):
        shardfft.convolve(np.zeros((3, 4)), np.zeros((4, 4)), comm)


def test_complex_factors_without_imaginary_parts_suit_real_spectra(comm):
    with shardfft.plan((8, 6), "r2r", comm=comm, transforms=["dct2", "dct2"], effort="estimate") as plan:
        field = np.random.default_rng(3).random(plan.input.shape)
        real = plan.apply(Operator.of_wavenumbers(lambda a, b: -(a**2) - b**2), field)
        same = plan.apply(Operator.of_wavenumbers(lambda a, b: (1j * a) ** 2 - b**2), field)
        np.testing.assert_allclose(real, same, atol=1e-12)
        with pytest.raises(shardfft.Error, match="complex"):
            plan.apply(Operator.of_wavenumbers(lambda a, b: 1j + 0 * a * b), field)
