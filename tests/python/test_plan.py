"""Plans against numpy.fft over the whole array."""

import json
import warnings

import numpy as np
import pytest

import shardfft
from shardfft import Layout

pytestmark = pytest.mark.ranks

LAYOUTS = ["slab", "pencil", "brick", "cyclic"]
SHAPES = [(1, 1, 1), (2, 3, 5), (7, 11, 13), (16, 16, 16), (31, 1, 17)]


def field(rng, shape, dtype):
    dtype = np.dtype(dtype)
    x = rng.standard_normal(shape)
    return (x + 1j * rng.standard_normal(shape)).astype(dtype) if dtype.kind == "c" else x.astype(dtype)


def part(whole, side):
    return side.asarray(whole[side.slices])


@pytest.mark.parametrize("output", ["default", "natural"])
@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("shape", SHAPES)
def test_c2c(comm, rng, close, shape, layout, dtype, output):
    x = field(rng, shape, dtype)
    with shardfft.plan(shape, "c2c", dtype, comm, layout=layout, output=output, effort="estimate") as plan:
        local = part(x, plan.input)
        before = local.copy()
        spectrum = plan.forward(local)
        close(spectrum, plan.output.layout, np.fft.fftn(x), np.finfo(dtype).dtype)
        assert np.array_equal(local, before)
        close(plan.backward(spectrum), plan.input.layout, x, np.finfo(dtype).dtype)


@pytest.mark.parametrize("output", ["default", "natural"])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("layout", ["slab", "pencil", "brick"])
@pytest.mark.parametrize("shape", SHAPES)
def test_r2c(comm, rng, close, shape, layout, dtype, output):
    x = field(rng, shape, dtype)
    with shardfft.plan(shape, "r2c", dtype, comm, layout=layout, output=output, effort="estimate") as plan:
        spectrum = plan.forward(part(x, plan.input))
        assert spectrum.dtype.kind == "c"
        close(spectrum, plan.output.layout, np.fft.rfftn(x), dtype)
        close(plan.backward(spectrum), plan.input.layout, x, dtype)


@pytest.mark.parametrize("extent", [8, 9])
@pytest.mark.parametrize("layout", ["slab", "pencil", "brick"])
def test_c2r(comm, rng, close, layout, extent):
    shape = (6, 10, extent)
    half = np.fft.rfftn(rng.standard_normal(shape))
    with shardfft.plan(
        half.shape, "c2r", "complex128", comm, layout=layout, output="natural", n=extent, effort="estimate"
    ) as plan:
        assert plan.output.layout.shape == shape
        close(plan.forward(part(half, plan.input)), plan.output.layout, np.fft.irfftn(half, shape, axes=(0, 1, 2)))


@pytest.mark.parametrize("norm", ["backward", "ortho", "forward"])
@pytest.mark.parametrize("kind", ["c2c", "r2c"])
def test_norms(comm, rng, close, kind, norm):
    x = field(rng, (6, 9, 4), "complex128" if kind == "c2c" else "float64")
    exact = (np.fft.fftn if kind == "c2c" else np.fft.rfftn)(x, norm=norm)
    with shardfft.plan(x.shape, kind, comm=comm, norm=norm, effort="estimate") as plan:
        spectrum = plan.forward(part(x, plan.input))
        close(spectrum, plan.output.layout, exact)
        close(plan.backward(spectrum), plan.input.layout, x)


def test_norm_none_is_the_default(comm, rng, close):
    x = field(rng, (4, 6), "complex128")
    with shardfft.plan(x.shape, comm=comm, norm=None, effort="estimate") as plan:
        close(plan.backward(plan.forward(part(x, plan.input))), plan.input.layout, x)


