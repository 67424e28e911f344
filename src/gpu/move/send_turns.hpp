#pragma once
// Whose turn it is to send to a GPU. A GPU's copies to peers run one at a time in any case; where it also receives from
// one other at a time, three GPUs and more take less time (docs/gpu-design.md). A copy into a GPU then waits for a
// token of the one before it. Results are right without tokens.
//
// Tokens are flags in device memory, not events: a call may enqueue a wait before another process enqueues what ends
// it. They serve one call after the other: a member clears its own before it says that it is ready, and nobody sends
// before all are. Members of one process do without where two of them share a GPU: their streams may share a queue, in
// which one would wait for what stands behind it. The first calls await none: see PeerExchange::send.
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>

#include "device/handles.hpp"
#include "gpu/team.hpp"

namespace shardfft::gpu {

/// Members that all send to one another in rounds: in each to the next one first, then to the one after that, and so
/// on. Step s of a round is the copy to member to(s).
struct SendRing {
  int members = 1, rounds = 1, me = 0;

  std::size_t flags() const { return static_cast<std::size_t>(members) * static_cast<std::size_t>(rounds); }
  int to(int step) const { return (me + step) % members; }
  /// Before the copy of a step: until the copy that comes before it into that member is there. `own`: the own flags.
  void await(const std::uint32_t* own, int round, int step, device::StreamHandle stream) const;
  /// After that copy. `flags`: where those of a member are.
  void pass(const std::function<std::uint32_t*(int)>& flags, int round, int step, device::StreamHandle stream) const;
};

/// Whether GPUs send in turn: what the user says; nothing where the size decides. Not where two members of this process
/// share a GPU. Collective.
std::optional<bool> wanted_turns(const Team& team);
/// Flags on the current device, which other processes can open; null where there are none.
device::Memory make_tokens(std::size_t flags);
std::size_t token_bytes(std::size_t flags);
/// Lets go, on the current device, all copies that wait for these flags, which are cleared when `ready` has come.
void release_tokens(void* flags, std::size_t count, device::EventHandle ready);

}  // namespace shardfft::gpu
