"""Result files: JSON lines, appended record by record, readable after any interruption."""

from __future__ import annotations

import difflib
import functools
import json
import os
import warnings
from pathlib import Path

import jsonschema

from .data import folder
from .errors import BenchError

FILE = "results.jsonl"


@functools.cache
def validator(name: str) -> jsonschema.Draft202012Validator:
    """Of the schema `record` or `experiment`."""
    schema = json.loads((folder("schema") / f"{name}.schema.json").read_text(encoding="utf-8"))
    return jsonschema.Draft202012Validator(schema)


def _first(errors) -> str:
    error = jsonschema.exceptions.best_match(errors)
    if not error:
        return ""
    where = error.json_path.removeprefix("$").removeprefix(".")
    return f"{where}: {error.message[:200]}{_meant(error)}" if where else error.message[:200] + _meant(error)


def _meant(error: jsonschema.ValidationError) -> str:
    """A known word that is close to the unknown one."""
    if error.validator == "additionalProperties":
        known = list(error.schema.get("properties", {}))
        words = [word for word in error.instance if word not in known]
    elif error.validator == "enum":
        known, words = error.validator_value, [error.instance]
    else:
        return ""
    close = [difflib.get_close_matches(str(word), [str(one) for one in known], 1) for word in words]
    return f"; did you mean '{close[0][0]}'?" if close and close[0] else ""


def fault(record: object, schema: str = "record") -> str:
    """What the schema has against the record; empty when nothing."""
    return _first(validator(schema).iter_errors(record))


def case_fault(case: dict) -> str:
    """What the schema has against a case; empty when nothing."""
    records = validator("record")
    return _first(records.evolve(schema={**records.schema["$defs"]["case"]}).iter_errors(case))


def files_of(path: str | Path) -> list[Path]:
    """A results file itself, the one in a folder, or those of its folders: a committed set has one an experiment."""
    path = Path(path)
    if not path.is_dir():
        return [path]
    found = [path / FILE] if (path / FILE).exists() else sorted(path.glob(f"*/{FILE}"))
    if not found:
        raise BenchError(f"{path} holds no {FILE}, nor do its folders")
    return found


def load(path: str | Path) -> list[dict]:
    """All good records. Lines cut short or against the schema are left out with a warning that names them."""
    return [record for file in files_of(path) for record in _load(file)]


def _no_number(text: str) -> None:
    raise ValueError(text)  # NaN and infinities are no JSON


def _load(file: Path) -> list[dict]:
    try:
        lines = file.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError as error:
        raise BenchError(f"cannot read {file}: {error.strerror}") from error
    records = []
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            record = json.loads(line, parse_constant=_no_number)
            problem = fault(record)
        except (ValueError, RecursionError):
            problem = "cut short or not JSON"
        if problem:
            warnings.warn(f"{file}:{number} is left out: {problem}", stacklevel=2)
        else:
            records.append(record)
    return records


def append(path: Path, record: dict) -> None:
    """Adds one line and makes sure it is on the disk. Starts a new line where the last one was cut short."""
    text = json.dumps(record, separators=(",", ":"), allow_nan=False) + "\n"
    try:
        with path.open("ab+") as file:
            if file.tell() > 0:
                file.seek(-1, os.SEEK_END)
                if file.read(1) != b"\n":
                    text = "\n" + text
            file.write(text.encode())
            file.flush()
            os.fsync(file.fileno())
    except OSError as error:
        raise BenchError(f"cannot write {path}: {error.strerror}; what was measured before is kept") from error
