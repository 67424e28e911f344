"""Counts of a driver: every call of MPI that communicates, in C and in Fortran, and the time of local FFTs."""

import json
import os
import re
import shutil
import subprocess

import pytest
from conftest import ROOT, built_drivers
from test_drivers import mpirun, run_case

pytestmark = pytest.mark.skipif(not shutil.which("mpirun"), reason="no mpirun")

# Every function of MPI 3.1 by which a rank reaches or awaits another one, chapter by chapter.
STANDARD = re.findall(
    r"\w+",
    """
Send Bsend Ssend Rsend Isend Ibsend Issend Irsend Recv Irecv Sendrecv Sendrecv_replace Probe Iprobe Mprobe Improbe Mrecv
Imrecv Wait Waitany Waitall Waitsome Test Testany Testall Testsome Request_get_status Request_free Cancel
Send_init Bsend_init Ssend_init Rsend_init Recv_init Start Startall
Barrier Bcast Gather Gatherv Scatter Scatterv Allgather Allgatherv Alltoall Alltoallv Alltoallw Reduce Allreduce
Reduce_scatter Reduce_scatter_block Scan Exscan
Ibarrier Ibcast Igather Igatherv Iscatter Iscatterv Iallgather Iallgatherv Ialltoall Ialltoallv Ialltoallw Ireduce
Iallreduce Ireduce_scatter Ireduce_scatter_block Iscan Iexscan
Comm_dup Comm_dup_with_info Comm_idup Comm_create Comm_create_group Comm_split Comm_split_type Comm_free
Intercomm_create Intercomm_merge Cart_create Cart_sub Graph_create Dist_graph_create Dist_graph_create_adjacent
Neighbor_allgather Neighbor_allgatherv Neighbor_alltoall Neighbor_alltoallv Neighbor_alltoallw Ineighbor_allgather
Ineighbor_allgatherv Ineighbor_alltoall Ineighbor_alltoallv Ineighbor_alltoallw
Comm_spawn Comm_spawn_multiple Comm_accept Comm_connect Comm_disconnect Comm_join
Win_create Win_allocate Win_allocate_shared Win_create_dynamic Win_attach Win_detach Win_free Put Get Accumulate
Get_accumulate Fetch_and_op Compare_and_swap Rput Rget Raccumulate Rget_accumulate Win_fence Win_start Win_complete
Win_post Win_wait Win_test Win_lock Win_lock_all Win_unlock Win_unlock_all Win_flush Win_flush_all Win_flush_local
Win_flush_local_all Win_sync
""",
)

CALLS = """
#include <mpi.h>
#include <cstdio>
#include <vector>
#include "mpi_profile.hpp"
// Each line: a name, and the bytes that a rank of two hands over.
template <class Work> void told(const char* name, Work work) {
  shardfft::bench::start_counting_mpi();
  work();
  const auto use = shardfft::bench::stop_counting_mpi();
  int rank; PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) std::printf("%s %lld %lld\\n", name, (long long)use.bytes, (long long)use.calls);
}
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank; MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  std::vector<double> out(64), in(64);
  MPI_Comm world = MPI_COMM_WORLD, ring;
  MPI_Request r[2]; MPI_Status s[2];
  int n[2] = {3, 3}, at[2] = {0, 64}, done[2], count;
  MPI_Datatype type[2] = {MPI_DOUBLE, MPI_DOUBLE};
  told("ialltoallw", [&] { MPI_Ialltoallw(out.data(), n, at, type, in.data(), n, at, type, world, r);
                           MPI_Wait(r, s); });
  told("ialltoall", [&] { MPI_Ialltoall(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, in.data(), 5, MPI_DOUBLE, world, r);
                          MPI_Waitall(1, r, s); });
  told("made", [&] { MPI_Send_init(out.data(), 7, MPI_DOUBLE, 1 - rank, 0, world, r);
                     MPI_Recv_init(in.data(), 7, MPI_DOUBLE, 1 - rank, 0, world, r + 1); });
  told("startall", [&] { MPI_Startall(2, r);
                         for (count = 0; count != MPI_UNDEFINED;) MPI_Testsome(2, r, &count, done, s); });
  told("freed", [&] { MPI_Request_free(r); MPI_Request_free(r + 1); });
  const int dims[1] = {2}, around[1] = {1};
  MPI_Cart_create(world, 1, dims, around, 0, &ring);
  told("neighbours", [&] { MPI_Neighbor_alltoall(out.data(), 2, MPI_DOUBLE, in.data(), 2, MPI_DOUBLE, ring); });
  MPI_Win window;
  MPI_Win_create(in.data(), 64 * 8, 8, MPI_INFO_NULL, world, &window);
  told("put", [&] { MPI_Win_fence(0, window); MPI_Put(out.data(), 4, MPI_DOUBLE, 1 - rank, 0, 4, MPI_DOUBLE, window);
                    MPI_Win_fence(0, window); });
  MPI_Win_free(&window);
  MPI_Finalize();
}
"""
FORTRAN = """
program counted
  use mpi
  use iso_c_binding
  implicit none
  interface
    subroutine begin() bind(c, name="shardfft_bench_start_mpi")
    end subroutine
    subroutine finish(seconds, bytes, calls) bind(c, name="shardfft_bench_stop_mpi")
      import
      real(c_double) :: seconds
      integer(c_int64_t) :: bytes, calls
    end subroutine
  end interface
  integer :: code, rank, counts(2), at(2), types(2), request
  real(8) :: from(64), into(64)
  real(c_double) :: seconds
  integer(c_int64_t) :: bytes, calls
  call mpi_init(code)
  call mpi_comm_rank(MPI_COMM_WORLD, rank, code)
  counts = 3
  at = (/ 0, 64 /)
  types = MPI_DOUBLE_PRECISION
  call begin()
  call mpi_alltoallw(from, counts, at, types, into, counts, at, types, MPI_COMM_WORLD, code)
  call mpi_isend(from, 5, MPI_DOUBLE_PRECISION, 1 - rank, 0, MPI_COMM_WORLD, request, code)
  call mpi_recv(into, 5, MPI_DOUBLE_PRECISION, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE, code)
  call mpi_wait(request, MPI_STATUS_IGNORE, code)
  call mpi_alltoall(MPI_IN_PLACE, 0, 0, into, 4, MPI_DOUBLE_PRECISION, MPI_COMM_WORLD, code)
  call finish(seconds, bytes, calls)
  if (rank == 0) print *, bytes, calls
  call mpi_finalize(code)
end program
"""


