#pragma once
// Tests requests and waits for them, and records the time on a trace.
#include "base/trace.hpp"
#include "mpi/request.hpp"

namespace shardfft {

/// Lets MPI move the messages. Records nothing if there are none.
inline void test_traced(RequestSet& requests, Trace* trace) {
  if (requests.size() == 0) return;
  const Scope scope(trace, Activity::exchange);
  requests.test_all();
}

inline void wait_traced(RequestSet& requests, Trace* trace) {
  const Scope scope(trace, Activity::wait);
  requests.wait_all();
}

}  // namespace shardfft
