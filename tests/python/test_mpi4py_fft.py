"""Programs written for mpi4py-fft, over plans: values against NumPy and SciPy, cuts as its documentation says."""

import functools
import importlib
import sys

import numpy as np
import pytest
import scipy.fft
import scipy.fftpack
from mpi4py import MPI

import shardfft
import shardfft.compat.mpi4py_fft as twin
from shardfft.compat.mpi4py_fft import (
    PFFT,
    DistArray,
    HDF5File,
    Pencil,
    Subcomm,
    fftw,
    newDistArray,
)

SHAPE = (9, 8, 10)


def whole_of(comm, shape, dtype="d"):
    rng = np.random.default_rng(3)
    whole = rng.standard_normal(shape) + (1j * rng.standard_normal(shape) if np.dtype(dtype).kind == "c" else 0)
    return whole.astype(dtype)


def check(fft, exact_of, tolerance=1e-12):
    """Forward against the whole array's transform, and back."""
    whole = whole_of(MPI.COMM_WORLD, fft.global_shape(False), fft.dtype(False))
    u = newDistArray(fft, False)
    u[:] = whole[u.local_slice()]
    u_hat = fft.forward(u, newDistArray(fft))
    exact = exact_of(whole)
    assert exact.shape == fft.global_shape(True)
    assert np.abs(u_hat - exact[fft.local_slice(True)]).max(initial=0) < tolerance
    assert np.allclose(fft.backward(u_hat, newDistArray(fft, False)), u, atol=10 * tolerance)
    fft.destroy()
    fft.destroy()


@pytest.mark.parametrize("dtype", ["d", "D", "f", "F"])
@pytest.mark.parametrize(
    ("axes", "words"),
    [
        (None, {}),
        ((0, 2), {}),
        ((-1, 0), {"grid": (1, -1, 1)}),
        (((0,), (1, 2)), {"slab": True}),
        (1, {"collapse": True}),
    ],
)
def test_fourier(comm, dtype, axes, words):
    flat = {None: (0, 1, 2), ((0,), (1, 2)): (0, 1, 2), 1: (1,)}.get(axes, axes)
    exact = scipy.fft.rfftn if np.dtype(dtype).kind == "f" else scipy.fft.fftn
    fft = PFFT(comm, SHAPE, axes=axes, dtype=dtype, **words)
    check(fft, lambda x: exact(x, axes=flat, norm="forward"), 1e-12 if dtype in "dD" else 1e-5)


def test_cosines(comm):
    dct, idct = functools.partial(fftw.dctn, type=3), functools.partial(fftw.idctn, type=3)
    fft = PFFT(comm, SHAPE, axes=((0,), (1, 2)), grid=(-1,), transforms={(1, 2): (dct, idct)})
    points = 9 * 16 * 20
    check(fft, lambda x: scipy.fft.fft(scipy.fft.dctn(x, 3, axes=(1, 2)), axis=0)[:5] / points)


@pytest.mark.parametrize("collapse", [False, True])
def test_five_axes(comm, collapse):
    """By stages, since plans have four axes."""
    shape = (4, 6, 3, 5, 4)
    check(PFFT(comm, shape, collapse=collapse), lambda x: scipy.fft.rfftn(x, norm="forward"))
    dst, idst = functools.partial(fftw.dstn, type=3), functools.partial(fftw.idstn, type=3)
    groups, pairs = ((0,), (1, 2), (3, 4)), {(1, 2): (fftw.dctn, fftw.idctn), (3, 4): (dst, idst)}
    fft = PFFT(comm, shape, axes=groups, grid=(-1,), transforms=pairs)
    points = 4 * 12 * 6 * 10 * 8
    check(
        fft,
        lambda x: scipy.fft.rfft(scipy.fft.dctn(scipy.fft.dstn(x, 3, axes=(3, 4)), 2, axes=(1, 2)), axis=0) / points,
    )
    fft = PFFT(comm, shape, axes=(3, 0), padding=1.5, dtype="D")
    assert fft.global_shape(False) == (6, 6, 3, 7, 4) and fft.global_shape(True) == shape
    whole = whole_of(comm, fft.global_shape(False), "D")
    exact = np.fft.fftn(whole, axes=(0, 3), norm="forward")[:, :, :, [0, 1, 2, -2, -1]][[0, 1, -1]]
    u_hat = fft.forward(whole[fft.local_slice(False)], normalize=True)
    mine, rows = fft.local_slice(True), [0, 1, 3]  # the mode 2 of 4 has no partner
    keep = [row - mine[0].start for row in rows if mine[0].start <= row < mine[0].stop]
    taken = [n for n, row in enumerate(rows) if mine[0].start <= row < mine[0].stop]
    assert np.allclose(u_hat[keep], exact[(taken, *mine[1:])], atol=1e-13)
    fft.destroy()


