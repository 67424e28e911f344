#pragma once
// A reshape between GPUs cut in chunks, and the transforms at its ends: while copies of one chunk are under way, others
// are transformed (FFT-ECP chapter 4, granularity of tasks).
#include "gpu/move/exchange.hpp"
#include "gpu/plan/outbox.hpp"
#include "run/setup.hpp"
#include "schedule/pass.hpp"

namespace shardfft::gpu {

/// Where the arrays of a pipeline lie.
struct PipelineArrays {
  bool leads = false;             ///< the last transform leads from where messages land to another array
  bool source_in_output = false;  ///< messages leave from an array in the plan's output
  bool from_output() const { return leads && source_in_output; }
  bool may_wait = false;  ///< all that the output holds meanwhile may be what is sent (Outbox)
};

/// One operation for each member here.
struct DevicePipelines {
  MemberOperations operations;
  std::optional<std::size_t> waiting_bytes{};  ///< what is sent and has no place in the output, of any member here
};

/// The transform before leads to `middle`, or stays in the operation's input; the one behind keeps its numbers, and
/// leads from `landing`, or stays in the output. Collective.
DevicePipelines make_device_pipeline(const ExecutorSetup& setup, Team& team, const Joined& steps, const Pieces& pieces,
                                     const PipelineArrays& arrays);

}  // namespace shardfft::gpu
