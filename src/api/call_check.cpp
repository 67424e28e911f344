#include "api/call_check.hpp"

#include <sched.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <mutex>
#include <sstream>
#include <thread>
#include <vector>

namespace shardfft {

namespace {

constexpr std::array<const char*, 5> names{"forward", "backward", "report", "allocate_input", "allocate_output"};
constexpr auto kinds = static_cast<std::int64_t>(names.size());

std::string text_of(std::int64_t word) {
  return std::string(names[static_cast<std::size_t>(word % kinds)]) + " (call " + std::to_string(word / kinds) + ")";
}

/// "rank 0 calls forward (call 3), ranks 1, 2 and 5 more call backward (call 3)".
std::string who_calls_what(const std::vector<std::int64_t>& words) {
  constexpr std::size_t named = 4;
  std::map<std::int64_t, std::vector<std::size_t>> callers;
  for (std::size_t rank = 0; rank < words.size(); ++rank) callers[words[rank]].push_back(rank);
  std::ostringstream text;
  const char* between = "";
  for (const auto& [word, ranks] : callers) {
    text << between << (ranks.size() == 1 ? "rank " : "ranks ");
    for (std::size_t i = 0; i < std::min(named, ranks.size()); ++i) text << (i == 0 ? "" : ", ") << ranks[i];
    if (ranks.size() > named) text << " and " << ranks.size() - named << " more";
    text << (ranks.size() == 1 ? " calls " : " call ") << text_of(word);
    between = ", ";
  }
  return text.str();
}

/// Spins, then gives the core to whoever else may be needed; who has waited for long sleeps in between.
class Patience {
 public:
  void rest() {
    constexpr int spins = 200;
    if (++rests_ < spins) return;
    if (waited() < 1)
      sched_yield();
    else
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  /// Seconds; looks at the clock now and then only.
  double waited() {
    if (rests_ % 16 == 0) seconds_ = std::chrono::duration<double>(WaitingRoom::Clock::now() - since_).count();
    return seconds_;
  }
  WaitingRoom::Clock::time_point since() const { return since_; }

 private:
  WaitingRoom::Clock::time_point since_ = WaitingRoom::Clock::now();
  int rests_ = 0;
  double seconds_ = 0;
};

/// Seconds after which a rank asks the others where they are.
constexpr double ask_after = 1;
/// The same where all have come and only somebody who gave up can keep them from meeting.
constexpr double listen_after = 0.01;

/// What MPI may still write to after a rank gave up.
void leave_to_mpi(std::shared_ptr<void> meeting) {
  static std::mutex mutex;
  static std::vector<std::shared_ptr<void>> left;
  const std::lock_guard lock(mutex);
  left.push_back(std::move(meeting));
}

}  // namespace

/// An all-reduce under way.
struct CallCheck::Meeting {
  Communicator comm;
  Words said;
  Words result{};
  MPI_Request request = MPI_REQUEST_NULL;
};

CallCheck::CallCheck(const Communicator& comm, MPI_Comm users, const std::string& name, double timeout)
    : comm_(comm), room_(WaitingRoom::of(users)), plan_(room_->admit(name)), timeout_(timeout) {
  room_->refuse_if_closed();
}

std::int64_t CallCheck::word(Call call) const { return number_ * kinds + static_cast<std::int64_t>(call); }

bool CallCheck::given_up() const {
  return failure_of([this] { room_->refuse_if_closed(); }).failed();
}

void CallCheck::enter(Call call, const std::function<void()>& check) {
  room_->refuse_if_closed();
  const Failure failure = failure_of(check);
  ++number_;
  const std::int64_t mine = word(call);
  // The first rank that failed, the least and the greatest word.
  const auto [first, least, minus_greatest] =
      meet(call, {std::int64_t{failure.failed() ? comm_.rank() : comm_.size()}, mine, -mine});
  if (first < comm_.size()) throw_failure_of(comm_, static_cast<int>(first), failure);
  if (least != -minus_greatest) fail_mismatch(mine);
}

/// Each number's least over the ranks.
CallCheck::Words CallCheck::meet(Call call, const Words& words) {
  room_->come({plan_, number_, static_cast<std::int64_t>(call)});
  auto meeting = std::make_shared<Meeting>(Meeting{comm_, words});
  check_mpi(MPI_Iallreduce(meeting->said.data(), meeting->result.data(), static_cast<int>(words.size()), MPI_INT64_T,
                           MPI_MIN, comm_.get(), &meeting->request),
            "MPI_Iallreduce");
  wait(meeting, call, false);
  const Words result = meeting->result;
  if (timeout_ <= 0) return result;
  // Somebody may have given up just before the last one came. Who gives up does not come here, so either nobody did, or
  // nobody leaves.
  check_mpi(MPI_Ibarrier(comm_.get(), &meeting->request), "MPI_Ibarrier");
  wait(meeting, call, true);
  return result;
}

void CallCheck::wait(std::shared_ptr<Meeting> meeting, Call call, bool all_have_come) {
  const Stand stand{plan_, number_, static_cast<std::int64_t>(call)};
  const double look_after = all_have_come ? listen_after : timeout_ > 0 ? std::min(ask_after, timeout_ / 2) : ask_after;
  for (Patience patience;; patience.rest()) {
    int done = 0;
    check_mpi(MPI_Test(&meeting->request, &done, MPI_STATUS_IGNORE), "MPI_Test");
    if (done != 0) return;
    const double waited = patience.waited();
    if (waited < look_after) continue;
    std::optional<Failure> why = room_->look(stand, patience.since());
    if (!why && !all_have_come && timeout_ > 0 && waited > timeout_) {
      std::ostringstream text;
      text << text_of(word(call)) << " waited " << timeout_ << " s for " << room_->missing(stand)
           << " to make the same call of the plan (option call_timeout)";
      why = Failure{Status::timed_out, text.str()};
    }
    if (!why) continue;
    leave_to_mpi(std::move(meeting));
    room_->close(*why);
    throw Error(why->code, why->text);
  }
}

void CallCheck::fail_mismatch(std::int64_t mine) {
  const std::vector<std::int64_t> words = comm_.all_gather(mine);
  number_ = *std::max_element(words.begin(), words.end()) / kinds;  // all go on with the same number
  fail(Status::mismatch, "the ranks called different things of this plan: ", who_calls_what(words));
}

}  // namespace shardfft