@pytest.mark.parametrize(("shape", "axes"), [((1, 4, 6), (0, 2)), ((1, 4, 1, 2, 5), ((3, 4), (1,)))])
def test_processes_without_elements(comm, shape, axes):
    """One plane for all processes, by one plan and by stages."""
    fft = PFFT(comm, shape, axes=axes, dtype="D", slab=0 if len(shape) < 5 else True)
    check(fft, lambda x: scipy.fft.fftn(x, axes=np.hstack(axes), norm="forward"))
    u = DistArray(shape, [0] * (len(shape) - 1) + [1], val=2)
    assert all(u.redistribute(axis).v.sum() == 2 * u.redistribute(axis).size for axis in range(len(shape)))


def test_groups_that_are_cut_are_refused_by_stages(comm):
    words = {"shape": (4, 4, 4, 2, 4), "axes": ((0, 1, 4), (3,)), "dtype": "D"}
    if comm.size > 1:
        with pytest.raises(ValueError, match="are cut where they are transformed together"):
            PFFT(comm, **words)
    else:
        check(PFFT(comm, **words), lambda x: scipy.fft.fftn(x, axes=(0, 1, 3, 4), norm="forward"))


def chebyshev(u, axes=None, shape=None, factor=1):
    return factor * scipy.fft.dctn(u.real, axes=axes) + 0j


def ichebyshev(u, axes=None, shape=None, factor=1):
    return scipy.fft.idctn(u.real, axes=axes) / factor + 0j


def same(u, **words):
    return u


def myfft(u, axes=None, **words):
    return np.fft.fftn(u, axes=axes)


def myifft(u, axes=None, **words):
    return np.fft.ifftn(u, axes=axes)


@pytest.mark.parametrize("comms", [{}, {"comm_backend": "MPI"}])
def test_functions_of_the_program(comm, comms):
    """As a spectral method with Chebyshev polynomials along one axis gives them."""
    pairs = {(0,): (myfft, myifft), (1,): (same, same), (2,): (chebyshev, ichebyshev)}
    fft = PFFT(comm, SHAPE, dtype="D", grid=(-1,), backend="scipy", transforms=pairs, **comms)
    whole = whole_of(comm, SHAPE) + 0j
    u = newDistArray(fft, False)
    u[:] = whole[u.local_slice()]
    exact = np.fft.fft(scipy.fft.dctn(whole.real, axes=(2,)), axis=0) / np.prod(SHAPE)
    u_hat = fft.forward(u)
    assert np.allclose(u_hat, exact[fft.local_slice(True)], atol=1e-13)
    assert fft.global_shape(True) == SHAPE and fft.dtype(True) == np.complex128
    assert {stage.backend for stage in fft.xfftn} == {"scipy"}  # pySDC asks for it
    pairs = {(0,): (myfft, myifft), (1,): (same, same), (2,): (myfft, myifft)}
    fft = PFFT(comm, SHAPE, dtype="D", backend="numpy", transforms=pairs)
    check(fft, lambda x: np.fft.fftn(x, axes=(0, 2)) / x.size)


