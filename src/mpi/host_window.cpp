#include "mpi/host_window.hpp"

#include <algorithm>

#include "base/aligned.hpp"

namespace shardfft {

namespace {

/// Whole small pages, one at least.
std::size_t mapped_bytes(std::size_t bytes) { return round_up(std::max<std::size_t>(bytes, 1), 4096); }

}  // namespace

HostWindow::Grant::Grant(std::size_t bytes)
    : source_(installed<MemorySource>()), bytes_(bytes), given_(source_ == nullptr || source_->grant_window(bytes)) {}

HostWindow::Grant::~Grant() {
  if (source_ != nullptr && given_) source_->end_window(bytes_);
}

/// Each rank makes its own segment, so that every rank's memory is near it.
HostWindow::HostWindow(const Communicator& host, std::size_t bytes, InChildren in_children)
    : rank_(host.rank()), bytes_(bytes), grant_(mapped_bytes(bytes)) {
  const std::size_t mapped = mapped_bytes(bytes);
  const bool room = mapped <= available_memory() / static_cast<std::size_t>(host.size());
  const MemoryFile mine = room && grant_.given() ? MemoryFile(mapped) : MemoryFile();
  bool all = mine.ticket() >= 0;
  for (const std::int64_t ticket : host.all_gather(mine.ticket())) {
    segments_.push_back(MemoryFile::map(ticket, mapped));
    all = all && segments_.back() != nullptr;
  }
  // Nobody's file goes away before all have mapped it.
  if (host.min(std::int64_t{all ? 1 : 0}) == 0)
    fail(
        Status::out_of_memory, "cannot share ", mapped, " bytes of each of the ", host.size(),
        " ranks of this host: there is no memory for them, or the ranks may not open each other's files through /proc;",
        " other exchanges than shared_window need no shared memory");
  for (int r = 0; r < host.size(); ++r)
    kept_.emplace_back(segment(r), mapped, r == rank_ && in_children == InChildren::copy ? mine.descriptor() : -1);
}

HostMemory::HostMemory(const Communicator& comm, int fake_ranks_per_host)
    : host_(comm.split_host(fake_ranks_per_host)), host_rank_(static_cast<std::size_t>(comm.size()), -1) {
  const std::vector<int> members = host_.ranks_in(comm);
  for (int r = 0; r < host_.size(); ++r) host_rank_[static_cast<std::size_t>(members[static_cast<std::size_t>(r)])] = r;
}

bool HostMemory::holds(const std::vector<int>& ranks) const {
  for (const int r : ranks)
    if (host_rank(r) < 0) return false;
  return true;
}

void HostMemory::forget_unused() {
  for (auto& window : windows_) {
    if (!window) continue;
    const bool used = window.use_count() > 1;
    if (host_.max(std::int64_t{used ? 1 : 0}) == 0) window.reset();
  }
}

std::shared_ptr<HostWindow> HostMemory::allocate(std::size_t bytes, HostWindow::InChildren in_children) {
  forget_unused();
  auto window = std::make_shared<HostWindow>(host_, bytes, in_children);
  const auto free = std::find(windows_.begin(), windows_.end(), nullptr);
  if (free == windows_.end())
    windows_.push_back(window);
  else
    *free = window;
  return window;
}

HostAddress HostMemory::locate(const void* p) const {
  for (std::size_t i = 0; i < windows_.size(); ++i)
    if (windows_[i] && windows_[i]->contains(p))
      return {static_cast<std::int64_t>(i), static_cast<const std::byte*>(p) - windows_[i]->mine()};
  return {};
}

std::byte* HostMemory::resolve(int rank, const HostAddress& address) const {
  return windows_[static_cast<std::size_t>(address.window)]->segment(host_rank(rank)) + address.offset;
}

TurnCounter::TurnCounter(const HostMemory& host, std::shared_ptr<HostWindow> control, std::size_t index,
                         const std::vector<int>& members, Watch* watch)
    : control_(std::move(control)), watch_(watch) {
  const auto counters = [&](int host_rank) {
    return reinterpret_cast<Counters*>(control_->segment(host_rank) + index * bytes_each);
  };
  mine_ = counters(host.host().rank());
  for (const int m : members) members_.push_back(counters(host.host_rank(m)));
}

void TurnCounter::wait_finished() const {
  for (const Counters* m : members_)
    wait_until(watch_, [&] { return m->finished.turn.load(std::memory_order_acquire) >= turn_; });
}

void TurnCounter::publish(const HostAddress& address) {
  mine_->published.address = address;
  mine_->published.turn.store(++turn_, std::memory_order_release);
}

HostAddress TurnCounter::address(std::size_t member) const { return members_[member]->published.address; }

void TurnCounter::wait_published() const {
  for (const Counters* m : members_)
    wait_until(watch_, [&] { return m->published.turn.load(std::memory_order_acquire) >= turn_; });
}

void TurnCounter::finish() { mine_->finished.turn.store(turn_, std::memory_order_release); }

}  // namespace shardfft
