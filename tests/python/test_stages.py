"""All-to-alls around local transforms: every cut of small arrays, followed step by step."""

import itertools

import pytest

from shardfft._frameworks.stages import Move, stages


def follow(ndim, cuts, axes, final, kind, real):
    """Make a plan, check each step of it, and give the number of moves."""
    first, last = real if kind == "rfftn" else None, real if kind == "irfftn" else None
    plan = stages(ndim, cuts, axes, final, first=first, last=last)
    here, done = list(cuts), []
    for step in plan:
        if isinstance(step, Move):
            assert here[step.mesh_axis] == step.source and step.target not in here
            here[step.mesh_axis] = step.target
            continue
        assert not set(step.axes) & {*here, *done}
        assert kind != "rfftn" or done or real in step.axes
        done += step.axes
        assert kind != "irfftn" or real not in step.axes or set(done) == set(axes)
    assert here == list(final) and sorted(done) == sorted(axes)
    return sum(isinstance(step, Move) for step in plan)


@pytest.mark.parametrize("kind", ["fftn", "rfftn", "irfftn"])
def test_every_cut(kind):
    for ndim, cut in ((2, 1), (3, 1), (3, 2)):
        places = list(itertools.permutations(range(ndim), cut))
        subsets = [axes for size in range(1, ndim + 1) for axes in itertools.combinations(range(ndim), size)]
        for cuts, final, axes in itertools.product(places, places, subsets):
            for real in axes:
                moves = follow(ndim, cuts, axes, final, kind, real)
                assert cuts != final or moves <= 2 * cut  # there and back for each dimension of the mesh


def test_refused_where_all_axes_are_cut():
    with pytest.raises(ValueError, match="all 2 axes are cut"):
        stages(2, [0, 1], [0, 1], [0, 1])
