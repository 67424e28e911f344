"""Writes the wrappers of every MPI call that communicates, out of the prototypes of an mpi.h.

    make_mpi_wrappers.py OUTPUT COMPILER...   # COMPILER... runs the C preprocessor over standard input

The output is included by mpi_profile.cpp, whose `Call` and counters it uses. Each function gets a wrapper in C and two
in Fortran (`mpi_name_` and `mpi_name_f08_`): where an MPI's Fortran part calls what lies behind its C functions, C's
wrappers never see the call. What cannot reach another rank is not wrapped (LOCAL); RULES count what is handed over.
"""

from __future__ import annotations

import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

# Calls that concern one rank alone, or that no transform makes between its start and its end (files, tools, names).
LOCAL = re.compile(
    r"(Type|Info|Op|Errhandler|Error|Group|Attr|Keyval|T|File|Status|Message|Session|Grequest|Buffer|Add|Remove)_.*"
    r"|.*_(c2f|f2c|f082c|c2f08|f2f08|f082f|toint|fromint)|Win_(get|set|call|create_errhandler|create_keyval|delete|free_k).*"
    r"|Win_shared_query"
    r"|Comm_(get|set|call|compare|create_errhandler|create_keyval|delete|free_keyval|group|rank|remote|size|test).*"
    r"|Graph_(get|map|neighbors.*)|Graphdims_get|Cart_(coords|get|map|rank|shift)|Cartdim_get|Dims_create|Topo_test"
    r"|Dist_graph_neighbors.*|Get_(?!accumulate).*|Address|Alloc_mem|Free_mem|Pack.*|Unpack.*|Wtime|Wtick|Aint_.*"
    r"|Init|Init_thread|Initialized|Finalize|Finalized|Abort|Query_thread|Is_thread_main|Pcontrol|Register_datarep"
    r"|(Publish|Lookup|Unpublish)_name|(Open|Close)_port|Reduce_local|Test_cancelled|Pready.*|Parrived"
)
# Wrapped in C alone: Fortran's words for their texts come with lengths at the end.
TEXTS = re.compile(r"Comm_(accept|connect|spawn|spawn_multiple|join)")

# Name without I, R and _init -> bytes that this rank hands over, in the words of `Bytes` of mpi_profile.cpp.
RULES = {
    r"[bsr]?send": "to_one(count, datatype, dest, comm)",
    r"sendrecv": "to_one(sendcount, sendtype, dest, comm)",
    r"sendrecv_replace": "to_one(count, datatype, dest, comm)",
    r"alltoall": "to_all(sendbuf, sendcount, sendtype, recvcount, recvtype, comm)",
    r"alltoallv": "to_each(sendbuf, sendcounts, sendtype, recvcounts, recvtype, comm)",
    r"alltoallw": "to_each(sendbuf, sendcounts, sendtypes, recvcounts, recvtypes, comm)",
    r"allgather": "to_all(sendbuf, sendcount, sendtype, recvcount, recvtype, comm)",
    r"allgatherv": "of_all(sendbuf, sendcount, sendtype, recvcounts, recvtype, comm)",
    r"gatherv?": "to_root(sendcount, sendtype, root, comm)",
    r"scatter": "from_root(sendcount, sendtype, root, comm)",
    r"scatterv": "from_root(sendcounts, sendtype, root, comm)",
    r"bcast": "from_root(count, datatype, root, comm)",
    r"reduce": "to_root(count, datatype, root, comm)",
    r"allreduce|scan|exscan": "once(count, datatype, comm)",
    r"reduce_scatter": "to_each(recvbuf, recvcounts, datatype, recvcounts, datatype, comm)",
    r"reduce_scatter_block": "to_all(recvbuf, recvcount, datatype, recvcount, datatype, comm)",
    r"neighbor_(allgatherv?|alltoall)": "to_neighbours(sendcount, sendtype, comm)",
    r"neighbor_alltoallv": "to_neighbours(sendcounts, sendtype, comm)",
    r"neighbor_alltoallw": "to_neighbours(sendcounts, sendtypes, comm)",
    r"(put|get|accumulate|get_accumulate)": "in_window(origin_count, origin_datatype, target_rank, win)",
}


