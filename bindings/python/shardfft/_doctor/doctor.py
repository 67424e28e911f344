"""``shardfft doctor``: find losses of this job on its ranks."""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from typing import TYPE_CHECKING, Any, NamedTuple

from .._ground import mpi
from .._ground.errors import Error
from .._plans.planning import plan
from . import findings, gpus, machine, measure
from .facts import facts
from .findings import Facts, Finding, found
from .words import plan_options, shape_of

if TYPE_CHECKING:
    from mpi4py import MPI


class Examined(NamedTuple):
    """Findings, facts beside them, and figures."""

    findings: list[Finding]
    known: list[str]
    machine: dict[str, Any] | None


def words(parser: argparse.ArgumentParser) -> None:
    """Describe the command."""
    parser.add_argument("--shape", default="96x96x96", help="of the reference transform, as 90x80x70 (%(default)s)")
    parser.add_argument("--kind", choices=["c2c", "r2c"], default="c2c", help="of it (%(default)s)")
    parser.add_argument("--dtype", choices=["float32", "float64"], default="float64", help="of it (%(default)s)")
    parser.add_argument("--layout", default="slab", help="of its input: slab, pencil, brick or cyclic (%(default)s)")
    parser.add_argument("--output", default="default", help="the layout of its output: default, natural or as --layout")
    parser.add_argument(
        "--set", action="append", default=[], metavar="OPTION=VALUE", help="of its plan (docs/options.md)"
    )
    parser.add_argument("--no-figures", action="store_true", help="measure nothing but a transform")
    parser.add_argument("--gpu", action="store_true", help="of a plan on GPUs")
    parser.add_argument("--json", action="store_true", help="one object of JSON instead of lines")
    parser.add_argument(
        "--machine", metavar="FILE", nargs="?", const=str(machine.own() or "machine.json"),
        help="write the figures there (docs/doctor.md); without FILE where `shardfft plan` finds them",
    )  # fmt: skip


def _connected() -> tuple[MPI.Comm | None, list[Finding]]:
    """Give the job's ranks; or the findings that keep them from being one job."""
    if mpi.WITHOUT_MPI:
        return mpi.communicator(None), []
    try:
        from mpi4py import MPI  # noqa: F401
    except (ImportError, RuntimeError) as error:
        return None, [found("no-mpi4py", f"mpi4py cannot be used: {error}")]
    if why := mpi.mismatch():
        sentence, _, mend = why.partition("; both must use one MPI library. ")
        return None, [found("other-mpi", sentence, mend=mend)]
    if why := mpi.strangers():
        return None, [found("strangers", why)]
    return mpi.communicator(None), []


def _shared_memory(comm: MPI.Comm, options: dict[str, Any]) -> list[Finding]:
    """Whether ranks of a host may read each other's memory: the library is asked for a plan that does so."""
    told = options.get("exchange", "auto") != "auto" or {"processor", "workspace", "way"} & {*options}
    if comm.size == 1 or told:
        return []
    asked = {**options, "exchange": "shared_window", "effort": "estimate"}
    try:
        with plan(comm=comm, **asked) as one:
            one.forward(one.input.zeros())
    except Error as error:
        # Any other refusal is one of the plan that is examined next.
        return [findings.of_refusal(str(error))] if "cannot share" in str(error) else []
    return []


def _figures(comm: MPI.Comm, ranks: list[Facts], share: float) -> dict[str, Any]:
    """Measure; give the content of a machine file."""
    hosts = findings.by_host(ranks)
    together = measure.memory(comm, True)
    memory = [{"ranks": comm.size, "bytes_per_second": together}]
    links, alltoall = [], []
    if comm.size > 1:
        memory.insert(0, {"ranks": 1, "bytes_per_second": measure.memory(comm, False)})
        first = [next(r for r, rank in enumerate(ranks) if rank["host"] == host) for host in hosts]
        near = next((r for r in range(1, comm.size) if ranks[r]["host"] == ranks[0]["host"]), None)
        pairs = [("ranks of a host", near), ("hosts", first[1] if len(first) > 1 else None)]
        links = [{"between": what, **measure.link(comm, 0, rank)} for what, rank in pairs if rank is not None]
        alltoall = [{"ranks": comm.size, "bytes_per_second_a_rank": measure.all_to_all(comm)}]
    return {
        "format": machine.FORMAT,
        "version": machine.VERSION,
        "made": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        "shardfft": sys.modules["shardfft"].__version__,
        "mpi": ranks[0]["mpi"],
        "ranks": comm.size,
        "core_share": share,
        "hosts": [
            {"name": here[0]["name"], "processor": here[0]["processor"], "vectors": here[0]["vectors"],
             "cores": here[0]["online"], "memory_bytes": here[0]["memory"] or 0, "ranks": len(here)}
            for here in hosts.values()
        ],
        "gpus": [{"host": here[0]["name"], "name": gpu} for here in hosts.values() for gpu in here[0]["gpus"]],
        "libraries": measure.local_ffts(comm, mpi.alone()),
        "memory": memory,
        "links": links,
        "alltoall": alltoall,
        "step_seconds": measure.step(comm),
    }  # fmt: skip


