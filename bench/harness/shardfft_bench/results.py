"""Result files: JSON lines, appended record by record, readable after any interruption; packed to be kept."""

from __future__ import annotations

import difflib
import functools
import json
import lzma
import os
import warnings
from pathlib import Path

import jsonschema

from .data import folder
from .errors import BenchError

FILE = "results.jsonl"
XZ = ".xz"  # the end of a packed file's name
SAID_ONCE = ("build", "environment", "layout", "machine")  # of a record: a packed file says each of their values once


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
    """The schema's objections to the record; empty if it has none."""
    return _first(validator(schema).iter_errors(record))


def case_fault(case: dict) -> str:
    """The schema's objections to a case; empty if it has none."""
    records = validator("record")
    return _first(records.evolve(schema={**records.schema["$defs"]["case"]}).iter_errors(case))


def files_of(path: str | Path) -> list[Path]:
    """A results file itself, those in a folder, or those of its folders: a committed set has one an experiment.

    A folder may hold a packed file and a plain one, to which a resumed campaign has added.
    """
    path = Path(path)
    if not path.is_dir():
        return [path]
    found = _plain_or_packed(path) or _plain_or_packed(path, "*/")
    if not found:
        raise BenchError(f"{path} holds no {FILE} or {FILE}{XZ}, nor do its folders")
    return found


def _plain_or_packed(folder: Path, below: str = "") -> list[Path]:
    return sorted([*folder.glob(below + FILE + XZ), *folder.glob(below + FILE)], key=lambda file: file.parts[:-1])


def folders(root: Path, pattern: str) -> list[Path]:
    """The folders below `root` that match the pattern and hold results."""
    return sorted(folder for folder in root.glob(pattern) if _plain_or_packed(folder))


def lines(file: Path) -> list[str]:
    """The lines of a plain or packed file, as they were before it was packed (numbers may be spelled otherwise)."""
    kept, said = _lines_and_said(file)
    return kept if said is None else [json.dumps(_record(line, said), separators=(",", ":")) for line in kept]


def unchecked(file: Path) -> list[dict]:
    """The records of a plain or packed file, without a look at the schema; lines that begin none are left out."""
    kept, said = _lines_and_said(file)
    return [_record(line, said or []) for line in kept if line.startswith("{")]


def _lines_and_said(file: Path) -> tuple[list[str], list | None]:
    """The lines that stand in a file, and the values that a packed one says once."""
    try:
        if file.suffix != XZ:
            return file.read_text(encoding="utf-8", errors="replace").splitlines(), None
        read = lzma.decompress(file.read_bytes()).decode("utf-8", errors="replace").splitlines()
    except OSError as error:
        raise BenchError(f"cannot read {file}: {error.strerror}") from error
    except lzma.LZMAError as error:
        raise BenchError(f"{file} is not what xz writes: {error}") from error
    if not read or not read[0].startswith('{"said_once":'):
        return read, None
    return read[1:], json.loads(read[0])["said_once"]


def _record(line: str, said: list) -> dict:
    record = json.loads(line)
    for key, number in record.pop("said", {}).items() if said else ():
        record[key] = said[number]
    return record


def pack(file: Path) -> Path:
    """Turns a file of lines into `<name>.xz` beside it, checks that it reads the same, and removes the plain one."""
    plain = lines(file)
    said: dict[str, int] = {}
    kept = []
    for line in plain:
        try:
            record = json.loads(line)
        except ValueError:
            break  # a line that was cut short: nothing is said once, and every line stays as it is
        if not isinstance(record, dict) or "schema" not in record:
            break
        once = {}
        for key in SAID_ONCE:
            if key in record:
                once[key] = said.setdefault(json.dumps(record.pop(key)), len(said))
        kept.append(json.dumps({**record, "said": once}, separators=(",", ":")))
    if len(kept) == len(plain) and plain:
        head = json.dumps({"said_once": [json.loads(text) for text in said]}, separators=(",", ":"))
        text = "\n".join([head, *kept]) + "\n"
    else:
        text = file.read_text(encoding="utf-8")
    packed = file.with_name(file.name + XZ)
    packed.write_bytes(lzma.compress(text.encode(), preset=9 | lzma.PRESET_EXTREME))
    again = lines(packed)
    same = len(again) == len(plain) and all(a == b or json.loads(a) == json.loads(b) for a, b in zip(plain, again))
    if not same:
        packed.unlink()
        raise BenchError(f"{file} would not read the same when packed")
    file.unlink()
    return packed


def load(path: str | Path) -> list[dict]:
    """All good records. Lines cut short or against the schema are left out with a warning that names them."""
    return [record for file in files_of(path) for record in _load(file)]


def _no_number(text: str) -> None:
    raise ValueError(text)  # NaN and infinities are no JSON


def _load(file: Path) -> list[dict]:
    records = []
    for number, line in enumerate(lines(file), 1):
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
    """Adds one line and makes sure it is on the disk. Starts a new line if the last one was cut short."""
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
