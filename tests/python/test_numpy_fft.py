"""shardfft.fft and numpy.fft of arrays over ranks, against numpy.fft of the whole: values, shapes, types, errors."""

import numpy as np
import pytest
import scipy.fft

import shardfft
from shardfft import DistArray

SHAPE = (6, 5, 8)
ONE = ["fft", "ifft", "rfft", "irfft", "hfft", "ihfft"]
MANY = ["fftn", "ifftn", "rfftn", "irfftn", "fft2", "ifft2", "rfft2", "irfft2"]
SCIPYS = ["hfftn", "ihfftn", "hfft2", "ihfft2"]
REAL = ("rfft", "ihfft")


def numbers(rng, shape, dtype):
    x = 3 * rng.standard_normal(shape)
    return (x + 1j * rng.standard_normal(shape) if np.dtype(dtype).kind == "c" else x).astype(dtype)


def near(got, exact):
    eps = np.finfo(exact.dtype).eps
    assert got.shape == exact.shape and got.dtype == exact.dtype
    assert np.linalg.norm(got - exact) <= 20 * eps * (1 + np.linalg.norm(exact)), np.abs(got - exact).max()


def half_of_real(x, axes, n=None):
    """A half spectrum that belongs to a real array: of others local FFT libraries have their own inverses."""
    return np.fft.rfftn(np.fft.irfftn(x, axes=axes), axes=axes).astype(np.result_type(x.dtype, 1j))


@pytest.mark.parametrize("name", ONE)
@pytest.mark.parametrize("axis", [-1, 0, 1])
@pytest.mark.parametrize("n", [None, 1, 4, 7, 12])
def test_one_axis(comm, rng, name, axis, n):
    for dtype, norm in (("float64", None), ("complex64", "ortho"), ("int16", "forward"), ("float32", "backward")):
        if name.startswith(REAL) and np.dtype(dtype).kind == "c":
            continue
        x = numbers(rng, SHAPE, dtype)
        exact = getattr(np.fft, name)(x, n, axis, norm)
        d = DistArray.from_global(x, comm, "brick" if axis else "slab")
        near(getattr(shardfft.fft, name)(d, n, axis, norm).gather(), exact)
        near(getattr(np.fft, name)(d, n=n, axis=axis, norm=norm).gather(), exact)


@pytest.mark.parametrize("name", MANY + SCIPYS)
@pytest.mark.parametrize(
    ("s", "axes"),
    [(None, None), (None, (0, 2)), ((4, 9), (0, 1)), ((12, -1), (-1, 0)), ((3, 7, 10), (0, 1, 2)), ((5, 8), (2, 0))],
)
def test_many_axes(comm, rng, name, s, axes):
    words = {} if axes is None else {"axes": axes}
    module = scipy.fft if name in SCIPYS else np.fft
    for layout, norm in (("slab", None), ("cyclic", "ortho"), ("pencil", "forward")):
        x = numbers(rng, SHAPE, "float64" if name.startswith(("r", "ih")) else "complex128")
        if name.startswith(("ir", "h")):
            x = half_of_real(x, axes if axes is not None else ((-2, -1) if name.endswith("2") else None))
        if name.startswith(("ir", "h")) and s is not None:
            continue
        d = DistArray.from_global(x, comm, layout)
        near(
            getattr(shardfft.fft, name)(d, s, norm=norm, **words).gather(),
            getattr(module, name)(x, s, norm=norm, **words),
        )


@pytest.mark.parametrize("dtype", ["float16", "float32", "int8", "int16", "bool", "complex64"])
@pytest.mark.parametrize("axes", [None, (0,), (1,), (0, 1), (1, 1), (2, 0)])
def test_types_of_results(comm, dtype, axes):
    """Also again, when a plan is remembered; and of sums that half precision does not hold."""
    x = np.full((4, 3, 5), 3e4 if dtype == "float16" else 1, dtype)
    for name in MANY + (ONE if axes is not None and len(axes) == 1 else []):
        if name.startswith(REAL) and dtype == "complex64":
            continue
        words = {} if axes is None else {"axis": axes[0]} if name in ONE else {"axes": axes}
        exact = getattr(np.fft, name)(x, **words, norm="forward")
        d = DistArray.from_global(x, comm)
        for array in (d, d.local):
            for _ in range(2):
                given = {"comm": comm} if array is not d else {}
                got = getattr(shardfft.fft, name)(array, **words, **given, norm="forward")
                assert got.dtype == exact.dtype, name
        assert np.array_equal(np.isinf(getattr(np.fft, name)(d, **words, norm="forward").gather()), np.isinf(exact))
    if axes is not None and len({*axes}) == len(axes):
        with scipy.fft.set_backend(shardfft.scipy):
            got = scipy.fft.irfftn(d, axes=axes)
        assert got.dtype == scipy.fft.irfftn(x, axes=axes).dtype


