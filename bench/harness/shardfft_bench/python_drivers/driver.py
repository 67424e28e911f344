"""The parts that all Python drivers share: the case, conformance before the clock, the clock, the record."""

from __future__ import annotations

import json
import os
import platform
import resource
import shlex
import sys
import time

import numpy as np

from .field import Field, error_sums
from .profile import measure

DEFAULTS = {
    "kind": "c2c", "precision": "double", "direction": "pair", "placement": "out", "layout": "slab", "output": "any",
    "effort": "measure", "grid": [], "threads": 1, "warmups": 2, "repeats": 10, "seconds": 0.0, "seed": 1,
    "profile": False, "energy": True, "options": {}, "axes": [], "transforms": [], "modes": [], "apply": "", "batch": 1,
    "boxes": [],
}  # fmt: skip
# Both lists are those of bench/native/facts.cpp.
PREFIXES = (
    "OMP_", "MKL_", "OMPI_MCA_", "MPICH_", "MPIR_CVAR_", "UCX_", "NCCL_", "NVSHMEM_", "CUDA_VISIBLE_DEVICES", "FFTW_",
    "SHARDFFT_", "KMP_", "GOMP_", "SLURM_JOB_NUM_NODES",
)  # fmt: skip
# Open MPI's launcher exports its own wiring under the same prefix; that says nothing about the setup, nor do the
# harness's own variables.
WIRING = (
    "OMPI_MCA_orte",
    "OMPI_MCA_ess",
    "OMPI_MCA_pmix",
    "OMPI_MCA_initial_wdir",
    "OMPI_MCA_shmem",
    "OMPI_MCA_plm_rsh",
    "SHARDFFT_BENCH_DRIVERS",
)
LISTS = {
    "kinds": "kind",
    "precisions": "precision",
    "placements": "placement",
    "layouts": "layout",
    "outputs": "output",
}


FEATURES = {"axes": [0, 1, 2], "transforms": ["fft"] * 3, "modes": [0, 0, 0], "apply": "", "batch": 1}


class CaseError(Exception):
    """A case nobody can run."""


def parse_case(text: str) -> dict:
    try:
        given = json.loads(text)
    except json.JSONDecodeError as error:
        raise CaseError(f"case: not a JSON object: {text}") from error
    if not isinstance(given, dict) or "shape" not in given:
        raise CaseError("case: 'shape' is missing")
    for key in given:
        if key != "shape" and key not in DEFAULTS:
            raise CaseError(f"case: unknown key '{key}'")
    shape = given["shape"]
    if not isinstance(shape, list) or len(shape) != 3 or not all(isinstance(n, int) and n >= 1 for n in shape):
        raise CaseError("case: 'shape' must have three positive sizes")
    return {**DEFAULTS, **given}


def refuse(description: dict, case: dict, ranks: int) -> str:
    for name, key in LISTS.items():
        if ranks == 1 and name in ("layouts", "outputs"):
            continue
        if case[key] not in description["capabilities"].get(name, [case[key]]):
            return f"{description['library']} does not offer {key} '{case[key]}'"
    for feature, plain in FEATURES.items():
        asked = case[feature] not in (plain, DEFAULTS[feature]) and (feature, case["kind"]) != ("transforms", "r2r")
        if asked and feature not in description["capabilities"].get("features", []):
            return f"{description['library']} does not offer {feature}"
    if case["threads"] > 1 and not description["capabilities"].get("threads"):
        return f"{description['library']} does not offer threads"
    for option, value in case["options"].items():
        if value not in description["options"].get(option, []):
            return f"{description['library']} has no option '{option}' with the value {value!r}"
    return ""


def tolerance(case: dict) -> dict:
    eps = float(np.finfo(np.float32 if case["precision"] == "single" else np.float64).eps)
    unit = eps * max(1.0, float(np.log2(np.prod([float(n) for n in case["shape"]]))))
    return {"max": 40 * unit, "l2": 2 * unit}


