#pragma once
// One thing a GPU plan enqueues: one member's part of a step. Nothing here waits for a device unless it must (messages
// through the host).
//
// Phases: an operation is enqueued in phases() parts. Every member of the team has returned from a phase before any
// member begins the next one (the executor calls Team::meet between them), because an event can only be waited for
// after the call that records it. An operation that needs no others has one phase. `in` is complete in the order of the
// stream from phase 0 on, or from phase 1 on where announces().
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/trace.hpp"
#include "device/runtime.hpp"
#include "pack/short_numbers.hpp"
#include "run/memory.hpp"
#include "schedule/pieces.hpp"

namespace shardfft::gpu {

class DeviceCheck;
/// Of one task of one member, in the order in which its data passes them.
using DeviceChecks = std::vector<std::unique_ptr<DeviceCheck>>;

/// What of a reshape is where it belongs without it, because the transform next to it stores it there or reads it
/// where it is: nothing, what stays on its GPU, or everything.
enum class Moved { nothing, own, all };

/// Device arrays of one run of one operation; `one_array` only where runs_in_place().
struct DeviceBuffers {
  const std::byte* in = nullptr;
  std::byte* out = nullptr;
  std::byte* scratch = nullptr;        ///< scratch_bytes() bytes
  std::span<std::byte* const> outs{};  ///< of every rank, as this process sees it: the array that peers_write() means
  std::byte* middle = nullptr;         ///< the buffer between the first transform of several fused steps and the next
  bool one_array = false;  ///< `in` is where others write to; addresses do not tell, since empty arrays may have any
  std::byte* landing = nullptr;  ///< where others write to where that is not `out`
  Moved moved = Moved::nothing;  ///< of a reshape: what is left to others
  /// Of a transform that has taken owners (LineOwners): the arrays at the other end of the reshape next to it in which
  /// the runs are that are away. Empty: all points are in one array.
  std::span<std::byte* const> beyond{};
};

/// The array of a member into which others write while an operation runs: none; `landing`, else `out`; or `scratch`.
enum class PeersWrite { nothing, result, scratch };
/// What the host waits for: messages of other ranks, or work of this one (a device's, or a function of the user's).
enum class HostWait { nothing, itself, messages };

class DeviceOperation {
 public:
  virtual ~DeviceOperation() = default;
  virtual int phases() const { return 1; }
  /// Phase 0 does nothing but say that others may write into `out`: it may come as soon as that is true.
  virtual bool announces() const { return false; }
  /// With the member's device current. Work goes to `stream`, or to streams of the operation's own that are joined to
  /// it by events; when the last phase's work on `stream` is done, `out` is complete and `in` may be overwritten.
  virtual void enqueue(int phase, const DeviceBuffers& buffers, device::StreamHandle stream) = 0;
  /// Between phases 0 and 1: what comes next on `stream` may write into the arrays of those to whom this member sends.
  virtual void await_receivers(device::StreamHandle /*stream*/) {}
  /// From phase 1 on: what comes next on `stream` may write over what this member has sent.
  virtual void await_sent(device::StreamHandle /*stream*/) {}
  /// With the option verify, before it is enqueued: checks that the operation takes part in, which live as long as it
  /// runs; none where others look at its arrays.
  virtual DeviceChecks make_checks();
  virtual std::size_t scratch_bytes() const { return 0; }
  /// What it keeps: device memory of its own as `table`, work areas of the vendor's FFT library, pinned host memory. Of
  /// memory that operations share, one tells.
  virtual RunnerMemory kept() const { return {}; }
  /// Whether `in` may be `out`, or whatever else of its arrays lies in the output.
  virtual bool runs_in_place() const { return false; }
  virtual PeersWrite peers_write() const { return PeersWrite::nothing; }
  /// What enqueue() waits for. A program that waits cannot become a graph.
  virtual HostWait waits_for() const { return HostWait::nothing; }
  /// What it reads beside its buffers, where that may be another thing at each run; else null.
  virtual std::shared_ptr<const void> reads() const { return nullptr; }
  /// What its time is, for reports and traces: fft, exchange, or `other` where both run at the same time.
  virtual Activity activity() const { return Activity::fft; }
  /// Throws what has failed since it was enqueued, as far as that can be asked.
  virtual void check() {}
  /// A rank failed: ends work of devices that waits for messages of other ranks. Comes before abandon().
  virtual void break_off() {}
  /// A rank failed between phases, and earlier calls are done: lets go what waits for other ranks, and returns when the
  /// operation's own streams are idle. It is not enqueued again.
  virtual void abandon() {}
  /// Closes what it has opened of other processes, who may free it afterwards. It is not enqueued again.
  virtual void close_peers() {}
  virtual std::string describe() const = 0;
  /// What it is cut in; null where it is not.
  virtual const Pieces* pieces() const { return nullptr; }
  /// Bytes this member sends to others in one run.
  virtual std::int64_t bytes_sent() const { return 0; }
  /// What rounding messages to fewer bytes cost, in all runs so far, which must have ended.
  virtual Loss loss() const { return {}; }
};

/// One that is made of others, to which it hands on what concerns all of them.
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
