"""Files that a wheel must hold, and must not: contents.py WHEEL. Prints its systems and its size."""

import sys
import zipfile
from pathlib import Path

wheel = Path(sys.argv[1])
with zipfile.ZipFile(wheel) as packed:
    names = packed.namelist()
    metadata = packed.read(next(name for name in names if name.endswith(".dist-info/METADATA"))).decode()
    programs = [name for name in names if name.endswith("/shardfft/kernel-compiler")]
    assert all(packed.getinfo(name).external_attr >> 16 & 0o100 for name in programs), f"{programs} cannot be run"
    texts = {name: packed.read(name) for name in names if ".so" in name}

ENDS = (
    "licenses/LICENSE",
    "licenses/LICENSE.third_party",
    "shardfft/py.typed",
    "shardfft/_core.pyi",
    "entry_points.txt",
)
for wanted in ENDS:
    assert any(name.endswith(wanted) for name in names), f"{wanted} is missing in {wheel.name}"
modules = sorted({name.split("/")[1] for name in names if name.startswith("shardfft/_mpi_")})
assert modules == ["_mpi_mpiabi", "_mpi_mpich", "_mpi_none", "_mpi_openmpi"], f"the modules are {modules}"
assert len(programs) == (len(modules) if "cuda" in wheel.name else 0), f"compilers of kernels: {programs}"
bundled = sorted(name.split("/")[-1] for name in names if ".libs/" in name and not name.endswith("/"))
assert all(name.startswith("libgomp") for name in bundled), f"more than libgomp is bundled: {bundled}"
assert "License-Expression: BSD-3-Clause" in metadata, "the metadata do not name the licence"
for name, text in texts.items():
    assert b"MPI_Comm_dup" in text or "_mpi_none" in name or "libgomp" in name, f"{name} calls no MPI"
    assert b"/shardfft-sdists/" not in text, f"{name} names the folder it was built in"
size = wheel.stat().st_size / 1e6
assert size < 100, f"the wheel has {size:.0f} MB"
print(f"   {wheel.name}: {size:.1f} MB, {len(modules)} extension modules, with {', '.join(bundled)}")
