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

/// Arrays in a workspace begin at multiples of this many bytes.
constexpr std::size_t workspace_alignment = 256;

/// The operations of all members here that bring data from one array to another.
struct DeviceTask : TaskEnds {
  /// An array beside the ends, and the state that it holds.
  struct Inner {
    int array;
    State state;
    std::optional<std::size_t> waiting_bytes{};  ///< bytes that wait in it, not in the output, on any member here
  };
  std::optional<Inner> middle{};          ///< inside fused steps
  std::optional<Inner> receive_buffer{};  ///< others write into it, if not into `to`
  /// Of an array; `tail` is its part in the workspace if it is divided.
  struct Place : ArrayPlace {
    ArrayPlace tail{};
    std::shared_ptr<const DividedArray> divided{};
  };
  struct Places {
    Place from, to, middle, receive_buffer;
    ArrayPlace scratch;
  } places{};
  bool announced_early = false;  ///< phase 0 may come before all other tasks: none before this one uses written()
  MemberOperations operations;
  std::vector<DeviceChecks> checks{};  ///< with the option verify, by member

  /// The array for writes of other members, if they write.
  const Place& written() const { return receive_buffer ? places.receive_buffer : places.to; }
  /// The array before a reshape, from which messages are sent.
  const Place& sent() const { return middle ? places.middle : places.from; }
  bool waits_in_output() const { return middle && middle->waiting_bytes; }
  const DeviceOperation& first() const { return *operations.front(); }
  /// The array into which other members write; null if they do not.
  const ArrayPlace* written_by_peers() const {
    const PeersWrite peers = first().peers_write();
    return peers == PeersWrite::nothing ? nullptr : peers == PeersWrite::result ? &written() : &places.scratch;
  }
};

/// Compiles the operations of every program, at least one each; `team` outlives them. Adds the passes that it chooses
/// to the way of `setup`. Steps of the trace are numbered from `trace_step` on. Collective.
std::vector<std::vector<DeviceTask>> compile(ExecutorSetup& setup, const std::vector<NamedProgram>& programs,
                                             DeviceTarget& target, Team& team, int trace_step);

}  // namespace shardfft::gpu
