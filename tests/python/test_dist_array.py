"""Arrays that know the owners of their parts, against NumPy's of the whole array."""

import numpy as np
import pytest

import shardfft
from shardfft import DistArray, Layout

LAYOUTS = ["slab", "pencil", "brick", "cyclic"]


def same(array, whole):
    """The gathered array is the whole one, with its type."""
    got = array.gather()
    assert got.dtype == whole.dtype and got.shape == whole.shape == array.shape
    assert np.array_equal(got, whole), (got, whole)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("components", [False, True])
@pytest.mark.parametrize("shape", [(8, 6, 5), (3, 7), (9,)])
def test_from_global_and_back(comm, rng, shape, components, layout):
    if layout == "pencil" and len(shape) == 1:
        pytest.skip("lines of one axis are no pencils")
    whole = rng.standard_normal((2, *shape) if components else shape)
    for root in (None, comm.size - 1):
        given = whole if root in (None, comm.rank) else None
        d = DistArray.from_global(given, comm, layout, root=root, components=components)
        same(d, whole)
        assert d.components == (2 if components else None) and d.layout.shape == shape
        assert (d.ndim, d.size, d.nbytes) == (whole.ndim, whole.size, whole.nbytes)
        at_root = d.gather(root=0)
        assert np.array_equal(at_root, whole) if comm.rank == 0 else at_root is None


