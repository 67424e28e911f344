// What a GPU plan needs of its GPUs' memory: how large its buffers are, its accounts, and what does not fit.
#include <algorithm>

#include "base/check.hpp"
#include "device/facts.hpp"
#include "gpu/run/executor.hpp"
#include "gpu/what_fits.hpp"

namespace shardfft::gpu {

std::size_t DeviceExecutor::MemberMemory::workspace_bytes() const { return device::in_whole_pages(buffers.bytes()); }

void DeviceExecutor::size_buffers() {
  for (std::size_t m = 0; m < memories_.size(); ++m) {
    MemberMemory& mine = memories_[m];
    mine.buffers.clear();
    const auto grow = [&](Slot slot, std::size_t bytes) {
      if (slot != Slot::in && slot != Slot::out) mine.buffers.grow(slot, bytes);
    };
    for (const Prepared& program : prepared_)
      for (const DeviceTask& task : program.tasks) {
        grow(task.from, bytes_of(task.from_state, m));
        grow(task.to, bytes_of(task.to_state, m));
        if (task.middle) grow(*task.middle, bytes_of(task.middle_state, m));
        if (task.landing) grow(*task.landing, bytes_of(task.landing_state, m));
        grow(Slot::scratch, task.operations[m]->scratch_bytes());
      }
  }
}

/// Arrays of host memory are copied to the GPU, and managed ones move there, so it must hold them in every memory
/// model. The workspace and the memory of operations count once they are known.
void DeviceExecutor::refuse_what_does_not_fit(const Program& program) const {
  for (std::size_t m = 0; m < team_->here().size(); ++m) {
    const device::DeviceScope scope(team_->here()[m].device);
    const std::size_t arrays = least() ? in_place_bytes(program, team_->here()[m].rank)
                                       : bytes_of(program.states.front(), m) + bytes_of(program.states.back(), m);
    const std::size_t workspace = m < memories_.size() ? memories_[m].workspace_bytes() : 0;
    const std::size_t held = held_bytes(m), library = sum_of(m, &DeviceOperation::library_bytes);
    const std::size_t needed = arrays + workspace + held + library, there = device::current_facts().memory_bytes;
    if (needed <= there) continue;
    std::size_t one_array = 0;
    for (const State& state : program.states) one_array = std::max(one_array, bytes_of(state, m));
    fail(Status::out_of_memory, "rank ", team_->here()[m].rank, " needs ", needed, " bytes of its GPU (", arrays,
         " for input and output, ", workspace, " of workspace, ", held + library, " held by the plan), which has ",
         there, what_would_fit({needed, there, least() ? 0 : one_array, setup_.options.batch}));
  }
}

std::size_t DeviceExecutor::sum_of(std::size_t member, std::size_t (DeviceOperation::*bytes)() const) const {
  std::size_t sum = 0;
  for (const Prepared& program : prepared_)
    for (const DeviceTask& task : program.tasks) sum += (*task.operations[member].*bytes)();
  return sum;
}

std::size_t DeviceExecutor::held_bytes(std::size_t member) const {
  std::size_t sum = sum_of(member, &DeviceOperation::held_bytes);
  for (const Prepared& program : prepared_)
    if (program.verifier) sum += program.verifier->held_bytes(member);
  return sum;
}

std::size_t DeviceExecutor::pinned_bytes(std::size_t member) const {
  std::size_t sum = sum_of(member, &DeviceOperation::pinned_bytes);
  for (const Prepared& program : prepared_)
    if (program.verifier) sum += program.verifier->pinned_bytes(member);
  return sum;
}

std::size_t DeviceExecutor::most(const std::function<std::size_t(std::size_t)>& bytes_of_member) const {
  std::size_t result = 0;
  for (std::size_t m = 0; m < memories_.size(); ++m) result = std::max(result, bytes_of_member(m));
  return result;
}

RunnerMemory DeviceExecutor::memory() const {
  RunnerMemory bytes;
  bytes.workspace =
      most([this](std::size_t m) { return memories_[m].workspace_bytes() + memories_[m].arrays.staged_bytes(); });
  bytes.table = most([this](std::size_t m) { return held_bytes(m); });
  bytes.library = most([this](std::size_t m) { return sum_of(m, &DeviceOperation::library_bytes); });
  bytes.pinned = most([this](std::size_t m) { return pinned_bytes(m); });
  return bytes;
}

}  // namespace shardfft::gpu
