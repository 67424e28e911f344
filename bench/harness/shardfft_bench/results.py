"""Result files: JSON lines, appended record by record, readable after any interruption."""

from __future__ import annotations

import json
import os
import warnings
from pathlib import Path

import jsonschema

from .data import folder
from .errors import BenchError

FILE = "results.jsonl"
_validator = None


def validator() -> jsonschema.Draft202012Validator:
    global _validator
    if _validator is None:
        schema = json.loads((folder("schema") / "record.schema.json").read_text(encoding="utf-8"))
        _validator = jsonschema.Draft202012Validator(schema)
    return _validator


def fault(record: object) -> str:
    """What the schema has against the record; empty when nothing."""
    error = jsonschema.exceptions.best_match(validator().iter_errors(record))
    return f"{error.json_path}: {error.message[:200]}" if error else ""


def case_fault(case: dict) -> str:
    """What the schema has against a case; empty when nothing."""
    told = validator().evolve(schema={**validator().schema["$defs"]["case"]}).iter_errors(case)
    error = jsonschema.exceptions.best_match(told)
    return f"{error.json_path.removeprefix('$.')}: {error.message[:200]}" if error else ""


def file_of(path: str | Path) -> Path:
    """A results file itself, or the one in a folder."""
    path = Path(path)
    return path / FILE if path.is_dir() else path


def load(path: str | Path) -> list[dict]:
    """All good records. Lines cut short or against the schema are left out with a warning that names them."""
    file = file_of(path)
    try:
        lines = file.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError as error:
        raise BenchError(f"cannot read {file}: {error.strerror}") from error
    records = []
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            record = json.loads(line)
            problem = fault(record)
        except json.JSONDecodeError:
            problem = "cut short or not JSON"
        if problem:
            warnings.warn(f"{file}:{number} is left out: {problem}", stacklevel=2)
        else:
            records.append(record)
    return records


def append(path: Path, record: dict) -> None:
    """Adds one line and makes sure it is on the disk. Starts a new line where the last one was cut short."""
    text = json.dumps(record, separators=(",", ":"), allow_nan=False) + "\n"
    with path.open("ab+") as file:
        if file.tell() > 0:
            file.seek(-1, os.SEEK_END)
            if file.read(1) != b"\n":
                text = "\n" + text
        file.write(text.encode())
        file.flush()
        os.fsync(file.fileno())