def test_functions_of_other_libraries_give_their_shapes(comm):
    fft = PFFT(comm, (9, 6), dtype="d", backend="scipy")
    check(fft, lambda x: np.fft.fftn(x, norm="forward"))
    fft = PFFT(comm, (9, 6), dtype="f", backend="numpy")
    check(fft, lambda x: np.fft.rfftn(x, norm="forward"), 1e-5)
    pair = (scipy.fftpack.fftn, scipy.fftpack.ifftn)
    one = twin.libfft.FFT((8, 6), (0, 1), "d", backend="scipy", transforms={(0, 1): pair})
    assert one.forward(np.ones((8, 6))).shape == (8, 6)
    assert np.allclose(one.backward(), 1)


@pytest.mark.parametrize("points", [(8, 8), (9, 8)])
def test_functions_with_padding(comm, points):
    """As the plans that the twin makes by itself."""
    pairs = {(0,): (myfft, myifft), (1,): (myfft, myifft)}
    words = {"dtype": "D", "padding": [1.5, 1.5], "grid": (-1,)}
    ours, planned = PFFT(comm, points, backend="numpy", transforms=pairs, **words), PFFT(comm, points, **words)
    assert ours.global_shape(False) == planned.global_shape(False) != ours.global_shape(True) == points
    whole = whole_of(comm, ours.global_shape(False), "D")
    spectra = [np.array(one.forward(whole[one.local_slice(False)])) for one in (ours, planned)]
    assert np.allclose(*spectra, atol=1e-13)
    assert np.allclose(ours.backward(spectra[0]), planned.backward(spectra[1]), atol=1e-13)


def test_planners():
    """Transforms of one process, by kinds of FFTW."""
    x = whole_of(None, (5, 6, 7, 3, 2))
    for planner, axes, exact in [
        (fftw.rfftn, (3, 1), scipy.fft.rfftn(x, axes=(3, 1))),
        (functools.partial(fftw.dstn, type=4), (0, 2), scipy.fft.dstn(x, 4, axes=(0, 2))),
        (functools.partial(fftw.idctn, type=3), (-1,), scipy.fft.dctn(x, 2, axes=(-1,))),
    ]:
        a = fftw.aligned_like(x)
        forward = planner(a, axes=axes, threads=2, flags=(fftw.FFTW_MEASURE,))
        assert np.allclose(forward(x), exact, atol=1e-12)
        of = planner.func if isinstance(planner, functools.partial) else planner
        words = planner.keywords if isinstance(planner, functools.partial) else {}
        s = [x.shape[axis] for axis in axes]
        back = fftw.inverse[of](forward.output_array, s, axes, output_array=a, **words)
        assert np.allclose(back(exact, normalize=True, implicit=False), x)
        assert back.output_array is a
    kinds = [fftw.FFTW_REDFT00, fftw.FFTW_RODFT10]
    mixed = fftw.get_planned_FFT(x.copy(), x.copy(), (0, 1), kinds)
    assert np.allclose(mixed(x), scipy.fft.dst(scipy.fft.dct(x, 1, axis=0), 2, axis=1), atol=1e-12)
    for kind in ("FFTW_R2HC", "FFTW_HC2R", "FFTW_DHT"):
        with pytest.raises(TypeError, match="not built"):
            fftw.get_planned_FFT(x.copy(), x.copy(), (0,), getattr(fftw, kind))
    with pytest.raises(TypeError, match="does not take numbers"):
        fftw.fftn(x)


def test_normalize(comm):
    fft = PFFT(comm, (8, 6))
    u = np.ones(fft.shape(False))
    assert np.isclose(comm.allreduce(abs(fft.forward(u, normalize=False)).sum()), 48)
    assert np.allclose(fft.backward(normalize=True), 1)
    assert fft.backward.output_array is fft.forward.input_array
    with pytest.raises(TypeError, match="no option threads"):
        fft.forward(u, threads=2)
    fft.destroy()


