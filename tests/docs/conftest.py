"""The place in which the commands of the documents run, made once."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent))
from place import INSTALL, Place


@pytest.fixture(scope="session")
def place(tmp_path_factory) -> Place:
    """The scratch folder; skipped where `./run build` has not been run."""
    if not INSTALL.is_dir():
        pytest.skip(f"{INSTALL} is missing: ./run build makes it")
    return Place(tmp_path_factory.mktemp("documents"))
