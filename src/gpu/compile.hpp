#pragma once
// From a program to the operations that run it on GPUs.
#include <array>
#include <vector>

#include "exec/compile.hpp"
#include "exec/route.hpp"
#include "gpu/exchange.hpp"
#include "gpu/team.hpp"

namespace shardfft::gpu {

/// A stretch of the program as operations of all members here, the buffers they work on, and the states at the ends.
struct DeviceTask {
  Slot from = Slot::in;
  Slot to = Slot::out;
  int from_state = 0;
  int to_state = 0;
  int trace_step = 0;
  bool announced_early = false;  ///< phase 0 may come before all other tasks: none before this one uses `to`
  MemberOperations operations;

  const DeviceOperation& first() const { return *operations.front(); }
};

/// Operations of both directions, at least one each. setup.exchange is a name, never "auto"; `team` outlives them.
/// Collective.
std::array<std::vector<DeviceTask>, 2> compile(const ExecutorSetup& setup, Team& team);

}  // namespace shardfft::gpu
