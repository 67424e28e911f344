#include "mpi/imagined.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <thread>
#include <utility>

namespace shardfft {

thread_local std::unique_lock<std::mutex>* ImaginedRanks::baton_ = nullptr;

ImaginedRanks::ImaginedRanks(int size, int ranks_per_host, std::vector<int> present)
    : size_(size), ranks_per_host_(ranks_per_host), present_(std::move(present)) {}

void ImaginedRanks::run(const std::function<void(const Communicator&)>& work) {
  running_ = present_.size();
  waiting_ = 0;
  std::vector<std::thread> threads;
  for (const int rank : present_) threads.emplace_back([this, rank, &work] { work_as(rank, work); });
  for (std::thread& thread : threads) thread.join();
  if (failure_.failed()) throw Error(failure_.code, failure_.text);
}

void ImaginedRanks::work_as(int rank, const std::function<void(const Communicator&)>& work) {
  std::unique_lock lock(mutex_);
  // One a thread, which uses it here alone.
  // cppcheck-suppress danglingLifetime
  baton_ = &lock;
  std::vector<int> all(static_cast<std::size_t>(size_));
  std::iota(all.begin(), all.end(), 0);
  const Failure mine = failure_of([&] {
    work(Communicator(std::make_shared<const ImaginedGroup>(ImaginedGroup{this, all}), rank));
  });
  if (mine.failed() && !failure_.failed()) failure_ = mine;
  --running_;
  end_if_stuck();
}

void ImaginedRanks::end_if_stuck() {
  if (waiting_ == 0 || waiting_ < running_) return;
  stuck_ = true;
  wake_.notify_all();
}

void ImaginedRanks::gather(const ImaginedGroup& group, int rank, const void* mine, void* all, std::size_t bytes) {
  Desk& desk = desks_[group.members];
  if (desk.expected == 0)
    for (const int member : present_)
      desk.expected += std::binary_search(group.members.begin(), group.members.end(), member) ? 1 : 0;
  const std::size_t turn = desk.turn;
  const auto* const words = static_cast<const std::byte*>(mine);
  desk.told[rank].assign(words, words + bytes);
  if (desk.told.size() == desk.expected) {
    desk.heard = std::exchange(desk.told, {});
    ++desk.turn;
    waiting_ -= desk.expected - 1;
    wake_.notify_all();
  } else {
    ++waiting_;
    end_if_stuck();
    wake_.wait(*baton_, [&] { return desk.turn != turn || stuck_; });
  }
  if (desk.turn == turn) fail(Status::internal, "imagined rank ", rank, " waits for ranks that do not come");
  auto* to = static_cast<std::byte*>(all);
  for (const int member : group.members) {
    const auto heard = desk.heard.find(member);
    std::memcpy(to, heard == desk.heard.end() ? words : heard->second.data(), bytes);
    to += bytes;
  }
}

}  // namespace shardfft
