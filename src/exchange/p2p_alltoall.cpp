// Strategy p2p_alltoall: point-to-point inside a group, one collective across groups (FFT-ECP, section 3.3).
#include <set>

#include "exchange/blocks.hpp"
#include "exchange/hosts.hpp"
#include "exchange/strategies.hpp"

namespace shardfft {

namespace {

/// Group of every member: its host if there are several hosts with several members, else runs of about sqrt(size).
std::vector<int> groups_by_rank(const ExchangeSetup& setup) {
  std::vector<int> groups = find_hosts(setup).leader_of;
  const std::size_t hosts = std::set<int>(groups.begin(), groups.end()).size();
  if (hosts > 1 && hosts < groups.size()) return groups;
  int run = 1;
  while (run * run < setup.comm.size()) ++run;
  for (int r = 0; r < setup.comm.size(); ++r) groups[static_cast<std::size_t>(r)] = r / run;
  return groups;
}

ExchangeSetup part_of(const ExchangeSetup& setup, const std::vector<int>& groups, bool inside) {
  ExchangeSetup part = setup;
  const int own = groups[static_cast<std::size_t>(setup.comm.rank())];
  part.schedule =
      only_peers(setup.schedule, [&](int peer) { return (groups[static_cast<std::size_t>(peer)] == own) == inside; });
  return part;
}

/// Every element is sent once, by one of the two exchanges. Overlap: both are on their way when start returns. The
/// blocks from the own group are unpacked first, while the collective continues.
class P2pAlltoall : public Exchange {
 public:
  P2pAlltoall(const ExchangeSetup& setup, const std::vector<int>& groups)
      : across_(make_alltoallv(part_of(setup, groups, false))), inside_(make_p2p(part_of(setup, groups, true))) {}

  std::size_t workspace_bytes() const override { return across_->workspace_bytes() + inside_->workspace_bytes(); }

  void start(const ExchangeBuffers& b) override {
    across_->start(b);
    inside_->start(second(b));
  }

  void progress(const ExchangeBuffers& b) override {
    across_->progress(b);
    inside_->progress(second(b));
  }

  void finish(const ExchangeBuffers& b) override {
    inside_->finish(second(b));
    across_->finish(b);
  }

 private:
  ExchangeBuffers second(const ExchangeBuffers& b) const {
    return {b.source, b.destination, b.workspace + across_->workspace_bytes()};
  }

  std::unique_ptr<Exchange> across_;
  std::unique_ptr<Exchange> inside_;
};

}  // namespace

std::unique_ptr<Exchange> make_p2p_alltoall(const ExchangeSetup& setup) {
  return std::make_unique<P2pAlltoall>(setup, groups_by_rank(setup));
}

}  // namespace shardfft
