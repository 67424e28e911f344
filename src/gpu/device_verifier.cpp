#include "gpu/device_verifier.hpp"

#include <algorithm>

namespace shardfft::gpu {

DeviceVerifier::DeviceVerifier(Team& team, std::vector<DeviceTask>& tasks) : team_(team) {
  for (std::size_t m = 0; m < team.here().size(); ++m) {
    const Member& member = team.here()[m];
    const device::DeviceScope scope(member.device);
    Place& place = places_.emplace_back();
    std::vector<std::unique_ptr<StepCheck>> checks;
    std::vector<std::string> names;
    std::size_t sums = 0;
    for (DeviceTask& task : tasks) {
      place.checks.push_back(task.checks[m].get());
      sums += task.checks[m]->sums();
      place.held_bytes += task.checks[m]->held_bytes();
      checks.push_back(std::move(task.checks[m]));
      names.push_back(task.operations[m]->describe());
    }
    place.sum_bytes = sums * sizeof(std::uint64_t);
    place.held_bytes += place.sum_bytes;
    place.sums = device::make_memory(place.sum_bytes);
    place.on_host = device::make_pinned_memory(place.sum_bytes);
    auto* on_device = static_cast<std::uint64_t*>(place.sums.get());
    const auto* on_host = static_cast<const std::uint64_t*>(place.on_host.get());
    for (DeviceCheck* check : place.checks) {
      check->place(on_device, on_host);
      on_device += check->sums();
      on_host += check->sums();
    }
    verifiers_.emplace_back(member.rank, team.ranks(), std::move(checks), std::move(names));
  }
  for (DeviceTask& task : tasks) task.checks.clear();
}

void DeviceVerifier::begin(const std::vector<device::StreamHandle>& streams) {
  for (std::size_t m = 0; m < places_.size(); ++m) {
    const device::DeviceScope scope(team_.here()[m].device);
    device::fill_zero(places_[m].sums.get(), places_[m].sum_bytes, streams[m]);
  }
}

void DeviceVerifier::before(std::size_t task, std::size_t member, const DeviceBuffers& buffers,
                            device::StreamHandle stream) {
  places_[member].checks[task]->enqueue_before(buffers, stream);
}

void DeviceVerifier::after(std::size_t task, std::size_t member, const DeviceBuffers& buffers,
                           device::StreamHandle stream) {
  places_[member].checks[task]->enqueue_after(buffers, stream);
}

void DeviceVerifier::fetch(const std::vector<device::StreamHandle>& streams) {
  for (std::size_t m = 0; m < places_.size(); ++m) {
    const device::DeviceScope scope(team_.here()[m].device);
    device::copy_bytes(places_[m].on_host.get(), places_[m].sums.get(), places_[m].sum_bytes, streams[m]);
  }
}

Failure DeviceVerifier::conclude() {
  for (Verifier& verifier : verifiers_) {
    verifier.begin(std::nullopt);
    for (std::size_t i = 0; i < places_.front().checks.size(); ++i) {
      verifier.before(i, nullptr);
      verifier.after(i, nullptr);
    }
  }
  return team_.all_here() ? Verifier::conclude(verifiers_) : verifiers_.front().conclude(team_.comm(), team_.watch());
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
