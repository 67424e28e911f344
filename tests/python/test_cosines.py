"""Cosine and sine transforms against SciPy's, alone and mixed with Fourier axes."""

import numpy as np
import pytest
import scipy.fft
from mpi4py import MPI

import shardfft
from shardfft import Layout

TYPES = [1, 2, 3, 4]


def exact(x, words, axes, norm="backward"):
    """SciPy's transforms, one axis after the other; Fourier axes last, as real arrays want them."""
    for word, axis in zip(words, axes, strict=True):
        if word.startswith("dct"):
            x = scipy.fft.dct(x, int(word[3]), axis=axis, norm=norm, orthogonalize=False)
        elif word.startswith("dst"):
            x = scipy.fft.dst(x, int(word[3]), axis=axis, norm=norm, orthogonalize=False)
    fourier = [axis for word, axis in zip(words, axes, strict=True) if word == "fft"]
    transform = scipy.fft.rfftn if x.dtype.kind == "f" else scipy.fft.fftn
    return transform(x, axes=fourier, norm=norm) if fourier else x


@pytest.mark.parametrize("type", TYPES)
@pytest.mark.parametrize("norm", [None, "ortho", "forward"])
@pytest.mark.parametrize("dtype", ["float32", "float64", "complex128"])
def test_dctn_and_dstn(comm, rng, close, type, norm, dtype):
    shape = (7, 5, 6)
    x = rng.standard_normal(shape) + (1j * rng.standard_normal(shape) if dtype == "complex128" else 0)
    layout = Layout.slab(shape, comm.size)
    mine = np.ascontiguousarray(x.astype(dtype)[layout.local(comm.rank)])
    precision = "float32" if dtype == "float32" else "float64"
    pairs = [
        (shardfft.dctn, shardfft.idctn, scipy.fft.dctn),
        (shardfft.dstn, shardfft.idstn, scipy.fft.dstn),
    ]
    for there, back, scipys in pairs:
        spectrum = there(mine, comm, type=type, norm=norm)
        assert spectrum.dtype == dtype
        # SciPy forgets orthogonalize if numbers are complex.
        real, imag = (scipys(part, type=type, norm=norm, orthogonalize=False) for part in (x.real, x.imag))
        close(spectrum, layout, real + 1j * imag if dtype == "complex128" else real, precision)
        close(back(spectrum, comm, type=type, norm=norm), layout, x, precision)


def test_some_axes(comm, rng, close):
    x = rng.standard_normal((6, 5, 8))
    layout = Layout.brick(x.shape, comm.size)
    mine = np.ascontiguousarray(x[layout.local(comm.rank)])
    close(shardfft.dctn(mine, comm, 1, axes=(2, 0), layout="brick"), layout, scipy.fft.dctn(x, 1, axes=(2, 0)))
    close(shardfft.idstn(mine, comm, 3, axes=1, layout=layout), layout, scipy.fft.idstn(x, 3, axes=(1,)))


@pytest.mark.parametrize("layout", ["slab", "pencil", "brick", "cyclic"])
@pytest.mark.parametrize("output", ["default", "natural", "brick"])
@pytest.mark.parametrize("words", [("fft", "fft", "dct1"), ("dst2", "fft", "dct3"), ("fft", "dct4", "dst1")])
@pytest.mark.parametrize("kind", ["r2c", "c2c"])
def test_mixed_plans(comm, rng, close, kind, words, output, layout):
    shape = (6, 9, 7)
    x = rng.standard_normal(shape) + (1j * rng.standard_normal(shape) if kind == "c2c" else 0)
    spectrum = exact(x, words, (0, 1, 2))
    with shardfft.plan(
        shape, kind, comm=comm, layout=layout, output=output, transforms=words, effort="estimate"
    ) as plan:
        mine = local_part(plan.input, x)
        result = plan.forward(mine)
        close(result, plan.output.layout, spectrum)
        close(plan.backward(result), plan.input.layout, x)


def local_part(side, whole):
    array = side.empty()
    if side.slices is not None:
        array[...] = whole[side.slices]
    return array


def test_frequencies_are_those_of_fourier_axes(comm):
    with shardfft.plan((6, 8, 5), "r2c", comm=comm, transforms=["dct2", "fft", "fft"], effort="estimate") as plan:
        assert plan.output.axes == (0, 1, 2)
        assert plan.output.fourier_axes == (1, 2)
        frequencies = plan.output.frequencies()
        assert len(frequencies) == 2
        exact = (np.fft.fftfreq(8), np.fft.rfftfreq(5))
        for axis, mine, whole in zip((1, 2), frequencies, exact, strict=True):
            assert np.array_equal(mine.ravel(), whole[plan.output.slices[axis]])


def test_refusals(comm):
    with pytest.raises(ValueError, match="type must be 1, 2, 3 or 4"):
        shardfft.dctn(np.zeros((4, 4)), comm, type=5)
    with pytest.raises(ValueError, match="a word for each of the 2 axes|one for each of the 2 axes"):
        shardfft.plan((4, 4), comm=comm, transforms=["dct2"])
    with pytest.raises(ValueError, match="r2r keeps arrays real"):
        shardfft.plan((4, 4), "r2c", comm=comm, transforms=["dct2", "dct2"])
    with pytest.raises(ValueError, match="dct1 needs 2"):
        shardfft.plan((4, 1), "r2r", comm=comm, transforms=["dct1", "dct1"])


@pytest.mark.parametrize("n", [64, 97, 210, 315])
def test_errors_beside_those_of_scipy(n, rng):
    """Made of Fourier transforms of ``lanes``, as in builds without FFTW: as exact as SciPy's, or to 2 eps (rms)."""
    x, j = rng.standard_normal((16, n)), np.arange(n, dtype=np.longdouble)
    pi, k = np.longdouble("3.14159265358979323846264338327950288"), j[:, None]
    cosines = {2: (2 * j + 1) * k / (2 * n), 4: (2 * j + 1) * (2 * k + 1) / (4 * n), 1: j * k / (n - 1)}
    sines = {2: (2 * j + 1) * (k + 1) / (2 * n), 4: (2 * j + 1) * (2 * k + 1) / (4 * n), 1: (j + 1) * (k + 1) / (n + 1)}
    for name, turns, wave in (("dctn", cosines, np.cos), ("dstn", sines, np.sin)):
        for type in TYPES:
            matrix = 2 * wave(pi * (turns[2].T if type == 3 else turns[type]))
            if type in (1, 3):  # ends that stand alone
                ends = [0, -1] if type == 1 else [0 if name == "dctn" else -1]
                matrix[:, ends] *= 1 if name == "dstn" and type == 1 else 0.5
            want = (x @ matrix.T).astype(float)
            ours = getattr(shardfft, name)(x, MPI.COMM_SELF, type, axes=1, local_fft="lanes")
            theirs = getattr(scipy.fft, name)(x, type, axes=(1,))
            bound = max(1.5 * np.linalg.norm(theirs - want), 2 * np.finfo(float).eps * np.linalg.norm(want))
            assert np.linalg.norm(ours - want) < bound, (name, type)