@pytest.mark.parametrize("shape", [(8, 6), (4, 2, 2, 2, 6)])
def test_arrays_of_other_shapes(comm, shape):
    """Nothing broadcasts but numbers, and if one rank's array does not fit no rank waits."""
    fft = PFFT(comm, shape)
    good, bad, last = newDistArray(fft, False, val=1), np.ones(6), comm.rank == comm.size - 1
    match = "planned for arrays of shape"
    for words in ({"input_array": bad}, {"output_array": np.ones((2, *fft.shape(True)), complex)}):
        with pytest.raises((ValueError, shardfft.Error), match=match):
            fft.forward(**({"input_array": good} | (words if last else {})))
    assert np.isclose(comm.allreduce(abs(fft.forward(good)).sum()), 1)
    assert np.isclose(comm.allreduce(abs(fft.forward(2)).sum()), 2)
    fft.destroy()
    one = fftw.fftn(fftw.aligned((4, 6), dtype="D"), axes=(0, 1))
    with pytest.raises(ValueError, match=match):
        one(bad)


@pytest.mark.parametrize("dtype", ["d", "D"])
def test_padding(comm, dtype):
    """As many modes as the shape says, of three halves of the points."""
    fft = PFFT(comm, (8, 12), padding=[1.5, 1.5], dtype=dtype)
    assert fft.global_shape(False) == (12, 18)
    assert fft.global_shape(True) == (8, 7 if dtype == "d" else 12)
    k = [np.fft.fftfreq(8, 1 / 8), np.fft.rfftfreq(12, 1 / 12) if dtype == "d" else np.fft.fftfreq(12, 1 / 12)]
    kept = (abs(k[0]) < 4)[:, None] * (abs(k[1]) < 6)
    whole = whole_of(comm, (12, 18), dtype)
    u_hat = fft.forward(whole[fft.local_slice(False)])
    exact = np.fft.fft2(whole, norm="forward")[:, : 10 if dtype == "d" else 18]
    rows = [0, 1, 2, 3, -4, -3, -2, -1]
    columns = range(7) if dtype == "d" else [0, 1, 2, 3, 4, 5, -6, -5, -4, -3, -2, -1]
    mine = fft.local_slice(True)
    assert np.abs((u_hat - exact[np.ix_(rows, list(columns))][mine]) * kept[mine]).max(initial=0) < 1e-13
    fft.destroy()


def test_arrays(comm):
    a = DistArray((3, 8, 6, 5), val=2, rank=1)
    assert isinstance(a, np.ndarray) and a.global_shape == (3, 8, 6, 5) and a.alignment == 2
    assert a[0].rank == 0 and isinstance(a[0], DistArray) and type(a[0, 1]) is np.ndarray
    assert np.prod(a.commsizes) == comm.size and a.substart[0] == 0 and a.v.base is a
    index = np.arange(3 * 8 * 6 * 5.0).reshape(3, 8, 6, 5)
    a[:] = index[a.local_slice()]
    b = a.redistribute(0)
    assert b.alignment == 0 and np.array_equal(b.v, index[b.local_slice()])
    b, a[:] = b.copy(), 0  # on one rank it was ``a``
    assert b.redistribute(out=a) is a and np.array_equal(a.v, index[a.local_slice()])
    got = a.get((1, slice(None), 2, slice(None)))
    assert (got is None) == (comm.rank > 0) and (got is None or np.array_equal(got, index[1, :, 2]))
    for key in [np.s_[-1, :, -2], np.s_[1:, 2:7:3, 5], np.s_[:, :1, 2:4, -3:], np.s_[0, 7, 0, 4], np.s_[..., 4]]:
        got = a.get(key)
        assert (got is None) == (comm.rank > 0) and (got is None or np.array_equal(got, index[key])), key
    for key, words in [
        ((0, 8), "index 8 is out of bounds for axis 1 with size 8"),
        (np.s_[:, ::-1], "must be above 0"),
    ]:
        with pytest.raises(IndexError, match=words):
            a.get(key)
    whole = a.as_shardfft()
    assert whole.shape == (3, 8, 6, 5) and np.array_equal(whole.gather(), index)
    few = DistArray((3, 2, 1, 6), [0, 1], val=2, rank=2).as_shardfft()  # nothing on other ranks than the first
    assert few.shape == (6, 1, 6) and np.array_equal(few.gather(), np.full((6, 1, 6), 2))
    with pytest.raises(ValueError):
        a.redistribute(out=DistArray((8, 6)))


