"""Arguments of a wrong type: the error names the argument, on all ranks, and axes may be an iterator."""

import numpy as np
import pytest

import shardfft


def test_roots_are_numbers(comm):
    layout = shardfft.Layout.slab((4, 4), comm.size)
    with pytest.raises((TypeError, shardfft.Error), match="root must be an integer, not '0'"):
        shardfft.gather(np.zeros(layout.local_shape(comm.rank)), layout, comm, root="0")


def test_one_rank_without_a_root(comm):
    root = "first" if comm.rank == comm.size - 1 else 0
    for call in (shardfft.gather, shardfft.scatter):
        with pytest.raises((TypeError, shardfft.Error), match="root must be an integer, not 'first'"):
            call(np.ones((4, 4)), "slab", comm, root=root)


def test_objects_cannot_be_sent(comm):
    layout = shardfft.Layout.slab((4, 4), comm.size)
    objects = np.full(layout.local_shape(comm.rank), None)
    with pytest.raises((TypeError, shardfft.Error), match="dtype object cannot be sent"):
        shardfft.gather(objects, layout, comm)


def test_tolerances_are_real_numbers(comm):
    with pytest.raises((TypeError, shardfft.Error), match="tolerance must be a number, not 1j"):
        shardfft.plan((4, 4, 4), comm=comm, tolerance=1j)


def test_kinds_are_words(comm):
    with pytest.raises((ValueError, shardfft.Error), match="unknown kind '__class__'"):
        shardfft.plan((4, 4, 4), kind="__class__", comm=comm)


def test_a_spacing_for_each_axis(comm):
    with shardfft.plan((4, 4, 4), comm=comm) as plan, pytest.raises(ValueError, match="one for each of 3 axes"):
        plan.output.frequencies((1, 2))


def test_axes_may_be_an_iterator(comm):
    x = np.arange(24.0 * comm.size).reshape(2 * comm.size, 12)[2 * comm.rank : 2 * comm.rank + 2]
    once = shardfft.dctn(x, comm, axes=(axis for axis in (0, 1)))
    np.testing.assert_array_equal(once, shardfft.dctn(x, comm, axes=(0, 1)))


@pytest.mark.parametrize(
    ("call", "wrong", "words"),
    [
        (shardfft.dctn, {"type": 5}, "type must be 1, 2, 3 or 4, not 5"),
        (shardfft.fftn, {"norm": np.ones(2)}, "norm must be a string"),
        (shardfft.fftn, {"norm": 0}, "norm must be a string, not 0"),
        (shardfft.fftn, {"output": "natural"}, "plans have no option 'output'"),
        (shardfft.fftn, {"stream": "first"}, "stream must be"),
        (lambda x, comm, **options: shardfft.convolve(x, x, comm, **options), {"kind": "c2c"}, "no option 'kind'"),
        (lambda x, comm, **options: shardfft.convolve(x, x, comm, **options), {"axes": 1.5}, "axes must be"),
        (lambda x, comm, **options: shardfft.plan(x.shape, comm=comm, **options).close(), {"devices": [0]}, "not both"),
        (
            lambda x, comm, **options: shardfft.plan(x.shape, comm=comm, **options).close(),
            {"streams": []},
            "streams are",
        ),
    ],
)
def test_one_rank_alone_is_wrong(comm, call, wrong, words):
    """With any argument the other ranks do not wait."""
    x = np.ones((4, 6))
    with pytest.raises((TypeError, ValueError), match=words):
        call(x, comm, **(wrong if comm.rank == comm.size - 1 else {}))
    assert shardfft.fftn(x, comm).shape == x.shape


def test_masked_elements_are_no_data(comm):
    """Neither are they left out, nor are values under the mask taken for numbers."""
    x = np.ma.masked_array(np.arange(24.0).reshape(4, 6))
    whole = shardfft.fftn(x, comm)  # no element is masked
    np.testing.assert_array_equal(whole, shardfft.fftn(x.data, comm))
    rows = shardfft.Layout.slab((4 * comm.size, 6), comm.size)
    masked = np.ma.masked_greater(x, 20) if comm.rank == 0 else x
    with shardfft.plan(rows.shape, "r2c", comm=comm, output="natural", effort="estimate") as plan:
        for call in (
            lambda: shardfft.fftn(masked, comm),
            lambda: shardfft.gather(masked, rows, comm),
            lambda: shardfft.gather(masked, "slab", comm),
            lambda: shardfft.scatter(np.ma.masked_greater(np.ones(rows.shape), 0), "slab", comm),
            lambda: shardfft.redistribute(masked, rows, "cyclic", comm),
            lambda: plan.forward(masked),
            lambda: plan.convolution(masked),
        ):
            with pytest.raises((TypeError, shardfft.Error), match="has masked elements"):
                call()
        if comm.rank == 0:
            with pytest.raises(TypeError, match="has masked elements"):
                plan.input.asarray(masked)