@pytest.mark.parametrize("n", [4, 9, 10])
def test_padded_real_inverse(comm, rng, n):
    x = numbers(rng, (6, 5), "complex128")
    x[:, 0] = x[:, 0].real
    d = DistArray.from_global(x, comm)
    near(np.fft.irfftn(d, s=(n,), axes=(1,)).gather(), np.fft.irfftn(x, s=(n,), axes=(1,)))
    near(np.fft.irfft(d, n).gather(), np.fft.irfft(x, n))


@pytest.mark.filterwarnings("ignore:.*None.*:DeprecationWarning")
@pytest.mark.parametrize(("s", "axes"), [((None, 7), (0, 1)), ((4, None), (0, 1)), ((None, None), (2, 0))])
def test_no_extent_of_an_axis(comm, rng, s, axes):
    for name in ("fftn", "ifftn", "rfftn", "irfftn"):
        x = rng.standard_normal(SHAPE)
        x = half_of_real(x, axes) if name == "irfftn" and s == (None, None) else x
        exact = getattr(np.fft, name)(x, s, axes)
        got = getattr(np.fft, name)(DistArray.from_global(x, comm), s, axes)
        assert got.shape == exact.shape
        if name != "irfftn" or s == (None, None):
            near(got.gather(), exact)


def test_rows_of_plain_arrays(comm, rng):
    x = rng.standard_normal((comm.size * 2 + 1, 6))
    rows = np.array_split(x, comm.size)[comm.rank]
    full = shardfft.Layout.slab(x.shape, comm.size)
    got = shardfft.fft.rfftn(rows, s=(x.shape[0], 9), axes=(0, 1), comm=comm)
    assert isinstance(got, np.ndarray)
    near(got, np.fft.rfftn(x, s=(x.shape[0], 9), axes=(0, 1))[full.with_axis_extent(1, 5).local(comm.rank)])
    near(shardfft.fft(rows, comm), np.fft.fft(rows))  # the function of old
    if comm.size == 1:
        near(shardfft.fft.fft([1, 2, 3]), np.fft.fft([1, 2, 3]))


def test_ranks_without_rows(comm):
    rows = np.ones((1 if comm.rank == 0 else 0, 4, 6))
    for _ in range(2):
        assert shardfft.fft.rfftn(rows, comm=comm).shape == shardfft.rfftn(rows, comm).shape == (len(rows), 4, 4)


def test_repeated_and_no_axes(comm, rng):
    z = numbers(rng, (4, 6), "complex128")
    d = DistArray.from_global(z, comm)
    near(np.fft.fftn(d, axes=(0, 0)).gather(), np.fft.fftn(z, axes=(0, 0)))
    near(np.fft.fftn(d, s=(5, 4, 7), axes=(0, 1, 0)).gather(), np.fft.fftn(z, s=(5, 4, 7), axes=(0, 1, 0)))
    near(np.fft.ifftn(d, axes=(1, 0, 1)).gather(), np.fft.ifftn(z, axes=(1, 0, 1)))
    near(np.fft.rfftn(d.real, axes=(1, 1)).gather(), np.fft.rfftn(z.real, axes=(1, 1)))
    near(np.fft.fftn(d, axes=()).gather(), np.fft.fftn(z, axes=()))
    with pytest.raises(IndexError):
        np.fft.rfftn(d.real, axes=())


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("fft", {"n": 0}),
        ("fft", {"axis": 2}),
        ("rfft", {"axis": -3}),
        ("irfft", {"n": -4}),
        ("fftn", {"s": (3,), "axes": (0, 1)}),
        ("fftn", {"axes": (0, 5)}),
        ("fftn", {"norm": "both"}),
        ("rfftn", {"s": (4, 0), "axes": (0, 1)}),
        ("fft2", {"axes": (7, 8)}),
        ("fftn", {"s": (4, 4, 4), "axes": (0, 1)}),
    ],
)
def test_errors_are_numpys(comm, rng, name, words):
    x = rng.standard_normal((4, 6))
    with pytest.raises((ValueError, IndexError)) as numpys:
        getattr(np.fft, name)(x, **words)
    with pytest.raises(type(numpys.value)) as ours:
        getattr(np.fft, name)(DistArray.from_global(x, comm), **words)
    # NumPy says of an axis that is not there only that an index is out of range.
    axis_is_told = isinstance(ours.value, np.exceptions.AxisError)
    assert axis_is_told if isinstance(numpys.value, IndexError) else str(ours.value) == str(numpys.value)


