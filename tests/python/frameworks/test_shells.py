"""Sums over modes of arrays of another library: it computes them, and only a number for each shell comes to NumPy."""

import numpy as np
import pytest

from shardfft import DistArray
from shardfft._plans import modes

torch = pytest.importorskip("torch", reason="PyTorch is not installed (.ci/run frameworks)")


def test_shells_where_the_array_is(comm, rng, monkeypatch):
    components = DistArray.from_global(rng.standard_normal((3, 8, 6, 10)), comm, components=True)
    for field in (components, DistArray.from_global(rng.standard_normal((9, 7)), comm)):
        power = abs(np.fft.rfftn(field, norm="forward")) ** 2
        k, exact = power.shells(lengths=3.0, width=2.5)
        brought = []
        monkeypatch.setattr(modes, "host_array", lambda x, taken=brought: taken.append(x) or np.asarray(x))
        for dtype, tolerance in ((torch.float64, 1e-13), (torch.float32, 1e-5)):
            moved = power.copy()
            moved.local = torch.as_tensor(power.local).to(dtype)
            mine, sums = moved.shells(lengths=3.0, width=2.5)
            assert np.array_equal(mine, k) and np.allclose(sums, exact, rtol=tolerance, atol=0)
        assert all(isinstance(x, torch.Tensor) and x.numel() <= k.size for x in brought) and len(brought) == 2
        monkeypatch.undo()
