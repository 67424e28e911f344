"""Parts of ``shardfft doctor`` and ``shardfft selftest``; tests/docs runs the commands."""

import json
import re
from argparse import ArgumentParser
from pathlib import Path

import pytest
from mpi4py import MPI

import shardfft
from shardfft import _core
from shardfft._doctor import checks, doctor, facts, findings, gpus, machine, measure

ROOT = Path(__file__).parents[2]


def host(**others):
    """Facts of a rank on which nothing is wrong."""
    clean = {
        "host": "a",
        "name": "a",
        "online": 4,
        "cores": ["0", "1", "2", "3"],
        "threads": 1,
        "quota": None,
        "shm": None,
    }
    clean |= {"huge_pages": "madvise", "governors": [], "networks": [], "locked": None, "single_copy": None, "kept": ""}
    clean |= {"variables": [], "gpu_here": False, "gpu_support": "", "gpus": [], "mpi": "MPI 1", "vectors": ["avx2"]}
    return clean | others


@pytest.mark.parametrize(
    ("ranks", "names"),
    [
        ([host()], []),
        ([host(), host()], []),
        ([host(cores=["0"]), host(cores=["1"])], []),
        ([host(cores=["0"]), host(cores=["0"])], ["binding"]),
        ([host(cores=["0"], threads=2)], ["threads"]),
        ([host()] * 5, ["oversubscribed"]),
        ([host(cores=["0"])] * 5, ["oversubscribed"]),
        ([host(), host(host="b", name="b")] * 4, []),
        ([host(quota=1.5)] * 2, ["quota"]),
        ([host(quota=2.0)] * 2, []),
        ([host(shm=1 << 20)], []),
        ([host(shm=1 << 20)] * 2, ["small-dev-shm"]),
        ([host(mpi="MPI 1"), host(mpi="MPI 2")], ["several-mpi"]),
        ([host(governors=["powersave of acpi-cpufreq"])], ["governor"]),
        ([host(governors=["powersave of intel_pstate", "performance of acpi-cpufreq"])], []),
        ([host(networks=["mlx5_0"], locked=1 << 20)] * 2, ["locked-memory"]),
        ([host(networks=["mlx5_0"]), host(locked=1 << 20)], []),
        ([host(single_copy=("smsc", "none"))], []),
        ([host(single_copy=("smsc", "none"))] * 2, ["single-copy"]),
        ([host(single_copy=("smsc", "cma,xpmem"))] * 2, []),
        ([host(gpu_here=True)], ["no-gpu-support"]),
        ([host(gpu_here=True, gpu_support="CUDA 13")], ["no-gpu-visible"]),
        ([host(gpu_here=True, gpu_support="CUDA 13", gpus=["H200"])], []),
    ],
)
def test_facts_are_judged(comm, ranks, names):
    assert [one.name for one in findings.of_facts(ranks)] == names


def test_facts_are_read_from_the_kernels_files(comm, tmp_path):
    """Of a host with other settings than this one's, in control groups inside each other."""
    texts = {
        "proc/self/cgroup": "4:cpuacct,cpu:/job\n2:memory:/else\n0::/user/job",
        "sys/fs/cgroup/cpu.max": "max 100000",
        "sys/fs/cgroup/user/cpu.max": "150000 100000",
        "sys/fs/cgroup/user/job/cpu.max": "400000 100000",
        "sys/fs/cgroup/cpu/job/cpu.cfs_quota_us": "-1",
        "sys/fs/cgroup/cpu/job/cpu.cfs_period_us": "100000",
        "sys/kernel/mm/transparent_hugepage/enabled": "always madvise [never]",
        "proc/cpuinfo": "model name\t: A Processor\nflags\t\t: fpu avx avx2",
        "proc/meminfo": "MemTotal:       1024 kB",
        "sys/class/infiniband/mlx5_0/name": "",
        "dev/nvidia0": "",
    }
    for cpu in range(64):
        texts[f"sys/devices/system/cpu/cpu{cpu}/topology/thread_siblings_list"] = str(cpu // 2)
        texts[f"sys/devices/system/cpu/cpu{cpu}/cpufreq/scaling_governor"] = "powersave"
        texts[f"sys/devices/system/cpu/cpu{cpu}/cpufreq/scaling_driver"] = "acpi-cpufreq"
    for name, text in texts.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text + "\n")
    told = facts.facts(threads=3, root=tmp_path)
    assert told["quota"] == 1.5 and told["huge_pages"] == "never" and told["memory"] == 1 << 20
    assert told["processor"] == "A Processor" and told["vectors"] == ["avx", "avx2"]
    assert told["governors"] == ["powersave of acpi-cpufreq"] and told["networks"] == ["mlx5_0"]
    assert told["gpu_here"] and told["threads"] >= 3
    (tmp_path / "sys/fs/cgroup/cpu/job/cpu.cfs_quota_us").write_text("50000\n")
    assert facts.facts(root=tmp_path)["quota"] == 0.5
    assert facts.facts(root=tmp_path / "nothing")["quota"] is None


