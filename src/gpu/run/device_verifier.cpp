#include "gpu/run/device_verifier.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace shardfft::gpu {

DeviceVerifier::DeviceVerifier(Team& team, std::vector<DeviceTask>& tasks)
    : team_(team), all_reduce_(team.all_here() ? nullptr : make_all_reduce(team.comm(), nullptr)) {
  for (std::size_t m = 0; m < team.here().size(); ++m) {
    const Member& member = team.here()[m];
    const device::DeviceScope scope(member.device);
    MemberChecks& made = members_.emplace_back();
    std::vector<std::vector<std::shared_ptr<StepCheck>>> checks;
    std::vector<std::string> names;
    for (DeviceTask& task : tasks) {
      DeviceChecks& of_task = task.checks[m];
      std::vector<DeviceCheck*>& known = made.checks.emplace_back();
      for (const auto& check : of_task) known.push_back(check.get());
      checks.emplace_back(std::make_move_iterator(of_task.begin()), std::make_move_iterator(of_task.end()));
      names.push_back(task.operations[m]->describe());
    }
    made.allocate();
    verifiers_.emplace_back(member.rank, team.ranks(), std::move(checks), std::move(names));
  }
  for (DeviceTask& task : tasks) task.checks.clear();
}

void DeviceVerifier::MemberChecks::allocate() {
  std::vector<std::pair<std::size_t, DeviceCheck*>> all;  // with the number of its task
  for (std::size_t task = 0; task < checks.size(); ++task)
    for (DeviceCheck* const check : checks[task]) all.emplace_back(task, check);
  std::size_t results = 0, sums = 0;
  for (const auto& [task, check] : all) {
    results += check->results();
    sums = std::max(sums, check->sums());
    held_bytes += check->held_bytes();
  }
  result_bytes = results * sizeof(std::uint64_t);
  const std::size_t bytes = result_bytes + sums * sizeof(std::uint64_t);
  held_bytes += bytes;
  on_device = device::make_memory(bytes);
  on_host = device::make_pinned_memory(result_bytes);
  auto* result = static_cast<std::uint64_t*>(on_device.get());
  auto* const sum = result + results;
  const auto* copy = static_cast<const std::uint64_t*>(on_host.get());
  for (const auto& [task, check] : all) {
    check->place(task, result, copy, sum);
    result += check->results();
    copy += check->results();
  }
  for (std::size_t i = all.size(); i-- > 0;)
    all[i].second->stand_between(i > 0 ? all[i - 1].second : nullptr, i + 1 < all.size() ? all[i + 1].second : nullptr);
}

void DeviceVerifier::begin(const std::vector<device::StreamHandle>& streams) {
  for (std::size_t m = 0; m < members_.size(); ++m) {
    const device::DeviceScope scope(team_.here()[m].device);
    device::fill_zero(members_[m].on_device.get(), members_[m].result_bytes, streams[m]);
  }
}

void DeviceVerifier::before(std::size_t task, std::size_t member, const DeviceBuffers& buffers,
                            device::StreamHandle stream) {
  for (DeviceCheck* const check : members_[member].checks[task]) check->enqueue_before(buffers, stream);
}

void DeviceVerifier::after(std::size_t task, std::size_t member, const DeviceBuffers& buffers,
                           device::StreamHandle stream) {
  for (DeviceCheck* const check : members_[member].checks[task]) check->enqueue_after(buffers, stream);
}

bool DeviceVerifier::looks_around(std::size_t task, std::size_t member) const {
  const std::vector<DeviceCheck*>& all = members_[member].checks[task];
  return std::all_of(all.begin(), all.end(), [](const DeviceCheck* check) { return check->looks_around(); });
}

void DeviceVerifier::fetch(const std::vector<device::StreamHandle>& streams) {
  for (std::size_t m = 0; m < members_.size(); ++m) {
    const device::DeviceScope scope(team_.here()[m].device);
    device::copy_bytes(members_[m].on_host.get(), members_[m].on_device.get(), members_[m].result_bytes, streams[m]);
  }
}

Failure DeviceVerifier::conclude() {
  for (Verifier& verifier : verifiers_) {
    verifier.begin(std::nullopt);
    for (std::size_t i = 0; i < members_.front().checks.size(); ++i) verifier.judge(i);
  }
  if (team_.all_here()) return Verifier::conclude(verifiers_);
  return verifiers_.front().conclude(team_.comm(), *all_reduce_, team_.watch());
}

Verified DeviceVerifier::verified() const {
  Verified most;
  for (const Verifier& verifier : verifiers_) {
    most.checks = std::max(most.checks, verifier.checks());
    most.largest_residual = std::max(most.largest_residual, verifier.largest_residual());
  }
  return most;
}

}  // namespace shardfft::gpu
