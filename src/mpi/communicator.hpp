#pragma once
// RAII over MPI communicators; every MPI return code is checked here or through check_mpi.
#include <mpi.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/check.hpp"

namespace shardfft {

/// Throws Error(mpi_failure) with MPI's own words if `code` is not MPI_SUCCESS.
void check_mpi(int code, const char* call);

bool mpi_initialized();
/// Throws if MPI was initialised for the main thread only (MPI_THREAD_SINGLE, MPI_THREAD_FUNNELED) and this is another
/// thread.
void require_mpi_thread();
/// Whether MPI is over: handles are then left to it.
bool mpi_finalized();

/// Whether it is a zero, which stands for no communicator: Open MPI makes one of a wrong number of Fortran's, and MPI
/// would end the program when it meets one.
inline bool is_no_handle(MPI_Comm comm) { return comm == MPI_Comm{}; }

struct ImaginedGroup;
struct HostPart;

/// Facts of hosts that stay with a communicator of the user's from one plan to the next.
struct KnownHosts {
  std::vector<int> first;           ///< of each rank the first one on its host; empty: not asked yet
  std::shared_ptr<HostPart> small;  ///< memory that all ranks share, for plans to come (mpi/host_window.hpp)
};

/// A communicator this library owns (always a duplicate or a split, errors returned, never the user's own).
/// Copies share it; the last one frees it, unless MPI is already finalized. An empty one is a rank alone. Imagined
/// ranks (mpi/imagined.hpp) meet without MPI, and have no communicator of MPI.
class Communicator {
 public:
  Communicator() = default;
  /// Collective.
  static Communicator duplicate(MPI_Comm comm);
  /// A number of a rank among so many; 0: none.
  using Mark = std::function<std::uint64_t(int ranks)>;
  /// The same, and whether all ranks have one mark (31 bits of it count), without a further meeting. A null `mark`
  /// gives 0. All ranks must call this one.
  static Communicator duplicate(MPI_Comm comm, const Mark& mark, bool& alike);
  /// An empty communicator for MPI_COMM_NULL, where this rank may answer for itself alone; else as duplicate().
  static Communicator duplicate_or_none(MPI_Comm comm) {
    return comm == MPI_COMM_NULL ? Communicator() : duplicate(comm);
  }
  Communicator(std::shared_ptr<const ImaginedGroup> group, int world_rank);
  /// Collective; color < 0 gives an empty communicator.
  Communicator split(int color, int key) const;
  /// A communicator of these ranks, ascending, this one among them. Collective: groups of one call share no rank.
  Communicator part(const std::vector<int>& members) const;
  /// For each rank the first one on its host; hosts have at most `fake_ranks_per_host` ranks in a row if that is
  /// positive. MPI is asked once for a communicator of the user's. Collective.
  std::vector<int> hosts(int fake_ranks_per_host = 0) const;
  KnownHosts& known_hosts() const { return *hosts_; }
  /// Collective.
  bool has_one_host(int fake_ranks_per_host = 0) const;
  /// The ranks of this one's host. Collective.
  Communicator split_host(int fake_ranks_per_host = 0) const;

  bool valid() const { return handle_ != nullptr || imagined(); }
  bool imagined() const { return group_ != nullptr; }
  MPI_Comm get() const { return handle_ ? *handle_ : MPI_COMM_NULL; }
  int rank() const { return rank_; }
  int size() const { return size_; }
  void barrier() const;
  /// Some ranks gave up in the middle of a common call: neither this communicator nor any that was split from it is
  /// freed. MPI would give its number to a new one, which messages still on their way would reach. Not collective: a
  /// rank that has not heard of it frees its own handle.
  void abandon() const;
  /// Gathers `bytes` of each rank, one behind the other, in `all`. Collective.
  void gather(const void* mine, void* all, std::size_t bytes) const;
  /// Replaces `data` by that of `root`. Collective.
  void broadcast(void* data, std::size_t bytes, int root) const;
  /// Replaces numbers by those of all ranks together, one by one. All ranks give as many. Collective.
  enum class Fold { max, min, sum, either };
  void fold(std::span<double> numbers, Fold how) const;
  void fold(std::span<std::int64_t> numbers, Fold how) const;
  void fold(std::span<std::uint64_t> numbers, Fold how) const;
  std::int64_t max(std::int64_t value) const;
  std::int64_t min(std::int64_t value) const;
  double max(double value) const;
  /// The largest of each number over the ranks. All ranks give as many.
  std::vector<double> max(std::vector<double> values) const;
  /// The bits that any rank has set.
  std::int64_t either(std::int64_t bits) const;
  std::vector<std::int64_t> all_gather(std::int64_t value) const;
  /// The least and the largest of each number that any rank has. All ranks give as many.
  struct Extremes {
    std::vector<std::uint64_t> least, most;
  };
  Extremes extremes(const std::vector<std::uint64_t>& numbers) const;
  /// For each number, whether any two ranks have different ones. All ranks give as many.
  std::vector<bool> differ(const std::vector<std::uint64_t>& numbers) const;
  /// Rank of each member in `parent`.
  std::vector<int> ranks_in(const Communicator& parent) const;