def test_numbers_that_have_no_place_in_the_dtype(comm):
    with shardfft.plan((4, 6), "r2c", comm=comm, effort="estimate") as plan:
        x = plan.input.zeros()
        for other in ("complex128", "M8[s]", "U3", "object", "f8,i4"):
            with pytest.raises(TypeError, match="cannot become one of float64"):
                plan.input.asarray(np.ones(x.shape, other))
        with pytest.raises(TypeError, match="cannot become one of float64"):
            plan.convolution(1j * np.ones(x.shape))
        for other in ("float16", "longdouble", ">f8", "int8", "uint64", "bool"):
            assert plan.input.asarray(np.ones(x.shape, other)).dtype == x.dtype


def test_precision_in_any_byte_order(comm):
    x = np.arange(24, dtype=">f4").reshape(4, 6)
    spectrum = shardfft.rfftn(x, comm)
    assert spectrum.dtype == np.complex64
    np.testing.assert_array_equal(spectrum, shardfft.rfftn(x.astype("f4"), comm))


def test_records_of_other_fields(comm):
    if comm.size == 1:
        pytest.skip("one rank")
    rows = shardfft.Layout.slab((comm.size, 2), comm.size)
    x = np.zeros((1, 2), [("a", "f8"), ("b", "i8")] if comm.rank else [("a", "i8"), ("b", "f8")])
    for call in (lambda: shardfft.gather(x, rows, comm), lambda: shardfft.redistribute(x, rows, "cyclic", comm)):
        with pytest.raises(ValueError, match="differ in dtype"):
            call()


def test_what_has_no_shape_is_not_sent(comm):
    """A class has a shape that cannot be pickled."""
    with pytest.raises((TypeError, ValueError)):
        shardfft.scatter(np.ndarray, "slab", comm)


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: shardfft.Operator.derivative(1.5), TypeError, "axis must be an integer, not 1.5"),
        (lambda: shardfft.Operator.derivative(0, 2**31), ValueError, "order is 2147483648; it must fit 32 bits"),
        (lambda: shardfft.Operator.gaussian("1"), TypeError, "sigma must be a number, not '1'"),
        (lambda: shardfft.Operator.laplacian(3.0), TypeError, "lengths must be a sequence of numbers"),
        (lambda: shardfft.Operator.laplacian("abc"), TypeError, "lengths must be a sequence of numbers"),
        (lambda: shardfft.Layout.single((4, 4), 2, 1.0), TypeError, "owner must be an integer, not 1.0"),
        (lambda: shardfft.Layout.slab((4, 4), 2, 0.0), TypeError, "axis must be an integer, not 0.0"),
        (lambda: shardfft.Layout.slab((4, 4), 2).count(1.0), TypeError, "rank must be an integer, not 1.0"),
        (lambda: shardfft.Layout.slab((4, 4), 2).with_axis_extent(0, 1.5), TypeError, "extent must be an integer"),
        (lambda: shardfft.Layout.boxes((4, 4), [1, 2]), TypeError, "box of rank 0 must be a sequence of ranges"),
        (lambda: shardfft.Layout.boxes((4,), [[(0, 2, 4)]]), ValueError, r"must be a slice or a pair \(start, stop\)"),
        (lambda: shardfft.plan((4, 4), "c2r", n=3.0), TypeError, "n must be an integer, not 3.0"),
        (lambda: shardfft.plan((4, 4), "c2r", n=-1), ValueError, "n must be positive"),
        (lambda: shardfft.irfftn(np.ones((4, 4)), n=np.ones(2)), TypeError, "n must be an integer"),
    ],
)
def test_the_argument_is_named(call, error, words):
    with pytest.raises(error, match=words):
        call()
