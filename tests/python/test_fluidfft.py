"""The method for fluidfft, against NumPy; without fluidfft over an empty base class."""

import importlib
import importlib.metadata
import sys
import types

import numpy as np
import pytest


@pytest.fixture
def method(monkeypatch):
    name = "shardfft.compat.fluidfft"
    try:
        return importlib.import_module(name).FFTclass
    except ImportError:
        base = types.ModuleType("fluidfft.fft3d.base")
        base.BaseFFTMPI = type("BaseFFTMPI", (), {"__init__": lambda self, *shape: None})
        for part in ("fluidfft", "fluidfft.fft3d"):
            monkeypatch.setitem(sys.modules, part, types.ModuleType(part))
        monkeypatch.setitem(sys.modules, "fluidfft.fft3d.base", base)
        made = importlib.import_module(name).FFTclass
        monkeypatch.delitem(sys.modules, name)
        return made


def test_method(comm, rng, method):
    operators = method(9, 8, 10)
    whole = rng.standard_normal((9, 8, 10))
    starts, shape = operators.get_seq_indices_first_X(), operators.get_shapeX_loc()
    field = operators.create_arrayX()
    field[...] = whole[tuple(slice(a, a + n) for a, n in zip(starts, shape, strict=True))]
    exact = np.fft.rfftn(whole, norm="forward")
    assert exact.shape == operators.get_shapeK_seq() and whole.shape == operators.get_shapeX_seq()
    starts, shape = operators.get_seq_indices_first_K(), operators.get_shapeK_loc()
    mine = exact[tuple(slice(a, a + n) for a, n in zip(starts, shape, strict=True))]
    spectrum = operators.create_arrayK(value=0)
    operators.fft_as_arg(field, spectrum)
    assert np.allclose(spectrum, mine, atol=1e-14) and np.allclose(operators.fft(field), mine, atol=1e-14)
    assert spectrum.flags.c_contiguous and comm.allreduce(spectrum.size) == exact.size
    back = operators.create_arrayX(value=0)
    operators.ifft_as_arg(spectrum, back)
    assert np.allclose(back, field) and np.allclose(operators.ifft(spectrum), field)
    assert operators.get_dimX_K() == (0, 1, 2) and operators.create_arrayX(shape="seq").shape == whole.shape


def test_it_is_announced():
    try:
        importlib.metadata.distribution("shardfft")
    except importlib.metadata.PackageNotFoundError:
        pytest.skip("the package is not installed")
    found = {point.name: point.value for point in importlib.metadata.entry_points(group="fluidfft.plugins")}
    assert found["fft3d.mpi_with_shardfft"] == "shardfft.compat.fluidfft"