def test_inputs_in_another_memory_order(comm, rng, close):
    x = field(rng, (6, 8, 10), "float64")
    with shardfft.plan(x.shape, "r2c", comm=comm, batch=2, effort="estimate") as plan:
        both = np.stack([x, 2 * x])
        spectrum = plan.forward(plan.input.asarray(both[(slice(None), *plan.input.slices)]))
        kept = spectrum.copy()
        for other in (kept, np.ascontiguousarray(spectrum), np.asfortranarray(spectrum), spectrum[:, ::-1][:, ::-1]):
            before = other.copy()
            close(plan.backward(other), plan.input.layout, both)
            assert np.array_equal(other, before)
        spread = np.repeat(spectrum, 2, axis=3)[..., ::2]
        close(plan.backward(spread), plan.input.layout, both)


def test_arrays_that_fit_are_not_described(comm, rng, close, monkeypatch):
    """The words that tell arrays of other libraries and kinds take longer than a small transform."""
    x = field(rng, (6, 8, 10), "complex128")
    with shardfft.plan(x.shape, comm=comm, effort="estimate") as plan:
        local, out = part(x, plan.input), plan.output.empty()
        described = []
        see = shardfft._libraries.gpu_arrays.see
        monkeypatch.setattr(shardfft._libraries.gpu_arrays, "see", lambda *of: described.append(of) or see(*of))
        assert plan.forward(local, out=out) is out and np.array_equal(plan.forward(local), out)
        close(plan.backward(out), plan.input.layout, x)
        assert local.size == 0 or not described
        if local.size == 0:
            return
        bytes_ = np.empty(local.nbytes + 1, np.uint8)
        odd = bytes_[1:].view(local.dtype).reshape(plan.input._memory_shape).transpose(plan.input._places)
        odd[...] = local
        for other in (odd, np.ma.array(local), local.astype(">c16")):
            described.clear()
            assert np.array_equal(plan.forward(other), out) and described
        flat = np.empty(1 + max(local.size, out.size), local.dtype)
        with pytest.raises(ValueError, match="overlap in part"):
            plan.forward(plan.input.view(flat[1:][: local.size]), out=plan.output.view(flat[: out.size]))


def test_norm_none_scales_neither(comm, rng, close):
    x = field(rng, (4, 6), "complex128")
    with shardfft.plan(x.shape, comm=comm, norm="none", effort="estimate") as plan:
        spectrum = plan.forward(part(x, plan.input))
        close(spectrum, plan.output.layout, np.fft.fftn(x))
        close(plan.backward(spectrum), plan.input.layout, x * x.size)


@pytest.mark.parametrize("axes", [(0,), (1, 2), (0, 2), (-1, 0), 1])
@pytest.mark.parametrize("kind", ["c2c", "r2c"])
def test_some_axes(comm, rng, close, kind, axes):
    x = field(rng, (5, 6, 8), "complex128" if kind == "c2c" else "float64")
    listed = (axes,) if isinstance(axes, int) else axes
    exact = (np.fft.fftn if kind == "c2c" else np.fft.rfftn)(x, axes=listed)
    with shardfft.plan(x.shape, kind, comm=comm, axes=axes, effort="estimate") as plan:
        spectrum = plan.forward(part(x, plan.input))
        close(spectrum, plan.output.layout, exact)
        close(plan.backward(spectrum), plan.input.layout, x)


@pytest.mark.parametrize("shape", [(60,), (97,), (12, 10), (3, 4, 5, 6)])
def test_dimensions(comm, rng, close, shape):
    x = field(rng, shape, "complex128")
    with shardfft.plan(shape, comm=comm, output="natural", effort="estimate") as plan:
        spectrum = plan.forward(part(x, plan.input))
        close(spectrum, plan.output.layout, np.fft.fftn(x))
        close(plan.backward(spectrum), plan.input.layout, x)


def test_fields(comm, rng, close):
    x = field(rng, (3, 6, 4, 5), "complex128")
    with shardfft.plan(x.shape[1:], comm=comm, batch=3, effort="estimate") as plan:
        local = plan.input.asarray(x[(slice(None), *plan.input.slices)])
        spectrum = plan.forward(local)
        assert spectrum.shape == plan.output.shape
        close(spectrum, plan.output.layout, np.fft.fftn(x, axes=(1, 2, 3)))
        close(plan.backward(spectrum), plan.input.layout, x)