def test_the_facts_of_this_rank(comm):
    level = MPI.Query_thread()
    told = json.loads(json.dumps(facts.facts()))
    assert MPI.Query_thread() == level
    assert set(host()) <= set(told)
    assert told["cores"] and told["online"] >= len(told["cores"]) and told["memory"] > 0
    if "Open MPI v4" in told["mpi"] and comm.size > 1:
        assert told["single_copy"][0] == "btl_vader_single_copy_mechanism"


def test_variables_are_those_of_the_sources(comm):
    calls = "environment|switch_in_environment|switch_of|getenv|from_environment|get|is_set|set_given_options"
    read = re.compile(rf'\b(?:{calls})\((?:\w+, )?"(SHARDFFT_\w+)"')
    files = [file for folder in ("src", "compat", "bindings") for file in (ROOT / folder).rglob("*.[chp]*")]
    found = {
        name for file in files if file.suffix in (".cpp", ".hpp", ".py") for name in read.findall(file.read_text())
    }
    assert found == set(facts.VARIABLES)


def test_libraries(comm):
    bad = "oneMKL 2026.0; fftw-3.3.10-sse2-avx"
    assert [one.name for one in findings.of_libraries([bad], ["avx2"])] == ["fftw-vectors"]
    for said, vectors in [(bad, ["avx"]), ("fftw-3.3.10-sse2-avx-avx2-avx2_128", ["avx2"]),
                          ("lanes in 512 bits; others by fftw-3.3.10-sse2-avx", ["avx2"])]:  # fmt: skip
        assert findings.of_libraries([said], vectors) == []


@pytest.mark.parametrize(
    "text", ["process numbers mean different", "RLIMIT_AS is 1 MiB", "vm.max_map_count", "no such"]
)
def test_refusals_keep_the_librarys_words(comm, text):
    told = findings.of_refusal(f"exchange shared_window: because {text}; exchange auto sends messages then [rank 0]")
    assert told.name == "shared-memory" and told.sentence == f"because {text}" and told.mend


def test_a_plan_that_is_refused(comm):
    def names(*words):
        parser = ArgumentParser()
        doctor.words(parser)
        chosen = parser.parse_args(["--shape", "12^3", "--no-figures", *words])
        return {one.name for one in doctor.examine(comm, chosen).findings} - {"oversubscribed"}

    assert names("--set", "algorithm=six_step") == {"no-plan"}
    assert names("--gpu") == {"no-gpu"} or _core.gpu_support()


def test_gpus_that_are_no_peers(comm, monkeypatch):
    class Apart:
        def __init__(self, *arguments, devices=None, **options):
            if devices is None:
                raise shardfft.Error("it does not work", "unsupported")
            self.chosen = "cuda_peer" if 2 not in devices else "host_staged"

        __enter__ = lambda self: self  # noqa: E731
        __exit__ = lambda self, *error: None  # noqa: E731
        report = lambda self: {"exchange": self.chosen}  # noqa: E731

    monkeypatch.setattr(gpus, "plan", Apart)
    told, _ = gpus.findings(comm, [host(rank=rank, gpus=["H200"] * 3) for rank in range(comm.size)])
    assert told[0].name == "no-peers" and told[0].sentence.endswith("0 and 2, 1 and 2")
    assert [one.name for one in told[1:]] == ([] if comm.size == 1 else ["no-mpi-device", "no-nccl"])


