"""`shardfft doctor`: faults that are set up here are found by name, and a job without one has no finding."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest
from blocks import ROOT

LANES = ["--set", "local_fft=lanes"]  # a trial may take an FFTW without AVX2, which is a finding
SMALL = ["--shape", "48^3", "--no-figures", *LANES]
MPICH = Path("/usr/lib/x86_64-linux-gnu/libmpich.so.12")


class Jobs:
    """Starts the doctor as users do, and gives its findings."""

    def __init__(self, place, folder: Path, preloaded: str):
        self.folder, self.preloaded = folder, preloaded
        self.command = [str(place.folder / ".venv/bin/python"), "-m", "shardfft", "doctor"]
        self.environment = {name: value for name, value in place.environment().items() if name != "SHARDFFT_BUILT"}

    def run(self, command: list[str], **variables: str) -> tuple[int, dict, str]:
        done = subprocess.run(
            command, env={**self.environment, **variables}, stdin=subprocess.DEVNULL, capture_output=True, text=True,
            timeout=300, check=False, cwd=self.folder,
        )  # fmt: skip
        said = [json.loads(line) for line in done.stdout.splitlines() if line.startswith('{"findings"')]
        assert len(said) == 1, f"{command}: exit code {done.returncode}\n{done.stdout[-2000:]}{done.stderr[-2000:]}"
        return done.returncode, said[0], done.stderr

    def ranks(self, count: int, *words: str, before=(), options=()) -> list[str]:
        return [*self.launcher(count, *options), *before, *self.command, *SMALL, "--json", *words]

    def launcher(self, count: int, *options: str) -> list[str]:
        return ["mpirun", "--oversubscribe", *options, "-n", str(count)]

    def inside(self, script: str, command: list[str]) -> list[str]:
        """The command in a namespace of mounts that a script has changed; skips if that is not allowed."""
        for flags in (["--mount"], ["--user", "--map-root-user", "--mount"]):
            whole = ["unshare", *flags, "sh", "-ec", script + '\nexec "$@"', "inside"]
            if subprocess.run([*whole, "true"], capture_output=True, check=False).returncode == 0:
                return [*whole, *command]
        pytest.skip("this machine does not let this user make namespaces of mounts")

    def over(self, path: str, text: str, command: list[str]) -> list[str]:
        """The command with another file over one of the kernel's."""
        if not Path(path).exists():
            pytest.skip(f"this kernel has no {path}")
        (self.folder / "told").write_text(text + "\n")
        return self.inside(f"mount --bind {self.folder}/told {path}", command)


#: Faults that a machine may have by itself, as containers do.
OF_MACHINES = {
    "shared-memory", "input-copies", "single-copy", "small-dev-shm", "huge-pages", "quota", "governor", "locked-memory"
}  # fmt: skip


@pytest.fixture(scope="module")
def own_faults() -> list[set[str]]:
    """Room for the doctor's findings before anything is set up."""
    return []


def faults_of_this_machine(jobs, kept) -> set[str]:
    if not kept:
        _, said, _ = jobs.run(jobs.ranks(min(2, os.cpu_count())))
        kept.append({one["name"] for one in said["findings"]})
    assert kept[0] <= OF_MACHINES, kept[0]
    return kept[0]


@pytest.fixture
def jobs(place, tmp_path, preloaded) -> Jobs:
    return Jobs(place, tmp_path, preloaded)


def process_namespaces(jobs):
    launcher = " ".join(jobs.launcher(2)[:-1])
    return ["sh", str(ROOT / "tests/apart.sh"), "pid", "2", *jobs.command, *SMALL, "--json"], {"LAUNCHER": launcher}


def small_dev_shm(jobs):
    script = "mount -t tmpfs -o size=64k none /dev/shm"
    return jobs.inside(script, jobs.ranks(2, options=["--mca", "btl", "tcp,self"])), {}


def unreadable_arrays(jobs):
    """The kernel refuses to read other processes' memory, as in containers without leave to trace."""
    preload = ["env", f"LD_PRELOAD={jobs.preloaded}", "FAULT=unreadable"]
    return jobs.ranks(2, "--output", "natural", before=preload, options=["--mca", "btl", "tcp,self"]), {}


def foreign_cache(jobs):
    if os.geteuid() != 0:
        pytest.skip("only root can give a folder to another user")
    (jobs.folder / "cache").mkdir()
    os.chown(jobs.folder / "cache", 12345, 12345)
    return jobs.ranks(1), {"SHARDFFT_CACHE": str(jobs.folder / "cache")}


def another_mpi(jobs):
    if not MPICH.exists() or not shutil.which("mpirun.mpich"):
        pytest.skip("MPICH is not installed")
    (jobs.folder / "libmpi.so.12").symlink_to(MPICH)  # under the name that mpi4py's wheel asks for
    variables = {"LD_LIBRARY_PATH": str(jobs.folder), "MPI4PY_LIBMPI": str(jobs.folder / "libmpi.so.12")}
    return [*jobs.command, *SMALL, "--json"], variables