def test_from_local(comm, rng):
    rows = rng.standard_normal((comm.size * (comm.size + 1) // 2, 3))
    start = comm.rank * (comm.rank + 1) // 2
    mine = rows[start : start + comm.rank + 1]
    same(DistArray.from_local(mine, comm), rows)
    same(DistArray.from_local(mine.T.copy(), comm, axis=1), rows.T)
    same(DistArray.from_local(mine.T.copy(), comm, axis=-1), rows.T)
    fields = np.stack([rows, -rows])
    same(DistArray.from_local(np.stack([mine, -mine]), comm, components=True), fields)
    whole = rng.standard_normal((6, 8))
    layout = Layout.brick(whole.shape, comm.size)
    same(DistArray.from_local(whole[layout.local(comm.rank)], comm, "brick"), whole)
    local = np.ascontiguousarray(whole[layout.local(comm.rank)])
    assert DistArray.from_local(local, comm, layout).local is local


def test_from_local_of_ranks_without_elements(comm):
    """Only a rank that owns nothing may give nothing, in any shape."""
    first, ranks = comm.rank == 0, comm.size
    single, slab = Layout.single((4, 6), ranks, 0), Layout.slab((2 * ranks, 6), ranks)
    same(DistArray.from_local(np.ones((4, 6) if first else (0, 9)), comm, single), np.ones((4, 6)))
    if ranks > 1:
        with pytest.raises((ValueError, shardfft.Error), match=r"of rank [12] must have the shape .*\(4, 6\)"):
            DistArray.from_local(np.ones((4, 6)), comm, single)
    with pytest.raises((ValueError, shardfft.Error), match=r"must have the shape \(2, 6\), not \(0, 6\)"):
        DistArray.from_local(np.ones((2 if first and ranks > 1 else 0, 6)), comm, slab)


def test_from_function_and_zeros(comm):
    whole = np.fromfunction(lambda i, j: i - 10 * j, (5, 6))
    same(DistArray.from_function(lambda i, j: (i - 10 * j).astype(float), (5, 6), comm, "cyclic"), whole)
    x, y = np.arange(5) * (3 / 5), np.arange(6) * (2 / 6)
    d = DistArray.from_function(lambda x, y: (x + y, x, 0 * y), (5, 6), comm, lengths=(3, 2), components=3)
    assert np.allclose(d.gather(), np.stack(np.broadcast_arrays(x[:, None] + y, x[:, None], 0 * y)))
    same(DistArray.zeros((5, 6), "complex64", comm, components=2), np.zeros((2, 5, 6), "complex64"))
    with shardfft.plan((4, 6), "r2r", comm=comm, transforms=["dct2", "dst1"], effort="estimate") as plan:
        d = DistArray.from_function(lambda x, y: x + 0 * y, plan.input, comm, lengths=(4, 1))
        assert np.allclose(d.gather(), np.array([0.5, 1.5, 2.5, 3.5])[:, None] + np.zeros(6))
        assert DistArray.zeros(plan.output, comm=comm).layout == plan.output.layout


@pytest.mark.parametrize("layout", LAYOUTS)
def test_redistribute(comm, rng, layout):
    whole = rng.standard_normal((2, 6, 7))
    d = DistArray.from_global(whole, comm, layout, components=True)
    d.attrs["time"] = 1.5
    for other in LAYOUTS:
        moved = d.redistribute(other)
        same(moved, whole)
        assert moved.layout == shardfft._layouts.layout.named(other, (6, 7), comm.size) and moved.attrs == {"time": 1.5}
    assert d.redistribute(d.layout) is d


def test_arithmetic(comm, rng):
    a, b = rng.standard_normal((6, 8)), rng.standard_normal((6, 8)) + 2
    x, y = (DistArray.from_global(one, comm, "brick") for one in (a, b))
    for work in [
        lambda p, q: p + q,
        lambda p, q: p - 2 * q,
        lambda p, q: 1 - p * q / 3,
        lambda p, q: -p // q % 5,
        lambda p, q: q**2 + 2.0**p,
        lambda p, q: abs(p) + 1j * q,
        lambda p, q: (p < q) & (q >= 2) | ~(p != p),
        lambda p, q: np.exp(p) * np.maximum(p, q),
        lambda p, q: np.float32(2) * p + np.int64(3),
        lambda p, q: np.where(p > 0, p, q),
        lambda p, q: (p + 1j * q).conj().imag + (1j * p).real,
        lambda p, q: np.divmod(p, q)[1],
        lambda p, q: np.add(p, q, out=np.zeros_like(p)),
        lambda p, q: p.astype("float32") + np.ones_like(q, dtype="float32"),
    ]:
        same(work(x, y), work(a, b))
    x += y
    x *= 2
    x -= 1
    x /= y
    same(x, ((a + b) * 2 - 1) / b)
    other = DistArray.from_global(a, comm, Layout.brick((6, 8), comm.size, order=(1, 0)))
    same(other + y, a + b)  # the same cuts in another memory order


def test_blocks_beside_no_elements(comm):
    """Ranks without rows take blocks without rows of any shape, and operands that broadcast to the whole array."""
    whole = np.arange(6.0).reshape(1, 6)
    d, v = (DistArray.from_global(one, comm, components=one.ndim > 2) for one in (whole, np.stack([whole, whole])))
    rows = whole[comm.rank : comm.rank + 1]
    for other in (rows, whole, whole[0], rows[:, :1]):
        exact = other if other.size else whole[:, : other.shape[1]]
        same(d + other, whole + exact)
        same(other * v, exact * np.stack([whole, whole]))
        same(np.maximum(d, other), np.maximum(whole, exact))
    d += rows
    same(d, 2 * whole)
    for bad in (np.ones(5), np.ones((2, 1, 6))):
        with pytest.raises(ValueError, match="does not broadcast"):
            d + bad


def test_vectors_and_scalars(comm, rng):
    a, b = rng.standard_normal((3, 6, 4)), rng.standard_normal((6, 4))
    v, s = DistArray.from_global(a, comm, components=True), DistArray.from_global(b, comm)
    same(v * s, a * b)
    same(s - v, b - a)
    assert (v * s).components == 3 and (s + s).components is None
    for i, part in enumerate(v):
        same(part, a[i])
        assert part.components is None
    same(v[1:], a[1:])
    v[0] = s
    a[0] = b
    same(v, a)
    with pytest.raises(ValueError, match="cannot take a vector field's components"):
        s += v
    with pytest.raises(ValueError, match="3 and 2 components"):
        v + DistArray.zeros((6, 4), comm=comm, components=2)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_reductions(comm, rng, layout):
    for whole in (rng.standard_normal((2, 3, 5, 4)), rng.integers(-9, 9, (2, 3, 5, 4)), rng.random((2, 3, 5, 4)) > 0.3):
        d = DistArray.from_global(whole, comm, layout, components=True)
        for name in ("sum", "prod", "min", "max", "any", "all", "mean"):
            for axis in (None, 0, -1, (1, 2), (0, 3), (0, 1, 2, 3)):
                got, exact = getattr(d, name)(axis), getattr(whole, name)(axis)
                assert np.allclose(got, exact) and np.shape(got) == np.shape(exact), (name, axis)
                assert np.asarray(got).dtype == exact.dtype
                assert np.allclose(getattr(np, name)(d, axis=axis), exact)
    assert np.allclose(np.add.reduce(d), whole.sum(0)) and np.allclose(
        np.maximum.reduce(d, axis=(1, 2)), whole.max((1, 2))
    )
    z = rng.standard_normal((6, 5)) + 1j * rng.standard_normal((6, 5))
    d = DistArray.from_global(z, comm, layout)
    assert np.isclose(d.norm(), np.linalg.norm(z)) and np.isclose(np.linalg.norm(d), np.linalg.norm(z))
    assert (
        np.isclose(d.vdot(1j * d), np.vdot(z, 1j * z)) and np.isclose(d.std(), z.std()) and np.isclose(d.var(), z.var())
    )
    assert np.allclose(d, d + 1e-12) and not np.allclose(d, d + 1) and np.array_equal(d, d.copy())
    with pytest.raises((TypeError, shardfft.Error), match="no order"):
        d.max()


@pytest.mark.parametrize(
    ("dtype", "value"), [("int32", 60000), ("uint8", 16), ("int8", -128), ("bool", 1), ("float16", 300)]
)
def test_means_and_norms_do_not_overflow(comm, dtype, value):
    whole = np.full((30, 40), value, dtype)
    whole[0] = 0
    d = DistArray.from_global(whole, comm)
    for name in ("mean", "var", "std"):
        got, exact = getattr(d, name)(), getattr(whole.astype(float), name)()
        assert np.isclose(got, exact, rtol=2e-3 if dtype == "float16" else 1e-12), name
        assert got.dtype == whole.mean().dtype
    assert np.allclose(d.mean(1), whole.mean(1)) and d.mean(1).dtype == whole.mean(1).dtype
    exact = np.linalg.norm(whole.astype(float))
    assert np.isclose(d.norm(), exact, rtol=1e-3) and np.isclose(np.linalg.norm(d), exact, rtol=1e-3)
    one = DistArray.from_global(whole[:, 1], comm)
    for order in (None, 2, np.inf):
        assert np.isclose(np.linalg.norm(one, order), np.linalg.norm(whole[:, 1].astype(float), order), rtol=1e-3)


def test_norms_of_matrices_are_refused(comm):
    for shape, order in (((4, 6), 2), ((4, 6), np.inf), ((4, 6), "nuc"), ((6,), 1)):
        with pytest.raises(NotImplementedError, match=f"not ord {order!r} of {len(shape)} axes"):
            np.linalg.norm(DistArray.zeros(shape, comm=comm), order)


def test_allclose_is_numpys(comm):
    whole = np.array([[1.0, 2.0, np.inf], [4.0, 5.0, -np.inf]])
    d = DistArray.from_global(whole, comm)
    bytes_of = DistArray.from_global(np.full((2, 3), -128, np.int8), comm)
    for a, b, here, there in [
        (d, np.inf, whole, np.inf),
        (np.inf, d, np.inf, whole),
        (d, d, whole, whole),
        (d, -d, whole, -whole),
        (d, abs(d), whole, abs(whole)),
        (d, d + 1e-9, whole, whole + 1e-9),
        (bytes_of, 127 + 0 * bytes_of, np.int8(-128), np.int8(127)),
    ]:
        assert np.allclose(a, b, atol=1) == np.allclose(here, there, atol=1), (here, there)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_slices(comm, rng, layout):
    whole = rng.standard_normal((7, 8, 5))
    d = DistArray.from_global(whole, comm, layout)
    for key in [
        np.s_[1:6],
        np.s_[..., 2:],
        np.s_[::2, 1::3, -2],
        np.s_[3],
        np.s_[3:4, :, ::2],
        np.s_[2:, 5, 4],
        np.s_[-7:-1:3, 0:8:2],
        np.s_[...],
    ]:
        same(d[key], whole[key])
    assert d[3, 4, 2] == whole[3, 4, 2] and d[-1, -1, -1] == whole[-1, -1, -1]
    copy = whole.copy()
    d[1:6:2, ..., 3] = 7.5
    copy[1:6:2, ..., 3] = 7.5
    d[2] = d[0] * 2 if layout == "pencil" and comm.size == 1 else 1
    copy[2] = copy[0] * 2 if layout == "pencil" and comm.size == 1 else 1
    d[d > 1] = -1
    copy[copy > 1] = -1
    same(d, copy)
    part = d[1:3]
    part += 1  # the same memory
    copy[1:3] += 1
    same(d, copy)


@pytest.mark.parametrize(
    ("key", "error", "words"),
    [
        (9, IndexError, "index 9 is out of bounds for axis 0 with size 7"),
        ((0, 0, 0, 0), IndexError, "too many indices"),
        (np.s_[..., 0, ...], IndexError, "single ellipsis"),
        (np.s_[5:5], IndexError, "selects nothing of axis 0"),
        (np.s_[::-1], IndexError, "must be above 0"),
        ([0, 1], IndexError, "integers, slices"),
        (None, IndexError, "NoneType"),
        (0.5, IndexError, "float"),
    ],
)
def test_bad_slices(comm, key, error, words):
    d = DistArray.zeros((7, 8, 5), comm=comm)
    with pytest.raises(error, match=words):
        d[key]
    with pytest.raises(error, match=words):
        d[key] = 1


def test_writing_where_another_array_is_true(comm, rng):
    whole = rng.standard_normal((4, 4))
    d = DistArray.from_global(whole, comm)
    d[d > 0] = 10 * d
    same(d, np.where(whole > 0, 10 * whole, whole))
    v = DistArray.zeros((4, 4), comm=comm, components=4)
    for key, value, error, words in [
        (d, 1, IndexError, "must be one of booleans, not of dtype float64"),
        (d > 0, v, ValueError, "the array's components, None, not 4"),
        (v == 0, 1, ValueError, "the array's components, None, not 4"),
        (d > 0, DistArray.zeros((4, 5), comm=comm), ValueError, "cannot be combined"),
    ]:
        with pytest.raises(error, match=words):
            d[key] = value
    if comm.size > 1:
        other = DistArray.from_global(whole, comm, "cyclic")
        with pytest.raises(ValueError, match="different layouts.*redistribute"):
            d[d > 0] = other
        with pytest.raises(ValueError, match="different layouts.*redistribute"):
            d[other > 0] = d


def test_bad_operands(comm):
    d = DistArray.zeros((4, 6), comm=comm)
    for wrong, error, words in [
        (DistArray.zeros((4, 7), comm=comm), ValueError, "cannot be combined"),
        (np.zeros((4, 6, 2)), ValueError, "does not broadcast to the block"),
        (np.zeros(5), ValueError, "DistArray.from_global"),
        ("text", TypeError, "unsupported operand"),
        (None, TypeError, "unsupported operand"),
    ]:
        with pytest.raises(error, match=words):
            d + wrong
    if comm.size > 1:
        with pytest.raises(ValueError, match="different layouts.*redistribute"):
            d + DistArray.zeros((4, 6), comm=comm, layout=Layout.slab((4, 6), comm.size, axis=1))
        alone = comm.Split(comm.rank)
        with pytest.raises(ValueError, match="different communicators"):
            d + DistArray.zeros((4, 6), comm=alone)
        alone.Free()
    with pytest.raises(TypeError, match="take .local, or gather"):
        np.asarray(d)
    with pytest.raises(TypeError, match=r"numpy\.cumsum has no version for arrays over ranks"):
        np.cumsum(d)
    with pytest.raises(TypeError, match=r"add\.outer is not elementwise"):
        np.add.outer(d, d)
    with pytest.raises(TypeError, match="out must be a DistArray"):
        np.add(d, d, out=d.local)
    with pytest.raises(ValueError, match="ambiguous"):
        bool(d == d)
    with pytest.raises(TypeError, match="make arrays with"):
        DistArray()
    with pytest.raises(TypeError, match="unhashable"):
        hash(d)
    with pytest.raises(ValueError, match="no spectrum"):
        d.frequencies()


def test_bad_making_fails_on_every_rank(comm):
    last = comm.rank == comm.size - 1
    everywhere = (ValueError, TypeError, shardfft.Error)
    for make in [
        lambda: DistArray.from_local(np.zeros((2, 4 + (last and comm.size > 1))), comm) if comm.size > 1 else 1 / "",
        lambda: DistArray.from_local(3.0 if last else np.zeros((2, 2)), comm),
        lambda: DistArray.from_local(np.zeros((2, 2), float if last else int), comm) if comm.size > 1 else 1 / "",
        lambda: DistArray.from_global([object()] if last else np.zeros(3), comm, layout="slabs"),
        lambda: DistArray.from_global(np.zeros((4, 4)), comm, root=comm.size),
        lambda: DistArray.zeros((4, 4), comm=comm, components=0 if last else 1),
        lambda: DistArray.zeros((4, 4), comm=comm, layout=Layout.slab((4, 5), comm.size)),
        lambda: DistArray.from_function(lambda i: 1 / 0 if last else i, 8, comm),
        lambda: DistArray.from_function(lambda i, j: np.zeros((99, 99)), (8, 8), comm),
        lambda: DistArray.from_function(lambda i: (i, i), 8, comm, components=3),
        lambda: DistArray.zeros((4, 4), comm=42),
        lambda: DistArray.zeros((4, 4), "no type" if last else None, comm),
    ]:
        with pytest.raises((*everywhere, ZeroDivisionError)):
            make()
    comm.Barrier()


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("kind", ["c2c", "r2c"])
def test_plans_take_them(comm, rng, layout, kind):
    whole = rng.standard_normal((6, 5, 8))
    whole = whole + 1j * rng.standard_normal(whole.shape) if kind == "c2c" else whole
    exact = np.fft.fftn(whole) if kind == "c2c" else np.fft.rfftn(whole)
    with shardfft.plan(whole.shape, kind, comm=comm, layout=layout, effort="estimate") as plan:
        d = DistArray.from_global(whole, comm, layout)
        s = plan.forward(d)
        assert isinstance(s, DistArray) and np.allclose(s.gather(), exact)
        assert s.layout == plan.output.layout
        out = DistArray.zeros(plan.input, comm=comm)
        assert plan.backward(s, out=out) is out and np.allclose(out.gather(), whole)
        same_slope = plan.backward(1j * s.slopes(2 * np.pi)[1] * s)
        slope = plan.apply(shardfft.Operator.derivative(1), d)
        assert np.allclose(slope.gather(), same_slope.gather())
        with pytest.raises((ValueError, shardfft.Error), match="has the shape"):
            plan.forward(DistArray.zeros((6, 5, 9), d.dtype, comm, layout))
        with pytest.raises((TypeError, shardfft.Error), match="must be a DistArray"):
            plan.forward(d, out=plan.output.empty())
        if comm.size > 1:
            with pytest.raises((ValueError, shardfft.Error), match=r"redistribute\(plan\.input\.layout\)"):
                plan.forward(DistArray.from_global(whole, comm, "brick" if layout == "cyclic" else "cyclic"))
    fields = np.stack([whole, 2 * whole])
    for components, batch in ((2, 2), (1, 1)):
        with shardfft.plan(whole.shape, kind, comm=comm, layout=layout, batch=batch, effort="estimate") as plan:
            v = DistArray.from_global(fields[:components], comm, layout, components=True)
            s = plan.forward(v)
            assert s.components == components
            assert np.allclose(s.gather(), np.stack([exact, 2 * exact])[:components])
            assert np.allclose(plan.backward(s).gather(), fields[:components])


def test_repr_and_picture(comm):
    d = DistArray.zeros((8, 6), comm=comm, components=3)
    text = repr(d)
    assert f"(3, 8, 6), float64, 8x6 cut in {comm.size}x1 over {comm.size} rank" in text
    here = d.layout.local(comm.rank)[0]
    assert f"rank {comm.rank}: [{here.start}:{here.stop}, 0:6] (here)" in text
    assert "nothing" in repr(DistArray.zeros((1, 6), comm=comm)) or comm.size == 1
    pyplot = pytest.importorskip("matplotlib.pyplot")
    pyplot.switch_backend("agg")
    for shape, pictures in (((8,), 1), ((8, 6), 1), ((8, 6, 4), 3)):
        figure = DistArray.zeros(shape, comm=comm, layout="cyclic").plot_layout()
        assert len(figure.axes) == pictures + 1
        if len(shape) == 2:
            image = figure.axes[0].images[0].get_array()
            assert np.array_equal(image[:, 0], np.arange(8) % comm.size)
        pyplot.close(figure)
