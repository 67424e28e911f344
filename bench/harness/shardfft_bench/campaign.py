"""A campaign: all runs of an experiment, interleaved, each record kept at once; an interrupted one resumes."""

from __future__ import annotations

import contextlib
import fcntl
import json
import math
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from . import __version__, results
from .errors import BenchError
from .execute import execute, variant_folder
from .experiments import Run
from .launch import Launcher
from .libraries import Library
from .statistics import summary


def revision() -> str:
    """Git revision of the repository this package is a part of, with '+' when it has local changes, or its version."""
    file = Path(__file__).resolve()
    here = file.parent
    try:
        # An installed package may lie in a repository of something else.
        subprocess.run(["git", "ls-files", "--error-unmatch", file.name], cwd=here, capture_output=True, check=True)
        head = subprocess.run(
            ["git", "rev-parse", "HEAD"], cwd=here, capture_output=True, text=True, check=True
        ).stdout.strip()
        dirty = subprocess.run(
            ["git", "status", "--porcelain", "-uno"], cwd=here, capture_output=True, text=True, check=True
        ).stdout.strip()
        return head + ("+" if dirty else "")
    except (OSError, subprocess.CalledProcessError):
        return f"shardfft-bench {__version__}"


def finished(records: list[dict], retry_failed: bool, libraries: dict[str, Library]) -> set[str]:
    """Keys of the runs that need not be repeated. Runs of a missing library are to be done once it is found."""

    def final(record: dict) -> bool:
        if record["status"] == "missing":
            found = record["library"] in libraries and libraries[record["library"]].found
            return not found or ("variant" in record and not variant_folder(record["variant"]))
        return not retry_failed or record["status"] in {"ok", "unsupported"}

    return {record["key"] for record in records if final(record)}


def statuses(runs: list[Run], into: Path) -> set[str]:
    """How the runs ended that a set holds, each the last time it was run."""
    last = {record["key"]: record["status"] for record in results.load(into)}
    return {last[run.key] for run in runs if run.key in last}


class Progress:
    """A bar on a terminal, a line a run elsewhere."""

    def __init__(self, total: int, done: int):
        self._total, self._done, self._bar = total, done, None
        if sys.stderr.isatty():
            with contextlib.suppress(ImportError):
                from rich.console import Console
                from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
                from rich.progress import Progress as Bar

                self._bar = Bar(
                    TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn(),
                    console=Console(stderr=True),
                )  # fmt: skip
                self._task = self._bar.add_task("", total=total, completed=done)

    def __enter__(self):
        if self._bar:
            self._bar.start()
        return self

    def __exit__(self, *_):
        if self._bar:
            self._bar.stop()

    def say(self, text: str) -> None:
        if self._bar:
            self._bar.console.print(text, highlight=False, markup=False)
        else:
            print(text, file=sys.stderr, flush=True)

    def begin(self, run: Run) -> None:
        if self._bar:
            self._bar.update(self._task, description=title(run))

    def end(self, run: Run, record: dict) -> None:
        self.leave_out(run, outcome(record))

    def leave_out(self, run: Run, why: str) -> None:
        self._done += 1
        if self._bar:
            self._bar.update(self._task, completed=self._done)
        self.say(f"[{self._done}/{self._total}] {title(run)}: {why}")


def title(run: Run) -> str:
    shape = "x".join(str(n) for n in run.case["shape"])
    threads = run.case.get("threads", 1)
    words = [run.label, shape, run.case.get("kind", "c2c"), run.case.get("layout", "slab")]
    words.append(f"{run.ranks} rank" + ("s" if run.ranks > 1 else ""))
    if threads > 1:
        words.append(f"{threads} threads")
    if run.network:
        words.append(f"on {run.network['name']}")
    return " ".join([*words, f"round {run.round + 1}"])


def outcome(record: dict) -> str:
    if record["status"] != "ok":
        return f"{record['status']}: {record.get('reason', '')}"
    return f"median {summary(record['samples'])['median'] * 1e3:.3f} ms"


def complete(record: dict, run: Run, experiment: str, git: str) -> dict:
    """Adds the facts that only the harness knows, and turns a record that breaks the schema into a named failure."""
    facts = {
        "schema": 1, "key": run.key, "experiment": experiment, "library": run.library, "label": run.label,
        "point": run.point, "round": run.round, "revision": git,
    }  # fmt: skip
    facts.update({name: said for name, said in (("mpi", run.mpi), ("variant", run.variant)) if said})
    record = {"case": run.case, "ranks": run.ranks, **record, **facts}
    problem = results.fault(record)
    if not problem:
        return record
    kept = {"case": run.case, "ranks": run.ranks, "version": str(record.get("version", "unknown")), **facts}
    return {**kept, "status": "invalid", "reason": f"the driver's record breaks the schema: {problem}"}