def test_pencils(comm):
    grid = Subcomm(comm, [0, 1, 0])
    first = Pencil(grid, (8, 6, 7), 1)
    second = first.pencil(0)
    transfer = first.transfer(second, float)
    index = np.arange(8 * 6 * 7.0).reshape(8, 6, 7)
    a, b = index[first._box()], np.empty(second.subshape)
    transfer.forward(a, b)
    assert np.array_equal(b, index[second._box()])
    back = np.empty(first.subshape)
    transfer.backward(b, back)
    assert np.array_equal(back, a)
    with pytest.raises(ValueError if comm.rank == 0 else shardfft.ArgumentError, match="the transfer takes"):
        transfer.forward(a, a[:1] if comm.rank == 0 else b)  # nobody waits for who failed
    strided = np.empty((*second.subshape, 2))[..., 0]
    transfer.forward(a, strided)
    assert np.array_equal(strided, b)
    u = DistArray((8, 6, 7), [0, 1, 0], val=3, alignment=1)
    assert u.get_pencil_and_transfer(0)[1] is u.get_pencil_and_transfer(-3)[1]
    same = first.transfer(Pencil(grid, (8, 6, 7), 1), float)
    same.forward(a, back := np.empty(first.subshape))
    assert np.array_equal(back, a)


def test_ends_in_another_order(comm):
    """Those who derive from PFFT, as shenfun's padded spaces do, may have the spectrum's pencil first."""
    fft = PFFT(comm, (8, 6))
    fft.pencil = fft.pencil[::-1]
    assert fft.shape(True) == fft.forward.output_array.shape and fft.global_shape(False) == (8, 6)
    fft.destroy()


def test_many_transforms_use_the_same_communicators(comm):
    first, second = Subcomm(comm, [0, 0]), Subcomm(comm, [0, 0])
    assert all(one == other for one, other in zip(first, second, strict=True)) and first.whole == second.whole
    own = comm.Dup()
    made = Subcomm(own, [0, 1])
    assert made[1].Get_size() == 1
    own.Free()


def test_refusals(comm):
    for words, error, text in [
        ({"dtype": "g"}, TypeError, "PFFT transforms float32"),
        ({"axes": (0, 0)}, ValueError, "none twice"),
        ({"axes": (0, 3)}, ValueError, "do not exist"),
        ({"transforms": {(2,): (fftw.ifftn, fftw.fftn)}, "axes": ((0,), (2,))}, TypeError, "PFFT knows"),
    ]:
        with pytest.raises(error, match=text):
            PFFT(comm, SHAPE, **words)
    with pytest.raises(TypeError, match="give a shape"):
        PFFT(comm)
    with pytest.raises(ValueError, match=r"files take integers and slice\(None\) of 'u', not slice\(0, 2, None\)"):
        HDF5File("none.h5", mode="r").write(0, {"u": [(DistArray((4, 5)), [slice(0, 2), 3])]})


def test_under_its_name(comm, monkeypatch):
    before = {name: module for name, module in sys.modules.items() if name.partition(".")[0] == "mpi4py_fft"}
    for part in (twin, twin.distarray, twin.fftw, twin.io, twin.libfft, twin.mpifft, twin.pencil):
        monkeypatch.setattr(part, "__name__", part.__name__)  # to have it back
    try:
        twin.install()
        for name in ("mpi4py_fft", "mpi4py_fft.fftw", "mpi4py_fft.pencil"):
            assert importlib.import_module(name).__name__ == name
        assert importlib.import_module("mpi4py_fft").PFFT is PFFT
        assert importlib.import_module("mpi4py_fft.pencil").Subcomm is Subcomm
    finally:
        for name in [name for name in sys.modules if name.partition(".")[0] == "mpi4py_fft"]:
            del sys.modules[name]
        sys.modules.update(before)
