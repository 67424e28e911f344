"""Tests of GPU arrays; those with fake devices need the package over the stand-in (tests/python/CMakeLists.txt)."""

from pathlib import Path

import pytest

from shardfft import _core

HERE = Path(__file__).parent


def pytest_collection_modifyitems(items):
    support = _core.gpu_support()
    for item in items:
        if HERE not in item.path.parents:
            continue
        if not support:
            item.add_marker(pytest.mark.skip(reason="this build of shardfft has no GPU support"))
        elif "standin" in item.keywords and not support.startswith("stand-in"):
            item.add_marker(pytest.mark.skip(reason="needs the stand-in, not a GPU"))


def pytest_configure(config):
    config.addinivalue_line("markers", "standin: needs the fake devices of the stand-in")


@pytest.fixture
def whole(rng):
    """Make the same random array on all ranks."""

    def make(shape, dtype="complex128"):
        x = rng.standard_normal(shape) + 1j * rng.standard_normal(shape)
        return (x if dtype.startswith("complex") else x.real).astype(dtype)

    return make
