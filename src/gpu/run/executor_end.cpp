// The end of runs of a GPU plan (waited for, or given up because a rank failed), and the end of the plan.
#include <memory>
#include <utility>
#include <vector>

#include "base/check.hpp"
#include "base/succeeds.hpp"
#include "gpu/run/executor.hpp"
#include "mpi/kept_for_mpi.hpp"

namespace shardfft::gpu {

/// Keeps memory of this process that others use until all have finished with it, or for ever if some gave up.
DeviceExecutor::~DeviceExecutor() {
  // A destructor cannot report failures, but must meet the others, which wait for it.
  if (team_->watch() != nullptr) team_->watch()->wait_for_ever();
  bool together = !mpi_finalized() && !half_way_;
  const bool done = end_runs();
  imports_->leave(done);
  together = together && succeeds([this] { team_->meet(); });
  succeeds([&] {
    for (Prepared& program : prepared_)
      if (done) program.shared.clear();
    for (Prepared& program : prepared_)
      for (DeviceTask& task : program.tasks)
        for (auto& operation : task.operations) {
          if (!together) operation->break_off();
          if (done) operation->close_peers();
        }
  });
  if (together) succeeds([this] { team_->meet(); });
  if (!together && !team_->all_here()) keep_for_others();
}

/// Keeps memory that others may still write into or wait for, or that this process still writes into: workspaces,
/// copies of arrays, and the memory of operations (tokens, events, messages).
void DeviceExecutor::keep_for_others() {
  for (MemberMemory& mine : memories_) {
    retired_.push_back(std::move(mine.own_workspace));
    for (device::Memory& stage : mine.arrays.take_stages()) retired_.push_back(std::move(stage));
  }
  keep_for_mpi(std::make_shared<std::vector<device::Memory>>(std::move(retired_)));
  keep_for_mpi(std::make_shared<std::vector<Prepared>>(std::move(prepared_)));
  keep_for_mpi(std::move(team_));
}

/// Waits for all runs. If another rank has failed, it ends the work that waits for that rank. Returns whether nothing
/// runs any more.
bool DeviceExecutor::end_runs() noexcept {
  const bool good = !half_way_ && !failure_of([this] {
                                     for (std::size_t m = 0; m < own_streams_.size(); ++m) await_end(m);
                                     finish_runs();
                                   }).failed();
  // give_up() throws nothing.
  // cppcheck-suppress throwInNoexceptFunction
  if (!good) give_up();
  return good || settled_;
}

/// Waits for all runs so far. Not for the callers' streams: they may have been destroyed since.
void DeviceExecutor::finish_runs() {
  for (std::size_t m = 0; m < own_streams_.size(); ++m) {
    const device::DeviceScope scope(team_->here()[m].device);
    device::wait(own_streams_[m].get(), finished_[m].get());
    device::synchronize(own_streams_[m].get());
  }
}

/// No enqueued work may wait for an event that never comes. Earlier calls end first: they need objects that are
/// released here. Failures here matter less than the error that is being reported already.
void DeviceExecutor::give_up() noexcept {
  if (half_way_) return;
  half_way_ = true;
  const auto of_all = [this](const auto& work) {
    for (const Prepared& program : prepared_)
      for (const DeviceTask& task : program.tasks)
        for (const auto& operation : task.operations) settled_ &= succeeds([&] { work(*operation); });
  };
  settled_ = true;
  if (team_->watch() != nullptr) team_->watch()->withdraw_messages();
  of_all([](DeviceOperation& operation) { operation.break_off(); });
  // succeeds() catches their errors.
  // cppcheck-suppress throwInNoexceptFunction
  for (std::size_t m = 0; m < own_streams_.size(); ++m) settled_ &= succeeds([&] { settle_own(m); });
  of_all([](DeviceOperation& operation) { operation.abandon(); });
  for (std::size_t m = 0; m < memories_.size(); ++m) settled_ &= succeeds([&] { settle(m, streams_[m]); });
}

/// Waits for the last run, and for the plan's own stream.
void DeviceExecutor::settle_own(std::size_t member) const {
  device::wait(own_streams_[member].get(), finished_[member].get());
  settle(member, own_streams_[member].get());
}

/// Waits for some seconds until the stream is idle, then throws: work of a failed device may never end.
void DeviceExecutor::settle(std::size_t member, device::StreamHandle stream) const {
  constexpr double seconds = 5;
  const device::DeviceScope scope(team_->here()[member].device);
  const device::Event end = device::make_event();
  device::record(end.get(), stream);
  for (Patience patience; patience.waited() < seconds; patience.rest())
    if (device::done(end.get())) return;
  fail(Status::backend_failure, "the GPU work of a failed call has not ended");
}

/// Waits for the member's stream.
void DeviceExecutor::await(std::size_t member) {
  const device::DeviceScope scope(team_->here()[member].device);
  if (!team_->all_here()) {
    device::record(finished_[member].get(), streams_[member]);
    await_end(member);
  }
  device::synchronize(streams_[member]);
}

/// Waits until the member's last run has ended, and checks for news of other processes that failed.
void DeviceExecutor::await_end(std::size_t member) {
  if (team_->all_here()) return;
  const device::DeviceScope scope(team_->here()[member].device);
  wait_until(team_->watch(), [&] {
    const bool ended = device::done(finished_[member].get());  // perhaps because it failed
    for (const Prepared& program : prepared_)
      for (const DeviceTask& task : program.tasks) task.operations[member]->check();
    return ended;
  });
}

}  // namespace shardfft::gpu
