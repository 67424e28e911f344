#pragma once
// From a program to the operations that run it.
#include <array>
#include <memory>
#include <string>
#include <vector>

#include "algorithm/program.hpp"
#include "exec/operation.hpp"
#include "exec/route.hpp"
#include "mpi/host_window.hpp"

namespace shardfft {

struct ExecutorSetup {
  Communicator comm;
  Program program;
  Options options;
  Precision precision = Precision::f64;
  std::string exchange;
  std::string local_fft;
  /// Factor applied to the result, forward and backward.
  std::array<double, 2> scale{1, 1};
  bool fixed_output = false;  ///< the order in memory of the program's last state is the user's
};

/// An operation, the buffers it works on, and the states at its ends.
struct Task {
  Slot from = Slot::in;
  Slot to = Slot::out;
  int from_state = 0;
  int to_state = 0;
  int trace_step = 0;
  std::unique_ptr<Operation> operation;
  bool reads_across = false;  ///< others may read this rank's input through the kernel
};

/// Bytes of a state on `rank`, or the most of any rank.
std::size_t state_bytes(const ExecutorSetup& setup, int state, int rank);
std::size_t max_state_bytes(const ExecutorSetup& setup, int state);

/// Operations of both directions. `host` is null unless the exchange reads the host's shared memory. Collective.
std::array<std::vector<Task>, 2> compile(const ExecutorSetup& setup, HostMemory* host, Trace* trace);

}  // namespace shardfft
