// The memory that a GPU plan needs: the sizes of its buffers, its accounts, and the refusal of plans that do not fit.
#include <algorithm>
#include <utility>

#include "base/check.hpp"
#include "base/round_up.hpp"
#include "device/facts.hpp"
#include "gpu/run/executor.hpp"
#include "gpu/what_fits.hpp"

namespace shardfft::gpu {

std::size_t DeviceExecutor::workspace_bytes(std::size_t member) const {
  return device::in_whole_pages(between_bytes_ + memories_[member].inside_bytes);
}

bool DeviceExecutor::result_has_room(const Program& program, std::size_t member) const {
  return bytes_of(program.states.back(), member) >= in_place_bytes(program, team_->here()[member].rank);
}

void DeviceExecutor::size_buffers(const std::vector<NamedProgram>& more) {
  between_bytes_ = 0;
  for (Prepared& program : prepared_) {
    program.result_bytes.assign(memories_.size(), 0);
    for (const DeviceTask& task : program.tasks) {
      const auto use = [&](const DeviceTask::Place& place, const State& state) {
        for (const ArrayPlace& part : {static_cast<const ArrayPlace&>(place), place.tail})
          if (part.room == in_workspace)
            between_bytes_ = std::max(between_bytes_, round_up(part.end(), workspace_alignment));
        for (std::size_t m = 0; place.room == in_output && m < memories_.size(); ++m) {
          const std::size_t end = place.divided ? place.divided->end(team_->here()[m].rank) : bytes_of(state, m);
          program.result_bytes[m] = std::max(program.result_bytes[m], end);
        }
      };
      use(task.places.from, task.from_state);
      use(task.places.to, task.to_state);
      if (task.middle) use(task.places.middle, task.middle->state);
      if (task.receive_buffer) use(task.places.receive_buffer, task.receive_buffer->state);
      use({task.places.scratch}, {});
    }
  }
  for (std::size_t m = 0; inside() && m < memories_.size(); ++m)
    for (const std::vector<NamedProgram>* programs : {&std::as_const(programs_), &more})
      for (const NamedProgram& named : *programs)
        if (!result_has_room(named.program, m))
          memories_[m].inside_bytes =
              std::max(memories_[m].inside_bytes, in_place_bytes(named.program, team_->here()[m].rank));
}

bool DeviceExecutor::any_copies_input(std::size_t member) const {
  return std::any_of(prepared_.begin(), prepared_.end(),
                     [member](const Prepared& program) { return copies_input(program.tasks.front(), member); });
}

/// Arrays of host memory are copied to the GPU, and managed ones move there, so the GPU must hold them in every memory
/// model. The workspace and the memory of operations count once they are known.
void DeviceExecutor::refuse_what_does_not_fit(const Program& program) const {
  for (std::size_t m = 0; m < team_->here().size(); ++m) {
    const device::DeviceScope scope(team_->here()[m].device);
    const bool one = setup_.options.in_place || (least() && !inside());
    const std::size_t arrays = one ? in_place_bytes(program, team_->here()[m].rank)
                                   : bytes_of(program.states.front(), m) + bytes_of(program.states.back(), m);
    std::size_t workspace = m < memories_.size() ? workspace_bytes(m) : 0;
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
    mine.workspace = workspace_bytes(m) + memories_[m].arrays.staged_bytes();
    most.grow_to(mine);
  }
  return most;
}

}  // namespace shardfft::gpu
