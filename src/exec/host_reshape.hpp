#pragma once
// Reshapes over shared memory: the receiver reads the sender's array, no message is sent.
#include "exchange/exchange.hpp"
#include "exec/bundled_fft.hpp"
#include "mpi/host_window.hpp"

namespace shardfft {

/// What host reshapes, with a transform (gather_fft.hpp) or without, need to know.
struct HostReshapeSetup : RunContext {
  Layout from{};
  Layout to{};
  int rank = 0;
  std::size_t element_bytes = 16;
  const HostMemory* host = nullptr;
  HostPart control{};          ///< of a turn counter
  std::vector<int> members{};  ///< the exchange group, ascending
};

/// The arrays of the other members while this rank may read them: published and awaited when made, released after.
class HostSources : public LineSource {
 public:
  explicit HostSources(const HostReshapeSetup& setup);
  /// Publishes `mine` and waits for the members of this host. Outside of the windows, `mine` is published as an address
  /// in this process, which needs read_across().
  void open(const std::byte* mine);
  /// Copies a box of a member's array; `scratch` holds scratch_bytes().
  void fetch(const PeerCopy& copy, std::byte* destination, int threads, std::byte* scratch) const;
  void fetch(const PeerCopy& copy, std::byte* lines, std::byte* scratch) const override {
    fetch(copy, lines, 1, scratch);
  }
  std::size_t scratch_bytes() const { return across_ == nullptr ? 0 : cross_read_bytes(); }
  /// Where a member's array lies in this process, while it may be read; null where it lies in another one alone.
  const std::byte* here(int peer) const override { return sources_[static_cast<std::size_t>(peer)].here; }
  void close() { turns_.finish(); }
  void wait_readers() const { turns_.wait_finished(); }
  void read_across(const CrossMemory* memory) { across_ = memory; }
  /// Cost of one copy through the kernel: nothing for this rank's own.
  CrossCost cost(const PeerCopy& copy) const;

 private:
  /// Where a member's array lies: in memory that this process has, or at an address of that process.
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
  const CrossMemory* across_ = nullptr;
  Trace* trace_;
};

/// The arrays of the members of a reshape, all on this host, while this rank may write into them.
class HostOutputs : public LineTarget {
 public:
  explicit HostOutputs(const HostReshapeSetup& setup);
  /// Lets the members write into `mine`, which lies in a window.
  void offer(std::byte* mine);
  /// Waits for the offers of all members.
  void open();
  std::byte* array(int peer) const override { return arrays_[static_cast<std::size_t>(peer)]; }
  /// This rank has written everything. Waits until all members have: what was offered is complete.
  void close();

 private:
  const HostMemory* host_;
  std::vector<int> members_;
  TurnCounter turns_;
  std::vector<std::byte*> arrays_;  ///< by rank of the plan
  Trace* trace_;
};

/// Copies this rank's part of `to` out of the arrays of the members on this host; `remote`, an exchange over the
/// messages of the others, may be null.
std::unique_ptr<Operation> make_host_reshape(const HostReshapeSetup& setup, std::unique_ptr<Exchange> remote);

}  // namespace shardfft
