"""Facts of one process and its host, without asking others."""

from __future__ import annotations

import os
import platform
import resource
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from .. import _core
from .._ground import mpi
from .mpi_settings import single_copy

#: Variables that this package and its library read: for which use, and with which meaning. A test compares them with
#: the sources.
VARIABLES = {
    "SHARDFFT_BULK_COPIES": ("GPUs", "0: as on GPUs before Hopper, which have no bulk tensor copies"),
    "SHARDFFT_CACHE": ("GPUs", "the folder of compiled kernels, by default shardfft in XDG_CACHE_HOME or ~/.cache; "
                       "empty: none are kept. A folder that another user owns or may write is not used"),
    "SHARDFFT_COMPILER": ("GPUs", "the program that compiles kernels, a name that begins with /, by default "
                          "shardfft/kernel-compiler beside the library; any other name: none"),
    "SHARDFFT_DESCRIPTORS": ("GPUs", "1: processes share memory of GPUs by file descriptors, 0: by CUDA IPC; by "
                             "default by descriptors only if they reach more GPUs of the host"),
    "SHARDFFT_FFTW_ERRORS": ("FFTW's interface", "anything but 0: refusals are written to stderr"),
    "SHARDFFT_FFTW_OPTIONS": ("FFTW's interface", "options of all plans, as exchange=p2p local_fft=fftw"),
    "SHARDFFT_JIT": ("GPUs", "0: no kernel is compiled while a plan is made"),
    "SHARDFFT_LAMMPS_FFT": ("LAMMPS", "original: LAMMPS' own transforms run, and are timed alike"),
    "SHARDFFT_LAMMPS_OPTIONS": ("LAMMPS", "options of all plans, as effort=measure"),
    "SHARDFFT_LAMMPS_TIMES": ("LAMMPS", "1: the number of transforms of each plan, and their time, go to stderr"),
    "SHARDFFT_LANES": ("CPUs", "avx512, avx2 or baseline: the longest vectors that the local FFT lanes may use; by "
                       "default the processor's longest"),
    "SHARDFFT_MPI": ("Python", "none: all functions of a wheel work in one process, without MPI"),
    "SHARDFFT_MPI_DEVICE": ("GPUs", "1: MPI takes device memory, 0: it does not; by default MPI is asked"),
    "SHARDFFT_STANDIN_DEVICES": ("the GPU stand-in of tests", "the number of its devices, 4 by default"),
    "SHARDFFT_STANDIN_MEMORY": ("the GPU stand-in of tests", "memory of each device in MiB, 4096 by default"),
    "SHARDFFT_STANDIN_SEED": ("the GPU stand-in of tests", "the seed of its random order of work, 1 by default"),
    "SHARDFFT_TURNS": ("GPUs", "0: no GPU sends to its peers in turn, 1: all do; by default three GPUs and more, if "
                       "each has 256 MB or more"),
    "SHARDFFT_WISDOM": ("CPUs and GPUs", "the file of measured ways that plans read, by default one of this machine in "
                        "SHARDFFT_CACHE; empty: none is read"),
}  # fmt: skip
#: Beginnings of the names that the repository's own tools and tests read.
TOOLS = tuple("SHARDFFT_" + name for name in ("BENCH_", "BUILT", "RANDOM_", "ROOT", "SECONDS", "TEST_"))


def markdown() -> str:
    """Write docs/variables.md."""
    lines = [
        "# Environment variables",
        "",
        "The library and the Python package read these variables, and no others that begin with `SHARDFFT_`. Set",
        "them before the program starts. `shardfft options --variables` makes this page; a test compares it with the",
        "sources.",
        "",
        "| variable | for | meaning |",
        "|---|---|---|",
    ]
    lines += [f"| `{name}` | {reader} | {meaning} |" for name, (reader, meaning) in VARIABLES.items()]
    return "\n".join(lines) + "\n"


def _text(path: Path) -> str:
    try:
        return path.read_text(errors="replace").strip()
    except OSError:
        return ""


def _number(path: Path) -> int | None:
    text = _text(path)
    return int(text) if text.lstrip("-").isdigit() else None


def _chosen(path: Path) -> str:
    """Give the word in brackets of a file such as "always [madvise] never"."""
    return next((word[1:-1] for word in _text(path).split() if word.startswith("[")), "")


def _groups(root: Path) -> Iterator[tuple[Path, bool]]:
    """Folders of the control groups that limit processor time, up to the top; and whether they are of version 2."""
    for line in _text(root / "proc/self/cgroup").splitlines():
        _, controllers, group = line.split(":", 2)
        if controllers and "cpu" not in controllers.split(","):
            continue
        mount = root / "sys/fs/cgroup" / ("cpu" if controllers else "")
        inside = Path(group.strip("/"))
        for folder in (inside, *inside.parents):
            yield mount / folder, not controllers


