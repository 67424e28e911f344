#include "api/call_check.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <map>
#include <thread>
#include <vector>

#include "base/text.hpp"
#include "mpi/kept_for_mpi.hpp"
#include "mpi/message_meeting.hpp"
#include "mpi/shared_meeting.hpp"

namespace shardfft {

namespace {

constexpr std::array<const char*, 10> names{"forward", "backward",    "report", "allocate_input", "allocate_output",
                                            "apply",   "convolution", "update", "add_back",       "adjoint"};
constexpr auto kinds = static_cast<std::int64_t>(names.size());

std::string text_of(std::int64_t word) {
  return std::string(names[static_cast<std::size_t>(word % kinds)]) + " (call " + std::to_string(word / kinds) + ")";
}

/// "rank 0 calls forward (call 3), ranks 1, 2 and 5 more call backward (call 3)".
std::string who_calls_what(const std::vector<std::int64_t>& words) {
  constexpr std::size_t named = 4;
  std::map<std::int64_t, std::vector<std::size_t>> callers;
  for (std::size_t rank = 0; rank < words.size(); ++rank) callers[words[rank]].push_back(rank);
  Text text;
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

/// Collective.
std::shared_ptr<Meeting> make_meeting(const Communicator& comm, HostMemory* host) {
  if (comm.size() > 1 && host != nullptr && host->host().size() == comm.size()) {  // on all ranks, or on none
    try {
      return std::make_shared<SharedMeeting>(*host);
    } catch (const Error&) {  // on all ranks: messages serve too
    }
  }
  return std::make_shared<MessageMeeting>(comm, MessageMeeting::Kind::calls);
}

/// Seconds of waiting after which a rank asks the others for their places.
constexpr double ask_after = 1;
/// Seconds of waiting after which a rank looks whether another one gave up.
constexpr double listen_after = 0.01;
/// A rank that has waited for long sleeps between looks.
constexpr double sleep_after = 1;

}  // namespace

CallCheck::CallCheck(CallCheckSetup setup, HostMemory* host)
    : setup_(std::move(setup)),
      detector_(StallDetector::of(setup_.users)),
      plan_(detector_->admit(setup_.name)),
      meeting_(make_meeting(setup_.comm, host)),
      watch_(detector_, setup_.timeout) {
  detector_->refuse_if_closed();
}

std::int64_t CallCheck::word(Call call) const { return number_ * kinds + static_cast<std::int64_t>(call); }

Failure CallCheck::give_up(Failure why) {
  why = failure_of_rank(std::move(why), setup_.comm.rank());
  detector_->close(why);
  return why;
}

bool CallCheck::given_up() const {
  return failure_of([this] { detector_->refuse_if_closed(); }).failed();
}

void CallCheck::enter(Call call, const Failure& mine, bool makes, std::uint64_t given) {
  require_mpi_thread();
  detector_->refuse_if_closed();
  const bool meets = setup_.meets || makes;
  if (!meets && mine.failed()) throw Error(mine.code, mine.text);  // no call: the others know nothing of it
  const Communicator& comm = setup_.comm;
  const std::int64_t own = number_ * kinds + kinds + static_cast<std::int64_t>(call);
  ++number_;
  const CallId call_id{plan_, number_};
  detector_->come(call_id);
  watch_.begin(call_id, names[static_cast<std::size_t>(call)]);
  if (!meets) {
    // A rank that waits for nothing of the rank that gave up would not hear of it otherwise.
    if (const auto why = detector_->listen(call_id)) throw Error(why->code, why->text);
    return;
  }
  const std::int64_t told = own ^ static_cast<std::int64_t>(given >> 2);
  // The first rank that failed, the least and the greatest word.
  const auto [first, least, minus_greatest] =
      meet(call, {std::int64_t{mine.failed() ? comm.rank() : comm.size()}, told, -told});
  if (first < comm.size()) throw_failure_of(comm, static_cast<int>(first), mine);
  if (least != -minus_greatest) fail_mismatch(own);
}

/// Each number's least over the ranks.
Meeting::Words CallCheck::meet(Call call, const Meeting::Words& words) {
  meeting_->begin(words);
  if (!meeting_->done()) wait(call, false);
  const Meeting::Words result = meeting_->result();
  if (setup_.timeout <= 0) return result;
  // A rank may have given up just before the last one came. Ranks that give up do not come here: either none did, or no
  // rank gets past this meeting.
  meeting_->begin({});
  if (!meeting_->done()) wait(call, true);
  return result;
}

void CallCheck::wait(Call call, bool all_have_come) {
  const double timeout = setup_.timeout;
  const CallId call_id{plan_, number_};
  const double look_after = all_have_come ? listen_after : timeout > 0 ? std::min(ask_after, timeout / 2) : ask_after;
  for (Patience patience; !meeting_->done(); patience.rest()) {
    const double waited = patience.waited();
    if (waited > sleep_after) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    if (waited < listen_after) continue;
    std::optional<Failure> why =
        waited < look_after ? detector_->listen(call_id) : detector_->look(call_id, patience.since());
    if (!why && !all_have_come && timeout > 0 && waited > timeout) {
      Text text;
      text << text_of(word(call)) << " waited " << timeout << " s for " << detector_->missing(call_id)
           << " to make the same call of the plan (option call_timeout)";
      why = Failure{Status::timed_out, text.str()};
    }
    if (!why) continue;
    keep_for_mpi(std::move(meeting_));
    detector_->close(*why);
    throw Error(why->code, why->text);
  }
}

void CallCheck::fail_mismatch(std::int64_t mine) {
  const std::vector<std::int64_t> words = setup_.comm.all_gather(mine);
  number_ = *std::max_element(words.begin(), words.end()) / kinds;  // all go on with the same number
  if (std::all_of(words.begin(), words.end(), [&](std::int64_t word) { return word == mine; }))
    fail(Status::mismatch, "the ranks gave ", text_of(mine),
         " of this plan different operators; all must give the same");
  fail(Status::mismatch, "the ranks made different calls of this plan: ", who_calls_what(words));
}

}  // namespace shardfft
