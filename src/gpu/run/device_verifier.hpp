#pragma once
// The checks of one program on the members of this process (option verify): memory of their sums, and verdict.
#include <memory>
#include <vector>

#include "device/handles.hpp"
#include "gpu/check/device_check.hpp"
#include "gpu/run/compile.hpp"
#include "gpu/team.hpp"
#include "run/runner.hpp"
#include "verify/verifier.hpp"

namespace shardfft::gpu {

class DeviceVerifier {
 public:
  /// Takes the checks out of the tasks. Does not communicate.
  DeviceVerifier(Team& team, std::vector<DeviceTask>& tasks);

  /// A run begins on these streams, one a member.
  void begin(const std::vector<device::StreamHandle>& streams);
  /// Around a task of a member, with its device current.
  void before(std::size_t task, std::size_t member, const DeviceBuffers& buffers, device::StreamHandle stream);
  void after(std::size_t task, std::size_t member, const DeviceBuffers& buffers, device::StreamHandle stream);
  /// Whether before() and after() read the arrays of a task.
  bool looks_around(std::size_t task, std::size_t member) const;
  /// Copies the results to the host, after all tasks are enqueued.
  void fetch(const std::vector<device::StreamHandle>& streams);
  /// Judges a run that has ended, like Verifier::conclude().
  Failure conclude();

  void forget_runs() {
    for (Verifier& verifier : verifiers_) verifier.forget_runs();
  }
  Verified verified() const;
  /// Memory of a member's checks: tables, sums, arrays of second runs.
  RunnerMemory kept(std::size_t member) const {
    return {.table = members_[member].held_bytes, .pinned = members_[member].result_bytes};
  }

 private:
  struct MemberChecks {
    std::vector<std::vector<DeviceCheck*>> checks;  ///< by task
    device::Memory on_device;                       ///< results, then the sums of one check after the other
    device::PinnedMemory on_host;                   ///< results
    std::size_t result_bytes = 0, held_bytes = 0;

    /// Allocates the numbers of all checks.
    void allocate();
  };

  Team& team_;
  std::unique_ptr<AllReduce> all_reduce_;  ///< null if all members are in this process
  std::vector<MemberChecks> members_;      ///< by member
  std::vector<Verifier> verifiers_;        ///< by member; they own the checks
};

}  // namespace shardfft::gpu
