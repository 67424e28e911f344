#pragma once
// A reshape between GPUs cut in chunks, and the transforms at its ends: while copies of one chunk are under way, others
// are transformed (FFT-ECP chapter 4, granularity of tasks).
#include "gpu/move/exchange.hpp"
#include "gpu/plan/outbox.hpp"
#include "run/setup.hpp"
#include "schedule/pass.hpp"

namespace shardfft::gpu {

/// The buffers of a pipeline whose last transform leads from where messages land to another array.
struct Leads {
  bool leads = false;
  bool from_output = false;          ///< messages leave from that other array
  std::optional<OutboxIn> outbox{};  ///< where what is sent may lie (Outbox)
};

/// One operation for each member here. The transform before leads to `middle`, or stays in the operation's input; the
/// one behind keeps its numbers, and leads from `landing`, or stays in the output. Collective.
MemberOperations make_device_pipeline(const ExecutorSetup& setup, Team& team, const Joined& steps, const Pieces& pieces,
                                      const Leads& to_output);

}  // namespace shardfft::gpu
