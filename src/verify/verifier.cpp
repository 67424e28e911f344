#include "verify/verifier.hpp"

#include <algorithm>

#include "base/check.hpp"
#include "mpi/watched_collective.hpp"

namespace shardfft {

namespace {

/// An odd number: no difference vanishes in its product. Differences of several moves or ranks have different ones, so
/// that they do not cancel.
std::uint64_t odd_factor(std::size_t move, std::size_t from, std::size_t to) {
  std::uint64_t x = 0;
  for (const std::size_t part : {move, from, to}) {  // mixed as splitmix64 does (Steele, Lea and Flood, 2014)
    x += 0x9e3779b97f4a7c15U + part;
    x = (x ^ (x >> 30U)) * 0xbf58476d1ce4e5b9U;
    x = (x ^ (x >> 27U)) * 0x94d049bb133111ebU;
    x ^= x >> 31U;
  }
  return x | 1U;
}

std::int64_t least(const Communicator& comm, Watch* watch, std::int64_t mine) {
  return watched_allreduce(comm, watch, mine, 1, MPI_INT64_T, MPI_MIN);
}

/// Every rank tells every other the sums that it sent: one number for each pair and reshape.
std::vector<std::uint64_t> exchanged(const Communicator& comm, Watch* watch, std::vector<std::uint64_t> told) {
  if (told.empty()) return told;
  const int count = narrow(static_cast<std::int64_t>(told.size()) / comm.size(), "reshapes");
  std::vector<std::uint64_t> heard(told.size());
  const auto call = [&](const std::vector<std::uint64_t>& from, std::vector<std::uint64_t>& to, MPI_Request* request) {
    check_mpi(MPI_Ialltoall(from.data(), count, MPI_UINT64_T, to.data(), count, MPI_UINT64_T, comm.get(), request),
              "MPI_Ialltoall");
  };
  return watched_collective(comm, watch, std::move(told), std::move(heard), call);
}

}  // namespace

Verifier::Verifier(int rank, int ranks, std::vector<std::vector<std::shared_ptr<StepCheck>>> checks,
                   std::vector<std::string> names)
    : rank_(rank), ranks_(ranks), checks_of_(std::move(checks)), names_(std::move(names)) {
  for (std::size_t i = 0; i < checks_of_.size(); ++i)
    for (const auto& check : checks_of_[i])
      if (!check->sent().empty()) moves_.push_back({i, check.get()});
}

void Verifier::find(std::size_t i, const std::string& what) {
  if (!error_.empty() && first_ <= i) return;
  first_ = i;
  error_ = "step " + std::to_string(i + 1) + " (" + names_[i] + "): " + what;
}

void Verifier::begin(std::optional<std::uint64_t> input) {
  error_.clear();
  written_ = input;
}

void Verifier::judge(std::size_t i) {
  for (const auto& check : checks_of_[i]) {
    const StepBits bits = check->bits();
    if (written_ && bits.read) {
      ++checks_;
      if (*bits.read != *written_)
        find(i, check != checks_of_[i].front() ? "one of its parts read other bits than the part before wrote"
                : i == 0                       ? "its input differs from the caller's"
                                               : "its input differs from the output of the step before");
    }
    written_ = bits.written;
    const Finding found = check->finding();
    checks_ += found.checks;
    largest_residual_ = std::max(largest_residual_, found.residual);
    if (!found.what.empty()) find(i, found.what);
  }
}

std::uint64_t Verifier::imbalance() const {
  std::uint64_t sum = 0;
  const auto own = static_cast<std::size_t>(rank_);
  for (std::size_t move = 0; move < moves_.size(); ++move) {
    const auto sent = moves_[move].check->sent(), received = moves_[move].check->received();
    if (received.empty()) sum += odd_factor(move, 0, 0) * (sent.front() << 32U);
    for (std::size_t r = 0; r < received.size(); ++r)
      sum += odd_factor(move, own, r) * sent[r] - odd_factor(move, r, own) * received[r];
  }
  return sum;
}

std::vector<std::uint64_t> Verifier::sent() const {
  std::vector<std::uint64_t> told;
  for (std::size_t r = 0; r < static_cast<std::size_t>(ranks_); ++r)
    for (const Move& move : moves_) told.push_back(move.check->sent()[r]);
  return told;
}

void Verifier::compare(const std::vector<std::uint64_t>& heard) {
  for (std::size_t m = 0; m < moves_.size(); ++m) {
    const auto received = moves_[m].check->received();
    std::uint64_t all = 0;
    for (std::size_t r = 0; r < static_cast<std::size_t>(ranks_); ++r) {
      const std::uint64_t sent = heard[r * moves_.size() + m];
      all += sent;
      if (!received.empty() && sent != received[r])
        find(moves_[m].task, "the data from rank " + std::to_string(r) + " differ from the data it sent");
    }
    if (received.empty() && static_cast<std::uint32_t>(all) != 0)
      find(moves_[m].task, "the data that the ranks received differ from the data they sent");
  }
}

std::int64_t Verifier::beyond_all() const { return static_cast<std::int64_t>(checks_of_.size()) * ranks_; }

std::int64_t Verifier::place_of_error() const {
  return error_.empty() ? beyond_all() : static_cast<std::int64_t>(first_) * ranks_ + rank_;
}

Failure Verifier::failure() const { return {Status::corrupted, "the option verify found a wrong result in " + error_}; }

/// Without an error one sum over the ranks is enough.
Failure Verifier::conclude(const Communicator& comm, AllReduce& all_reduce, Watch* watch) {
  const AllReduce::Numbers sums = all_reduce.sum({imbalance(), error_.empty() ? 0U : 1U}, watch);
  return sums == AllReduce::Numbers{} ? Failure{} : first_failure(comm, watch);
}

/// The first step that went wrong counts: later ones work on its result.
Failure Verifier::first_failure(const Communicator& comm, Watch* watch) {
  compare(exchanged(comm, watch, sent()));
  const std::int64_t first = least(comm, watch, place_of_error());
  if (first == beyond_all()) return {};
  return failure_of([&] { throw_failure_of(comm, static_cast<int>(first % ranks_), failure()); });
}

Failure Verifier::conclude(std::span<Verifier> ranks) {
  const std::size_t moves = ranks.front().moves_.size();
  std::vector<std::vector<std::uint64_t>> told;
  for (const Verifier& rank : ranks) told.push_back(rank.sent());
  for (std::size_t r = 0; r < ranks.size(); ++r) {
    std::vector<std::uint64_t> heard;
    for (const auto& list : told) {
      const auto mine = list.begin() + static_cast<std::ptrdiff_t>(r * moves);
      heard.insert(heard.end(), mine, mine + static_cast<std::ptrdiff_t>(moves));
    }
    ranks[r].compare(heard);
  }
  const auto first = std::min_element(ranks.begin(), ranks.end(), [](const Verifier& a, const Verifier& b) {
    return a.place_of_error() < b.place_of_error();
  });
  return first->error_.empty() ? Failure{} : failure_of_rank(first->failure(), first->rank_);
}

std::size_t Verifier::table_bytes() const {
  std::size_t bytes = 0;
  for (const auto& checks : checks_of_)
    for (const auto& check : checks) bytes += check->table_bytes();
  return bytes;
}

}  // namespace shardfft