@dataclass
class Function:
    """One prototype."""

    name: str  # without MPI_
    parameters: list[str]

    @property
    def names(self) -> list[str]:
        return [re.findall(r"\w+", re.sub(r"\[[^]]*\]", "", one))[-1] for one in self.parameters]

    @property
    def persistent(self) -> bool:
        return self.name.endswith("_init")

    def bytes(self) -> str:
        """The expression of what is handed over; empty where nothing is."""
        base = re.sub(r"_init$|_c$", "", re.sub(r"_c$", "", self.name)).lower()
        for one in (base, base[1:] if base[0] in "ir" else base):
            for rule, expression in RULES.items():
                if re.fullmatch(rule, one):
                    lacking = set(re.findall(r"\w+", expression.partition("(")[2])) - set(self.names)
                    if lacking:
                        raise SystemExit(f"MPI_{self.name} of this mpi.h has no {', '.join(sorted(lacking))}")
                    return expression
        return ""


def prototypes(header: str) -> list[Function]:
    """The functions of a preprocessed mpi.h that communicate."""
    found = {}
    text = re.sub(r"\s+", " ", re.sub(r"(?m)^#.*$", "", header))
    for name, parameters in re.findall(r"\bint PMPI_(\w+) ?\(([^;]*?)\) ?(?:__attribute__[^;]*)?;", text):
        if not LOCAL.fullmatch(name):
            found[name] = Function(name, [one.strip() for one in parameters.split(",")])
    return [found[name] for name in sorted(found)]


def before_and_after(one: Function) -> tuple[str, str]:
    """What a wrapper does before the call, and after it."""
    handed = one.bytes()
    if handed and one.persistent:
        return "", f" call.keep(request, Bytes(call).{handed});"
    if handed:
        return f" call.sent(Bytes(call).{handed});", ""
    if one.name == "Start":
        return " call.started(1, request);", ""
    if one.name == "Startall":
        return " call.started(count, array_of_requests);", ""
    return (" forget(request);", "") if one.name == "Request_free" else ("", "")


def in_c(one: Function) -> str:
    before, after = before_and_after(one)
    given = ", ".join(one.names)
    return (
        f"int MPI_{one.name}({', '.join(one.parameters)}) {{ Call call;{before} "
        f"const int code = PMPI_{one.name}({given});{after} return code; }}"
    )


def _from_fortran(parameter: str, name: str) -> str:
    """A parameter in C's words, out of the pointer `f_<name>`."""
    array = "[" in parameter
    if "MPI_Datatype" in parameter:
        return f"Types {name}(f_{name}, comm);" if array else f"const auto {name} = type_of(f_{name});"
    for kind in ("Comm", "Win"):
        if f"MPI_{kind} " in parameter:
            return f"const auto {name} = PMPI_{kind}_f2c(*static_cast<MPI_Fint*>(f_{name}));"
    if "void" in parameter:
        return f"const void* {name} = buffer_of(f_{name});"
    if "MPI_Request" in parameter:
        return f"const auto* {name} = static_cast<FortranRequest*>(f_{name});"
    return f"const auto{'*' if array else ''} {name} = {'' if array else '*'}static_cast<const MPI_Fint*>(f_{name});"


def in_fortran(one: Function, suffix: str) -> str:
    before, after = before_and_after(one)
    used = set(re.findall(r"\w+", before + after))
    order = sorted(zip(one.parameters, one.names), key=lambda pair: "MPI_Comm" not in pair[0])
    turned = " ".join(_from_fortran(parameter, name) for parameter, name in order if name in used)
    pointers = [f"f_{name}" for name in one.names] + ["f_code"]
    symbol = f"mpi_{one.name.lower()}_{suffix}"
    typed = ", ".join("void*" for _ in pointers)
    return (
        f"void {symbol}({', '.join('void* ' + each for each in pointers)}) {{ "
        f'static const auto next = reinterpret_cast<void (*)({typed})>(behind("p{symbol}")); '
        f"Call call; {turned}{before} next({', '.join(pointers)});{after} }}"
    )


def wrappers(functions: list[Function]) -> str:
    lines = ["// Written by make_mpi_wrappers.py out of mpi.h."]
    for one in functions:
        lines.append(in_c(one))
        if not TEXTS.fullmatch(one.name) and not one.name.endswith("_c"):
            lines += [in_fortran(one, suffix) for suffix in ("", "f08_")]
    return "\n".join(lines) + "\n"


def main() -> int:
    output, compiler = Path(sys.argv[1]), sys.argv[2:]
    done = subprocess.run(compiler, input="#include <mpi.h>\n", capture_output=True, text=True, check=False)
    functions = prototypes(done.stdout)
    if done.returncode or not functions:
        print(f"no prototypes in mpi.h: {done.stderr.strip()}", file=sys.stderr)
        return 1
    text = wrappers(functions)
    if not output.exists() or output.read_text(encoding="utf-8") != text:
        output.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