def few_cores(jobs):
    """Control groups of both versions, as a container with one core has them."""
    script = (
        "mount -t tmpfs none /sys/fs/cgroup; cd /sys/fs/cgroup; mkdir cpu; echo 100000 100000 > cpu.max\n"
        "echo 100000 > cpu/cpu.cfs_quota_us; echo 100000 > cpu/cpu.cfs_period_us; cd /"
    )
    return jobs.inside(script, jobs.ranks(2)), {}


def on_one_core(jobs):
    core = str(min(os.sched_getaffinity(0)))
    return jobs.ranks(2, options=["--bind-to", "none"], before=["taskset", "-c", core]), {}


#: For each fault its finding, and how it is set up: a command, and variables.
FAULTS = {
    "a process namespace for each rank": ("shared-memory", process_namespaces),
    "arrays that others may not read": ("input-copies", unreadable_arrays),
    "single-copy messages switched off": (
        "single-copy", lambda jobs: (jobs.ranks(2), {"OMPI_MCA_btl_vader_single_copy_mechanism": "none"})),
    "more threads than cores": ("threads", lambda jobs: (jobs.ranks(1, "--set", f"threads={2 * os.cpu_count()}",
                                                                    options=["--bind-to", "none"]), {})),
    "all ranks bound to one core": ("binding", on_one_core),
    "more ranks than cores": ("oversubscribed", lambda jobs: (jobs.ranks(1 + os.cpu_count()), {})),
    "a small /dev/shm": ("small-dev-shm", small_dev_shm),
    "FFTW without AVX2": ("fftw-vectors", lambda jobs: (jobs.ranks(1, "--set", "local_fft=fftw"), {})),
    "a cache folder of another user": ("cache-folder", foreign_cache),
    "another MPI than mpi4py's": ("other-mpi", another_mpi),
    "another launcher than MPI's": ("strangers", lambda jobs: ([*jobs.command, "--json"], {"PMI_SIZE": "2"})),
    "huge pages off": ("huge-pages", lambda jobs: (jobs.over(
        "/sys/kernel/mm/transparent_hugepage/enabled", "always madvise [never]", jobs.ranks(1)), {})),
    "few mappings": ("shared-memory", lambda jobs: (jobs.over("/proc/sys/vm/max_map_count", "300", jobs.ranks(2)), {})),
    "a control group with fewer cores than ranks": ("quota", few_cores),
    "a variable spelled wrongly": ("unknown-variable", lambda jobs: (jobs.ranks(1), {"SHARDFFT_LANE": "256"})),
}  # fmt: skip


@pytest.mark.parametrize("fault", FAULTS)
def test_faults(jobs, own_faults, fault):
    name, set_up = FAULTS[fault]
    own = faults_of_this_machine(jobs, own_faults)
    if name in own:
        pytest.skip(f"this machine has the fault '{name}' by itself")
    command, variables = set_up(jobs)
    status, said, _ = jobs.run(command, **variables)
    found = {one["name"]: one for one in said["findings"]}
    if fault == "FFTW without AVX2" and not found:
        pytest.skip("this FFTW has AVX2, or the processor has not")
    assert set(found) - own == {name} and status == 1, said["findings"]
    assert all(one["sentence"] and one["mend"] for one in found.values())


def test_documented():
    """The page has a row for each fault that is set up here."""
    page = (ROOT / "docs/doctor.md").read_text()
    for name, _ in FAULTS.values():
        assert f"`{name}`" in page, name


def test_a_clean_job(jobs, own_faults, tmp_path):
    """With all figures, on a rank for each of two cores: no finding, exit code 0, and a machine file."""
    ranks = min(2, os.cpu_count())
    own = faults_of_this_machine(jobs, own_faults)
    words = ["--shape", "48^3", "--json", *LANES, "--machine", str(tmp_path / "machine.json")]
    status, said, _ = jobs.run([*jobs.launcher(ranks), *jobs.command, *words])
    assert {one["name"] for one in said["findings"]} == own and status == int(bool(own)), said["findings"]
    machine = json.loads((tmp_path / "machine.json").read_text())
    assert machine == said["machine"] and machine["ranks"] == ranks
    assert all(one["bytes_per_second"] > 1e6 for one in machine["memory"] + machine["links"])
    assert {one["ranks"] for one in machine["memory"]} == {1, ranks}
    assert [host["ranks"] for host in machine["hosts"]] == [ranks]


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--shape", "8 by 8"], "'8 by 8' is no shape like 90x80x70 or 512^3"),
        (["--set", "threads"], "'threads' is no option like threads=2"),
        (["--set", "thread=2"], "plans have no option 'thread'; did you mean 'threads'?"),
        (["--machine", "nowhere/machine.json", "--shape", "8^3"], "nowhere"),
    ],
)
def test_wrong_words(jobs, words, sentence):
    """One sentence, of one rank, and exit code 2."""
    done = subprocess.run([*jobs.launcher(2), *jobs.command, *words], env=jobs.environment, cwd=jobs.folder,
                          capture_output=True, text=True, timeout=300, check=False)  # fmt: skip
    said = [line for line in done.stderr.splitlines() if line.startswith("shardfft: ")]
    assert done.returncode == 2 and len(said) == 1 and sentence in said[0], done.stderr
