#include "mpi/host_window.hpp"

#include <sched.h>

#include <cstring>

#include "base/aligned.hpp"

namespace shardfft {

namespace {

/// Waits until `ready`: spins shortly, then gives the core to whoever else may be needed for it to come true.
template <class Ready>
void spin_until(Ready ready) {
  for (int spins = 0; !ready(); ++spins) {
    if (spins < 2000) {
#if defined(__x86_64__) || defined(__i386__)
      __builtin_ia32_pause();
#endif
    } else {
      sched_yield();
    }
  }
}

}  // namespace

HostWindow::HostWindow(const Communicator& host, std::size_t bytes) : host_(host), bytes_(bytes) {
  MPI_Info info = MPI_INFO_NULL;
  check_mpi(MPI_Info_create(&info), "MPI_Info_create");
  // Each rank's segment on its own pages, so that every rank's memory is near it.
  MPI_Info_set(info, "alloc_shared_noncontig", "true");
  void* base = nullptr;
  // Some MPI libraries put their own words in front of the memory: one page more, to begin at the next page. Every
  // process maps whole pages, so all find the same place.
  constexpr std::size_t page = 4096;
  const std::size_t size = round_up(bytes, page) + page;
  const int code =
      MPI_Win_allocate_shared(static_cast<MPI_Aint>(size), 1, info, host_.get(), static_cast<void*>(&base), &window_);
  MPI_Info_free(&info);
  check_mpi(code, "MPI_Win_allocate_shared");
  for (int r = 0; r < host_.size(); ++r) {
    MPI_Aint their_size = 0;
    int unit = 0;
    void* address = nullptr;
    check_mpi(MPI_Win_shared_query(window_, r, &their_size, &unit, static_cast<void*>(&address)),
              "MPI_Win_shared_query");
    segments_.push_back(reinterpret_cast<std::byte*>(round_up(reinterpret_cast<std::uintptr_t>(address), page)));
  }
  check_mpi(MPI_Win_lock_all(MPI_MODE_NOCHECK, window_), "MPI_Win_lock_all");
}

HostWindow::~HostWindow() {
  int finalized = 0;
  MPI_Finalized(&finalized);
  if (finalized != 0 || window_ == MPI_WIN_NULL) return;
  MPI_Win_unlock_all(window_);
  MPI_Win_free(&window_);
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

std::shared_ptr<HostWindow> HostMemory::allocate(std::size_t bytes) {
  auto window = std::make_shared<HostWindow>(host_, bytes);
  windows_.push_back(window);
  return window;
}

HostAddress HostMemory::locate(const void* p) const {
  for (std::size_t i = 0; i < windows_.size(); ++i) {
    const auto window = windows_[i].lock();
    if (window && window->contains(p))
      return {static_cast<std::int64_t>(i), static_cast<const std::byte*>(p) - window->mine()};
  }
  return {};
}

const std::byte* HostMemory::resolve(int rank, const HostAddress& address) const {
  const auto window = windows_[static_cast<std::size_t>(address.window)].lock();
  return window->segment(host_rank(rank)) + address.offset;
}

TurnCounter::TurnCounter(const HostMemory& host, std::shared_ptr<HostWindow> control, std::size_t index,
                         const std::vector<int>& members)
    : control_(std::move(control)) {
  const auto counters = [&](int host_rank) {
    return reinterpret_cast<Counters*>(control_->segment(host_rank) + index * bytes_each);
  };
  mine_ = counters(host.host().rank());
  for (const int m : members) members_.push_back(counters(host.host_rank(m)));
}

void TurnCounter::wait_readers() const {
  for (const Counters* m : members_) spin_until([&] { return m->read.turn.load(std::memory_order_acquire) >= turn_; });
}

void TurnCounter::publish(const HostAddress& address) {
  mine_->written.address = address;
  mine_->written.turn.store(++turn_, std::memory_order_release);
}

HostAddress TurnCounter::address(std::size_t member) const { return members_[member]->written.address; }

void TurnCounter::wait_writers() const {
  for (const Counters* m : members_)
    spin_until([&] { return m->written.turn.load(std::memory_order_acquire) >= turn_; });
}

void TurnCounter::release() { mine_->read.turn.store(turn_, std::memory_order_release); }

}  // namespace shardfft