def quota(root: Path) -> float | None:
    """Give the cores' worth of time that control groups leave this process; None if they limit none."""
    found = []
    for folder, second in _groups(root):
        if second:
            most, _, period = _text(folder / "cpu.max").partition(" ")
        else:
            most, period = (_text(folder / f"cpu.cfs_{name}_us") for name in ("quota", "period"))
        if most.isdigit() and period.isdigit():
            found.append(int(most) / int(period))
    return min(found, default=None)


def _cores(root: Path, numbers: set[int]) -> list[str]:
    """Name the cores of these processors: the threads of one core count once."""
    folder = root / "sys/devices/system/cpu"
    return sorted({_text(folder / f"cpu{n}/topology/thread_siblings_list") or str(n) for n in numbers})


def _processor(root: Path) -> tuple[str, list[str]]:
    """Give the processor's name and those of its vector instructions that FFT libraries use."""
    said = dict(line.split(":", 1) for line in _text(root / "proc/cpuinfo").splitlines() if ":" in line)
    said = {name.strip(): value.strip() for name, value in said.items()}
    flags = set(said.get("flags", said.get("Features", "")).split())
    return said.get("model name", platform.machine()), sorted(flags & {"avx", "avx2", "avx512f", "asimd", "sve"})


def _governors(root: Path, numbers: set[int]) -> list[str]:
    """Give "governor of driver" for each kind of clock that these processors have."""
    folders = [root / f"sys/devices/system/cpu/cpu{n}/cpufreq" for n in sorted(numbers)]
    pairs = {(_text(folder / "scaling_governor"), _text(folder / "scaling_driver")) for folder in folders}
    return sorted(f"{governor} of {driver}" for governor, driver in pairs if governor)


def _limit(kind: int) -> int | None:
    soft = resource.getrlimit(kind)[0]
    return None if soft == resource.RLIM_INFINITY else soft


def _shm(root: Path) -> int | None:
    try:
        room = os.statvfs(root / "dev/shm")
    except OSError:
        return None
    return room.f_bavail * room.f_frsize


def _gpus() -> list[str]:
    try:
        return list(_core.gpu_names())
    except RuntimeError:
        return []


def facts(threads: int = 1, root: Path = Path("/")) -> dict[str, Any]:
    """Tell facts about this process that matter to a job, as data of JSON.

    ``threads``: as the option of plans; OMP_NUM_THREADS counts too, if it is more. ``root``: the folder of /proc, /sys
    and /dev.
    """
    affinity = os.sched_getaffinity(0)
    said = os.environ.get("OMP_NUM_THREADS", "").split(",")[0]
    processor, vectors = _processor(root)
    pages = root / "sys/kernel/mm/transparent_hugepage"
    memory = [line.split()[1] for line in _text(root / "proc/meminfo").splitlines() if line.startswith("MemTotal:")]
    return {
        # Containers of one host have names of their own.
        "host": _text(root / "proc/sys/kernel/random/boot_id") or platform.node(),
        "name": platform.node(),
        "processor": processor,
        "vectors": vectors,
        "online": len(_cores(root, set(range(os.cpu_count() or 1)))),
        "cores": _cores(root, affinity),
        "threads": max(threads, int(said) if said.isdigit() else 1),
        "quota": quota(root),
        "memory": 1024 * int(memory[0]) if memory else None,
        "governors": _governors(root, affinity),
        "huge_pages": _chosen(pages / "enabled"),
        "shared_huge_pages": _chosen(pages / "shmem_enabled"),
        "locked": _limit(resource.RLIMIT_MEMLOCK),
        "networks": sorted(one.name for one in (root / "sys/class/infiniband").glob("*")),
        "shm": _shm(root),
        "mpi": mpi._first_line(_core.mpi_loaded()),
        "single_copy": None if mpi.WITHOUT_MPI else single_copy(),
        "kept": _core.why_nothing_is_kept() if _core.gpu_support() or os.environ.get("SHARDFFT_CACHE") else "",
        "variables": sorted(
            name
            for name in os.environ
            if name.startswith("SHARDFFT_") and name not in VARIABLES and not name.startswith(TOOLS)
        ),
        "gpu_support": _core.gpu_support(),
        "gpus": _gpus(),
        "gpu_here": (root / "dev/nvidia0").exists() or (root / "dev/kfd").exists(),
    }
