// What a GPU plan needs of its GPUs' memory: how large its buffers are, its accounts, and what does not fit.
#include <algorithm>

#include "base/check.hpp"
#include "device/facts.hpp"
#include "gpu/run/executor.hpp"
#include "gpu/what_fits.hpp"

namespace shardfft::gpu {

std::size_t DeviceExecutor::MemberMemory::workspace_bytes() const { return device::in_whole_pages(buffers.bytes()); }

bool DeviceExecutor::result_has_room(const Program& program, std::size_t member) const {
  return bytes_of(program.states.back(), member) >= in_place_bytes(program, team_->here()[member].rank);
}

void DeviceExecutor::size_buffers(const std::vector<NamedProgram>& more) {
  for (std::size_t m = 0; m < memories_.size(); ++m) {
    MemberMemory& mine = memories_[m];
    mine.buffers.clear();
    const auto grow = [&](Slot slot, std::size_t bytes) {
      if (slot != Slot::in && slot != Slot::out) mine.buffers.grow(slot, bytes);
    };
    for (Prepared& program : prepared_) {
      program.result_bytes.resize(memories_.size());
      const auto use = [&](Slot slot, std::size_t bytes) {
        grow(slot, bytes);
        if (slot == Slot::out) program.result_bytes[m] = std::max(program.result_bytes[m], bytes);
      };
      for (const DeviceTask& task : program.tasks) {
        use(task.from, bytes_of(task.from_state, m));
        use(task.to, bytes_of(task.to_state, m));
        if (task.middle) use(*task.middle, task.operations[m]->middle_bytes(bytes_of(task.middle_state, m)));
        if (task.landing) use(*task.landing, bytes_of(task.landing_state, m));
        grow(Slot::scratch, task.operations[m]->scratch_bytes());
      }
    }
    const auto grow_for_all = [&](const std::vector<NamedProgram>& programs) {
      for (const NamedProgram& named : programs)
        if (!result_has_room(named.program, m)) grow(Slot::work0, in_place_bytes(named.program, team_->here()[m].rank));
    };
    if (!inside()) continue;
    grow_for_all(programs_);
    grow_for_all(more);
  }
}

bool DeviceExecutor::any_copies_input(std::size_t member) const {
  return std::any_of(prepared_.begin(), prepared_.end(),
                     [member](const Prepared& program) { return copies_input(program.tasks.front(), member); });
}

/// Arrays of host memory are copied to the GPU, and managed ones move there, so it must hold them in every memory
/// model. The workspace and the memory of operations count once they are known.
void DeviceExecutor::refuse_what_does_not_fit(const Program& program) const {
  for (std::size_t m = 0; m < team_->here().size(); ++m) {
    const device::DeviceScope scope(team_->here()[m].device);
    const bool one = setup_.options.in_place || (least() && !inside());
    const std::size_t arrays = one ? in_place_bytes(program, team_->here()[m].rank)
                                   : bytes_of(program.states.front(), m) + bytes_of(program.states.back(), m);
    std::size_t workspace = m < memories_.size() ? memories_[m].workspace_bytes() : 0;
    if (setup_.options.in_place && !least() && any_copies_input(m)) workspace += arrays;
    const RunnerMemory kept = this->kept(m);
    const std::size_t held = kept.table + kept.library;
    const std::size_t needed = arrays + workspace + held, there = device::current_facts().memory_bytes;
    if (needed <= there) continue;
    std::size_t one_array = 0;
    for (const State& state : program.states) one_array = std::max(one_array, bytes_of(state, m));
    fail(Status::out_of_memory, "rank ", team_->here()[m].rank, " needs ", needed, " bytes of its GPU (", arrays,
         " for input and output, ", workspace, " of workspace, ", held, " held by the plan), which has ", there,
         what_would_fit({needed, there, least() ? 0 : one_array, setup_.options.batch}));
  }
}

RunnerMemory DeviceExecutor::kept(std::size_t member) const {
  RunnerMemory sum;
  for (const Prepared& program : prepared_) {
    for (const DeviceTask& task : program.tasks) sum += task.operations[member]->kept();
    if (program.verifier) sum += program.verifier->kept(member);
  }
  return sum;
}

RunnerMemory DeviceExecutor::memory() const {
  RunnerMemory most;
  for (std::size_t m = 0; m < memories_.size(); ++m) {
    RunnerMemory mine = kept(m);
    mine.workspace = memories_[m].workspace_bytes() + memories_[m].arrays.staged_bytes();
    most.grow_to(mine);
  }
  return most;
}

}  // namespace shardfft::gpu
