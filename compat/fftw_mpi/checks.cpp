#include "checks.hpp"

#include <fftw3-mpi.h>

#include <array>
#include <limits>

#include "end_all.hpp"
#include "given_options.hpp"
#include "handle.hpp"
#include "shardfft/error.hpp"

namespace shardfft::compat {

namespace {

[[noreturn]] void refuse_as(Status status, const std::string& why) { throw Error(status, why); }

/// The reason why this rank refuses; empty if it does not.
std::string reason(const Request& r) {
  const Flags flags(r.flags);
  const auto rank = r.dims.size();
  if (!r.is_supported) return "long double is not supported, only double (fftw_) and float (fftwf_)";
  if (rank == 0) return "a transform needs one axis at least";
  for (const Dim& dim : r.dims)
    if (dim.n < 1 || dim.in_block < 0 || dim.out_block < 0)
      return "extents must be positive, and block lengths not negative";
  if (r.howmany < 0) return "howmany is " + std::to_string(r.howmany) + ", but cannot be negative";
  if (rank > static_cast<std::size_t>(max_user_axes))
    return std::to_string(rank) + " axes: up to " + std::to_string(max_user_axes) + " are supported";
  if (flags.wisdom_only) return "FFTW_WISDOM_ONLY: there is no wisdom of distributed plans";
  const bool transposed = flags.transposed_in || flags.transposed_out;
  const bool scrambled = flags.scrambled.in || flags.scrambled.out;
  if (transposed && rank == 1) return "one axis has no transposed order";
  if (scrambled && (r.work != Work::c2c || rank > 1))
    return "FFTW_MPI_SCRAMBLED_IN and FFTW_MPI_SCRAMBLED_OUT are for complex transforms of one axis";
  const bool halves = r.work == Work::r2c || r.work == Work::c2r;
  if (halves && rank == 1) return "real transforms of one axis do not exist in FFTW's MPI interface either";
  if (halves && rank == 2 && (r.work == Work::r2c ? flags.transposed_in : flags.transposed_out))
    return "a real array of two axes cannot be transposed: the second one is padded";
  if (r.work == Work::c2c && r.sign != FFTW_FORWARD && r.sign != FFTW_BACKWARD)
    return "the sign is " + std::to_string(r.sign) + ", but must be -1 or 1";
  if (r.work == Work::r2r)
    for (std::size_t a = 0; a < rank; ++a) {
      if (r.kinds[a] < FFTW_R2HC || r.kinds[a] > FFTW_RODFT11)
        return std::to_string(r.kinds[a]) + " is not an r2r kind";
      if (r.kinds[a] == FFTW_REDFT00 && r.dims[a].n == 1) return "FFTW_REDFT00 needs two points at least";
    }
  try {  // here, because no rank may plan alone if only some have the variable
    Options given;
    set_given_options(given, "SHARDFFT_FFTW_OPTIONS");
  } catch (const Error& e) {
    return e.what();
  }
  return foreign_fftw(r.precision);
}

/// A number that differs if calls differ.
std::int64_t digest(const Request& r) {
  std::uint64_t hash = 1469598103934665603u;
  const auto add = [&hash](std::int64_t number) {
    for (int i = 0; i < 8; ++i) hash = (hash ^ static_cast<std::uint8_t>(number >> (8 * i))) * 1099511628211u;
  };
  for (const std::int64_t number : {static_cast<std::int64_t>(r.work), static_cast<std::int64_t>(r.precision),
                                    r.howmany, std::int64_t{r.sign}, std::int64_t{r.flags}})
    add(number);
  for (const Dim& dim : r.dims)
    for (const std::int64_t number : {dim.n, dim.in_block, dim.out_block}) add(number);
  for (const int kind : r.kinds) add(kind);
  return static_cast<std::int64_t>(hash >> 1);
}

}  // namespace

Flags::Flags(unsigned flags)
    : transposed_in(flags & FFTW_MPI_TRANSPOSED_IN),
      transposed_out(flags & FFTW_MPI_TRANSPOSED_OUT),
      scrambled{(flags & FFTW_MPI_SCRAMBLED_IN) != 0, (flags & FFTW_MPI_SCRAMBLED_OUT) != 0},
      estimate(flags & FFTW_ESTIMATE),
      patient(flags & (FFTW_PATIENT | FFTW_EXHAUSTIVE)),
      wisdom_only(flags & FFTW_WISDOM_ONLY) {}

bool check(const Request& r) {
  if (!mpi_runs()) refuse_as(Status::invalid_argument, "MPI is not running: call MPI_Init first");
  if (r.comm == MPI_COMM_NULL) refuse_as(Status::invalid_argument, "the communicator is MPI_COMM_NULL");
  const std::string why = reason(r);
  // A rank without data may pass any pointer, so null pointers are ignored.
  const bool same = r.in == r.out;
  const std::int64_t hash = digest(r);
  std::array<std::int64_t, 5> least{why.empty(), hash, -hash, !(same && r.in), !(!same && r.in && r.out)};
  MPI_Allreduce(MPI_IN_PLACE, least.data(), static_cast<int>(least.size()), MPI_INT64_T, MPI_MIN, r.comm);
  const bool in_place = least[3] == 0, out_of_place = least[4] == 0;
  if (!why.empty()) refuse_as(Status::unsupported, why);
  if (!least[0]) refuse_as(Status::mismatch, "another rank refused its arguments");
  if (least[1] != -least[2]) refuse_as(Status::mismatch, "the ranks gave different arguments");
  if (in_place && out_of_place)
    refuse_as(Status::mismatch, "on some ranks input and output are one array, on others they are two");
  return in_place;
}

void on_all(MPI_Comm comm, const std::function<void()>& work) {
  std::string why;
  try {
    work();
  } catch (const std::exception& e) {
    why = e.what();
  }
  int failed = !why.empty();
  MPI_Allreduce(MPI_IN_PLACE, &failed, 1, MPI_INT, MPI_MAX, comm);
  if (failed) refuse_as(Status::backend_failure, why.empty() ? "another rank failed" : why);
}

}  // namespace shardfft::compat
