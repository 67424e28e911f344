#pragma once
// What all that moves or transforms data in a plan is given alike.
#include "base/trace.hpp"
#include "mpi/groups.hpp"
#include "mpi/watch.hpp"
#include "pack/short_numbers.hpp"

namespace shardfft {

struct RunContext {
  Communicator comm;         ///< the ranks that run it together
  Groups* groups = nullptr;  ///< communicators that a plan's exchanges share, while planning; null: each splits its own
  ShortNumbers numbers{};    ///< in messages; where they are active, elements are one or two such numbers
  int threads = 1;
  int fake_ranks_per_host = 0;
  bool basic_types = false;  ///< MPI is given runs of plain numbers only
  Trace* trace = nullptr;
  Watch* watch = nullptr;  ///< what ranks look at that wait for others; null: nothing
  Alone* alone = nullptr;  ///< what fails while planning is told by it later; null: at once
};

}  // namespace shardfft