def test_other_errors(comm, rng):
    d = DistArray.from_global(rng.standard_normal((4, 6)), comm)
    with pytest.raises(TypeError, match="needs real numbers"):
        np.fft.rfft(d * 1j)
    with pytest.raises(TypeError, match="give neither"):
        shardfft.fft.fft(d, comm=comm)
    with pytest.raises(TypeError, match="give neither"):
        shardfft.fftn(d, comm)
    with pytest.raises(ValueError, match="output array has wrong shape"):
        np.fft.fft(d, out=DistArray.zeros((4, 5), complex, comm))
    with pytest.raises(TypeError, match="cannot take complex128"):
        np.fft.fft(d, out=DistArray.zeros((4, 6), float, comm))
    with pytest.raises(TypeError, match="plans have no option 'wrong'"):
        shardfft.fft.fft(d, wrong=3)
    with pytest.warns(DeprecationWarning, match="`axes` should not be `None`"):
        near(np.fft.fftn(d, s=(3, 5)).gather(), np.fft.fftn(d.gather(), s=(3, 5), axes=(0, 1)))
    v = DistArray.zeros((4, 6), comm=comm, components=2)
    with pytest.raises(ValueError, match="counts the components"):
        np.fft.fftn(v, axes=(0, 1))


def test_out_and_components(comm, rng):
    x = rng.standard_normal((3, 4, 6))
    d = DistArray.from_global(x, comm, components=True)
    near(np.fft.rfftn(d).gather(), np.fft.rfftn(x, axes=(1, 2)))
    near(np.fft.fft(d, 7, axis=1).gather(), np.fft.fft(x, 7, axis=1))
    near(np.fft.fft(d[:1], axis=1).gather(), np.fft.fft(x[:1], axis=1))
    out = DistArray.zeros((4, 6), complex, comm, "cyclic", components=3)
    assert np.fft.fft2(d, out=out) is out
    near(out.gather(), np.fft.fft2(x))
    back = np.fft.irfftn(np.fft.rfftn(d), s=(4, 6), axes=(1, 2))
    assert np.allclose(back.gather(), x) and back.components == 3


@pytest.mark.parametrize("layout", ["slab", "brick", "cyclic"])
@pytest.mark.parametrize("shape", [(8,), (5, 6), (4, 3, 7)])
def test_shifts(comm, rng, shape, layout):
    x = rng.standard_normal(shape)
    d = DistArray.from_global(x, comm, layout)
    for name in ("fftshift", "ifftshift"):
        for axes in (None, 0, (-1,), tuple(range(len(shape)))):
            for module in (np.fft, shardfft.fft):
                got = getattr(module, name)(d, axes=axes)
                assert np.array_equal(got.gather(), getattr(np.fft, name)(x, axes=axes))
                assert got.layout == d.layout


def test_spectra_know_their_frequencies(comm, rng):
    x = rng.standard_normal((6, 8))
    d = DistArray.from_global(x, comm, "brick")
    s = np.fft.rfftn(d)
    slices = s.layout.local(comm.rank)
    ky = np.fft.rfftfreq(8)[slices[1]]
    assert np.array_equal(s.frequencies()[1], ky[None, :]) and s.frequencies()[0].shape == (s.local.shape[0], 1)
    with pytest.raises(ValueError, match="no spectrum"):
        np.fft.irfftn(s, s=(6, 8), axes=(0, 1)).frequencies()
    slope = np.fft.irfftn(1j * s.slopes(1.0)[0] * s, s=(6, 8), axes=(0, 1))
    k = np.where(np.arange(6) == 3, 0, 2 * np.pi * np.fft.fftfreq(6, 1 / 6))
    near(slope.gather(), np.fft.ifft(1j * k[:, None] * np.fft.fft(x, axis=0), axis=0).real)


