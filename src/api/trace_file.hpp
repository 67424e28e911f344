#pragma once
// The Chrome trace of a plan (option `trace`): opens in Perfetto or chrome://tracing.
#include <string>

#include "mpi/communicator.hpp"
#include "run/runner.hpp"

namespace shardfft {

class TraceFile {
 public:
  /// Rank 0's `path` counts; empty on all ranks, or on none. Throws on all ranks if rank 0 cannot write there.
  /// Collective.
  TraceFile(const Communicator& comm, const std::string& path);
  TraceFile(const TraceFile&) = delete;
  TraceFile& operator=(const TraceFile&) = delete;
  /// The last one of the process waits until rank 0 has taken this rank's data.
  ~TraceFile();
  bool wanted() const { return wanted_; }
  /// Gathers the spans of all ranks on rank 0, which waits for them and writes them; other ranks do not wait. Steps are
  /// named as in the report. A failure leaves an incomplete file and a line on standard error: this is for destructors.
  /// All ranks call it, in any order of their plans if rank 0 of all plans is one process.
  void write(Runner& runner) noexcept;

 private:
  void write_all(Runner& runner) const;

  Communicator comm_;
  std::string path_;
  bool wanted_ = false;
  bool written_ = false;
  double lead_ = 0;  ///< of this rank's clock before rank 0's
  double zero_ = 0;  ///< when the plan was made, on rank 0's clock
};

}  // namespace shardfft
