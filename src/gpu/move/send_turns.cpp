#include "gpu/move/send_turns.hpp"

#include <algorithm>
#include <set>
#include <vector>

#include "base/succeeds.hpp"
#include "tune/defaults.hpp"

namespace shardfft::gpu {

void SendRing::await(const std::uint32_t* own, int round, int step, device::StreamHandle stream) const {
  if (own == nullptr || step == members || (round == 0 && step == 1)) return;
  device::await_signal(own + round * members + step, stream);
}

/// The next copy into that member comes from the member before this one; after the last step, from the one before that.
void SendRing::pass(const std::function<std::uint32_t*(int)>& flags, int round, int step,
                    device::StreamHandle stream) const {
  const bool last = step == members - 1;
  if (step == members || (last && round == rounds - 1)) return;
  std::uint32_t* const next = flags((me + members - (last ? 2 : 1)) % members);
  if (next != nullptr) device::signal(next + (last ? (round + 1) * members + 1 : round * members + step + 1), stream);
}

std::optional<bool> wanted_turns(const Team& team) {
  const std::optional<bool> said = team.switch_of("SHARDFFT_TURNS", "whether GPUs send in turn");
  std::set<int> devices;
  for (const Member& member : team.here()) devices.insert(member.device);
  return devices.size() == team.here().size() ? said : false;
}

/// Small allocations share a page, and other processes could open only one of them.
std::size_t token_bytes(std::size_t flags) {
  return flags == 0 ? 0 : std::max(gpu_defaults().large_page_bytes, flags * sizeof(std::uint32_t));
}

device::Memory make_tokens(std::size_t flags, device::Sharing sharing) {
  return flags == 0 ? device::Memory() : device::make_memory(token_bytes(flags), sharing);
}

void release_tokens(void* flags, std::size_t count, device::EventHandle ready) {
  if (count == 0) return;
  const device::Stream stream = device::make_stream();
  const std::vector<std::uint32_t> all(count, 1);
  // Before `ready` the flags may be cleared. A captured event cannot be waited for, but its graph has ended.
  succeeds([&] { device::wait(stream.get(), ready); });
  device::copy_bytes(flags, all.data(), all.size() * sizeof all[0], stream.get());
  device::synchronize(stream.get());
}

}  // namespace shardfft::gpu
