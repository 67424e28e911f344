"""Whether messages inside a host are copied once or twice: the setting of the MPI library, and the permission of Linux.

Once: the receiver copies straight from the sender's memory, by CMA (`process_vm_readv`). Twice: through shared memory.
"""

from __future__ import annotations

import ctypes
import functools
import os
import shutil
import signal
import subprocess
from pathlib import Path

PR_SET_PTRACER = 0x59616D61
ANY = ctypes.c_ulong(-1)
# Variables that decide it in MPI libraries that do not tell their settings.
OTHERS = ("MPIR_CVAR_CH4_CMA_ENABLE", "MPIR_CVAR_CH4_XPMEM_ENABLE", "I_MPI_SHM", "UCX_TLS")
HEEDED = ("OMPI_", "OPAL_", "PMIX_", "PATH", "LD_LIBRARY_PATH", "HOME")  # by Open MPI's tool


class _Part(ctypes.Structure):
    _fields_ = (("base", ctypes.c_void_p), ("count", ctypes.c_size_t))


def _read(libc, pid: int, word: ctypes.c_uint64) -> int:
    """Reads the word's copy in another process; the number of the error, 0 when it could."""
    into = ctypes.c_uint64(0)
    here = _Part(ctypes.addressof(into), 8)
    there = _Part(ctypes.addressof(word), 8)
    read = libc.process_vm_readv(pid, ctypes.byref(here), 1, ctypes.byref(there), 1, 0)
    return 0 if read == 8 and into.value == word.value else ctypes.get_errno() or 1


@functools.cache
def permitted(scope: Path = Path("/proc/sys/kernel/yama/ptrace_scope")) -> str:
    """'permitted', or why one process may not read another of the same parent, as ranks do."""
    libc = ctypes.CDLL(None, use_errno=True)
    try:
        said = f"ptrace_scope is {scope.read_text().strip()}"
    except OSError:
        said = "the kernel has no ptrace_scope"
    if not hasattr(libc, "process_vm_readv"):
        return "refused: the C library has no process_vm_readv"
    word = ctypes.c_uint64(0x5EED)
    ready, told = os.pipe()
    owner = os.fork()
    if owner == 0:
        libc.prctl(PR_SET_PTRACER, ANY, 0, 0, 0)  # as MPI libraries ask for if ptrace_scope is 1
        os.write(told, b"x")
        signal.pause()
        os._exit(0)
    try:
        os.read(ready, 1)
        reader = os.fork()
        if reader == 0:
            os._exit(_read(libc, owner, word) & 0xFF)
        error = os.waitstatus_to_exitcode(os.waitpid(reader, 0)[1])
    finally:
        os.kill(owner, signal.SIGKILL)
        os.waitpid(owner, 0)
        os.close(ready)
        os.close(told)
    return f"permitted ({said})" if error == 0 else f"refused: {os.strerror(error)} ({said})"


def _parameter(lines: list[str], name: str) -> tuple[str, str] | None:
    """(value, source) of a parameter as `ompi_info --parsable` tells it."""
    said = {}
    for line in lines:
        _, found, rest = line.partition(f":param:{name}:")
        if found:
            key, _, value = rest.partition(":")
            said.setdefault(key, value.strip('"'))
    return (said["value"], said.get("source", "unknown")) if "value" in said else None


@functools.cache
def _open_mpi(info: str, environment: tuple[tuple[str, str], ...]) -> str:
    def ask(*words: str) -> list[str]:
        command = [info, "--parsable", "--level", "9", "--param", *words]
        try:
            done = subprocess.run(
                command, capture_output=True, text=True, check=False, timeout=60, env=dict(environment)
            )
        except (OSError, subprocess.TimeoutExpired):
            return []
        return done.stdout.splitlines()

    vader = _parameter(ask("btl", "vader"), "btl_vader_single_copy_mechanism")
    if vader:
        return f"{vader[0]} ({_source(vader[1])})"
    lines = ask("smsc", "all")  # Open MPI 5
    chosen = _parameter(lines, "smsc")
    if chosen is None:
        return "Open MPI does not tell"
    have = [name for name in ("xpmem", "cma", "knem") if any(line.startswith(f"mca:smsc:{name}:") for line in lines)]
    value, source = chosen
    named = value.removeprefix("^").split(",") if value else []
    left = [name for name in have if (name not in named if value.startswith("^") or not value else name in named)]
    return f"{left[0] if left else 'none'} ({_source(source)})"


def _source(word: str) -> str:
    """'default', 'environment', or the file that sets it."""
    return {"env": "environment"}.get(word, word)


def mechanism(environment: dict[str, str]) -> str:
    """The way of copying messages between ranks of a host under these variables, and its source: 'none (environment)'.

    Open MPI is asked by its `ompi_info`, which heeds the environment and parameter files; of other libraries the
    variables that decide it are told.
    """
    path = environment.get("PATH")
    start = shutil.which("mpirun", path=path)
    info = Path(start).with_name("ompi_info") if start else None
    if info and info.is_file():
        heeded = ((name, value) for name, value in environment.items() if name.startswith(HEEDED))
        return _open_mpi(str(info), tuple(sorted(heeded)))
    said = [f"{name}={environment[name]}" for name in OTHERS if name in environment]
    return ", ".join(said) or "not set; the MPI library does not tell its default"


def state(environment: dict[str, str]) -> dict[str, str]:
    """Facts for a record's machine."""
    return {"single_copy": mechanism(environment), "cma": permitted()}
