#pragma once
// Results that are written into the memory of their owners on this host.
#include "exec/bundled_fft.hpp"
#include "exec/host_reshape.hpp"

namespace shardfft {

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

}  // namespace shardfft
