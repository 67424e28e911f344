#include "exec/host_reshape.hpp"

#include <algorithm>

#include "base/check.hpp"
#include "pack/pack.hpp"

namespace shardfft {

namespace {

std::vector<int> members_here(const HostReshapeSetup& setup) {
  std::vector<int> here;
  for (const int m : setup.members)
    if (setup.host->host_rank(m) >= 0) here.push_back(m);
  return here;
}

class HostReshape : public Operation {
 public:
  HostReshape(const HostReshapeSetup& setup, std::unique_ptr<Exchange> remote)
      : setup_(setup), remote_(std::move(remote)), sources_(setup) {
    for (const Piece& piece : setup.to.pieces(setup.rank))
      for (const PeerCopy& copy : gather_boxes(setup.from, piece))
        if (setup.host->host_rank(copy.peer) >= 0) copies_.push_back(copy);
    // Each rank starts with its own memory and then goes round, so that not all read the same one at once.
    const auto distance = [&setup](const PeerCopy& c) {
      return (c.peer - setup.rank + setup.from.ranks()) % setup.from.ranks();
    };
    std::stable_sort(copies_.begin(), copies_.end(),
                     [&](const PeerCopy& a, const PeerCopy& b) { return distance(a) < distance(b); });
  }

  void run(const std::byte* in, std::byte* out, std::byte* scratch) override {
    const ExchangeBuffers buffers{in, out, scratch};
    if (remote_) remote_->start(buffers);
    sources_.open(in);
    {
      const Scope scope(setup_.trace, Activity::exchange);
      for (const PeerCopy& c : copies_)
        copy_box(sources_.of(c.peer), c.boxes.from, out, c.boxes.to, setup_.element_bytes, setup_.threads);
    }
    sources_.close();
    if (remote_) remote_->finish(buffers);
  }

  std::size_t scratch_bytes() const override { return remote_ ? remote_->workspace_bytes() : 0; }
  bool reads_host_memory() const override { return true; }
  void wait_readers() override { sources_.wait_readers(); }
  std::string describe() const override {
    return std::string("reshape by reading shared memory") + (remote_ ? ", messages to other hosts" : "");
  }

 private:
  HostReshapeSetup setup_;
  std::unique_ptr<Exchange> remote_;
  HostSources sources_;
  std::vector<PeerCopy> copies_;
};

}  // namespace

HostSources::HostSources(const HostReshapeSetup& setup)
    : host_(setup.host),
      members_(members_here(setup)),
      turns_(*setup.host, setup.control, setup.turn_index, members_),
      sources_(static_cast<std::size_t>(setup.from.ranks()), nullptr),
      trace_(setup.trace) {}

void HostSources::open(const std::byte* mine) {
  const Scope scope(trace_, Activity::wait);
  turns_.publish(host_->locate(mine));
  turns_.wait_writers();
  for (std::size_t i = 0; i < members_.size(); ++i)
    sources_[static_cast<std::size_t>(members_[i])] = host_->resolve(members_[i], turns_.address(i));
}

std::unique_ptr<Operation> make_host_reshape(const HostReshapeSetup& setup, std::unique_ptr<Exchange> remote) {
  return std::make_unique<HostReshape>(setup, std::move(remote));
}

}  // namespace shardfft
