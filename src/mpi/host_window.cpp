#include "mpi/host_window.hpp"

#include <fcntl.h>
#include <sched.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <random>
#include <string>

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

/// Under which the ranks of the host find a segment until all have mapped it.
std::string name_of(std::int64_t number) { return "/shardfft-" + std::to_string(number); }

/// Reserves the memory: a page that could not be had later would end the process.
bool reserve(int descriptor, std::size_t bytes) {
  int status = EINTR;
  while (status == EINTR) status = posix_fallocate(descriptor, 0, static_cast<off_t>(bytes));
  return status == 0;
}

/// A new segment's number, or 0 when there is no room for one.
std::int64_t make_segment(std::size_t bytes) {
  std::random_device random;
  int descriptor = -1;
  std::int64_t number = 0;
  do {
    number = std::int64_t{random()} << 31 | random() | 1;
    descriptor = shm_open(name_of(number).c_str(), O_CREAT | O_EXCL | O_RDWR, S_IRUSR | S_IWUSR);
  } while (descriptor < 0 && errno == EEXIST);
  if (descriptor < 0) return 0;
  const bool reserved = reserve(descriptor, bytes);
  close(descriptor);
  if (reserved) return number;
  shm_unlink(name_of(number).c_str());
  return 0;
}

}  // namespace

void HostWindow::Unmap::operator()(std::byte* memory) const { munmap(memory, bytes); }

/// Null when it cannot be mapped.
HostWindow::Segment HostWindow::map(std::int64_t number, std::size_t bytes) {
  const int descriptor = number == 0 ? -1 : shm_open(name_of(number).c_str(), O_RDWR, 0);
  if (descriptor < 0) return {nullptr, Unmap{bytes}};
  void* const memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
  close(descriptor);
  return {memory == MAP_FAILED ? nullptr : static_cast<std::byte*>(memory), Unmap{bytes}};
}

HostWindow::HostWindow(const Communicator& host, std::size_t bytes) : rank_(host.rank()), bytes_(bytes) {
  const std::size_t mapped = round_up(std::max<std::size_t>(bytes, 1), 4096);
  // Each rank makes its own, so that every rank's memory is near it.
  const std::int64_t mine = make_segment(mapped);
  bool all = true;
  for (const std::int64_t number : host.all_gather(mine)) {
    segments_.push_back(map(number, mapped));
    all = all && segments_.back() != nullptr;
  }
  // Nobody's name goes away before all have mapped it.
  all = host.min(std::int64_t{all ? 1 : 0}) == 1;
  if (mine != 0) shm_unlink(name_of(mine).c_str());
  if (!all)
    fail(Status::out_of_memory, "cannot share ", mapped, " bytes of each of the ", host.size(),
         " ranks of this host: /dev/shm is full or missing; another exchange than shared_window needs none");
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

std::shared_ptr<HostWindow> HostMemory::allocate(std::size_t bytes) {
  forget_unused();
  auto window = std::make_shared<HostWindow>(host_, bytes);
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

const std::byte* HostMemory::resolve(int rank, const HostAddress& address) const {
  return windows_[static_cast<std::size_t>(address.window)]->segment(host_rank(rank)) + address.offset;
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
