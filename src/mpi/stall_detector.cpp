#include "mpi/stall_detector.hpp"

#include <algorithm>
#include <array>
#include <cstring>

namespace shardfft {

namespace {

using namespace std::chrono_literals;

constexpr int tag = 11;
/// The time between two questions: a large machine is asked slowly.
constexpr auto question_pause = 1ms;
/// If MPI lets many threads call, but only one has called: the time after which a rank believes that no other will.
constexpr auto other_threads_come_within = 10s;

enum class Word : std::int64_t { where_are_you, here_i_am, i_gave_up };

}  // namespace

/// A message between ranks: plain bytes, few enough for MPI to send them without a waiting receiver.
struct StallDetector::Note {
  Word word = Word::where_are_you;
  CallId call_id;      ///< the sender's place
  CallId about;        ///< of answers: the place of the rank that asked
  bool came = false;   ///< of answers: the sender has come there itself
  bool alone = false;  ///< of answers: the sender cannot reach another place before it has left this one
  Status code = Status::ok;
  std::array<char, 400> text{};
};

struct StallDetector::Letter {
  Note note;
  MPI_Request request = MPI_REQUEST_NULL;
};

StallDetector::StallDetector(const Communicator& comm)
    : comm_(comm),
      asked_(static_cast<std::size_t>(comm.size()), false),
      seen_(static_cast<std::size_t>(comm.size())),
      next_(comm.rank()) {
  int level = MPI_THREAD_SINGLE;
  check_mpi(MPI_Query_thread(&level), "MPI_Query_thread");
  many_threads_may_call_ = level == MPI_THREAD_MULTIPLE;
}

std::shared_ptr<StallDetector> StallDetector::of(MPI_Comm users) {
  std::shared_ptr<StallDetector>& detector = kept_with(users, true)->stall_detector;
  if (!detector) detector = std::shared_ptr<StallDetector>(new StallDetector(Communicator::duplicate(users)));
  return detector;
}

std::int64_t StallDetector::admit(const std::string& name) {
  const std::lock_guard lock(mutex_);
  names_[++plans_] = name;
  return plans_;
}

void StallDetector::leave(std::int64_t plan) {
  const std::lock_guard lock(mutex_);
  names_.erase(plan);
  calls_.erase(plan);
}

void StallDetector::refuse_if_closed() const {
  const std::lock_guard lock(mutex_);
  if (closed_.failed())
    fail(closed_.code,
         "the plans of this communicator can do nothing more, because an earlier call was given up: ", closed_.text);
}

void StallDetector::refuse_if_closed(MPI_Comm users) {
  const KeptWithComm* const kept = kept_with(users, false);
  if (kept != nullptr && kept->stall_detector) kept->stall_detector->refuse_if_closed();
}

void StallDetector::come(const CallId& call_id) {
  const std::lock_guard lock(mutex_);
  calls_[call_id.plan] = call_id.number;
  const auto me = std::this_thread::get_id();
  if (thread_ == std::thread::id()) thread_ = me;
  several_threads_ = several_threads_ || thread_ != me;
}

bool StallDetector::comes_alone(Clock::time_point since) const {
  if (!many_threads_may_call_) return true;
  return !several_threads_ && Clock::now() - since > other_threads_come_within;
}

std::int64_t StallDetector::calls_of(std::int64_t plan) const {
  const auto found = calls_.find(plan);
  return found == calls_.end() ? 0 : found->second;
}

std::string StallDetector::text_of(const CallId& call_id) const {
  const auto name = names_.find(call_id.plan);
  return "call " + std::to_string(call_id.number) + " of plan " + std::to_string(call_id.plan) +
         (name == names_.end() ? "" : " (" + name->second + ")");
}

void StallDetector::send(int rank, const Note& note) {
  letters_.remove_if([](const std::unique_ptr<Letter>& letter) {
    int done = 0;
    check_mpi(MPI_Test(&letter->request, &done, MPI_STATUS_IGNORE), "MPI_Test");
    return done != 0;
  });
  letters_.push_back(std::make_unique<Letter>(Letter{note}));
  check_mpi(
      MPI_Isend(&letters_.back()->note, sizeof(Note), MPI_BYTE, rank, tag, comm_.get(), &letters_.back()->request),
      "MPI_Isend");
}

/// Asks one rank at a time, and none that still owes an answer: a rank that computes for an hour finds one question of
/// each other rank.
void StallDetector::ask_next(const CallId& call_id) {
  const auto now = Clock::now();
  if (now - asked_at_ < question_pause) return;
  asked_at_ = now;
  next_ = (next_ + 1) % comm_.size();
  if (next_ == comm_.rank() || asked_[static_cast<std::size_t>(next_)]) return;
  asked_[static_cast<std::size_t>(next_)] = true;
  Note question;
  question.call_id = call_id;
  send(next_, question);
}

void StallDetector::answer(int rank, const Note& question, const CallId& call_id, bool alone) {
  Note note;
  note.word = Word::here_i_am;
  note.call_id = call_id;
  note.about = question.call_id;
  note.came = calls_of(question.call_id.plan) >= question.call_id.number;
  note.alone = alone;
  send(rank, note);
}

/// The other stood at `answer.call_id` while this rank stood at `call_id`, as it still does.
std::optional<Failure> StallDetector::hear(int rank, const Note& answer, const CallId& call_id,
                                           Clock::time_point since) {
  asked_[static_cast<std::size_t>(rank)] = false;
  seen_[static_cast<std::size_t>(rank)] = answer.call_id;
  const bool about_this = answer.about.plan == call_id.plan && answer.about.number == call_id.number;
  const bool i_came = calls_of(answer.call_id.plan) >= answer.call_id.number;
  if (!about_this || answer.came || i_came || !answer.alone || !comes_alone(since)) return std::nullopt;
  return Failure{Status::mismatch, "ranks wait for each other in different plans: rank " +
                                       std::to_string(comm_.rank()) + " in " + text_of(call_id) + ", rank " +
                                       std::to_string(rank) + " in " + text_of(answer.call_id)};
}

/// `since`: when this rank came to the call of `call_id`; none in its middle, when it waits for nobody to come.
std::optional<Failure> StallDetector::read_letters(const CallId& call_id, std::optional<Clock::time_point> since) {
  if (closed_.failed()) return closed_;  // by another thread
  for (;;) {
    int there = 0;
    MPI_Status status;
    check_mpi(MPI_Iprobe(MPI_ANY_SOURCE, tag, comm_.get(), &there, &status), "MPI_Iprobe");
    if (there == 0) break;
    Note note;
    const int rank = status.MPI_SOURCE;
    check_mpi(MPI_Recv(&note, sizeof note, MPI_BYTE, rank, tag, comm_.get(), MPI_STATUS_IGNORE), "MPI_Recv");
    if (note.word == Word::i_gave_up) {
      close_with({note.code, note.text.data()});
      return closed_;
    }
    if (note.word == Word::where_are_you) {
      answer(rank, note, call_id, since && comes_alone(*since));
    } else if (!since) {
      asked_[static_cast<std::size_t>(rank)] = false;
    } else if (const auto why = hear(rank, note, call_id, *since)) {
      return why;
    }
  }
  return std::nullopt;
}

std::optional<Failure> StallDetector::look(const CallId& call_id, Clock::time_point since) {
  const std::lock_guard lock(mutex_);
  std::optional<Failure> why = read_letters(call_id, since);
  if (!why) ask_next(call_id);
  return why;
}

std::optional<Failure> StallDetector::listen(const CallId& call_id) {
  const std::lock_guard lock(mutex_);
  return read_letters(call_id, std::nullopt);
}

std::string StallDetector::missing(const CallId& call_id) const {
  constexpr int named = 8;
  const std::lock_guard lock(mutex_);
  std::string list;
  int count = 0;
  for (int rank = 0; rank < comm_.size(); ++rank) {
    const CallId& seen = seen_[static_cast<std::size_t>(rank)];
    if (rank == comm_.rank() || (seen.plan == call_id.plan && seen.number == call_id.number)) continue;
    if (++count <= named) list += (list.empty() ? "" : ", ") + std::to_string(rank);
  }
  if (count > named) list += " and " + std::to_string(count - named) + " more";
  return (count == 1 ? "rank " : "ranks ") + list;
}

/// Letters may still be on their way.
void StallDetector::close_with(const Failure& why) {
  closed_ = why;
  comm_.abandon();
}

void StallDetector::close(const Failure& why) {
  const std::lock_guard lock(mutex_);
  if (closed_.failed()) return;
  close_with(why);
  Note note;
  note.word = Word::i_gave_up;
  note.code = why.code;
  std::strncpy(note.text.data(), why.text.c_str(), note.text.size() - 1);
  for (int rank = 0; rank < comm_.size(); ++rank)
    if (rank != comm_.rank()) send(rank, note);
}

}  // namespace shardfft
