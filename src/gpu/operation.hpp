#pragma once
// One operation that a GPU plan enqueues: one member's part of a step. An operation does not wait for a device unless
// it must (messages through the host).
//
// Phases: an operation is enqueued in phases() parts. Every member of the team returns from a phase before any member
// begins the next one (the executor calls Team::meet between them), because a wait for an event must be enqueued after
// the call that records the event. An operation without peers has one phase. `in` is complete, in stream order, from
// phase 0 on; if announces() is true, from phase 1 on.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/trace.hpp"
#include "device/line_factors.hpp"
#include "device/runtime.hpp"
#include "pack/short_numbers.hpp"
#include "run/memory.hpp"
#include "schedule/pieces.hpp"

namespace shardfft::gpu {

class DeviceCheck;
/// The checks of one task on one member, in the order in which data passes them.
using DeviceChecks = std::vector<std::unique_ptr<DeviceCheck>>;

/// The part of a reshape that needs no move, because the transform next to it writes that part to its destination or
/// reads it at its source: nothing, the part that stays on its GPU, or all data.
enum class Moved { nothing, own, all };

/// Device arrays for one run of one operation. `one_array` may be true only if runs_in_place().
struct DeviceBuffers {
  const std::byte* in = nullptr;
  std::byte* out = nullptr;
  std::byte* scratch = nullptr;        ///< scratch_bytes() bytes
  std::span<std::byte* const> outs{};  ///< by rank, as this process sees them: the arrays that peers_write() names
  std::byte* middle = nullptr;         ///< the buffer between the first and the next one of several fused steps
  std::byte* result = nullptr;         ///< the plan's output, in which outgoing data may wait
  bool one_array = false;  ///< other members write into `in`; addresses do not tell, as empty arrays have any
  std::byte* receive_buffer = nullptr;  ///< the array that other members write into, if that is not `out`
  Moved moved = Moved::nothing;         ///< for a reshape: the part that its neighbours move
  /// For a pipeline, if the array before its reshape, or that behind it, is divided (DividedArray): the addresses at
  /// which the array would begin if all of it were in the workspace; those behind the reshape by rank, as in `outs`.
  std::byte* sent_tail = nullptr;
  std::span<std::byte* const> out_tails{};
  /// For a transform that accepted owners (LineOwners): for each of its direct runs, the array at the other end of the
  /// reshape that holds the run. Empty if all points are in one array.
  std::span<std::byte* const> direct_arrays{};
};

/// The array of a member into which others write during an operation: none, `receive_buffer` (or else `out`), or
/// `scratch`.
enum class PeersWrite { nothing, result, scratch };
/// The host waits for nothing, for this rank's work (a device's, a user's function's), or for messages of other ranks.
enum class HostWait { nothing, itself, messages };

/// The lines of an operation's results, as its last pass numbers them: point k of line (outer, m) is number
/// k * stride + outer * outer_stride + m.
struct ResultLines {
  std::int64_t points, stride, outer, outer_stride, columns;
};
/// The factors by which an operation multiplies its results in this run; null: it does not.
using FactorsOfRun = std::function<const device::lines::LineFactors*(device::StreamHandle)>;

class DeviceOperation {
 public:
  virtual ~DeviceOperation() = default;
  virtual int phases() const { return 1; }
  /// If true, phase 0 only tells others that they may write into `out`. It may be enqueued as soon as that is true.
  virtual bool announces() const { return false; }
  /// Enqueues one phase, with the member's device current. Work goes to `stream`, or to the operation's own streams,
  /// which events join to it. After the last phase's work on `stream`, `out` is complete and `in` may be overwritten.
  virtual void enqueue(int phase, const DeviceBuffers& buffers, device::StreamHandle stream) = 0;
  /// Between phases 0 and 1: later work on `stream` waits until it may write into the arrays of all receivers.
  virtual void await_receivers(device::StreamHandle /*stream*/) {}
  /// From phase 1 on: later work on `stream` waits until it may overwrite the data that this member has sent.
  virtual void await_sent(device::StreamHandle /*stream*/) {}
  /// With the option verify, called before the operation is enqueued: the checks that it takes part in. It lives as
  /// long as they do. Returns none if separate checks read its arrays.
  virtual DeviceChecks make_checks();
  virtual std::size_t scratch_bytes() const { return 0; }
  /// Memory that the operation holds: its own device memory (`table`), work areas of the vendor's FFT library, and
  /// pinned host memory. If operations share memory, only one of them reports it.
  virtual RunnerMemory kept() const { return {}; }
  /// Whether `in` may be `out`, or another of its arrays may be inside the output.
  virtual bool runs_in_place() const { return false; }
  /// From now on it asks for factors in each run, and multiplies its results by them. Returns the lines of its results;
  /// none if it cannot.
  virtual std::optional<ResultLines> multiply_results(const FactorsOfRun& /*factors*/) { return std::nullopt; }
  virtual PeersWrite peers_write() const { return PeersWrite::nothing; }
  /// The host's wait inside enqueue(). A program that waits cannot become a graph.
  virtual HostWait waits_for() const { return HostWait::nothing; }
  /// Data that enqueue() reads beside its buffers, if that may differ from run to run; otherwise null.
  virtual std::shared_ptr<const void> reads() const { return nullptr; }
  /// The kind of its time in reports and traces: fft, exchange, or `other` if both run at the same time.
  virtual Activity activity() const { return Activity::fft; }
  /// Throws an error of work that failed after it was enqueued, if the device can report it.
  virtual void check() {}
  /// A rank failed: stops device work that waits for messages of other ranks. Called before abandon().
  virtual void break_off() {}
  /// A rank failed between phases, and earlier calls have ended: releases work that waits for other ranks, and returns
  /// when the operation's own streams are idle. The operation is not enqueued again.
  virtual void abandon() {}
  /// Closes memory that it opened of other processes; they may free it afterwards. It is not enqueued again.
  virtual void close_peers() {}
  virtual std::string describe() const = 0;
  /// The pieces that it is cut into; null if it is not cut.
  virtual const Pieces* pieces() const { return nullptr; }
  /// Bytes that this member sends to others in one run.
  virtual std::int64_t bytes_sent() const { return 0; }
  /// Loss of precision by messages of fewer bytes, over all runs so far. These must have ended.
  virtual Loss loss() const { return {}; }
};

/// An operation made of other operations. It passes calls that concern all of them on to each one.
class JointOperation : public DeviceOperation {
 public:
  RunnerMemory kept() const override {
    RunnerMemory sum;
    for_each([&](DeviceOperation& part) { sum += part.kept(); });
    return sum;
  }
  HostWait waits_for() const override {
    HostWait most = HostWait::nothing;
    for_each([&](DeviceOperation& part) { most = std::max(most, part.waits_for()); });
    return most;
  }
  void check() override {
    for_each([](DeviceOperation& part) { part.check(); });
  }
  void break_off() override {
    for_each([](DeviceOperation& part) { part.break_off(); });
  }
  void abandon() override {
    for_each([](DeviceOperation& part) { part.abandon(); });
  }
  void close_peers() override {
    for_each([](DeviceOperation& part) { part.close_peers(); });
  }

 protected:
  virtual void for_each(const std::function<void(DeviceOperation&)>& visit) const = 0;
};

}  // namespace shardfft::gpu
