#pragma once
// From a program to the operations that run it on GPUs.
#include <memory>
#include <optional>
#include <vector>

#include "gpu/check/device_check.hpp"
#include "gpu/move/exchange.hpp"
#include "gpu/plan/array_places.hpp"
#include "gpu/plan/device_target.hpp"
#include "gpu/team.hpp"
#include "run/runner.hpp"
#include "run/setup.hpp"
#include "schedule/compile.hpp"

namespace shardfft::gpu {

/// At which multiples of bytes arrays begin in a workspace.
constexpr std::size_t workspace_alignment = 256;

/// Operations of all members here between arrays.
struct DeviceTask : TaskEnds {
  /// An array beside the ends, and what it holds.
  struct Inner {
    int array;
    State state;
    std::optional<std::size_t> waiting_bytes{};  ///< of it on any member here, beside what has a place in the output
  };
  std::optional<Inner> middle{};   ///< inside fused steps
  std::optional<Inner> landing{};  ///< others write into it where that is not `to`
  struct Places {
    ArrayPlace from, to, middle, landing, scratch;
  } places{};
  bool announced_early = false;  ///< phase 0 may come before all other tasks: none before this one uses `to`
  MemberOperations operations;
  std::vector<DeviceChecks> checks{};  ///< with the option verify, by member

  /// The array that others write into, if they do.
  const ArrayPlace& written() const { return landing ? places.landing : places.to; }
  const DeviceOperation& first() const { return *operations.front(); }
  /// What they do write into; null: nothing.
  const ArrayPlace* written_by_peers() const {
    const PeersWrite peers = first().peers_write();
    return peers == PeersWrite::nothing ? nullptr : peers == PeersWrite::result ? &written() : &places.scratch;
  }
};

/// Operations of every program, at least one each; `team` outlives them. The passes that are chosen are added to the
/// way of `setup`. Steps of the trace are numbered from `trace_step` on. Collective.
std::vector<std::vector<DeviceTask>> compile(ExecutorSetup& setup, const std::vector<NamedProgram>& programs,
                                             DeviceTarget& target, Team& team, int trace_step);

}  // namespace shardfft::gpu
