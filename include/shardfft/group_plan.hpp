#pragma once
// A plan whose ranks are the GPUs of one process; needs no MPI.
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "shardfft/plan.hpp"

namespace shardfft {

/// A transform distributed over several GPUs that one process drives: rank r of the layouts is the GPU devices[r]
/// (one may appear more than once). Movable, not copyable; one plan must not run on two threads at once.
class GroupPlan {
 public:
  /// As Plan's, with options.processor taken as "gpu"; options.device, stream and trace do not apply.
  GroupPlan(const std::vector<int>& devices, Transform transform, const Layout& input,
            OutputLayout output = default_output, const Options& options = {});
  GroupPlan(const std::vector<int>& devices, Transform transform, const Layout& input, const Layout& output,
            const Options& options = {});
  ~GroupPlan();
  GroupPlan(GroupPlan&&) noexcept;
  GroupPlan& operator=(GroupPlan&&) noexcept;

  /// One stream a rank (a cudaStream_t of its GPU): calls are then enqueued there and return at once, unless an array
  /// lies in plain host memory. Null or none: the plan's own streams, and calls return when the results are there.
  void set_streams(std::span<void* const> streams);

  /// Transform in[r] (input(r).bytes()) into out[r]; Plan::forward says what else holds.
  void forward(std::span<const void* const> in, std::span<void* const> out);
  void backward(std::span<const void* const> in, std::span<void* const> out);

  int ranks() const;
  Side input(int rank) const;
  Side output(int rank) const;
  /// The stream of `rank` that calls are enqueued on: the caller's, or the plan's own.
  void* stream(int rank) const;
  /// Bytes of scratch memory on the GPU that needs most.
  std::size_t workspace_bytes() const;
  /// An array for `rank`, where options.memory says, on its GPU for "auto".
  Buffer allocate_input(int rank);
  Buffer allocate_output(int rank);
  PlanReport report() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace shardfft
