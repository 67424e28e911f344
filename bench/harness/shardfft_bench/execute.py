"""Runs one driver as its own process group with a time limit, and turns any outcome into a record."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import time
from pathlib import Path

from . import single_copy
from .errors import BenchError
from .experiments import Run
from .launch import Launcher
from .libraries import Library
from .network import Hosts, NetworkRefusedError, simulated

TAIL = 2000  # characters of a failed driver's output kept in its record


def _end(process: subprocess.Popen) -> None:
    """Ends the launcher with its ranks: politely, then by force."""
    for signal_, patience in ((signal.SIGTERM, 10), (signal.SIGKILL, 10)):
        try:
            os.killpg(process.pid, signal_)
            process.wait(patience)
        except ProcessLookupError:
            return
        except subprocess.TimeoutExpired:
            continue


def _reason(log: str, code: int) -> str:
    said = [line for line in log.splitlines() if line.startswith("bench-error:")]
    if said:
        return said[0].split("bench-error:")[1].strip()  # ranks may write into each other's lines
    if code < 0:
        return f"ended by signal {signal.Signals(-code).name}"
    for line in log.splitlines():
        if "exited on signal" in line:
            return line.strip()
    words = next((line.strip() for line in log.splitlines() if line.strip(" -")), "")
    return f"exit code {code} without a record" + (f"; it said '{words[:200]}'" if words else "")


def _read(path: Path) -> dict | None:
    try:
        lines = path.read_text(encoding="utf-8").strip().splitlines()
        record = json.loads(lines[-1])
        return record if isinstance(record, dict) else None
    except (OSError, IndexError, json.JSONDecodeError, UnicodeDecodeError):
        return None


def _shown(command: list[str], private: list[str]) -> list[str]:
    """The command without the folders of this machine: driver, record and preloaded libraries by their names."""
    shown = [Path(word).name if word in private else word for word in command]
    shown = [re.sub(r"LD_PRELOAD=\S*/", "LD_PRELOAD=", word) for word in shown]
    return [re.sub(r"((?:LD_LIBRARY_)?PATH|OPAL_PREFIX)=.*", r"\1=...", word) for word in shown]


def variant_folder(name: str) -> Path | None:
    """A build of a rival with other flags or of another version: its folder, if SHARDFFT_BENCH_VARIANTS holds it."""
    root = os.environ.get("SHARDFFT_BENCH_VARIANTS", "")
    found = Path(root).resolve() / name
    return found if root and (found / "lib").is_dir() else None


def _of_variant(name: str) -> dict[str, str]:
    """Variables by which loader and shell find the variant's libraries and programs before all others."""
    folder = variant_folder(name)
    first = {"LD_LIBRARY_PATH": folder / "lib", **({"PATH": folder / "bin"} if (folder / "bin").is_dir() else {})}
    variables = {key: ":".join(filter(None, [str(one), os.environ.get(key, "")])) for key, one in first.items()}
    return {**variables, **({"OPAL_PREFIX": str(folder)} if (folder / "bin" / "ompi_info").exists() else {})}


def refusal(run: Run, launcher: Launcher) -> dict | None:
    """The record of a run whose settings cannot be had here."""
    if run.variant and not variant_folder(run.variant):
        reason = f"SHARDFFT_BENCH_VARIANTS has no folder {run.variant} with a folder lib; see docs/bench.md"
        return {"status": "missing", "reason": reason, "version": "not found"}
    try:
        launcher.settings(run.mpi)
    except BenchError as error:
        return {"status": "unsupported", "reason": str(error), "version": "not started"}
    return None


def variables_of(run: Run, launcher: Launcher) -> dict[str, str]:
    """The variables that the run's settings add to the environment."""
    return {**launcher.settings(run.mpi), **(_of_variant(run.variant) if run.variant else {}), **run.environment}


def execute(run: Run, library: Library, launcher: Launcher, scratch: Path) -> dict:
    """The record of the run: the driver's own, or one that says how it failed."""
    refused = refusal(run, launcher)
    if refused:
        return refused
    if not simulated(run.network):
        return _execute(run, library, launcher, scratch, None)
    try:
        with Hosts(run.network, run.ranks, scratch, sorted(os.sched_getaffinity(0))) as hosts:
            return _execute(run, library, launcher, scratch, hosts)
    except NetworkRefusedError as error:
        reason = f"the network '{run.network['name']}' cannot be made here: {error}"
        return {"status": "unsupported", "reason": reason, "version": library.facts.get("version", "unknown")}


def _execute(run: Run, library: Library, launcher: Launcher, scratch: Path, hosts: Hosts | None) -> dict:
    record_path, log_path = scratch / f"{run.key}.json", scratch / f"{run.key}.log"
    record_path.unlink(missing_ok=True)
    driver = [*library.command, json.dumps(run.case, separators=(",", ":")), str(record_path)]
    variables = variables_of(run, launcher)
    if run.case.get("profile") and library.profile:
        variables["LD_PRELOAD"] = ":".join(filter(None, [library.profile, variables.get("LD_PRELOAD", "")]))
    command, environment = launcher.start(run.ranks, run.case.get("threads", 1), driver, variables, hosts)
    if any("LD_PRELOAD" in str(word) for word in command):
        environment.pop("LD_PRELOAD", None)  # for the ranks, not for the launcher
    # Python drivers must find this package from the scratch folder, in which libraries may leave files of their own.
    here = str(Path(__file__).resolve().parents[1])
    environment["PYTHONPATH"] = os.pathsep.join(filter(None, [here, environment.get("PYTHONPATH", "")]))
    load = os.getloadavg()[0]
    began = time.monotonic()
    hung = False
    with log_path.open("wb") as log:
        process = subprocess.Popen(
            command, stdout=log, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, env=environment,
            start_new_session=True,
            cwd=scratch,
        )  # fmt: skip
        try:
            code = process.wait(run.time_limit)
        except subprocess.TimeoutExpired:
            hung, code = True, 0
            _end(process)
        except BaseException:
            _end(process)
            raise
    log_text = log_path.read_text(encoding="utf-8", errors="replace")
    record = _read(record_path)
    if hung:
        record = {"status": "hung", "reason": f"not done after {run.time_limit:g} s"}
    elif record is None:
        record = {"status": "crashed", "reason": _reason(log_text, code)}
    elif code != 0 and record.get("status") == "ok":
        record = {"status": "crashed", "reason": f"after its record: {_reason(log_text, code)}"}
    if record["status"] != "ok":
        record["log"] = log_text[-TAIL:]
    record_path.unlink(missing_ok=True)
    log_path.unlink(missing_ok=True)
    record.pop("command", None)  # the same as the launch's, with folders
    record.setdefault("version", library.facts.get("version", "unknown"))
    private = [library.command[0], str(record_path), library.profile] + ([str(hosts.agent)] if hosts else [])
    record["launch"] = {
        "command": _shown(command, private),
        "wall_seconds": time.monotonic() - began,
        "load_before": load,
    }
    if record["status"] == "ok":
        record["machine"] = {**record.get("machine", {}), **single_copy.state(environment)}
    return record
