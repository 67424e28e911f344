#pragma once
// Reshapes over shared memory: the receiver reads the sender's array, no message is sent. Followed by a transform,
// bundles of lines are gathered into cache, transformed there, and written once.
#include "exec/bundled_fft.hpp"
#include "exec/operation.hpp"
#include "exchange/exchange.hpp"
#include "mpi/host_window.hpp"

namespace shardfft {

/// What both kinds of host reshape need to know.
struct HostReshapeSetup {
  Layout from;
  Layout to;
  int rank = 0;
  std::size_t element_bytes = 16;
  int threads = 1;
  const HostMemory* host = nullptr;
  std::shared_ptr<HostWindow> control;  ///< zeroed memory for turn counters
  std::size_t turn_index = 0;           ///< which counters are this operation's
  std::vector<int> members;             ///< the exchange group, ascending
  Trace* trace = nullptr;
};

/// The arrays of the other members while this rank may read them: published and awaited when made, released after.
class HostSources {
 public:
  explicit HostSources(const HostReshapeSetup& setup);
  /// Publishes `mine` and waits for the members of this host.
  void open(const std::byte* mine);
  const std::byte* of(int rank) const { return sources_[static_cast<std::size_t>(rank)]; }
  void close() { turns_.release(); }
  void wait_readers() const { turns_.wait_readers(); }

 private:
  const HostMemory* host_;
  std::vector<int> members_;  ///< on this host
  TurnCounter turns_;
  std::vector<const std::byte*> sources_;  ///< by rank of the plan
  Trace* trace_;
};

/// Copies this rank's part of `to` out of the arrays of the members on this host; `remote`, an exchange over the
/// messages of the others, may be null.
std::unique_ptr<Operation> make_host_reshape(const HostReshapeSetup& setup, std::unique_ptr<Exchange> remote);

/// Gathers and transforms; all members must be on this host.
std::unique_ptr<Operation> make_gather_fft(const HostReshapeSetup& setup, const BundledFftSetup& fft);

/// A transform of this rank's own array in bundles. In place too, for c2c.
std::unique_ptr<Operation> make_bundled_fft(const BundledFftSetup& setup);

}  // namespace shardfft
