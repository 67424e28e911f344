"""The examples in docstrings say the truth, on any number of ranks."""

import doctest
import importlib
import pkgutil

import pytest

import shardfft
from shardfft.compat import mpi4py_fft

MODULES = ["shardfft", *(found.name for found in pkgutil.walk_packages(shardfft.__path__, "shardfft."))]


def examples():
    """Each example once, in its own docstring."""
    found = {}
    for name in MODULES:
        if name in ("shardfft.__main__", "shardfft._core", "shardfft.compat.fluidfft"):
            continue
        # Only if PyTorch and JAX are installed, which tests/python/frameworks says aloud.
        if name.rpartition(".")[2].split("_")[0] in ("torch", "jax"):
            continue
        for test in doctest.DocTestFinder(exclude_empty=True).find(importlib.import_module(name)):
            if test.examples:
                found[test.docstring] = test
    return list(found.values())


@pytest.mark.parametrize("example", examples(), ids=lambda test: test.name)
def test_example(comm, example):
    runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE)
    text = []
    runner.run(example, out=text.append, clear_globs=True)
    assert runner.failures == 0, "".join(text)


def test_public_names_have_examples():
    names = [name for name in shardfft.__all__ if not name.endswith("_names")]  # those list names, and take nothing
    known = [getattr(shardfft, name) for name in names]
    known += [getattr(shardfft.fft, name) for name in shardfft.fft.__all__ if name not in ("fftfreq", "rfftfreq")]
    known += [getattr(mpi4py_fft, name) for name in mpi4py_fft.__all__]
    without = [one.__name__ for one in known if ">>>" not in (one.__doc__ or "")]
    assert without == [mpi4py_fft.fftw.__name__]  # names of transforms
