#pragma once
// From a program to the operations that run it.
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "algorithm/program.hpp"
#include "exec/local_ffts.hpp"
#include "exec/operation.hpp"
#include "mpi/host_window.hpp"
#include "run/runner.hpp"
#include "run/setup.hpp"
#include "schedule/compile.hpp"
#include "shardfft/report.hpp"
#include "tune/defaults.hpp"
#include "verify/step_check.hpp"

namespace shardfft {

/// An operation between buffers.
struct Task : TaskEnds {
  std::unique_ptr<Operation> operation;
  bool reads_across = false;                         ///< others may read this rank's input through the kernel
  std::vector<std::shared_ptr<HostCheck>> checks{};  ///< with the option verify
  bool keeps = false;                                ///< leaves or finds elements in the output (Operation::keep)
  std::size_t number = 0;                            ///< among the tasks of its program

  /// Whether others read the user's input while the task runs.
  bool lends_input() const { return from == input_array && operation->reads_host_memory(); }
};

/// Makes the operations of every program; they can run after `ffts` has made their transforms. Steps of the trace are
/// numbered from `trace_step` on. Collective.
std::vector<std::vector<Task>> compile(const ExecutorSetup& setup, const std::vector<NamedProgram>& programs,
                                       HostMemory* host, LocalFfts& ffts, Alone& alone, Trace* trace, int trace_step);

}  // namespace shardfft
