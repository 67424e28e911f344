"""Places of numbers: copies, pickles, memory orders; and the first and last of dates."""

import copy
import pickle
import warnings

import numpy as np
import pytest
from mpi4py import MPI

import shardfft
from shardfft import DistArray


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, lambda d: pickle.loads(pickle.dumps(d))])
def test_copies_are_apart(comm, rng, copied):
    """Pickles are of one rank: others would need the communicator."""
    alone, order = MPI.COMM_SELF, shardfft.Layout.slab((6, 5), 1, order=(1, 0))
    for d in (DistArray.from_global(rng.standard_normal((6, 5)), alone, order), DistArray.zeros((2, 3), components=2)):
        d.attrs["names"] = ["u"]
        if d.comm.size > 1 and copied not in (copy.copy, copy.deepcopy):
            with pytest.raises(TypeError, match=r"cannot be pickled.*save\(\) it, or pickle the result of gather\(\)"):
                copied(d)
            continue
        kept, made = d.local.copy(), copied(d)
        assert (made == d).all() and made.layout == d.layout and made.components == d.components
        assert made.attrs == d.attrs and made.attrs is not d.attrs
        made.local[...] = -1
        assert np.array_equal(d.local, kept)


@pytest.mark.parametrize("dtype", ["datetime64[D]", "timedelta64[s]"])
def test_the_first_and_last_of_dates(comm, dtype):
    whole = (np.arange(18) - 5).astype(dtype).reshape(6, 3)
    d = DistArray.from_global(whole, comm)
    assert d.max() == whole.max() and d.min() == whole.min() and (d.max(axis=0) == whole.max(axis=0)).all()
    d[5, 2] = np.array("NaT", dtype)
    assert np.isnat(d.max()) and np.isnat(d.min())


def test_arithmetic_keeps_the_memory_order_of_spectra(comm):
    """So that plans take the result without a copy."""
    with shardfft.plan((6, 8, 5), "r2c", comm=comm, batch=3, effort="estimate") as plan:
        u = DistArray.from_function(lambda x, y, z: (x, y, z), plan.input, comm, lengths=1.0, components=3)
        s = plan.forward(u)
        square = sum(k**2 for k in plan.output.wavenumbers(1.0))
        made = shardfft.project(square * s + shardfft.curl(s)) - 0.5 * s
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            plan.backward(made)
