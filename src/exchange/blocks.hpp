#pragma once
// The messages of one direction as runs of memory: in the array itself if they are contiguous there, else packed in the
// workspace.
#include "exchange/exchange.hpp"

namespace shardfft {

/// Whether a message that is one contiguous run of the array is sent from, or received into, the array itself.
/// all_or_none: only if all messages are such runs; then one address is the base of all.
enum class Staging { only_strided, all_or_none, always };

/// Whether a message is one contiguous run of the array.
bool is_run(const Message& message);

/// Messages without empty ones; their offsets point into a dense workspace in which each begins on a cache line.
class Blocks {
 public:
  Blocks() = default;
  Blocks(const std::vector<Message>& messages, const ExchangeSetup& setup, Staging staging = Staging::only_strided);

  int size() const { return static_cast<int>(messages_.size()); }
  const Message& operator[](int i) const { return messages_[static_cast<std::size_t>(i)]; }
  /// Workspace for all blocks, a multiple of the cache line.
  std::size_t bytes() const { return bytes_; }
  /// Size of the largest block in the workspace, a multiple of the cache line.
  std::size_t largest_bytes() const { return largest_bytes_; }
  bool direct(int i) const { return direct_[static_cast<std::size_t>(i)] != 0; }
  bool all_direct() const;
  /// Bytes from the base (the array if direct, else the workspace) to block `i`.
  std::int64_t offset_bytes(int i) const;
  /// Elements from the base to block `i`.
  std::int64_t offset(int i) const;

  /// Address of an outgoing block; unless it is direct, pack() must have filled it.
  const std::byte* outgoing(int i, const std::byte* array, const std::byte* work) const;
  std::byte* incoming(int i, std::byte* array, std::byte* work) const;
  /// Copies block `i` from the array to the workspace; does nothing for a direct block.
  void pack(int i, const std::byte* array, std::byte* work) const;
  void pack_all(const std::byte* array, std::byte* work) const;
  void unpack(int i, const std::byte* work, std::byte* array) const;
  void unpack_all(const std::byte* work, std::byte* array) const;
  /// Like pack and unpack, with the block at the beginning of `block`.
  void pack_into(int i, const std::byte* array, std::byte* block) const;
  void unpack_from(int i, const std::byte* block, std::byte* array) const;

  /// Index of the block of `peer`, or -1.
  int find(int peer) const;
  /// Indices from the first peer above `rank` on, wrapping round: no two ranks begin with the same peer.
  std::vector<int> from_neighbour(int rank) const;

 private:
  std::vector<Message> messages_;
  std::vector<char> direct_;
  std::size_t element_bytes_ = 1;
  int threads_ = 1;
  Trace* trace_ = nullptr;
  std::size_t bytes_ = 0;
  std::size_t largest_bytes_ = 0;
};

/// `schedule` with only the messages whose peer `keep` accepts.
Schedule only_peers(const Schedule& schedule, const std::function<bool(int)>& keep);
/// Rewrites peers as ranks of a communicator whose members are `group`, in ascending order.
void renumber(std::vector<Message>& messages, const std::vector<int>& group);

}  // namespace shardfft
