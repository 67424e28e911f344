"""Options under the names of other libraries."""

import numpy as np
import pytest

import shardfft

pytestmark = pytest.mark.ranks
SHAPE = (8, 6, 4)


@pytest.mark.parametrize(
    ("option", "words"),
    [
        ("workers", "'workers' is called threads here"),
        ("padding", "'padding' is called modes here"),
        ("dealias", "'dealias' is called modes here"),
        ("s", "'s' pads and crops in NumPy, as shardfft.fft.fftn of a DistArray does"),
        ("overwrite_x", "'overwrite_x' is called overwrite_input; an array may also be input and output"),
        ("algoritm", "did you mean 'algorithm'"),
        ("zzz", "plans have no option 'zzz'$"),
    ],
)
def test_names_of_other_libraries(comm, option, words):
    with pytest.raises(TypeError, match=words):
        shardfft.plan(SHAPE, comm=comm, **{option: 4})
    with pytest.raises(TypeError, match=words):
        shardfft.fftn(np.ones((4, 4)), comm, **{option: 4})
