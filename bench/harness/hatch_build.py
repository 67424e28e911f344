"""Puts the repository's experiments, launchers, schemas and machines into the package if they lie beside it."""

from __future__ import annotations

from pathlib import Path

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

FOLDERS = ["experiments", "launchers", "schema"]


class DataHook(BuildHookInterface):
    """In a source distribution they are in the package already, and nothing is left to do."""

    def initialize(self, version: str, build_data: dict) -> None:
        bench = Path(self.root).parent
        for beside in (*(bench / name for name in FOLDERS), bench.parent / "sim" / "machines"):
            if beside.is_dir():
                build_data["force_include"][str(beside)] = f"shardfft_bench/data/{beside.name}"
