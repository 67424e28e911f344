#include "gpu/run/device_verifier.hpp"

#include <algorithm>

namespace shardfft::gpu {

DeviceVerifier::DeviceVerifier(Team& team, std::vector<DeviceTask>& tasks)
    : team_(team), tally_(team.all_here() ? nullptr : make_tally(team.comm(), nullptr)) {
  for (std::size_t m = 0; m < team.here().size(); ++m) {
    const Member& member = team.here()[m];
    const device::DeviceScope scope(member.device);
    MemberChecks& made = members_.emplace_back();
    std::vector<std::vector<std::shared_ptr<StepCheck>>> checks;
    std::vector<std::string> names;
    std::size_t results = 0, sums = 0;
    for (DeviceTask& task : tasks) {
      made.checks.push_back(task.checks[m].get());
      results += task.checks[m]->results();
      sums += task.checks[m]->sums();
      made.held_bytes += task.checks[m]->held_bytes();
      checks.push_back({std::move(task.checks[m])});
      names.push_back(task.operations[m]->describe());
    }
    made.allocate(results, sums);
    verifiers_.emplace_back(member.rank, team.ranks(), std::move(checks), std::move(names));
  }
  for (DeviceTask& task : tasks) task.checks.clear();
}

void DeviceVerifier::MemberChecks::allocate(std::size_t results, std::size_t sums) {
  result_bytes = results * sizeof(std::uint64_t);
  sum_bytes = (results + sums) * sizeof(std::uint64_t);
  held_bytes += sum_bytes;
  on_device = device::make_memory(sum_bytes);
  on_host = device::make_pinned_memory(result_bytes);
  auto* result = static_cast<std::uint64_t*>(on_device.get());
  auto* sum = result + results;
  const auto* copy = static_cast<const std::uint64_t*>(on_host.get());
  for (std::size_t i = 0; i < checks.size(); ++i) {
    DeviceCheck* const check = checks[i];
    check->place(i, result, copy, sum);
    result += check->results();
    copy += check->results();
    sum += check->sums();
  }
  for (std::size_t i = checks.size(); i-- > 0;)
    checks[i]->stand_between(i > 0 ? checks[i - 1] : nullptr, i + 1 < checks.size() ? checks[i + 1] : nullptr);
}

void DeviceVerifier::begin(const std::vector<device::StreamHandle>& streams) {
  for (std::size_t m = 0; m < members_.size(); ++m) {
    const device::DeviceScope scope(team_.here()[m].device);
    device::fill_zero(members_[m].on_device.get(), members_[m].sum_bytes, streams[m]);
  }
}

void DeviceVerifier::before(std::size_t task, std::size_t member, const DeviceBuffers& buffers,
                            device::StreamHandle stream) {
  members_[member].checks[task]->enqueue_before(buffers, stream);
}

void DeviceVerifier::after(std::size_t task, std::size_t member, const DeviceBuffers& buffers,
                           device::StreamHandle stream) {
  members_[member].checks[task]->enqueue_after(buffers, stream);
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
    for (std::size_t i = 0; i < members_.front().checks.size(); ++i) {
      verifier.before(i, nullptr);
      verifier.after(i, nullptr);
    }
  }
  if (team_.all_here()) return Verifier::conclude(verifiers_);
  return verifiers_.front().conclude(team_.comm(), *tally_, team_.watch());
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