def carry_out(
    runs: list[Run],
    libraries: dict[str, Library],
    launcher: Launcher,
    into: Path,
    experiment: dict,
    retry_failed: bool = False,
) -> dict[str, int]:
    """Runs all that is not done yet; returns the number of runs by outcome."""
    into.mkdir(parents=True, exist_ok=True)
    file = into / results.FILE
    with alone(file):
        (into / "experiment.json").write_text(json.dumps(experiment, indent=1), encoding="utf-8")
        return _carry_out(runs, libraries, launcher, file, experiment["name"], retry_failed)


@contextlib.contextmanager
def alone(file: Path):
    """Keeps a second campaign from the same file: both would run the same work, and each would disturb the other."""
    with file.open("ab") as handle:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise BenchError(f"another run is writing into {file.parent}; --into names another folder") from error
        yield


def _carry_out(
    runs: list[Run], libraries: dict[str, Library], launcher: Launcher, file: Path, name: str, retry_failed: bool
) -> dict[str, int]:
    kept = results.load(file.parent)
    done = finished(kept, retry_failed, libraries)
    todo = [run for run in runs if run.key not in done]
    counts: dict[str, int] = {}
    git = revision()
    scratch = Path(tempfile.mkdtemp(prefix="shardfft-bench-"))
    try:
        with Progress(len(runs), len(runs) - len(todo)) as progress:
            if done and len(todo) < len(runs):
                progress.say(f"resuming: {len(runs) - len(todo)} of {len(runs)} runs are done")
            for run in todo:
                if run.search and spent(run, kept) >= run.budget:
                    progress.leave_out(run, f"the search has had its {run.budget:g} s")
                    continue
                progress.begin(run)
                record = _record(run, libraries[run.library], launcher, scratch, kept)
                record.setdefault("started", time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()))
                record = complete(record, run, name, git)
                results.append(file, record)
                kept.append(record)
                counts[record["status"]] = counts.get(record["status"], 0) + 1
                progress.end(run, record)
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
    return counts


def _record(run: Run, library: Library, launcher: Launcher, scratch: Path, kept: list[dict]) -> dict:
    """The record of the run's driver, or the reason why it was not started."""
    if not library.found:
        return {"status": "missing", "reason": library.missing, "version": "not found"}
    search = choose(run, kept) if run.candidates else {}
    if run.candidates and not search:
        reason = "no setting of the search could be run"
        return {"status": "unsupported", "reason": reason, "version": library.facts.get("version", "not found")}
    record = execute(run, library, launcher, scratch)
    return {**record, "search": search} if search else record


def _of_search(one: Run, records: list[dict]) -> list[dict]:
    """The records of the search that the run belongs to, or whose fastest setting it is."""
    search = one.search or one.candidates[0].search
    return [
        record
        for record in records
        if record["library"] == one.library
        and record["point"] == one.point
        and record["round"] == 0
        and record["label"].startswith(f"{search} [")
    ]


def spent(run: Run, records: list[dict]) -> float:
    """Seconds that the run's search has taken, with the starts of processes."""
    return sum(record.get("launch", {}).get("wall_seconds", 0) for record in _of_search(run, records))


def choose(run: Run, records: list[dict]) -> dict:
    """Gives the run the setting of its candidates that was fastest in the first round; returns its search.

    Empty when none could be run there.
    """
    of_search = _of_search(run, records)
    good = {record["label"]: summary(record["samples"])["median"] for record in of_search if record["status"] == "ok"}
    known = [one for one in run.candidates if one.label in good]
    if not known:
        return {}
    run.fixed_key = run.key  # the planned runs have not changed
    best = min(known, key=lambda one: good[one.label])
    run.case, run.environment, run.mpi, run.variant = best.case, best.environment, best.mpi, best.variant
    tried = len({record["label"] for record in of_search})
    told = {"setting": best.label, "settings": len(run.candidates), "tried": tried, "seconds": spent(run, records)}
    return told if math.isinf(best.budget) else {**told, "budget_seconds": best.budget}


def require_known(runs: list[Run], libraries: dict[str, Library]) -> None:
    unknown = sorted({run.library for run in runs} - set(libraries))
    if unknown:
        names, known = ", ".join(f"'{name}'" for name in unknown), ", ".join(sorted(libraries))
        kind = "unknown library" if len(unknown) == 1 else "unknown libraries"
        raise BenchError(f"{kind} {names}; known: {known}. --drivers names the bin folder of another build of bench/")
