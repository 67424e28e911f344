#include "exec/host_reshape.hpp"

#include <algorithm>
#include <utility>

#include "base/aligned.hpp"
#include "base/check.hpp"
#include "pack/pack.hpp"

namespace shardfft {

namespace {

/// Replaces a window's number if the offset is an address in the owner's process.
constexpr std::int64_t private_memory = -2;

std::vector<int> members_here(const HostReshapeSetup& setup) {
  std::vector<int> here;
  for (const int m : setup.members)
    if (setup.host->host_rank(m) >= 0) here.push_back(m);
  return here;
}

/// The boxes of this rank's array that other ranks read; nothing if a row of one is shorter than `least` bytes.
std::optional<std::vector<Box>> lent_boxes(const HostReshapeSetup& setup, std::int64_t least) {
  std::vector<Box> boxes;
  for (const Piece& piece : setup.from.pieces(setup.rank))
    for (const PeerCopy& copy : scatter_boxes(piece, setup.to, setup.rank)) {
      if (copy.peer == setup.rank) continue;
      const Box& box = copy.boxes.from;
      const auto last = static_cast<std::size_t>(std::max(0, box.axes - 1));
      const std::int64_t row = box.axes > 0 && box.stride[last] == 1 ? box.count[last] : 1;
      if (row * static_cast<std::int64_t>(setup.element_bytes) < least) return std::nullopt;
      boxes.push_back(box);
    }
  return boxes;
}

class HostReshape : public Operation {
 public:
  HostReshape(const HostReshapeSetup& setup, std::unique_ptr<Exchange> remote)
      : setup_(setup), remote_(std::move(remote)), sources_(setup) {
    for (const Piece& piece : setup.to.pieces(setup.rank))
      for (const PeerCopy& copy : gather_boxes(setup.from, piece, setup.rank))
        if (setup.host->host_rank(copy.peer) >= 0) copies_.push_back(copy);
  }

  void run(const std::byte* in, std::byte* out, std::byte* scratch) override {
    const ExchangeBuffers buffers{in, out, scratch};
    if (remote_) remote_->start(buffers);
    sources_.open(in);
    {
      const Scope scope(setup_.trace, Activity::exchange);
      for (const PeerCopy& c : copies_) sources_.fetch(c, out, setup_.threads, scratch + remote_bytes());
    }
    sources_.close();
    if (remote_) remote_->finish(buffers);
  }

  std::size_t scratch_bytes() const override { return remote_bytes() + sources_.scratch_bytes(); }
  std::size_t table_bytes() const override { return copies_.size() * sizeof(PeerCopy); }
  bool reads_host_memory() const override { return true; }
  void stage(const std::byte* in, std::byte* staged, std::size_t bytes) override { sources_.stage(in, staged, bytes); }
  void wait_readers() override { sources_.wait_readers(); }
  CrossCost cross_cost() const override {
    CrossCost sum;
    for (const PeerCopy& c : copies_) sum += sources_.cost(c);
    return sum;
  }
  void read_across(const CrossMemory* memory) override { sources_.read_across(memory); }
  Loss loss() const override { return remote_ ? remote_->loss() : Loss{}; }
  Role role() const override { return Role::moves; }
  std::string describe() const override {
    std::string text = "reshape by reading shared memory";
    if (remote_) text.append(", messages to other hosts").append(setup_.numbers.text());
    return text;
  }

 private:
  std::size_t remote_bytes() const { return remote_ ? round_up(remote_->workspace_bytes(), cache_line) : 0; }

  HostReshapeSetup setup_;
  std::unique_ptr<Exchange> remote_;
  HostSources sources_;
  std::vector<PeerCopy> copies_;
};

}  // namespace

HostSources::HostSources(const HostReshapeSetup& setup)
    : host_(setup.host),
      rank_(setup.rank),
      element_bytes_(setup.element_bytes),
      members_(members_here(setup)),
      turns_(*setup.host, setup.control, members_, setup.watch),
      sources_(static_cast<std::size_t>(setup.from.ranks())),
      lent_(lent_boxes(setup, host_defaults().staged_row_bytes)),
      trace_(setup.trace) {}

void HostSources::stage(const std::byte* mine, std::byte* staged, std::size_t bytes) {
  if (!lent_) return copy_bytes(mine, staged, bytes);
  for (const Box& box : *lent_) copy_box(mine, box, staged, box, element_bytes_);
  own(mine);
}

void HostSources::open(const std::byte* mine) {
  const Scope scope(trace_, Activity::wait);
  mine_ = own_ != nullptr ? std::exchange(own_, nullptr) : mine;
  HostAddress address = host_->locate(mine);
  if (address.window < 0) address = {private_memory, static_cast<std::int64_t>(reinterpret_cast<std::intptr_t>(mine))};
  turns_.publish(address);
  turns_.wait_published();
  for (std::size_t i = 0; i < members_.size(); ++i)
    sources_[static_cast<std::size_t>(members_[i])] = find(members_[i], turns_.address(i));
}

HostSources::Source HostSources::find(int member, const HostAddress& address) const {
  if (member == rank_) return {mine_, 0};
  if (address.window != private_memory) return {host_->resolve(member, address), 0};
  return {nullptr, static_cast<std::uint64_t>(address.offset)};
}

void HostSources::fetch(const PeerCopy& copy, std::byte* destination, int threads, std::byte* scratch) const {
  const Source& source = sources_[static_cast<std::size_t>(copy.peer)];
  if (source.there == 0)
    copy_box(source.here, copy.boxes.from, destination, copy.boxes.to, element_bytes_, threads);
  else
    read_box(*across_, host_->host_rank(copy.peer), source.there, copy.boxes, destination, element_bytes_, scratch);
}

CrossCost HostSources::cost(const PeerCopy& copy) const {
  return copy.peer == rank_ ? CrossCost{} : shardfft::cross_cost(copy.boxes, element_bytes_);
}

HostOutputs::HostOutputs(const HostReshapeSetup& setup)
    : host_(setup.host),
      members_(setup.members),
      turns_(*setup.host, setup.control, members_, setup.watch),
      arrays_(static_cast<std::size_t>(setup.to.ranks())),
      trace_(setup.trace) {}

void HostOutputs::offer(std::byte* mine) { turns_.publish(host_->locate(mine)); }

void HostOutputs::open() {
  const Scope scope(trace_, Activity::wait);
  turns_.wait_published();
  for (std::size_t i = 0; i < members_.size(); ++i)
    arrays_[static_cast<std::size_t>(members_[i])] = host_->resolve(members_[i], turns_.address(i));
}

void HostOutputs::close() {
  const Scope scope(trace_, Activity::wait);
  turns_.finish();
  turns_.wait_finished();
}

std::unique_ptr<Operation> make_host_reshape(const HostReshapeSetup& setup, std::unique_ptr<Exchange> remote) {
  return std::make_unique<HostReshape>(setup, std::move(remote));
}

}  // namespace shardfft
