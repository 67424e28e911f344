"""``shardfft wisdom``: show, merge and prune files of ways that were measured."""

from __future__ import annotations

import argparse
import calendar
import json
import os
import sys
import time
from pathlib import Path
from typing import Any

from .. import _core
from .._ground import mpi
from .tune import timed

_DAY = 86400.0


def words(parser: argparse.ArgumentParser) -> None:
    """Describe the command."""
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    show = actions.add_parser("show", help="list the entries of a file")
    show.add_argument("file", nargs="?", default="", help="(the file that plans here read)")
    show.add_argument("--json", action="store_true", help="the file itself")
    merge = actions.add_parser("merge", help="add the entries of files to another one")
    merge.add_argument("files", nargs="+", metavar="file")
    merge.add_argument("--to", default="", metavar="FILE", help="(the file that plans here read)")
    prune = actions.add_parser("prune", help="take out entries of other versions of the library, and damaged ones")
    prune.add_argument("file", nargs="?", default="", help="(the file that plans here read)")
    prune.add_argument("--days", type=float, metavar="N", help="also those that were measured before so many days")


def _path(said: str) -> Path:
    found = said or _core.wisdom_path()
    if not found:
        raise ValueError("no file is named, and plans here read none")
    return Path(found)


def _read(path: Path) -> dict[str, Any]:
    """Read a file of wisdom, damaged entries too."""
    if not path.exists():
        raise ValueError(f"there is no file {path}")
    text = path.read_text()
    try:
        found = json.loads(text)
        if not str(found["format"]).startswith("shardfft wisdom") or not isinstance(found["entries"], list):
            raise KeyError
    except (ValueError, KeyError, TypeError):
        raise ValueError(f"{path} is no file of wisdom") from None
    if found["format"] != json.loads(_core.export_wisdom())["format"]:
        raise ValueError(f"{path} is of another version: {found['format']}")
    return found


def _is_whole(entry: Any) -> bool:
    texts = ("machine", "problem", "versions", "way", "effort", "date")
    return isinstance(entry, dict) and all(isinstance(entry.get(name), str) for name in texts)


def _is_current(entry: dict[str, Any]) -> bool:
    this = f"shardfft {sys.modules['shardfft'].__version__}"
    return bool(entry["versions"].split(";")[0] == entry["way"].split(";")[0] == this)


def _age(entry: dict[str, Any]) -> float:
    """Give the days since an entry was measured; those of dates that cannot be read are past counting."""
    try:
        then = calendar.timegm(time.strptime(entry["date"], "%Y-%m-%dT%H:%M:%SZ"))
    except ValueError:
        return float("inf")
    return (time.time() - then) / _DAY


def _show(path: Path) -> None:
    found = _read(path)
    print(f"{path}: {len(found['entries'])} entries")
    for entry in found["entries"]:
        if not _is_whole(entry):
            print("  damaged")
            continue
        seconds = float(entry.get("seconds") or 0)
        way = timed(entry["way"], seconds)
        problem, _, rest = entry["problem"].partition(" input=")
        hosts = rest.rpartition(" hosts=")[2] if " hosts=" in rest else "one process"
        took = f"{seconds * 1e3:.3f} ms" if seconds else "not timed"
        note = "" if _is_current(entry) else f", of {entry['versions'].split(';')[0]}: not used"
        print(f"  {problem} hosts={hosts}: {way.algorithm}, {way.exchange}, chunks {way.chunks}, {took}, "
              f"{entry['effort']}, {entry['date'][:10]}{note}")  # fmt: skip
        print(f"    {entry['machine']}")


def _prune(path: Path, days: float | None) -> None:
    before = _read(path)
    kept = [e for e in before["entries"] if _is_whole(e) and _is_current(e) and (days is None or _age(e) <= days)]
    lines = ",\n".join(json.dumps(entry, ensure_ascii=False, separators=(",", ":")) for entry in kept)
    aside = path.with_name(f"{path.name}.{os.getpid()}")
    aside.write_text(f'{{"format":{json.dumps(before["format"])},"entries":[\n{lines}\n]}}\n')
    os.replace(aside, path)
    print(f"{path}: {len(before['entries']) - len(kept)} of {len(before['entries'])} entries taken out")


def run(chosen: argparse.Namespace) -> int:
    """Run the command on rank 0; return the exit status."""
    comm = mpi.communicator(None)

    def act() -> None:
        if comm.rank > 0:
            return
        if chosen.action == "show":
            print(_path(chosen.file).read_text(), end="") if chosen.json else _show(_path(chosen.file))
        elif chosen.action == "merge":
            to = _path(chosen.to)
            for file in chosen.files:
                _read(Path(file))
            for file in chosen.files:
                _core.keep_wisdom(Path(file).read_text(), chosen.to)
            print(f"{to}: {len(_read(to)['entries'])} entries")
        else:
            _prune(_path(chosen.file), chosen.days)

    mpi.agree(comm, act)
    return 0
