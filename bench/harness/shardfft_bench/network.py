"""Simulated networks: a network namespace a host, joined by a bridge, with tc's limits on every link.

Each namespace is a host of its own to MPI: it has its own name and address, and nothing is shared but the disk. Nothing
of it is left behind: a network is removed on every way out, and that of a killed process by the next one.
"""

from __future__ import annotations

import contextlib
import os
import re
import shlex
import signal
import subprocess
import time
from pathlib import Path

from .errors import BenchError

KEYS = {"name", "rate", "latency", "ranks_per_host"}
PREFIX = "shardfft"
UNITS = {"kbit": 1e3, "mbit": 1e6, "gbit": 1e9}


class NetworkRefusedError(Exception):
    """This machine does not let us make the network; the text names the step that failed, with its message."""


def check(network: object) -> dict:
    """A network of an experiment: {name, rate: 1gbit, latency: 50us, ranks_per_host: 2}; without rate and latency, the
    plain machine."""
    if not isinstance(network, dict) or not network.get("name") or set(network) - KEYS:
        raise BenchError(f"a network has a name, and a rate or a latency or neither; got {network}")
    rate, latency = str(network.get("rate", "1gbit")), str(network.get("latency", "0us"))
    if not re.fullmatch(r"\d+(\.\d+)?(kbit|mbit|gbit)", rate):
        raise BenchError(f"network '{network['name']}': '{rate}' is not a rate like 1gbit or 500mbit")
    if not re.fullmatch(r"\d+(\.\d+)?(us|ms)", latency):
        raise BenchError(f"network '{network['name']}': '{latency}' is not a latency like 50us or 1ms")
    together = network.get("ranks_per_host", 1)
    if not isinstance(together, int) or together < 1:
        raise BenchError(f"network '{network['name']}': '{together}' is not a number of ranks on each host")
    return network


def simulated(network: dict | None) -> bool:
    return bool(network) and ("rate" in network or "latency" in network)


@contextlib.contextmanager
def _undisturbed():
    """Interrupts wait: nobody would remove the things that an interrupted command goes on to make.

    The mask is for the command, which inherits it. Other threads of this process, a library's, may still take the
    signal: the handlers keep it until the command is done.
    """
    came: list[int] = []
    waiting = {signal.SIGINT, signal.SIGTERM}
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, waiting)
    handlers = {one: signal.signal(one, lambda number, _: came.append(number)) for one in waiting}
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        for one, handler in handlers.items():
            signal.signal(one, handler)
        for number in came:
            signal.raise_signal(number)


@_undisturbed()
def _do(command: list[str]) -> str:
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True, timeout=30).stdout
    except FileNotFoundError as error:
        raise NetworkRefusedError(f"the command '{command[0]}' is not installed") from error
    except subprocess.TimeoutExpired as error:
        raise NetworkRefusedError(f"'{shlex.join(command)}' did not end") from error
    except subprocess.CalledProcessError as error:
        said = (error.stderr or error.stdout or "").strip().splitlines()
        raise NetworkRefusedError(f"'{shlex.join(command)}' failed: {said[0] if said else error.returncode}") from error


def _burst(rate: str) -> int:
    """Bytes that may leave at once: the largest segment, or 0.1 ms of the rate; more would let messages slip by."""
    number, unit = re.fullmatch(r"([\d.]+)(\w+)", rate).groups()
    return max(80 * 1024, int(float(number) * UNITS[unit] / 8 * 1e-4))


