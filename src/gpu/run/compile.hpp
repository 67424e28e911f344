#pragma once
// From a program to the operations that run it on GPUs.
#include <memory>
#include <optional>
#include <vector>

#include "gpu/check/device_check.hpp"
#include "gpu/move/exchange.hpp"
#include "gpu/plan/device_target.hpp"
#include "gpu/team.hpp"
#include "run/runner.hpp"
#include "run/setup.hpp"
#include "schedule/compile.hpp"

namespace shardfft::gpu {

/// Operations of all members here between buffers.
struct DeviceTask : TaskEnds {
  std::optional<Slot> middle{};  ///< the buffer inside fused steps, and what it holds
  State middle_state{};
  std::optional<Slot> landing{};  ///< the buffer that others write into where it is not `to`, and what it holds
  State landing_state{};
  bool announced_early = false;  ///< phase 0 may come before all other tasks: none before this one uses `to`
  MemberOperations operations;
  std::vector<DeviceChecks> checks{};  ///< with the option verify, by member

  /// The buffer that others write into, if they do.
  Slot written() const { return landing.value_or(to); }
  const DeviceOperation& first() const { return *operations.front(); }
};

/// Operations of every program, at least one each; `team` outlives them. The passes that are chosen are added to the
/// way of `setup`. Steps of the trace are numbered from `trace_step` on. Collective.
std::vector<std::vector<DeviceTask>> compile(ExecutorSetup& setup, const std::vector<NamedProgram>& programs,
                                             DeviceTarget& target, Team& team, int trace_step);

}  // namespace shardfft::gpu