def defined(program):
    """The functions that an executable or a library has and exports."""
    told = subprocess.run(
        ["nm", "-D", "--defined-only", str(program)], capture_output=True, text=True, check=True
    ).stdout
    return {line.split()[-1] for line in told.splitlines() if " T " in line}


def test_every_communicating_function_of_the_standard_is_wrapped(real_drivers):
    names = defined(next(iter(built_drivers(real_drivers).values())))
    lacking = [name for name in STANDARD if f"MPI_{name}" not in names]
    assert not lacking
    fortran = [
        name for name in STANDARD if not name.startswith(("Comm_spawn", "Comm_accept", "Comm_connect", "Comm_join"))
    ]
    assert [name for name in fortran if not {f"mpi_{name.lower()}_", f"mpi_{name.lower()}_f08_"} <= names] == []


def test_a_header_gives_wrappers_of_what_communicates_alone(tmp_path):
    """Also of later standards: all functions that are not known as local are wrapped."""
    header, output = tmp_path / "mpi.h", tmp_path / "wrappers.inc"
    header.write_text("""
int PMPI_Comm_rank(MPI_Comm comm, int *rank);
int PMPI_Ifuture(void *data, int n, MPI_Comm comm)
  __attribute__((x(1,2)));
int PMPI_Isend_c(const void *buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm,
  MPI_Request *request);
""")
    script = ROOT / "bench" / "native" / "make_mpi_wrappers.py"
    subprocess.run(["python3", str(script), str(output), "cat", str(header)], check=True)
    made = re.findall(r"(?m)^\w+ (\w+)\(", output.read_text())
    assert made == ["MPI_Ifuture", "mpi_ifuture_", "mpi_ifuture_f08_", "MPI_Isend_c"]
    header.write_text("int PMPI_Send(void *what, int count);")
    done = subprocess.run(
        ["python3", str(script), str(output), "cat", str(header)], capture_output=True, text=True, check=False
    )
    assert done.returncode and "has no comm, datatype, dest" in done.stderr


def test_bytes_are_counted_by_the_call(real_drivers, tmp_path):
    library = next(iter(sorted(real_drivers.parent.rglob("libbench_native.a"))), None)
    if not library or not shutil.which("mpicxx"):
        pytest.skip("the native part or mpicxx is not here")
    (tmp_path / "calls.cpp").write_text(CALLS)
    flags = ["-std=c++20", "-I", str(ROOT / "bench" / "native"), str(tmp_path / "calls.cpp"), str(library), "-ldl"]
    subprocess.run(["mpicxx", *flags, "-o", str(tmp_path / "calls")], check=True)
    done = mpirun([str(tmp_path / "calls")], 2, tmp_path)
    told = {line.split()[0]: list(map(int, line.split()[1:])) for line in done.stdout.splitlines()}
    assert {name: one[0] for name, one in told.items()} == {
        "ialltoallw": 24, "ialltoall": 40, "made": 0, "startall": 56, "freed": 0, "neighbours": 32, "put": 32,
    }, done.stderr  # fmt: skip
    assert (told["ialltoallw"][1], told["put"][1]) == (2, 3) and told["startall"][1] >= 3


def test_calls_of_fortran_are_counted(real_drivers, tmp_path):
    profile = real_drivers / "libbench_profile.so"
    if not profile.is_file() or not shutil.which("mpifort"):
        pytest.skip("the library to preload or mpifort is not here")
    (tmp_path / "calls.f90").write_text(FORTRAN)
    done = subprocess.run(
        ["mpifort", "calls.f90", str(profile), "-o", "calls"], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    if done.returncode:
        pytest.skip(f"mpifort does not build a program: {done.stderr[-200:]}")
    path = os.environ.get("LD_LIBRARY_PATH", "")
    command = ["env", f"LD_LIBRARY_PATH={real_drivers}:{path}", f"LD_PRELOAD={profile}", str(tmp_path / "calls")]
    done = mpirun(command, 2, tmp_path)
    assert done.stdout.split() == ["96", "5"], done.stdout + done.stderr


def test_ratio_of_communication_is_told_and_replayed(real_drivers, tmp_path):
    drivers = built_drivers(real_drivers)
    for name in {"shardfft", "fftw-mpi"} & set(drivers):
        record = run_case(drivers[name], {"shape": [16, 16, 16], "profile": True, "energy": False}, 2, tmp_path)
        said = record["local_ffts"]
        assert said["replayed"]["seconds"] > 0 and said["replayed"]["r"] < 1, json.dumps(said)
        assert ("r" in said["told"]) == (name == "shardfft"), "FFTW-MPI's transforms are called inside FFTW"
        assert record["cpu_seconds"]["user"] >= 0
