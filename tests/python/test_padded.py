"""Axes that are padded with zeroes just before they are transformed, against NumPy's transforms of more points."""

import numpy as np
import pytest
import scipy.fft

import shardfft

pytestmark = pytest.mark.ranks


def local_part(side, whole):
    array = side.empty()
    array[...] = whole[side.slices]
    return array


@pytest.mark.parametrize("layout", ["slab", "pencil", "brick"])
@pytest.mark.parametrize("kind", ["c2c", "r2c"])
@pytest.mark.parametrize("padded", [(12, 10, 9), (0, 7, 16), (6, 0, 11)])
def test_as_numpy(comm, rng, close, padded, kind, layout):
    shape = (6, 7, 8)
    x = rng.standard_normal(shape) + (1j * rng.standard_normal(shape) if kind == "c2c" else 0)
    extents = [m or n for m, n in zip(padded, shape, strict=True)]
    exact = np.fft.fftn(x, extents, (0, 1, 2)) if kind == "c2c" else np.fft.rfftn(x, extents, (0, 1, 2))
    for output, verify in (("default", False), ("natural", True), ("pencil", False)):
        options = {"padded": padded, "effort": "estimate", "verify": verify}
        with shardfft.plan(shape, kind, comm=comm, layout=layout, output=output, **options) as plan:
            spectrum = plan.forward(local_part(plan.input, x))
            close(spectrum, plan.output.layout, exact)
            close(plan.backward(spectrum), plan.input.layout, x)
            half = plan.apply(0.5 * shardfft.Operator.gaussian(0.0), local_part(plan.input, x))
            close(half, plan.input.layout, x / 2)


@pytest.mark.parametrize("layout", ["slab", "pencil", "brick"])
@pytest.mark.parametrize("shape", [(1, 3), (1, 2, 3), (2, 1, 1), (1, 1, 1, 2)])
def test_one_point_that_becomes_many(comm, rng, close, shape, layout):
    """One rank has all of a cut axis, until it is padded."""
    x = rng.standard_normal(shape) + 1j * rng.standard_normal(shape)
    layout = layout if len(shape) > 2 else "slab"
    for padded in ([5] * len(shape), [7, *shape[1:]]):
        with shardfft.plan(shape, comm=comm, layout=layout, padded=padded, effort="estimate") as plan:
            spectrum = plan.forward(local_part(plan.input, x))
            close(spectrum, plan.output.layout, np.fft.fftn(x, padded, range(len(shape))))
            close(plan.backward(spectrum), plan.input.layout, x)


def test_cosines_and_bytes(comm, rng, close):
    """Cosine transforms too; slabs send one axis less of zeroes."""
    x = rng.standard_normal((6, 7))
    options = {"padded": (9, 13), "transforms": ["dct1", "dst2"], "effort": "estimate"}
    with shardfft.plan(x.shape, "r2r", comm=comm, **options) as plan:
        exact = scipy.fft.dct(scipy.fft.dst(x, 2, 13, axis=1), 1, 9, axis=0)
        close(plan.forward(local_part(plan.input, x)), plan.output.layout, exact)
    if 16 % comm.size:
        return
    sent = []
    for shape, padded in (((16, 16, 16), (16, 16, 16)), ((8, 8, 8), (16, 16, 16))):
        options = {"exchange": "alltoallv", "algorithm": "slab", "effort": "estimate"}
        with shardfft.plan(shape, comm=comm, padded=padded, **options) as plan:
            sent.append(sum(step["bytes_sent"] for step in plan.report()["forward"]["steps"]))
    assert 2 * sent[1] == sent[0]


def test_refusals(comm):
    for given, words in (
        ({"padded": [9]}, "one for each of the 2 axes"),
        ({"padded": [0, 7]}, "is 7 along axis 1, which has 8 points already"),
        ({"padded": [9, 9], "kind": "c2r"}, "input of a c2r plan is a spectrum"),
        ({"padded": [9, 9], "algorithm": "cannon"}, "padded axes are made by slab"),
    ):
        with pytest.raises((ValueError, shardfft.Error), match=words):
            shardfft.plan((8, 8), comm=comm, effort="estimate", **given)


def test_arrays_beyond_all_memory(comm):
    """To list the bundles of such an array would take minutes, and memory in proportion."""
    with pytest.raises(shardfft.Error, match="this host has"):
        shardfft.plan((4, 4), comm=comm, padded=(2**20, 2**20), effort="estimate")
