"""The twin of mpi4py-fft on problems drawn at random: values are NumPy's, cuts mpi4py-fft's if that is installed."""

import copy
import functools

import numpy as np
import pytest
import scipy.fft
from draws import RefusedError, problems

import shardfft.compat.mpi4py_fft as twin

try:
    import mpi4py_fft as original
except ImportError:
    original = None

KINDS = {"dct": ("dctn", "idctn"), "dst": ("dstn", "idstn")}


def drawn(draw):
    """Words for PFFT that both libraries know, with the transforms as names."""
    shape = [max(2, n) for n in draw.shape(5, least=2)]
    axes = draw.some(range(len(shape)))
    words = {"dtype": draw.choice("dDfF"), "collapse": False, "slab": draw.one_in(3)}
    names = {}
    shape[axes[-1]] += 1  # mpi4py-fft forgets that two real numbers have complex modes
    if draw.one_in(3):
        words |= {"padding": [draw.choice((1, 1.5, 2)) for _ in shape], "dtype": draw.choice("DF")}
        shape = [n | 1 for n in shape]  # at the edge of even numbers of modes, and of half of them, libraries differ
    elif len(axes) > 1 and draw.one_in(2):
        cut = draw.randint(1, len(axes) - 1)
        axes = [tuple(axes[:cut]), tuple(axes[cut:])]
        if draw.one_in(2):
            names[axes[1]] = (draw.choice(list(KINDS)), draw.randint(1, 4))
        else:
            words["collapse"] = draw.one_in(2)
    return tuple(shape), axes, words, names


def transforms_of(library, names):
    def planner(family, kind, back):
        return functools.partial(getattr(library.fftw, KINDS[family][back]), type=kind)

    return {group: tuple(planner(*name, back) for back in (0, 1)) for group, name in names.items()}


def exact_of(whole, axes, names):
    """By NumPy and SciPy."""
    x, points = whole, 1
    for group in reversed([one if isinstance(one, tuple) else (one,) for one in axes]):
        if group in names:
            family, kind = names[group]
            x = getattr(scipy.fft, family + "n")(x.real, kind, axes=group) + (
                1j * getattr(scipy.fft, family + "n")(x.imag, kind, axes=group) if x.dtype.kind == "c" else 0
            )
            longer = {"dct1": -1, "dst1": 1}.get(f"{family}{kind}", 0)
            points *= np.prod([2 * (whole.shape[axis] + longer) for axis in group])
        else:
            x = (scipy.fft.rfftn if x.dtype.kind == "f" else scipy.fft.fftn)(x, axes=group)
            points *= np.prod([whole.shape[axis] for axis in group])
    return (x / points).astype(x.dtype)


def made(library, comm, shape, axes, words, names):
    """A transform, or the library's refusal. mpi4py-fft writes into its arguments, and refuses ranks
    without elements on these alone."""
    fft, told = None, None
    try:
        transforms = transforms_of(library, names)
        fft = library.PFFT(comm, shape, axes=list(axes), transforms=transforms, **copy.deepcopy(words))
    except (AssertionError, ValueError, TypeError, AttributeError, IndexError) as error:
        told = error
    every = comm.allgather(None if told is None else repr(told))
    assert library is original or len(set(every)) == 1, every
    return (fft, None) if every == [None] * comm.size else (None, next(one for one in every if one is not None))


def close(comm, got, exact, what):
    """Compare the parts of all ranks at once."""
    distances = comm.allgather((np.linalg.norm(got - exact), np.linalg.norm(exact)))
    error, size = (np.linalg.norm(one) for one in zip(*distances, strict=True))
    assert got.dtype == exact.dtype, (what, got.dtype, exact.dtype)
    assert error <= 400 * np.finfo(exact.dtype).eps * size, (what, error, size)


def check(draw, comm):
    shape, axes, words, names = drawn(draw)
    draw.text = f"PFFT({shape}, axes={axes}, {words}, transforms={names})"
    theirs, refusal = (None, None) if original is None else made(original, comm, shape, axes, words, names)
    fft, told = made(twin, comm, shape, axes, words, names)
    if fft is None:
        own = ("are cut where they are transformed together", "does not take numbers of type")
        assert refusal is not None or any(words in told for words in own), told
        raise RefusedError
    whole = draw.numbers(fft.global_shape(False), words["dtype"])
    u = twin.newDistArray(fft, False)
    u[:] = whole[fft.local_slice(False)]
    u_hat = np.array(fft.forward(u, twin.newDistArray(fft)))
    back = np.array(fft.backward(u_hat.copy(), twin.newDistArray(fft, False)))
    for end in (False, True) if theirs is not None else ():
        for name in ("global_shape", "shape", "local_slice", "dtype"):
            assert getattr(fft, name)(end) == getattr(theirs, name)(end), (name, end)
    if "padding" not in words:
        close(comm, u_hat, exact_of(whole, axes, names)[fft.local_slice(True)], "forward")
        close(comm, back, u.v, "backward")
    elif theirs is not None:
        v = original.newDistArray(theirs, False)
        v[:] = u
        w = np.array(theirs.forward(v, original.newDistArray(theirs)))
        close(comm, u_hat, w, "forward")
        close(comm, back, np.array(theirs.backward(w, original.newDistArray(theirs, False))), "backward")
    moved = u.redistribute(draw.randrange(len(shape)))
    assert np.array_equal(moved.v, whole[moved.local_slice()])
    for one in (fft, theirs):
        if one is not None:
            one.destroy()


@pytest.mark.ranks
def test_twin(comm):
    assert problems("random --twin", lambda draw: check(draw, comm), comm) == 0