def _reference(
    comm: MPI.Comm, bandwidth: float | None, ranks: list[Facts], options: dict[str, Any]
) -> tuple[list[Finding], list[str]]:
    try:
        run = measure.reference(comm, bandwidth, **options)
    except Error as error:
        return [found("no-plan", str(error))], []
    floor, steps = run["floor_seconds"], f"{run['steps']} steps as copies of its array"
    known = [
        f"a {options['kind']} transform of {'x'.join(map(str, options['shape']))} takes {_time(run['seconds'])}"
        + (f", {run['seconds'] / floor:.2g} times its floor ({steps}, {_time(floor)})" if floor else ""),
        f"its plan: exchange {run['exchange']}, local FFT {run['local_fft']}",
        f"its way: {run['way']}",
    ]
    told = findings.of_libraries(comm.allgather(run["local_fft"]), ranks[0]["vectors"])
    if run["error"] > 1e3 * run["epsilon"]:
        told.append(found("wrong-result", f"forward and backward give back a number that is {run['error']:.2g} off"))
    if run["reads"]["staged"] > run["reads"]["across"]:
        told.append(found("input-copies", "ranks may not read each other's arrays, so each input is copied first"))
    return told, known


def _time(seconds: float) -> str:
    return f"{seconds * 1e3:.3g} ms"


def _rate(bytes_a_second: float) -> str:
    return f"{bytes_a_second / 1e9:.3g} GB/s"


def _facts(ranks: list[Facts]) -> list[str]:
    """List facts that are no findings."""
    first, hosts = ranks[0], findings.by_host(ranks).values()
    bound = sum(len(rank["cores"]) < rank["online"] for rank in ranks)
    return [
        *(f"{h[0]['name']}: ranks {len(h)}, cores {h[0]['online']}, {h[0]['processor']}" for h in hosts),
        f"MPI: {first['mpi']}; {bound} of {len(ranks)} ranks are bound to some of the cores",
        f"huge pages: {first['huge_pages'] or 'not told'}; shared memory: {first['shared_huge_pages'] or 'not told'}",
        "clock governor: " + (", ".join(first["governors"]) or "not told"),
        "locked memory: " + ("no limit" if first["locked"] is None else f"{first['locked'] / 2**20:.3g} MiB"),
        *(f"GPU of {h[0]['name']}: {gpu}" for h in hosts for gpu in h[0]["gpus"]),
    ]


def _lines(told: dict[str, Any]) -> list[str]:
    """List figures."""
    return [
        *(f"memory, {one['ranks']} ranks at once: {_rate(one['bytes_per_second'])}" for one in told["memory"]),
        *(
            f"messages, {one['between']}: {1e6 * one['latency_seconds']:.3g} us, {_rate(one['bytes_per_second'])}"
            for one in told["links"]
        ),
        *(f"all to all: {_rate(one['bytes_per_second_a_rank'])} a rank" for one in told["alltoall"]),
        *(
            f"local FFT {one['name']}: {one['flops_per_second'] / 1e9:.3g} GFLOP/s ({one['version']})"
            for one in told["libraries"]
        ),
        f"a rank that computes has {100 * told['core_share']:.0f} % of a core",
    ]


def examine(comm: MPI.Comm, chosen: argparse.Namespace) -> Examined:
    """Examine the job. Collective; every rank gets the same."""

    def read() -> tuple[tuple[int, ...], dict[str, Any]]:
        if chosen.machine and chosen.no_figures:
            raise ValueError("--machine writes figures, and --no-figures measures none")
        return shape_of(chosen.shape), plan_options(chosen.set) | ({"processor": "gpu"} if chosen.gpu else {})

    shape, options = mpi.agree(comm, read)
    options = {"effort": "estimate", **options}
    options |= {name: getattr(chosen, name) for name in ("kind", "dtype", "layout", "output")} | {"shape": shape}
    _, ranks = mpi.meet(comm, lambda: (None, facts(options.get("threads", 1))))
    told, known = findings.of_facts(ranks), _facts(ranks)
    figures = None if chosen.no_figures else _figures(comm, ranks, measure.core_share(comm))
    parts = [(_shared_memory(comm, options), [] if figures is None else _lines(figures))]
    bandwidth = None if figures is None or chosen.gpu else figures["memory"][-1]["bytes_per_second"]
    if chosen.gpu and not all(rank["gpus"] for rank in ranks):
        parts.append(([found("no-gpu", "not every rank has a GPU")], []))
    else:
        parts += [gpus.findings(comm, ranks)] if chosen.gpu else []
        parts.append(_reference(comm, bandwidth, ranks, options))
    for more, said in parts:
        told, known = told + more, known + said
    return Examined(list(dict.fromkeys(told)), known, figures)


def _speaks() -> bool:
    """Whether this is the first process that the launcher started, of those that found no MPI to meet."""
    return all(os.environ.get(name, "0") == "0" for name in ("OMPI_COMM_WORLD_RANK", "PMI_RANK", "SLURM_PROCID"))


def _print(examined: Examined, as_json: bool, seconds: float) -> None:
    if as_json:
        listed = [one._asdict() for one in examined.findings]
        print(
            json.dumps({"findings": listed, "known": examined.known, "machine": examined.machine, "seconds": seconds})
        )
        return
    for line in examined.known:
        print(line)
    for one in examined.findings:
        print(f"\n{one.name}: {one.sentence}\n  mend: {one.mend}")
    count = len(examined.findings)
    print(f"\n{count or 'no'} finding{'' if count == 1 else 's'}, {seconds:.1f} s")


def run(chosen: argparse.Namespace) -> int:
    """Examine and tell; the exit status: 1 with findings."""
    begin = time.perf_counter()
    comm, why = _connected()
    if comm is None:
        if _speaks():
            _print(Examined([*why, *findings.of_facts([facts()])], [], None), chosen.json, time.perf_counter() - begin)
        return 1
    examined = examine(comm, chosen)

    def tell() -> None:
        if comm.rank == 0:
            if chosen.machine and examined.machine is not None:
                machine.write(examined.machine, chosen.machine)
            _print(examined, chosen.json, time.perf_counter() - begin)
            sys.stdout.flush()

    mpi.agree(comm, tell)
    return 1 if examined.findings else 0