def figures():
    return {
        "format": "shardfft machine", "version": 1, "made": "2026-01-01T00:00:00Z", "shardfft": "0.2.0", "mpi": "MPI",
        "ranks": 2, "core_share": 0.9, "gpus": [], "links": [], "alltoall": [],
        "hosts": [{"name": "a", "processor": "b", "vectors": [], "cores": 2, "memory_bytes": 1, "ranks": 2}],
        "libraries": [{"name": "fftw", "version": "1", "flops_per_second": 1e9}],
        "memory": [{"ranks": 2, "bytes_per_second": 1e9}],
    }  # fmt: skip


def test_machine_files_come_back(comm, tmp_path):
    machine.write(figures(), tmp_path / "m.json")
    assert machine.read(tmp_path / "m.json") == figures() and len(list(tmp_path.iterdir())) == 1


def test_a_step_without_work_is_a_figure_of_new_files(comm, tmp_path):
    assert "start" not in machine.figures(machine.checked(figures(), "it"))
    assert machine.figures(machine.checked(figures() | {"step_seconds": 7e-6}, "it"))["start"] == 7e-6
    with pytest.raises(ValueError, match="step_seconds must be a number"):
        machine.checked(figures() | {"step_seconds": "7 us"}, "it")
    assert 0 < measure.step(comm) < 1


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"format": "else"}, "is no machine file"),
        ({"version": 2}, "of version 2, and 1 is read here"),
        ({"ranks": -1}, r"\.ranks must be a number of at least 0, not -1"),
        ({"core_share": True}, r"\.core_share must be a number"),
        ({"mpi": None}, r"\.mpi must be a str, not None"),
        ({"hosts": {}}, r"\.hosts must be a list"),
        ({"memory": [{"ranks": 2}]}, r"\.memory\[0\] has no bytes_per_second"),
        ({"memory": [2]}, r"\.memory\[0\] must be an object"),
    ],
)
def test_machine_files_that_are_wrong(comm, tmp_path, change, words):
    (tmp_path / "m.json").write_text(json.dumps(figures() | change))
    with pytest.raises(ValueError, match=words):
        machine.read(tmp_path / "m.json")
    (tmp_path / "m.json").write_text("{")
    with pytest.raises(ValueError, match="is no machine file"):
        machine.read(tmp_path / "m.json")


def change_one(array, by):
    if array.size > 0:
        array.flat[array.size // 3] = by(array.flat[array.size // 3])
    return array


def negate_one_output(transform, x, out):
    return change_one(transform(x, out=out), lambda number: -number)


def add_to_one_output(transform, x, out):
    return change_one(transform(x, out=out), lambda number: number + 0.5)


def negate_one_input(transform, x, out):
    change_one(x, lambda number: -number)
    return transform(x, out=out)


@pytest.mark.parametrize(
    ("fault", "check"),
    [
        (negate_one_output, {"impulse"}),
        (negate_one_input, {"shift"}),
        (add_to_one_output, {"linearity"}),
        (None, set()),
    ],
)
@pytest.mark.parametrize("way", ["forward", "backward"])
@pytest.mark.parametrize("kind", ["c2c", "r2c"])
def test_each_check_finds_its_fault(comm, monkeypatch, way, kind, fault, check):
    with shardfft.plan((8, 9, 10), kind, comm=comm, effort="estimate") as plan:
        if fault is not None:
            true = getattr(plan, way)
            monkeypatch.setattr(plan, way, lambda x, out: fault(true, x, out), raising=False)
        told = checks.check(plan, False)
        monkeypatch.undo()
    wrong = {name for name, error in told.items() if not max(comm.allgather(error)) <= 1}
    # The way back is compared with known arrays in all checks, and most of an impulse is 0 with either sign.
    assert wrong >= check if way == "forward" else bool(wrong) == bool(check)