 private:
  using Flag = std::shared_ptr<std::atomic<bool>>;
  static Communicator own(MPI_Comm copy, MPI_Comm users);
  using Hosts = std::shared_ptr<KnownHosts>;

  Communicator(MPI_Comm comm, Flag abandoned);
  template <class Number>
  void fold_numbers(std::span<Number> numbers, Fold how, MPI_Datatype type) const;
  std::shared_ptr<MPI_Comm> handle_;
  std::shared_ptr<const ImaginedGroup> group_;
  Flag abandoned_;  ///< shared with communicators that were split from it
  Hosts hosts_;     ///< shared with other duplicates
  int rank_ = 0;
  int size_ = 0;
};

class StallDetector;

/// Data that stays with a communicator of the user's from one plan to the next.
struct KeptWithComm {
  std::shared_ptr<StallDetector> stall_detector;
  std::shared_ptr<KnownHosts> hosts = std::make_shared<KnownHosts>();
};
/// Null if nothing was kept yet, unless `make`.
KeptWithComm* kept_with(MPI_Comm users, bool make);

/// The failure of a rank, if any.
struct Failure {
  Status code = Status::ok;
  std::string text;
  bool failed() const { return code != Status::ok; }
};

/// The exception that is being handled; inside a handler.
Failure present_failure();
/// Runs `work` and returns the exception that it threw.
template <class Work>
Failure failure_of(const Work& work) {
  try {
    work();
  } catch (...) {
    return present_failure();
  }
  return {};
}
/// Throws it, if there is one.
inline void throw_failure(const Failure& failure) {
  if (failure.failed()) throw Error(failure.code, failure.text);
}
/// The same failure with `rank` in its text, unless it names a rank already.
Failure failure_of_rank(Failure failure, int rank);
/// Throws the failure of `rank` on every rank. Collective.
[[noreturn]] void throw_failure_of(const Communicator& comm, int rank, const Failure& mine);

/// Runs `work` on this rank, then agrees: if it threw on any rank, every rank throws the first failing rank's error.
/// `work` must not communicate, except among ranks that fail together. Collective.
void agree(const Communicator& comm, const std::function<void()>& work);
/// The same for work that returns a number: the least of any rank's, in the same meeting.
std::int64_t agreed_least(const Communicator& comm, const std::function<std::int64_t()>& work);

/// Work of ranks that do not communicate, between meetings that all of them join even after a failure: the failure of
/// one is told later, to all at once.
class Alone {
 public:
  explicit Alone(const Communicator& comm) : comm_(comm) {}
  /// Nothing if this rank failed before.
  void run(const std::function<void()>& work) {
    if (!failure_.failed()) failure_ = failure_of(work);
    is_settled_ = false;
  }
  /// The failure, for meetings other than settle().
  const Failure& failure() const { return failure_; }
  /// Throws on all ranks the failure of any. Collective.
  void settle() {
    if (std::exchange(is_settled_, true)) return;
    agree(comm_, [this] { throw_failure(failure_); });
  }

 private:
  const Communicator& comm_;
  Failure failure_;
  bool is_settled_ = true;  ///< the same on all ranks
};

}  // namespace shardfft
