"""Findings of a job, by its facts, plans and measurements: each in a sentence, with the line that mends it."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from .facts import VARIABLES
from .mpi_settings import is_off

Facts = dict[str, Any]
#: Bytes of /dev/shm that the MPI libraries of the ranks want, each for its segment of messages (Open MPI: 4 MiB).
_SHM_A_RANK = 8 << 20
#: RLIMIT_MEMLOCK below which networks that register memory cannot take a rank's arrays.
_LOCKED = 1 << 30
#: The line that mends each finding.
_MENDS = {
    "binding": "mpirun --bind-to core --map-by core:PE={each}; srun --cpu-bind=cores --cpus-per-task={each}",
    "cache-folder": "SHARDFFT_CACHE=<a folder of your own>",
    "fftw-vectors": "local_fft='auto' takes a faster library; or build FFTW with --enable-avx2",
    "governor": "cpupower frequency-set -g performance, as root",
    "huge-pages": "echo madvise > /sys/kernel/mm/transparent_hugepage/enabled, as root",
    "input-copies": "arrays of plan.allocate_input() and allocate_output(); in a container: --cap-add=SYS_PTRACE",
    "locked-memory": "ulimit -l unlimited; Slurm: PropagateResourceLimitsExcept=MEMLOCK",
    "no-gpu": "one rank for each GPU; shardfft info names them",
    "no-gpu-support": "pip install shardfft-cuda13, or build with -DSHARDFFT_GPU=CUDA",
    "no-gpu-visible": "nvidia-smi must list them; CUDA_VISIBLE_DEVICES and --gpus-per-task must not hide them",
    "no-mpi-device": "build MPI with CUDA; SHARDFFT_MPI_DEVICE=1 if it takes device memory and does not say so",
    "no-mpi4py": "MPICC=mpicc pip install mpi4py",
    "no-nccl": "pip install nvidia-nccl-cu13, or build with the toolkit's NCCL",
    "no-peers": "nvidia-smi topo -p2p rw tells why; containers: all GPUs of a host in one",
    "no-plan": "the error names the value that is expected; docs/options.md has all options",
    "oversubscribed": "start at most {most} ranks on this host, or ask for more cores",
    "other-mpi": "{mend}",
    "quota": "docker --cpus, the pod's limit or the batch job's cores must be {threads:g} or more",
    "several-mpi": "let LD_LIBRARY_PATH and modules be the same on all hosts",
    "shared-memory": "{mend}",
    "single-copy": "unset {variable}, which MPI then decides itself; in a container: --cap-add=SYS_PTRACE",
    "small-dev-shm": "docker and podman: --shm-size=1g; Kubernetes: an emptyDir with medium Memory at /dev/shm",
    "strangers": "use the launcher of that MPI; srun --mpi=list names Slurm's",
    "threads": "threads={cores} and OMP_NUM_THREADS={cores}, or --cpus-per-task={threads}",
    "unknown-variable": "{mend}",
    "wrong-result": "shardfft selftest names the plans that are wrong",
}
#: Words of the library's refusals to share memory, and the line that mends each.
_SHARING = {
    "process numbers": "all ranks of a host in one container, or with the host's process numbers (docker and podman: "
    "--pid=host; apptainer without --pid and --containall)",
    "RLIMIT_AS": "ulimit -v unlimited, before the ranks start",
    "RLIMIT_FSIZE": "ulimit -f unlimited, before the ranks start",
    "max_map_count": "sysctl -w vm.max_map_count=1048576, or map fewer files and arrays",
    "control group": "ask the batch system or the container for more memory, or take more hosts",
    "": "take more hosts, or a smaller shape; docs/reliability.md has the conditions of shared memory",
}


class Finding(NamedTuple):
    """A loss of the job."""

    name: str
    sentence: str
    mend: str


def found(name: str, sentence: str, **words: Any) -> Finding:
    """Make one, with the line that mends it."""
    return Finding(name, sentence, _MENDS[name].format(**words))


def by_host(ranks: list[Facts]) -> dict[str, list[Facts]]:
    """Give the ranks of each host, in their order."""
    hosts: dict[str, list[Facts]] = {}
    for rank in ranks:
        hosts.setdefault(rank["host"], []).append(rank)
    return hosts


def _count(number: float, noun: str) -> str:
    return f"{number:g} {noun}{'' if number == 1 else 's'}"


def _crowded(here: list[Facts]) -> Finding | None:
    """Ranks and threads against the cores that they may use, in the smallest set of cores that has too many of them."""
    name, online = here[0]["name"], here[0]["online"]
    for cores in sorted({tuple(rank["cores"]) for rank in here}, key=len):
        inside = [rank for rank in here if set(rank["cores"]) <= set(cores)]
        threads, each = sum(rank["threads"] for rank in inside), max(rank["threads"] for rank in inside)
        have, crowd = (
            _count(len(cores), "core"),
            f"{_count(len(inside), 'rank')} with {_count(threads, 'thread')} in all",
        )
        if threads <= len(cores):
            continue
        if len(inside) == 1:
            sentence = f"a rank on {name} runs {_count(threads, 'thread')} on {have}"
            return found("threads", sentence, cores=len(cores), threads=threads)
        if len(cores) < online and sum(rank["threads"] for rank in here) <= online:
            sentence = f"{crowd} are bound to {have} of {name} ({', '.join(cores)}), which has {online}"
            return found("binding", sentence, each=each)
        return found("oversubscribed", f"{crowd} share {have} of {name}", most=max(1, len(cores) // each))
    return None


def _of_host(here: list[Facts]) -> Iterator[Finding]:
    name, threads = here[0]["name"], sum(rank["threads"] for rank in here)
    if crowded := _crowded(here):
        yield crowded
    quota = min((rank["quota"] for rank in here if rank["quota"] is not None), default=threads)
    if quota < threads:
        gives = f"a control group gives the job {_count(quota, 'core')} of {name}"
        yield found("quota", f"{gives}, and it runs {_count(threads, 'thread')} there", threads=threads)
    shm = min((rank["shm"] for rank in here if rank["shm"] is not None), default=None)
    if len(here) > 1 and shm is not None and shm < _SHM_A_RANK * len(here):
        room = f"/dev/shm of {name} has room for {shm / 2**20:.3g} MiB"
        yield found("small-dev-shm", f"{room}, too little for the messages that MPI keeps there for {len(here)} ranks")


def _of_rank(rank: Facts, alone: bool) -> Iterator[Finding]:
    """Findings of a rank by itself."""
    if rank["huge_pages"] == "never":
        yield found("huge-pages", "the kernel gives no huge pages, so strided passes over arrays miss the TLB")
    held = re.compile(
        r"(powersave|conservative) of (?!intel_pstate|amd-pstate)"
    )  # those two names mean other things there
    if slow := [one for one in rank["governors"] if held.match(one)]:
        yield found("governor", f"the clock of the cores is held down ({', '.join(slow)})")
    if rank["networks"] and rank["locked"] is not None and rank["locked"] < _LOCKED:
        may = f"a process may lock {rank['locked'] / 2**20:.3g} MiB"
        yield found("locked-memory", f"{may}, and {', '.join(rank['networks'])} must lock the memory that it sends")
    if not alone and is_off(rank["single_copy"]):
        name, value = rank["single_copy"]
        variable = name if name.startswith("MPIR_") else f"OMPI_MCA_{name}"
        yield found("single-copy", f"MPI copies messages inside a host twice ({name} is {value})", variable=variable)
    if rank["kept"]:
        yield found("cache-folder", rank["kept"])
    for name in rank["variables"]:
        near = difflib.get_close_matches(name, VARIABLES, 1, 0.8)
        mend = f"is {near[0]} meant?" if near else f"unset {name}; options are arguments of plans"
        yield found("unknown-variable", f"nothing reads the variable {name}", mend=mend)
    if rank["gpu_here"] and not rank["gpu_support"]:
        yield found("no-gpu-support", f"{rank['name']} has GPUs, and this build of shardfft uses none")
    if rank["gpu_here"] and rank["gpu_support"] and not rank["gpus"]:
        yield found("no-gpu-visible", f"{rank['name']} has GPUs, and this process can use none of them")


def of_facts(ranks: list[Facts]) -> list[Finding]:
    """Judge the facts of all ranks; each finding once."""
    told = [finding for here in by_host(ranks).values() for finding in _of_host(here)]
    told += [finding for rank in ranks for finding in _of_rank(rank, len(ranks) == 1)]
    if len(versions := sorted({rank["mpi"] for rank in ranks})) > 1:
        told.append(found("several-mpi", f"the ranks run over several MPI libraries: {'; '.join(versions)}"))
    return list(dict.fromkeys(told))


def of_refusal(error: str) -> Finding:
    """The library's refusal to let ranks read each other's memory, in its own words."""
    mend = next(line for word, line in _SHARING.items() if word in error)
    return found("shared-memory", error.split("; exchange auto")[0].removeprefix("exchange shared_window: "), mend=mend)


def of_libraries(told: Iterable[str], vectors: list[str]) -> list[Finding]:
    """``told``: the libraries of local transforms, as the plans of the ranks report them."""
    for one in told:
        fftw = re.search(r"(?<!others by )(fftw-[\w.-]+)", one)  # others: the lengths that a library does not take
        if fftw and "avx2" in vectors and "avx2" not in fftw[1]:
            built = f"local transforms are by {fftw[1]}, which was built without AVX2"
            return [found("fftw-vectors", f"{built}; the processor has it")]
    return []