def test_given_layouts(comm, rng, close):
    """Any layout to any other, memory orders too."""
    x = field(rng, (8, 9, 10), "complex128")
    rows = [[(0, 8) if rank == comm.size - 1 else (0, 0), (0, 9), (0, 10)] for rank in range(comm.size)]
    layouts = [
        Layout.slab(x.shape, comm.size, 2, order=(2, 0, 1)),
        Layout.boxes(x.shape, rows),
        Layout.brick(x.shape, comm.size, order=(1, 2, 0)),
        Layout.cyclic(x.shape, comm.size),
        Layout.single(x.shape, comm.size),
    ]
    for source, target in zip(layouts, layouts[1:] + layouts[:1], strict=True):
        with shardfft.plan(x.shape, comm=comm, layout=source, output=target, effort="estimate") as plan:
            assert plan.input.layout == source and plan.output.layout == target
            spectrum = plan.forward(part(x, plan.input))
            close(spectrum, target, np.fft.fftn(x))
            close(plan.backward(spectrum), source, x)


def test_plan_memory(comm, rng, close):
    x = field(rng, (8, 6, 10), "float64")
    plan = shardfft.plan(x.shape, "r2c", comm=comm, layout="pencil", effort="estimate")
    a, b = plan.allocate_input(), plan.allocate_output()
    assert a.shape == plan.input.shape and b.shape == plan.output.shape
    a[...] = x[plan.input.slices]
    assert plan.forward(a, out=b) is b
    close(b, plan.output.layout, np.fft.rfftn(x))
    plan.backward(b, out=a)
    assert plan.workspace_bytes >= 0
    plan.close()
    close(a, plan.input.layout, x)  # the memory outlives the plan


def test_in_place(comm, rng, close):
    x = field(rng, (8, 8, 8), "complex128")
    with shardfft.plan(x.shape, comm=comm, output="natural", in_place=True, effort="estimate") as plan:
        data = part(x, plan.input).copy()
        plan.forward(data, out=data)
        close(data, plan.output.layout, np.fft.fftn(x))
        plan.backward(data, out=data)
        close(data, plan.input.layout, x)


@pytest.mark.parametrize("kind", ["c2c", "r2c"])
def test_least_workspace(comm, rng, close, kind):
    x = field(rng, (9, 8, 10), "complex128" if kind == "c2c" else "float64")
    reference = np.fft.fftn(x) if kind == "c2c" else np.fft.rfftn(x)
    with shardfft.plan(x.shape, kind, comm=comm, workspace="least", effort="estimate") as plan:
        data, result = plan.in_place_arrays()
        assert plan.in_place_bytes >= max(data.nbytes, result.nbytes)
        assert plan.workspace_bytes <= 0.05 * plan.in_place_bytes + 2**21
        data[...] = part(x, plan.input)
        assert plan.forward(data, out=result) is result
        close(result, plan.output.layout, reference)
        plan.backward(result, out=data)
        close(data, plan.input.layout, x)
        with pytest.raises(shardfft.ArgumentError, match="same pointer"):
            plan.forward(data, out=plan.output.empty())


def test_sub_communicators(comm, rng):
    """Two plans alive, each on its own half of the ranks."""
    half = comm.Split(comm.rank % 2, comm.rank)
    x = field(rng, (4, 5, 6), "complex128") * (1 + comm.rank % 2)
    with (
        shardfft.plan(x.shape, comm=comm, output="natural", effort="estimate") as outer,
        shardfft.plan(x.shape, comm=half, output="natural", effort="estimate") as inner,
    ):
        ones = outer.input.zeros()
        ones[...] = 1
        mine = inner.forward(part(x, inner.input))
        both = outer.forward(ones)
        whole = shardfft.gather(mine, inner.output.layout, half)
        if half.rank == 0:
            assert np.allclose(whole, np.fft.fftn(x))
        expected = np.zeros(x.shape, complex)
        expected[0, 0, 0] = x.size
        assert np.allclose(both, expected[outer.output.slices])
    half.Free()