@pytest.mark.parametrize("layout", ["slab", "brick", "cyclic"])
def test_shifted_spectra_know_their_frequencies(comm, rng, layout):
    x = rng.standard_normal((7, 8))
    s = np.fft.rfftn(DistArray.from_global(x, comm, layout), norm="forward")
    shifted = np.fft.fftshift(s)
    here = shifted.layout.local(comm.rank)
    for got, exact, own in zip(shifted.frequencies(), (np.fft.fftfreq(7), np.fft.rfftfreq(8)), here, strict=True):
        assert np.array_equal(got.ravel(), np.fft.fftshift(exact)[own])
    with shardfft.plan(x.shape, "r2c", comm=comm, layout=layout, output="natural", effort="estimate") as plan:
        for t in (s, shifted, np.fft.ifftshift(shifted, axes=1), shifted.redistribute("pencil")):
            power = abs(t) ** 2
            assert np.isclose(power.spectrum_sum(), np.mean(x**2), rtol=1e-12)
            assert np.allclose(power.shells()[1], (abs(s) ** 2).shells()[1])
            if t.layout == plan.output.layout:
                assert np.isclose(plan.spectrum_sum(power), np.mean(x**2), rtol=1e-12)
    back = np.fft.ifftshift(shifted)
    assert all(np.array_equal(a, b) for a, b in zip(back.frequencies(), s.frequencies(), strict=True))
    assert np.allclose(shardfft.gradient(shifted)[0].gather(), np.fft.fftshift(shardfft.gradient(s)[0].gather()))


@pytest.mark.parametrize("components", [False, True])
def test_spectra_of_several_calls_know_all_their_axes(comm, rng, components):
    x = rng.standard_normal((3, 6, 5, 8) if components else (6, 5, 8))
    d, norm = DistArray.from_global(x, comm, components=components), "forward"
    first = 1 if components else 0
    mean = np.sum(np.mean(x**2, axis=(-3, -2, -1)))
    for half, others in ((2, (1, 0)), (0, (2, 1))):
        s = np.fft.rfft(d, axis=first + half, norm=norm)
        for axis in others:
            s = np.fft.fft(s, axis=first + axis, norm=norm)
        power, once = abs(s) ** 2, np.fft.rfftn(d, axes=[first + a for a in (*others, half)], norm=norm)
        assert s._part.axes == (0, 1, 2) and np.isclose(power.spectrum_sum(), mean, rtol=1e-12)
        assert np.allclose(power.shells()[1], (abs(once) ** 2).shells()[1])
        for axis in others[::-1]:
            s = np.fft.ifft(s, axis=first + axis, norm=norm)
        (k,) = s.frequencies()
        assert s._part.fourier_axes == (half,) and k.shape[half] == s.local.shape[first + half]
        with pytest.raises(ValueError, match="no spectrum"):
            np.fft.irfft(s, axis=first + half).frequencies()
    with shardfft.plan(x.shape[first:], comm=comm, axes=0, batch=3 if components else 1, effort="estimate") as plan:
        s = np.fft.fft(d, axis=first + 1)
        assert plan.forward(s)._part.axes == (0, 1)
        assert plan.apply(shardfft.Operator.laplacian(), s)._part.axes == (1,)


def test_frequencies_and_fast_lengths():
    assert np.array_equal(shardfft.fft.fftfreq(9, 0.5), np.fft.fftfreq(9, 0.5))
    assert np.array_equal(shardfft.fft.rfftfreq(9), np.fft.rfftfreq(9))
    for real in (False, True):
        for target in [*range(1, 300), 93059, 2**20 - 1, 2**20 + 1, 10**7 + 1]:
            assert shardfft.fft.next_fast_len(target, real) == scipy.fft.next_fast_len(target, real)
            if hasattr(scipy.fft, "prev_fast_len"):
                assert shardfft.fft.prev_fast_len(target, real) == scipy.fft.prev_fast_len(target, real)
    for wrong, error in ((0, ValueError), (-3, ValueError), (2.5, TypeError)):
        with pytest.raises(error):
            shardfft.fft.next_fast_len(wrong)


def test_the_names_of_the_array_api():
    names = "fft ifft fftn ifftn rfft irfft rfftn irfftn hfft ihfft fftfreq rfftfreq fftshift ifftshift"
    assert set(names.split()) <= set(shardfft.fft.__all__)
    for name in shardfft.fft.__all__:
        function = getattr(shardfft.fft, name)
        assert function.__doc__ and function.__name__ == name


@pytest.mark.parametrize("layout", ["slab", "pencil", "brick"])
def test_half_spectra_of_no_real_field(comm, rng, layout):
    """The answer of NumPy, on any number of ranks."""
    x = numbers(rng, (6, 5, 4), "complex128")
    d = DistArray.from_global(x, comm, layout)
    near(np.fft.irfftn(d, axes=(0, 1, 2)).gather(), np.fft.irfftn(x, axes=(0, 1, 2)))
    near(np.fft.irfftn(d, s=(6, 5, 7), axes=(0, 1, 2)).gather(), np.fft.irfftn(x, s=(6, 5, 7), axes=(0, 1, 2)))
