#include "exec/verifier.hpp"

#include <algorithm>

#include "base/check.hpp"

namespace shardfft {

Verifier::Verifier(const Communicator& comm, Watch* watch, std::vector<std::unique_ptr<StepCheck>> checks,
                   std::vector<std::string> names)
    : comm_(comm), watch_(watch), checks_of_(std::move(checks)), names_(std::move(names)) {}

void Verifier::find(std::size_t i, const std::string& what) {
  if (!error_.empty() && first_ <= i) return;
  first_ = i;
  error_ = "step " + std::to_string(i + 1) + " (" + names_[i] + "): " + what;
}

void Verifier::begin(std::optional<std::uint64_t> input) {
  error_.clear();
  written_ = input;
}

void Verifier::before(std::size_t i, const std::byte* in) {
  const std::uint64_t read = checks_of_[i]->before(in);
  if (!written_) return;
  ++checks_;
  if (read != *written_)
    find(i, i == 0 ? "its input is not the caller's" : "its input is not what the step before wrote");
}

void Verifier::after(std::size_t i, const std::byte* out) {
  written_ = checks_of_[i]->after(out);
  const Finding found = checks_of_[i]->finding();
  checks_ += found.checks;
  largest_residual_ = std::max(largest_residual_, found.residual);
  if (!found.what.empty()) find(i, found.what);
}

/// Every rank tells every other what it sent: one number a pair and reshape.
void Verifier::compare_moves() {
  const auto ranks = static_cast<std::size_t>(comm_.size());
  std::vector<std::size_t> moves;
  for (std::size_t i = 0; i < checks_of_.size(); ++i)
    if (!checks_of_[i]->sent().empty()) moves.push_back(i);
  if (moves.empty()) return;
  std::vector<std::uint64_t> told(ranks * moves.size()), heard(told.size());
  for (std::size_t m = 0; m < moves.size(); ++m)
    for (std::size_t r = 0; r < ranks; ++r) told[r * moves.size() + m] = checks_of_[moves[m]]->sent()[r];
  const int count = narrow(static_cast<std::int64_t>(moves.size()), "reshapes");
  RequestSet requests(watch_);
  check_mpi(MPI_Ialltoall(told.data(), count, MPI_UINT64_T, heard.data(), count, MPI_UINT64_T, comm_.get(),
                          requests.add_collective(comm_)),
            "MPI_Ialltoall");
  requests.wait_all();
  for (std::size_t m = 0; m < moves.size(); ++m)
    for (std::size_t r = 0; r < ranks; ++r)
      if (heard[r * moves.size() + m] != checks_of_[moves[m]]->received()[r])
        find(moves[m], "what came from rank " + std::to_string(r) + " is not what it sent");
}

std::int64_t Verifier::least(std::int64_t mine) {
  std::int64_t result = 0;
  RequestSet requests(watch_);
  check_mpi(MPI_Iallreduce(&mine, &result, 1, MPI_INT64_T, MPI_MIN, comm_.get(), requests.add_collective(comm_)),
            "MPI_Iallreduce");
  requests.wait_all();
  return result;
}

Failure Verifier::conclude() {
  compare_moves();
  // The first step that went wrong comes first: what follows works on its result.
  const std::int64_t ranks = comm_.size(), none = static_cast<std::int64_t>(checks_of_.size()) * ranks;
  const std::int64_t first = least(error_.empty() ? none : static_cast<std::int64_t>(first_) * ranks + comm_.rank());
  if (first == none) return {};
  const Failure mine{Status::corrupted, "the option verify found a wrong result in " + error_};
  return failure_of([&] { throw_failure_of(comm_, static_cast<int>(first % ranks), mine); });
}

std::size_t Verifier::table_bytes() const {
  std::size_t bytes = 0;
  for (const auto& check : checks_of_) bytes += check->table_bytes();
  return bytes;
}

}  // namespace shardfft
