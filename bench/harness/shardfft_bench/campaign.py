"""A campaign: all runs of an experiment, interleaved, each kept at once, resumed where it stopped."""

from __future__ import annotations

import contextlib
import fcntl
import json
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from . import __version__, results
from .errors import BenchError
from .execute import execute
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


def finished(file: Path, retry_failed: bool, libraries: dict[str, Library]) -> set[str]:
    """Keys of the runs that need not be repeated. What was missing is to be run once its library is found."""

    def final(record: dict) -> bool:
        if record["status"] == "missing":
            return record["library"] not in libraries or not libraries[record["library"]].found
        return not retry_failed or record["status"] in {"ok", "unsupported"}

    return {record["key"] for record in results.load(file.parent) if final(record)}


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
        self._done += 1
        if self._bar:
            self._bar.update(self._task, completed=self._done)
        self.say(f"[{self._done}/{self._total}] {title(run)}: {outcome(record)}")


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
    """Adds what only the harness knows, and turns a record that breaks the schema into a named failure."""
    facts = {
        "schema": 1, "key": run.key, "experiment": experiment, "library": run.library, "label": run.label,
        "point": run.point, "round": run.round, "revision": git,
    }  # fmt: skip
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
    """Runs what is not done yet; returns how many runs ended how."""
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
    done = finished(file, retry_failed, libraries)
    todo = [run for run in runs if run.key not in done]
    counts: dict[str, int] = {}
    git = revision()
    scratch = Path(tempfile.mkdtemp(prefix="shardfft-bench-"))
    try:
        with Progress(len(runs), len(runs) - len(todo)) as progress:
            if done and len(todo) < len(runs):
                progress.say(f"resuming: {len(runs) - len(todo)} of {len(runs)} runs are done")
            for run in todo:
                progress.begin(run)
                library = libraries[run.library]
                if run.candidates and not choose(run, file):
                    reason = "no setting of the search could be run"
                    record = {
                        "status": "unsupported",
                        "reason": reason,
                        "version": library.facts.get("version", "not found"),
                    }
                elif library.found:
                    record = execute(run, library, launcher, scratch)
                else:
                    record = {"status": "missing", "reason": library.missing, "version": "not found"}
                record.setdefault("started", time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()))
                record = complete(record, run, name, git)
                results.append(file, record)
                counts[record["status"]] = counts.get(record["status"], 0) + 1
                progress.end(run, record)
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
    return counts


def choose(run: Run, file: Path) -> bool:
    """Gives the run the case of its candidates that was fastest in the first round; whether one was run there."""
    key = run.key
    best = None
    for record in results.load(file):
        same = record["library"] == run.library and record["point"] == run.point and record["round"] == 0
        asked = next((case for case in run.candidates if _asks(record["case"], case)), None) if same else None
        if asked is not None and record["status"] == "ok" and record["label"].endswith("]"):
            median = summary(record["samples"])["median"]
            best = min(best or (median, asked), (median, asked), key=lambda one: one[0])
    if best:
        run.case = best[1]
        run.fixed_key = key  # what was to be run has not changed
    return best is not None


def _asks(said: dict, case: dict) -> bool:
    """Whether a record's case, which has all defaults, is this one."""
    return all(said.get(key) == value for key, value in case.items())


def require_known(runs: list[Run], libraries: dict[str, Library]) -> None:
    unknown = sorted({run.library for run in runs} - set(libraries))
    if unknown:
        names, known = ", ".join(f"'{name}'" for name in unknown), ", ".join(sorted(libraries))
        kind = "unknown library" if len(unknown) == 1 else "unknown libraries"
        raise BenchError(f"{kind} {names}; known: {known}. --drivers names the bin folder of another build of bench/")
