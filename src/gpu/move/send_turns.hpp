#pragma once
// The turns in which GPUs send to a GPU. A GPU's copies to peers run one at a time in any case. If each GPU also
// receives from one other at a time, three or more GPUs take less time (docs/gpu-design.md). So a copy into a GPU waits
// for a token from the copy before it. Results are right without tokens.
//
// Tokens are flags in device memory, not events: a call may enqueue a wait before another process enqueues the signal.
// All calls use the same flags: a member clears its own before it says that it is ready, and nobody sends before all
// are ready. If two members of one process share a GPU, there are no tokens: their streams may share a queue, in which
// a wait could block its own signal. The first calls await no tokens: see PeerExchange::send.
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>

#include "device/handles.hpp"
#include "gpu/team.hpp"

namespace shardfft::gpu {

/// Members that all send to one another in rounds. In each round a member sends to the next member first, then to the
/// one after that, and so on. Step s of a round is the copy to member to(s).
struct SendRing {
  int members = 1, rounds = 1, me = 0;

  std::size_t flags() const { return static_cast<std::size_t>(members) * static_cast<std::size_t>(rounds); }
  int to(int step) const { return (me + step) % members; }
  /// Before the copy of a step: waits until the copy before it into that member is there. `own`: this member's flags.
  void await(const std::uint32_t* own, int round, int step, device::StreamHandle stream) const;
  /// After that copy: passes the token on. `flags` returns the flags of a member.
  void pass(const std::function<std::uint32_t*(int)>& flags, int round, int step, device::StreamHandle stream) const;
};

/// Whether the user wants GPUs to send in turn; unset if the size decides. False if two members of this process share a
/// GPU. Collective.
std::optional<bool> wanted_turns(const Team& team);
/// Flags on the current device that other processes can open; null for no flags.
device::Memory make_tokens(std::size_t flags, device::Sharing sharing);
std::size_t token_bytes(std::size_t flags);
/// Sets these flags on the current device after `ready` (until then they may be cleared): waiting copies go on.
void release_tokens(void* flags, std::size_t count, device::EventHandle ready);

}  // namespace shardfft::gpu
