"""Calls that fail in their middle: MPI may still use their arrays, which stay."""

import gc
import weakref

import pytest

import shardfft

pytestmark = pytest.mark.ranks

SHAPE = (8, 6, 4)


def ended(references):
    gc.collect()
    return [reference() is None for reference in references]


@pytest.mark.parametrize("exchange", ["alltoall", "p2p"])
def test_arrays_of_a_call_that_failed_in_its_middle_stay(comm, exchange):
    if comm.size == 1:
        pytest.skip("one rank waits for nobody")
    plan = shardfft.plan(
        SHAPE, comm=comm.Dup(), effort="estimate", exchange=exchange, check_calls=False, call_timeout=1
    )
    plan.forward(plan.input.zeros())  # all agree on the workspace
    x, y = plan.input.zeros(), plan.output.zeros()
    references = [weakref.ref(x), weakref.ref(y)]
    if comm.rank == 0:  # the others never come
        with pytest.raises(shardfft.Error, match="call_timeout") as raised:
            plan.forward(x, out=y)
        assert raised.value.status == "timed_out"
        del raised
    del x, y
    assert ended(references) == [comm.rank > 0] * 2
    x, y = plan.input.zeros(), plan.output.zeros()
    references = [weakref.ref(x), weakref.ref(y)]
    if comm.rank == 0:
        with pytest.raises(shardfft.Error, match="an earlier call was given up"):
            plan.forward(x, out=y)
    del x, y
    assert ended(references) == [True] * 2, "refused, not begun"
    comm.Barrier()
    plan.close()


def test_arrays_of_other_calls_end(comm):
    with shardfft.plan(SHAPE, comm=comm, effort="estimate", exchange="alltoall") as plan:
        x, y = plan.input.zeros(), plan.output.zeros()
        references = [weakref.ref(x), weakref.ref(y)]
        plan.forward(x, out=y)
        with pytest.raises(ValueError, match="shape"):
            plan.forward(x.ravel(), out=y)
        del x, y
        assert ended(references) == [True] * 2
