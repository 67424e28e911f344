#pragma once
// Runs programs. It knows steps, buffers and operations; not slab from pencil, not MPI calls, not FFT libraries.
#include <array>
#include <memory>
#include <vector>

#include "algorithm/program.hpp"
#include "base/aligned.hpp"
#include "exec/operation.hpp"
#include "exec/route.hpp"
#include "mpi/communicator.hpp"

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
};

/// One line of a report.
struct StepReport {
  std::string text;
  std::int64_t bytes_sent = 0;
  int trace_step = 0;
};

/// Both directions of one program on this rank. Construction and run are collective.
class Executor {
 public:
  explicit Executor(ExecutorSetup setup);
  ~Executor();
  void run(Direction direction, const std::byte* in, std::byte* out);
  std::size_t workspace_bytes() const;
  void set_workspace(std::byte* memory, std::size_t bytes);
  std::vector<StepReport> steps(Direction direction) const;
  const Program& program() const { return setup_.program; }
  Trace& trace() { return trace_; }
  const Trace& trace() const { return trace_; }
  std::int64_t runs(Direction direction) const { return runs_[static_cast<std::size_t>(direction)]; }

 private:
  struct Task {
    Stop stop;
    std::unique_ptr<Operation> operation;
    int trace_step = 0;
  };

  void build(Direction direction);
  void size_workspace();
  std::unique_ptr<Operation> make_operation(const Stop& stop, Direction direction, double scale);
  std::unique_ptr<Operation> make_fft(const Stop& stop, Direction direction, double scale);
  std::byte* slot(Slot s, const std::byte* in, std::byte* out) const;
  const std::byte* unaliased(Direction direction, const std::byte* data);
  std::size_t state_bytes(int state) const;

  ExecutorSetup setup_;
  Trace trace_;
  std::array<std::vector<Task>, 2> tasks_;
  std::array<std::int64_t, 2> runs_{};
  std::array<std::size_t, 2> work_bytes_{};
  std::size_t scratch_bytes_ = 0;
  AlignedMemory own_workspace_;
  std::byte* workspace_ = nullptr;
  AlignedMemory alias_copy_;  ///< the input of a program that cannot start in place, made at the first such call
};

}  // namespace shardfft