def test_report(comm):
    with shardfft.plan((16, 16, 16), comm=comm, effort="estimate") as plan:
        plan.forward(plan.input.zeros())
        report = plan.report()
    assert report["algorithm"] == "slab"
    assert (report["kind"], report["precision"], report["ranks"]) == ("c2c", "double", comm.size)
    assert (report["forward"]["runs"], report["backward"]["runs"]) == (1, 0)
    assert all(step["times"] for step in report["forward"]["steps"])
    assert 0 <= report["forward"]["ratio"] <= 1 and report["backward"]["ratio"] is None
    assert json.loads(json.dumps(report)) == report
    text = str(report)
    assert "algorithm slab" in text and "forward (1 run)" in text
    assert len(text.splitlines()) > 5


@pytest.mark.parametrize("algorithm", ["slab", "pencil", "brick", "cyclic"])
@pytest.mark.parametrize("exchange", ["alltoallv", "alltoallw", "p2p"])
def test_strategies(comm, rng, close, algorithm, exchange):
    x = field(rng, (16, 16, 16), "complex128")
    with shardfft.plan(
        x.shape, comm=comm, output="natural", algorithm=algorithm, exchange=exchange, effort="estimate"
    ) as plan:
        close(plan.forward(part(x, plan.input)), plan.output.layout, np.fft.fftn(x))


def test_threads_and_chunks(comm, rng, close):
    x = field(rng, (12, 10, 14), "complex128")
    with shardfft.plan(x.shape, comm=comm, threads=2, chunks=3, effort="estimate") as plan:
        close(plan.forward(part(x, plan.input)), plan.output.layout, np.fft.fftn(x))


def test_copies_are_told_once(comm, rng):
    """At the user's line, and on one rank; a call of this package's own that copies says nothing."""
    with shardfft.plan((4, 6, 5), comm=comm, effort="estimate") as plan:
        right = plan.input.zeros()
        right[...] = rng.standard_normal(right.shape)
        exact = plan.forward(right)
        for other in (np.asfortranarray(right), right.astype(">c16"), right[..., ::-1][..., ::-1][:, ::-1][:, ::-1]):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                assert np.array_equal(plan.forward(other), exact)
    with shardfft.plan((4, 6, 5), comm=comm, effort="estimate") as plan:
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            plan.forward(right)
            assert not told
            for _ in range(3):
                plan.forward(right.astype(">c16"))
        words = [str(one.message) for one in told if issubclass(one.category, RuntimeWarning)]
        here = comm.rank == 0 and right.size > 0
        assert len(words) == here and all("plan.input.asarray(x) copies once" in one for one in words)
        assert all(one.filename == __file__ for one in told)


def test_repeated_calls_see_each_array(comm, rng):
    """A plan remembers how it ran on a kind of array, not which arrays fit."""
    with shardfft.plan((8, 6, 4), dtype="complex64", comm=comm, effort="estimate", output="natural") as plan:
        x = plan.input.asarray(field(rng, plan.input.shape, "complex64"))
        known = plan.forward(x)
        results = [plan.forward(x) for _ in range(2)]
        assert all(np.array_equal(one, known) and not np.shares_memory(one, known) for one in results)
        for wrong, says in ((x[..., :3], "shape"), (x.astype("complex128"), "dtype")):
            with pytest.raises((TypeError, ValueError), match=says):
                plan.forward(wrong)
        into = plan.output.empty()
        assert plan.forward(x, out=into) is into and np.array_equal(into, known)
        if x.size:
            both = np.empty(x.size + 1, x.dtype)
            shifted = plan.input.view(both[1:])
            shifted[...] = x
            with pytest.raises(ValueError, match="overlap"):
                plan.forward(shifted, out=plan.output.view(both[:-1]))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            assert np.array_equal(plan.forward(np.asfortranarray(x)), known)
    with pytest.raises(shardfft.ArgumentError, match="closed"):
        plan.forward(x)