class Session:
    """One case on one library. The adapter has refuse(case, ranks), plan(case, comm), field, spectrum (NumPy arrays of
    this rank), field_box, spectrum_box (slices), forward(), backward() and backward_scale."""

    def __init__(self, case: dict, adapter, comm):
        from mpi4py import MPI

        self.mpi, self.case, self.adapter, self.comm = MPI, case, adapter, comm
        self.record: dict = {"status": "ok", "error": {"tolerance": tolerance(case)}}
        words = (case["transforms"] or ["dct2"] * 3) if case["kind"] == "r2r" else None
        self.exact = Field(case["shape"], case["kind"] == "r2c", case["seed"], words)

    def run(self) -> dict:
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
        self.comm.Barrier()
        start = self.mpi.Wtime()
        self.adapter.plan(self.case, self.comm)
        self.record["plan_seconds"] = self.comm.allreduce(self.mpi.Wtime() - start, self.mpi.MAX)
        self._layout()
        if self.record["status"] == "ok" and self._conforms():
            peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
            arrays = self.adapter.field.nbytes + self.adapter.spectrum.nbytes
            self.record["memory"] = {
                "peak_rss_bytes": self.comm.allreduce(peak, self.mpi.MAX),
                "before_planning_bytes": self.comm.allreduce(before, self.mpi.MAX),
                "field_and_spectrum_bytes": self.comm.allreduce(arrays, self.mpi.MAX),
            }
            self._time()
        return self.record

    def _layout(self) -> None:
        shape = self.case["shape"]
        halved = [n // 2 + 1 if self.case["kind"] == "r2c" and axis == 2 else n for axis, n in enumerate(shape)]
        sides = (("field", self.adapter.field_box, shape), ("spectrum", self.adapter.spectrum_box, halved))
        most = {"slab": 1, "pencil": 2}.get(self.case["layout"], 3)
        self.record["layout"] = {}
        for name, box, extents in sides:
            boxes = self.comm.allgather([(part.start, part.stop) for part in box])
            held = sum(int(np.prod([stop - start for start, stop in one])) for one in boxes)
            split = sum(any(one[axis] != (0, n) for one in boxes) for axis, n in enumerate(extents))
            self.record["layout"][f"{name}_split_axes"] = split
            if held != int(np.prod(extents)):
                self._wrong(f"layout: {name}: the ranks do not cover the array")
            elif split > most:
                self._wrong("layout: more axes are split than the case allows")

    def _wrong(self, reason: str) -> bool:
        self.record.update(status="wrong", reason=reason)
        return False

    def _accept(self, name: str, found: np.ndarray, exact: np.ndarray) -> bool:
        largest, squares, reference = error_sums(found, exact)
        bad = self.comm.allreduce(int(not np.isfinite(largest)), self.mpi.SUM)
        largest = self.comm.allreduce(0.0 if bad else largest, self.mpi.MAX)
        squares = self.comm.allreduce(squares, self.mpi.SUM)
        reference = self.comm.allreduce(reference, self.mpi.SUM)
        points = self.comm.allreduce(exact.size, self.mpi.SUM)
        if bad:
            self.record["error"][name] = {"max": None, "l2": None}
            return self._wrong(f"{name}: not finite")
        error = {"max": largest / (reference / points) ** 0.5, "l2": (squares / reference) ** 0.5}
        self.record["error"][name] = error
        bound = self.record["error"]["tolerance"]
        if error["max"] <= bound["max"] and error["l2"] <= bound["l2"]:
            return True
        return self._wrong(f"{name}: error above the tolerance")

    def _fill(self, side: str) -> None:
        target = getattr(self.adapter, side)
        exact = getattr(self.exact, side)(getattr(self.adapter, f"{side}_box"))
        target[...] = exact if np.iscomplexobj(target) else exact.real

    def _conforms(self) -> bool:
        adapter, direction = self.adapter, self.case["direction"]
        good = True
        if direction != "backward":
            self._fill("field")
            adapter.forward()
            good = self._accept("forward", adapter.spectrum, self.exact.spectrum(adapter.spectrum_box))
        if good and direction != "forward":
            self._fill("spectrum")
            adapter.backward()
            found = adapter.field / adapter.backward_scale
            good = self._accept("backward", found, self.exact.field(adapter.field_box))
        return good

    def _work(self) -> None:
        if self.case["direction"] != "backward":
            self.adapter.forward()
        if self.case["direction"] != "forward":
            self.adapter.backward()

    def _time(self) -> None:
        case, adapter = self.case, self.adapter
        source = "spectrum" if case["direction"] == "backward" else "field"
        self._fill(source)
        saved = getattr(adapter, source).copy()
        mine: list[float] = []
        busy = np.zeros(2)
        for round_ in range(case["warmups"] + case["repeats"]):
            getattr(adapter, source)[...] = saved
            self.comm.Barrier()
            before = resource.getrusage(resource.RUSAGE_SELF)
            start = self.mpi.Wtime()
            self._work()
            took = self.mpi.Wtime() - start
            after = resource.getrusage(resource.RUSAGE_SELF)
            if round_ >= case["warmups"]:
                mine.append(took)
                busy += after.ru_utime - before.ru_utime, after.ru_stime - before.ru_stime
            if case["seconds"] > 0 and self.comm.bcast(sum(mine) > case["seconds"]):
                break
        if case["direction"] == "forward":
            good = self._accept("after_timing", adapter.spectrum, self.exact.spectrum(adapter.spectrum_box))
        else:
            found = adapter.field / adapter.backward_scale
            good = self._accept("after_timing", found, self.exact.field(adapter.field_box))
        slowest = np.empty(len(mine))
        fastest = np.empty(len(mine))
        self.comm.Allreduce(np.array(mine), slowest, self.mpi.MAX)
        self.comm.Allreduce(np.array(mine), fastest, self.mpi.MIN)
        points = float(np.prod([float(n) for n in case["shape"]]))
        one = (5.0 if case["kind"] == "c2c" else 2.5) * points * float(np.log2(points))
        self.record["flop"] = one * (2 if case["direction"] == "pair" else 1)
        self.record["breakdown"] = None
        self.record["energy"] = {"unavailable": "not measured by Python drivers"}
        user, system = self.comm.allreduce(busy) / len(mine)
        self.record["cpu_seconds"] = {"user": float(user), "system": float(system)}
        if case["profile"]:
            self.record.update(measure(self.comm, lambda: getattr(adapter, source).__setitem__(..., saved), self._work))
        if good:
            self.record["samples"], self.record["fastest_rank"] = slowest.tolist(), fastest.tolist()


def _environment() -> dict[str, str]:
    """The user's settings of the libraries."""
    names = (name for name in os.environ if name.startswith(PREFIXES) and not name.startswith(WIRING))
    return {name: os.environ[name] for name in names}


def _machine(comm, mpi) -> dict:
    model = "unknown"
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as info:
            model = next(line.split(":", 1)[1].strip() for line in info if line.startswith("model name"))
    except (OSError, StopIteration):
        pass
    cores = ",".join(map(str, sorted(os.sched_getaffinity(0))))
    return {
        "cpu": model,
        "clock": f"MPI_Wtime, tick {mpi.Wtick():g} s",
        "cores_online": os.cpu_count(),
        "memory_bytes": os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"),
        "kernel": f"{platform.system()} {platform.release()} {platform.machine()}",
        "mpi": mpi.Get_library_version().splitlines()[0].strip("\0"),
        "hosts": len(set(comm.allgather(platform.node()))),
        "binding": comm.allgather(cores),
        "python": platform.python_version(),
    }


def main(description: dict, make_adapter) -> int:
    """The whole driver: `--describe`, or a case with the file its record goes to."""
    arguments = sys.argv[1:]
    if arguments == ["--describe"]:
        print(json.dumps(description))
        return 0
    try:
        if not 1 <= len(arguments) <= 2:
            raise CaseError("usage: --describe | CASE [RECORD]")
        case = parse_case(arguments[0])
    except CaseError as error:
        print(f"bench-error: {error}", file=sys.stderr)
        return 2
    from mpi4py import MPI

    comm = MPI.COMM_WORLD
    started = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    try:
        refusal = refuse(description, case, comm.size) or make_adapter.refuse(case, comm.size)
        refused = {"status": "unsupported", "reason": refusal}
        record = refused if refusal else Session(case, make_adapter(), comm).run()
        machine = _machine(comm, MPI)
    except Exception as error:  # one rank alone cannot know whether the others wait for it
        print(f"bench-error: {type(error).__name__}: {error}", file=sys.stderr, flush=True)
        comm.Abort(3)
    rare = {key for key in (*FEATURES, "boxes") if case[key] == DEFAULTS[key]}  # left out, as native drivers do
    case = {key: value for key, value in case.items() if key not in rare}
    record.update(
        schema=1, library=description["library"], version=description["version"], case=case, ranks=comm.size,
        started=started, machine=machine, command=shlex.join(sys.argv),
        environment=_environment(),
    )  # fmt: skip
    if comm.rank == 0:
        line = json.dumps(record)
        if len(arguments) == 2:
            with open(arguments[1], "a", encoding="utf-8") as file:
                file.write(line + "\n")
        else:
            print(line)
    return 4 if record["status"] == "wrong" else 0