class Hosts:
    """Context manager: namespaces for so many ranks joined by the network, from entry to exit.

    Each has the same number of cores, if there is a core for each host.
    """

    def __init__(self, network: dict, ranks: int, scratch: Path, cores: list[int] | None = None):
        self._network, self._scratch = network, scratch
        self._ranks_per_host = network.get("ranks_per_host", 1)
        count = -(-ranks // self._ranks_per_host)
        share = len(cores or []) // count
        self._cores = [(cores or [])[place * share : (place + 1) * share] for place in range(count)]
        self._names = [f"{PREFIX}{os.getpid()}h{place}" for place in range(count)]
        self._switch = f"{PREFIX}{os.getpid()}s"
        self.addresses = [f"10.77.{place // 250}.{place % 250 + 1}" for place in range(count)]

    def __enter__(self) -> Hosts:
        remove_stale()
        try:
            self._build()
        except BaseException:
            self._remove()
            raise
        return self

    def __exit__(self, *_) -> None:
        self._remove()

    @property
    def slots(self) -> list[str]:
        """The hosts with the number of ranks that each has room for: 10.77.0.1:2."""
        return [f"{address}:{self._ranks_per_host}" for address in self.addresses]

    @property
    def agent(self) -> Path:
        """A program that is called as ssh is: an address and a command to run there."""
        return self._scratch / "agent"

    @property
    def prefix(self) -> list[str]:
        """Words before a command that make it run on the first host."""
        return [str(self.agent), "-", self.addresses[0]]

    def _build(self) -> None:
        _do(["ip", "netns", "add", self._switch])
        _do(["ip", "-n", self._switch, "link", "add", "bridge", "type", "bridge"])
        _do(["ip", "-n", self._switch, "link", "set", "bridge", "up"])
        for place, name in enumerate(self._names):
            port = f"port{place}"
            _do(["ip", "netns", "add", name])
            link = ["link", "add", "wire", "netns", name, "type", "veth", "peer", "name", port, "netns", self._switch]
            _do(["ip", *link])
            _do(["ip", "-n", name, "address", "add", f"{self.addresses[place]}/16", "dev", "wire"])
            for device in ("lo", "wire"):
                _do(["ip", "-n", name, "link", "set", device, "up"])
            _do(["ip", "-n", self._switch, "link", "set", port, "master", "bridge", "up"])
            self._limit(name, "wire", delayed=True)
            self._limit(self._switch, port, delayed=False)
        self._write_agent()

    def _limit(self, namespace: str, device: str, delayed: bool) -> None:
        """Both ends of a link have its rate; the latency of a path is put on the sender's end alone."""
        tc = ["tc", "-n", namespace, "qdisc", "add", "dev", device]
        rate, latency = self._network.get("rate"), self._network.get("latency")
        if rate:
            burst = str(_burst(rate))
            _do([*tc, "root", "handle", "1:", "tbf", "rate", rate, "burst", burst, "latency", "50ms"])
        if latency and delayed:
            _do([*tc, *(["parent", "1:1"] if rate else ["root"]), "netem", "limit", "100000", "delay", latency])

    def _write_agent(self) -> None:
        """`agent ADDRESS COMMAND` as ssh would be called; `agent - ADDRESS WORD...` keeps the words apart."""
        cases = []
        for place, (name, address) in enumerate(zip(self._names, self.addresses)):
            bound = f"taskset -c {','.join(map(str, self._cores[place]))} " if self._cores[place] else ""
            shell = f'unshare --uts {bound}sh -c "$run" host{place} "$@"'
            cases.append(f"{address}) exec ip netns exec {name} {shell} ;;")
        text = "\n".join(
            [
                "#!/bin/sh",
                'if [ "$1" = - ]; then shift; run=\'hostname "$0" && exec "$@"\'',
                'else run=\'hostname "$0" && eval "$*"\'; fi',
                "address=$1; shift",
                'case "$address" in',
                *cases,
                '*) echo "agent: no host $address" >&2; exit 1 ;;',
                "esac",
                "",
            ]
        )
        self.agent.write_text(text, encoding="utf-8")
        self.agent.chmod(0o755)

    @_undisturbed()
    def _remove(self) -> None:
        for name in [*self._names, self._switch]:
            remove(name)


def remove(name: str) -> None:
    """Ends the processes that still run in a namespace of this package, and removes it with its devices."""
    inside = Path("/run/netns") / name
    with contextlib.suppress(NetworkRefusedError, OSError):
        identity = inside.stat().st_ino
        # Without its name nobody begins to enter it; who was about to is waited for.
        _do(["ip", "netns", "delete", name])
        time.sleep(0.05)
        while _end_all_in(identity):
            time.sleep(0.05)


def _end_all_in(identity: int) -> bool:
    """Kills the processes of a network namespace, found by its inode; whether there were any."""
    found = False
    for entry in Path("/proc").glob("[0-9]*/ns/net"):
        with contextlib.suppress(OSError):  # it has ended meanwhile
            if entry.stat().st_ino == identity:
                found = True
                os.kill(int(entry.parts[2]), signal.SIGKILL)
    return found


def remove_stale() -> None:
    """Removes namespaces whose makers have died without doing so."""
    with contextlib.suppress(NetworkRefusedError):
        for line in _do(["ip", "netns", "list"]).splitlines():
            made = re.match(rf"({PREFIX}(\d+)[hs]\d*)\b", line)
            if made and not Path(f"/proc/{made[2]}").exists():
                remove(made[1])
