#pragma once
// The common arguments of all operations of a plan that move or transform data.
#include "base/trace.hpp"
#include "mpi/groups.hpp"
#include "mpi/watch.hpp"
#include "pack/short_numbers.hpp"

namespace shardfft {

struct OperationContext {
  Communicator comm;         ///< the ranks that run the operation together
  Groups* groups = nullptr;  ///< communicators that a plan's exchanges share, while planning; null: each splits its own
  ShortNumbers numbers{};    ///< in messages; if they are active, elements are one or two such numbers
  int threads = 1;
  int fake_ranks_per_host = 0;
  bool basic_types = false;  ///< pass only runs of plain numbers to MPI
  Trace* trace = nullptr;
  Watch* watch = nullptr;  ///< ranks that wait for others look at it; null: they do not look
  Alone* alone = nullptr;  ///< collects failures while planning, to report them later; null: they are thrown at once
};

}  // namespace shardfft
