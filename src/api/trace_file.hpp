#pragma once
// The Chrome trace of a plan (option `trace`): opens in Perfetto or chrome://tracing.
#include <string>

#include "exec/runner.hpp"
#include "mpi/communicator.hpp"

namespace shardfft {

class TraceFile {
 public:
  /// `path` is rank 0's; empty on all ranks writes nothing. Throws on all ranks if only some want a trace, or rank 0
  /// cannot write there. Collective.
  TraceFile(const Communicator& comm, const std::string& path);
  bool wanted() const { return wanted_; }
  /// Gathers the spans of all ranks on rank 0 and writes them. A failure leaves an incomplete file: this is for
  /// destructors. Collective.
  void write(Runner& runner) const noexcept;

 private:
  Communicator comm_;
  std::string path_;
  bool wanted_ = false;
};

}  // namespace shardfft
