"""Launchers as templates: how a driver is started on so many ranks, bound or not."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

from .data import folder, load_yaml
from .errors import BenchError
from .network import Hosts, NetworkRefusedError


def cores(cpus: Path = Path("/sys/devices/system/cpu")) -> int:
    """Cores this process may use. The threads of one core count once, as launchers that bind ranks count them."""
    mine = os.sched_getaffinity(0) if hasattr(os, "sched_getaffinity") else range(os.cpu_count() or 1)
    try:
        return len({(cpus / f"cpu{number}/topology/thread_siblings_list").read_text() for number in mine})
    except OSError:
        return len(mine)


def _which_mpirun() -> str:
    """The template that fits the mpirun on the path."""
    if not shutil.which("mpirun"):
        return "mpich" if shutil.which("mpiexec") else "openmpi"
    told = subprocess.run(["mpirun", "--version"], capture_output=True, text=True, check=False, timeout=60).stdout
    return "openmpi" if "Open MPI" in told or "OpenRTE" in told else "mpich"


class Launcher:
    """A template filled in: `command` and `environment` for one start."""

    def __init__(self, name_or_path: str = "auto", available_cores: int | None = None):
        if name_or_path.endswith((".yaml", ".yml")):
            path = Path(name_or_path)
        else:
            name = _which_mpirun() if name_or_path == "auto" else name_or_path
            path = folder("launchers") / f"{name}.yaml"
            if not path.is_file():
                known = ", ".join(sorted(one.stem for one in folder("launchers").glob("*.yaml")))
                raise BenchError(f"unknown launcher '{name}'; known: {known}")
        self.name = path.stem
        self._template = load_yaml(path)
        if not self._template.get("command"):
            raise BenchError(f"{path}: a launcher needs a command")
        for part in ("command", "on_hosts", "set_variable", "when_fits", "when_oversubscribed"):
            if not isinstance(self._template.get(part, []), list):
                raise BenchError(f"{path}: {part} is not a list of words")
        if not isinstance(self._template.get("settings", {}), dict):
            raise BenchError(f"{path}: settings is no mapping")
        self._cores = available_cores or cores()

    def require(self, ranks: int) -> None:
        """Raises BenchError when the launcher is not installed, or not made for so many ranks."""
        program = str(self._template["command"][0])
        if not shutil.which(program):
            raise BenchError(f"the launcher '{program}' is not on the path; --launcher names another")
        most = self._template.get("most_ranks_a_core")
        if most and ranks > most * self._cores:
            raise BenchError(
                f"{ranks} ranks are too many for {self._cores} cores: the launcher '{self.name}' starts at most {most} "
                "a core; a launcher file of your own may start more"
            )

    def settings(self, asked: dict[str, str]) -> dict[str, str]:
        """The variables of the MPI library for settings that an experiment names by words; BenchError for others."""
        variables = {}
        for name, value in asked.items():
            known = self._template.get("settings", {}).get(name, {})
            if value not in known:
                raise BenchError(f"the launcher '{self.name}' does not know how to set {name} to {value}")
            variables.update({key: str(text) for key, text in known[value].items()})
        return variables

    def start(
        self, ranks: int, threads: int, driver: list[str], variables: dict[str, str], hosts: Hosts | None = None
    ) -> tuple[list, dict]:
        """The command line and the environment that run `driver` on `ranks` ranks of `threads` threads.

        On the hosts of a simulated network: the first ranks on the first host.
        """
        values = {"ranks": ranks, "threads": threads, "mpi": os.environ.get("SLURM_MPI_TYPE", "pmix")}
        variables = {"OMP_NUM_THREADS": str(threads), **variables}
        environment = {**os.environ, **variables}
        if hasattr(os, "geteuid") and os.geteuid() == 0:
            as_root = self._template.get("environment_as_root", {})
            environment.update({name: str(value) for name, value in as_root.items()})
        command = self._fill("command", values)
        if hosts:
            if not self._template.get("on_hosts"):
                raise NetworkRefusedError(f"the launcher '{self.name}' has no way to place ranks on hosts (on_hosts)")
            values = {"hosts": ",".join(hosts.slots), "agent": hosts.agent}
            command = hosts.prefix + command + self._fill("on_hosts", values)
        else:
            command += self._fill("when_fits" if ranks * threads <= self._cores else "when_oversubscribed", values)
        for name, value in variables.items():
            command += self._fill("set_variable", {"name": name, "value": value})
        return command + driver, environment

    def _fill(self, part: str, values: dict) -> list[str]:
        try:
            return [str(word).format(**values) for word in self._template.get(part, [])]
        except (KeyError, IndexError, ValueError) as error:
            known = ", ".join(f"{{{value}}}" for value in values)
            raise BenchError(f"the launcher '{self.name}': {part} may say {known} and no other placeholder") from error
