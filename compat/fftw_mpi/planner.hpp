#pragma once
// From the arguments of a planning call to a plan.
#include <mpi.h>

#include <cstdint>
#include <vector>

#include "distribution.hpp"
#include "shardfft/types.hpp"

namespace shardfft::compat {

enum class Work { c2c, r2c, c2r, r2r, transposition };

/// A planning call of any function.
struct Request {
  const char* function = "";  ///< FFTW's name without the prefix
  Work work = Work::c2c;
  Precision precision = Precision::f64;
  bool is_supported = true;  ///< false for long double
  /// Extents of the real array in real transforms. Transpositions have two axes; the first is cut before, the second
  /// after.
  std::vector<Dim> dims{};
  std::int64_t howmany = 1;
  std::vector<int> kinds{};  ///< r2r: an fftw_r2r_kind for each of the dims
  int sign = -1;
  unsigned flags = 0;
  const void* in = nullptr;
  void* out = nullptr;
  MPI_Comm comm = MPI_COMM_NULL;
};

/// The plan, or null on all ranks, with a reason, if it cannot be made. Collective.
void* plan(const Request& request) noexcept;

/// The result of the local_size functions; extents below 1 give 0.
LocalSize local_size(const std::vector<Dim>& dims, std::int64_t howmany, MPI_Comm comm, int sign, unsigned flags);

/// Sends the exported wisdom of rank 0 to all others, or that of all others to rank 0.
using Export = char* (*)();
using Import = int (*)(const char*);
void broadcast_wisdom(MPI_Comm comm, Export from, Import to);
void gather_wisdom(MPI_Comm comm, Export from, Import to);

}  // namespace shardfft::compat
