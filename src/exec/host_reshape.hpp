#pragma once
// Reshapes through shared memory: the receiver reads the sender's array; no message is sent.
#include <optional>
#include <vector>

#include "exchange/exchange.hpp"
#include "exec/bundled_fft.hpp"
#include "mpi/host_window.hpp"

namespace shardfft {

/// The arguments of reshapes on a host, with a transform (gather_fft.hpp) or without.
struct HostReshapeSetup : OperationContext {
  Layout from{};
  Layout to{};
  int rank = 0;
  std::size_t element_bytes = 16;
  const HostMemory* host = nullptr;
  HostPart control{};          ///< part for a turn counter
  std::vector<int> members{};  ///< the exchange group, ascending
};

/// The arrays of the other members while this rank may read them: between open() and close().
class HostSources : public LineSource {
 public:
  explicit HostSources(const HostReshapeSetup& setup);
  /// Copies to `staged` the boxes of `mine` that other ranks read; the next open() publishes `staged`, and this rank
  /// reads `mine`. If their rows are short, copies all `bytes`.
  void stage(const std::byte* mine, std::byte* staged, std::size_t bytes);
  /// This rank reads `mine` in place of the array that the next open() publishes.
  void own(const std::byte* mine) { own_ = mine; }
  /// Publishes `mine` and waits for the members of this host. If `mine` is in no window, publishes its address in this
  /// process; then others need read_across().
  void open(const std::byte* mine);
  /// Copies a box of a member's array; `scratch` has scratch_bytes().
  void fetch(const PeerCopy& copy, std::byte* destination, int threads, std::byte* scratch) const;
  void fetch(const PeerCopy& copy, std::byte* lines, std::byte* scratch) const override {
    fetch(copy, lines, 1, scratch);
  }
  std::size_t scratch_bytes() const { return across_ == nullptr ? 0 : cross_read_bytes(); }
  /// The address of a member's array in this process, while it may be read; null if only that process can address it.
  const std::byte* here(int peer) const override { return sources_[static_cast<std::size_t>(peer)].here; }
  void close() { turns_.finish(); }
  void wait_readers() const { turns_.wait_finished(); }
  void read_across(const CrossMemory* memory) { across_ = memory; }
  /// Cost of one copy through the kernel; 0 for this rank's own array.
  CrossCost cost(const PeerCopy& copy) const;

 private:
  /// The address of a member's array: in this process, or in that member's.
  struct Source {
    const std::byte* here = nullptr;
    std::uint64_t there = 0;
  };
  Source find(int member, const HostAddress& address) const;

  const HostMemory* host_;
  int rank_;
  std::size_t element_bytes_;
  std::vector<int> members_;  ///< on this host
  TurnCounter turns_;
  std::vector<Source> sources_;  ///< by rank of the plan
  const std::byte* mine_ = nullptr;
  const std::byte* own_ = nullptr;        ///< this rank's elements at the next open(), if not as published
  std::optional<std::vector<Box>> lent_;  ///< boxes that others read, if their rows are long
  const CrossMemory* across_ = nullptr;
  Trace* trace_;
};

/// The arrays of the members of a reshape, all on this host, while this rank may write to them.
class HostOutputs : public LineTarget {
 public:
  explicit HostOutputs(const HostReshapeSetup& setup);
  /// Lets the members write to `mine`, which is in a window.
  void offer(std::byte* mine);
  /// Waits for the offers of all members.
  void open();
  std::byte* array(int peer) const override { return arrays_[static_cast<std::size_t>(peer)]; }
  /// This rank has written everything. Waits until all members have: then the offered arrays are complete.
  void close();

 private:
  const HostMemory* host_;
  std::vector<int> members_;
  TurnCounter turns_;
  std::vector<std::byte*> arrays_;  ///< by rank of the plan
  Trace* trace_;
};

/// Copies this rank's part of `to` from the arrays of the members on this host. `remote` is an exchange of the messages
/// with other hosts; it may be null.
std::unique_ptr<Operation> make_host_reshape(const HostReshapeSetup& setup, std::unique_ptr<Exchange> remote);

}  // namespace shardfft
