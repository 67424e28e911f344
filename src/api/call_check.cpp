#include "api/call_check.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <sstream>
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

}  // namespace

std::int64_t CallCheck::word(Call call) const { return number_ * kinds + static_cast<std::int64_t>(call); }

void CallCheck::enter(Call call, const std::function<void()>& check) {
  if (!wanted_) {
    check();
    return;
  }
  const Failure failure = failure_of(check);
  ++number_;
  const std::int64_t mine = word(call);
  // The first rank that failed, the least and the greatest word.
  const std::array<std::int64_t, 3> said{failure.failed() ? comm_.rank() : comm_.size(), mine, -mine};
  const auto [first, least, minus_greatest] = comm_.min(said);
  if (first < comm_.size()) throw_failure_of(comm_, static_cast<int>(first), failure);
  if (least != -minus_greatest) fail_mismatch(mine);
}

void CallCheck::fail_mismatch(std::int64_t mine) {
  const std::vector<std::int64_t> words = comm_.all_gather(mine);
  number_ = *std::max_element(words.begin(), words.end()) / kinds;  // all go on with the same number
  fail(Status::mismatch, "the ranks called different things of this plan: ", who_calls_what(words));
}

}  // namespace shardfft
