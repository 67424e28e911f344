"""The small frames in which the C++ blocks of the documents are compiled and run."""

from __future__ import annotations

import re

# Names that a block may use without declaring them.
GIVEN = {
    "comm": "MPI_Comm comm = MPI_COMM_WORLD; int ranks = 1; MPI_Comm_size(comm, &ranks);",
    "rank": "int rank = 0; MPI_Comm_rank(comm, &rank);",
    "layout": "const auto layout = shardfft::Layout::slab({12, 10, 8}, ranks);",
    "plan": "shardfft::Plan plan(comm, shardfft::c2c<double>, layout);",
    "spacing": "const double spacing = 0.1;",
    "in": "std::vector<std::complex<double>> in_room(960); auto* in = in_room.data();",
    "out": "std::vector<std::complex<double>> out_room(960); auto* out = out_room.data();",
    "field": "std::vector<std::complex<double>> field_room(960); auto* field = field_room.data();",
    "spectrum": "std::vector<std::complex<double>> spectrum_room(960); auto* spectrum = spectrum_room.data();",
    "fields": "std::vector<const void*> fields(4);",
    "spectra": "std::vector<void*> spectra(4);",
}  # fmt: skip
NEEDS = {"rank": ["comm"], "layout": ["comm"], "plan": ["comm", "layout"]}

# For blocks without includes; if a block has includes, they must be enough.
INCLUDES = """
#include <mpi.h>
#include <complex>
#include <iostream>
#include <numbers>
#include <string>
#include <vector>
#include <shardfft/shardfft.hpp>
"""

FRAME = """
{includes}
#include <cstdio>
#include <exception>
int main(int argc, char** argv) {{
  MPI_Init(&argc, &argv);
  try {{
    {given}
    {block}
  }} catch (const std::exception& error) {{
    std::fprintf(stderr, "%s\\n", error.what());
    MPI_Abort(MPI_COMM_WORLD, 1);
  }}
  MPI_Finalize();
}}
"""

PROJECT = """
cmake_minimum_required(VERSION 3.25)
project(documents LANGUAGES CXX)
find_package(shardfft REQUIRED)
foreach(name {names})
  add_executable(${{name}} ${{name}}.cpp)
  target_link_libraries(${{name}} PRIVATE shardfft::shardfft)
endforeach()
"""


def _declares(block: str, name: str) -> bool:
    return re.search(rf"[\w>&*]\s+[&*]?{name}\s*[({{=;]", block) is not None


def program(block: str) -> str:
    """A whole program around the block."""
    includes = "\n".join(line for line in block.splitlines() if line.startswith("#include"))
    body = "\n".join(line for line in block.splitlines() if not line.startswith("#include"))
    code = re.sub(r"//.*", "", body)
    if "int main(" in code:  # a whole program around the reader's own run()
        return f"#include <cstdio>\n#include <exception>\n#include <mpi.h>\n{includes}\nvoid run() {{}}\n{body}\n"
    wanted = [name for name in GIVEN if re.search(rf"\b{name}\b", code) and not _declares(code, name)]
    needed = [name for name in GIVEN if name in wanted or any(name in NEEDS.get(one, []) for one in wanted)]
    return FRAME.format(includes=includes or INCLUDES, given="\n    ".join(GIVEN[name] for name in needed), block=body)
