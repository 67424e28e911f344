#include "schedule/estimate.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace shardfft {

namespace {

double sum_of(const std::vector<int>& sizes) { return std::accumulate(sizes.begin(), sizes.end(), 0.0); }

/// Pieces at one end: each further one saves less.
constexpr int most_pieces = 8;

/// Sizes 1, 2, 4, ... up to `largest`, then `largest` again and again; their sum is at most `most`.
std::vector<std::vector<int>> growing_sizes(std::int64_t most) {
  std::vector<std::vector<int>> all;
  for (int largest = 1; largest <= most_pieces; largest *= 2)
    for (std::vector<int> sizes; static_cast<int>(sizes.size()) < most_pieces;) {
      sizes.push_back(sizes.empty() ? 1 : std::min(2 * sizes.back(), largest));
      const bool is_new = largest == 1 || (sizes.back() == largest);
      if (is_new && sum_of(sizes) <= static_cast<double>(most)) all.push_back(sizes);
    }
  return all;
}

}  // namespace

double EndCuts::divided_share() const { return sum_of({before.begin() + whole, before.end()}) / sum_of(before); }

double estimate(const EndCosts& costs, const EndCuts& cuts) {
  const double before = sum_of(cuts.before), after = sum_of(cuts.after);
  const double first = cuts.after.front() / after;
  const double divided = cuts.divided_share();
  double now = 0, link = 0;
  for (std::size_t k = 0; k < cuts.before.size(); ++k) {
    const double share = cuts.before[k] / before;
    const bool whole = static_cast<int>(k) < cuts.whole;
    now += share * costs.before + costs.piece;
    link = std::max(link, now) + (whole ? share : share * first) * costs.sent + costs.message;
  }
  for (std::size_t p = 0; p < cuts.after.size(); ++p) {
    const double share = cuts.after[p] / after;
    if (p > 0) link += divided * share * costs.sent + costs.message;
    now = std::max(now, link) + share * costs.after + costs.piece;
  }
  return now;
}

std::vector<EndCuts> possible_cuts(const EndCosts& costs, std::int64_t most_before, std::int64_t most_after) {
  std::vector<std::pair<double, EndCuts>> found;
  for (const std::vector<int>& before : growing_sizes(most_before))
    for (std::vector<int> after : growing_sizes(most_after)) {
      std::reverse(after.begin(), after.end());
      EndCuts cuts{before, after};
      if (cuts.messages() < 2) continue;
      for (; cuts.whole < static_cast<int>(before.size()); ++cuts.whole) found.push_back({estimate(costs, cuts), cuts});
    }
  std::stable_sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<EndCuts> all;
  for (auto& [time, cuts] : found) all.push_back(std::move(cuts));
  return all;
}

}  // namespace shardfft
