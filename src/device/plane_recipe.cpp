// The choice of recipes for planes.
//
// A plane pass is bound by the L2 cache, which every point crosses four times, and by how much of the rest is hidden:
// tiles of one group are fetched and stored while those of another one are transformed. Columns are read and written in
// runs of the cache's lines or halves of them; what is narrower costs as many requests. Both kinds of tiles keep all
// threads busy, and what threads hold stays in registers.
#include "device/plane_recipe.hpp"

#include <algorithm>
#include <map>
#include <tuple>

#include "base/round_up.hpp"
#include "device/line_cuts.hpp"

namespace shardfft::device::lines {

namespace {

constexpr int most_groups = 4;
constexpr std::size_t most_compiled = 6;       ///< while a plan is made
constexpr double stack_bytes_of_a_time = 700;  ///< so many cost as much as the whole pass without them

/// A way to transform one kind of tiles: `lines` lines at once.
struct TileWay {
  LineCut line;
  int lines;
  int workers() const { return line.team * lines; }
};

/// Owners have near-equal runs of a line. Threads look up whose a point is, but not where runs end with a team's
/// points: where the last radix has the number of owners as a factor. Worth little where nobody else has a part.
double cost_of_owners(const LineCut& line) {
  const int last = line.radix[line.stages - 1];
  return last % 2 != 0 ? 1.03 : last % 4 != 0 ? 1.01 : 1;
}

/// The best cuts of n points for each number of lines and of threads, which are whole warps.
std::vector<TileWay> sides(int n, const std::vector<int>& lines) {
  std::vector<TileWay> best;
  const std::vector<LineCut> cuts = cuts_in_stages(n);
  for (const int count : lines)
    for (int team = 1; team * count <= most_threads; ++team) {
      if (team * count % warp != 0) continue;
      double least = 0;
      TileWay side{{}, count};
      for (LineCut line : cuts) {
        line.team = team;
        const double own = line.points() > most_points ? 0 : cost(line, 8) * cost_of_owners(line);
        if (own == 0 || (least > 0 && own >= least)) continue;
        least = own;
        side.line = line;
      }
      if (least > 0) best.push_back(side);
    }
  return best;
}

/// Registers that a thread of so many may have: each quarter of a multiprocessor has a quarter of them, for whole
/// warps, which get multiples of eight.
int registers_of(int threads, int registers) {
  constexpr int quarters = 4, step = 8;
  const int warps = (threads + quarters * warp - 1) / (quarters * warp);
  return registers / quarters / (warps * warp) / step * step;
}

/// Stack to be reckoned with before a kernel is compiled: where threads have code for two kinds of lines, of many
/// points each, they seldom do without. Such code also takes longest to compile.
int likely_stack_bytes(const PlaneCut& cut) {
  constexpr int many_points = 50, some_stack = 40;
  return !cut.alike() && cut.rows.points() + cut.columns.points() > many_points ? some_stack : 0;
}

/// Lines computed over lines wanted, if n lines are dealt `lines` at a time: some of the last tile may be for nothing.
double filled(int n, int lines) { return double(round_up(n, lines)) / n; }

}  // namespace

double time_of(const PlaneCut& cut) {
  const double groups = cut.groups;
  const double rows = cost(cut.rows, groups * cut.row_workers() / warp) * filled(cut.columns.n, cut.lines);
  const double columns = cost(cut.columns, groups * cut.column_workers() / warp) * filled(cut.rows.n, cut.width);
  // Columns narrower than a line of the cache take more requests, and what was between the axes goes to memory. A group
  // alone waits for its tiles. On an H200 two groups of half as wide columns took 0.89 to 1.02 of the time of one, and
  // one of whole lines 0.93 to 1.02 of the time of one of half lines.
  const double narrow = cut.width >= 8 ? 0 : 8.0 / cut.width - 1;
  return rows + columns + 12 * narrow + 40 / groups;
}

double expected_time_of(const PlaneCut& cut) { return time_of(cut, likely_stack_bytes(cut)); }

std::vector<PlaneCut> plane_cuts(int n, int m, const Hardware& hardware) {
  if (!hardware.bulk_copies) return {};
  const std::vector<TileWay> columns = sides(n, {16, 8, 4, 2});
  const std::vector<TileWay> rows = sides(m, {1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 16});
  std::map<std::tuple<int, int, int>, std::pair<double, PlaneCut>> best;  // by lines, width, groups
  for (const TileWay& r : rows)
    for (const TileWay& c : columns) {
      PlaneCut cut{r.line, c.line, r.lines, c.lines, 1};
      const int registers = std::max(registers_for(cut.rows), registers_for(cut.columns));
      for (; cut.groups <= most_groups; ++cut.groups) {
        if (cut.threads() > most_threads || registers > registers_of(cut.threads(), hardware.registers) ||
            shared_bytes(cut, Precision::f64) + reserved_shared_bytes > hardware.shared_bytes)
          break;
        const double time = expected_time_of(cut);
        const auto [at, first] = best.try_emplace({cut.lines, cut.width, cut.groups}, time, cut);
        if (!first && time < at->second.first) at->second = {time, cut};
      }
    }
  std::vector<std::pair<double, PlaneCut>> found;
  for (const auto& [key, candidate] : best) found.push_back(candidate);
  std::stable_sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<PlaneCut> result;
  for (const auto& [time, cut] : found) result.push_back(cut);
  return result;
}

std::vector<const PlaneCut*> worth_compiling(const std::vector<PlaneCut>& cuts) {
  std::vector<const PlaneCut*> some;
  for (const PlaneCut& cut : cuts) {
    const bool as_before = std::any_of(some.begin(), some.end(), [&](const PlaneCut* before) {
      return same(before->rows, cut.rows) && same(before->columns, cut.columns) && before->threads() <= cut.threads();
    });
    if (!as_before) some.push_back(&cut);
    if (some.size() == most_compiled) break;
  }
  return some;
}

double time_of(const PlaneCut& cut, int stack_bytes) {
  return time_of(cut) * (1 + stack_bytes / stack_bytes_of_a_time);
}

const PlaneCut& fastest(const std::vector<PlaneCut>& cuts, const StackBytes& stack_bytes, const Begin& begin) {
  const PlaneCut* best = nullptr;
  double least = 0;
  const std::vector<const PlaneCut*> some = worth_compiling(cuts);
  for (const PlaneCut* cut : some) {
    if (best != nullptr && expected_time_of(*cut) >= least) break;  // nor are those that follow expected to be faster
    const double with_stack = time_of(*cut, stack_bytes(*cut));
    if (best == nullptr && begin)
      for (const PlaneCut* other : some)
        if (other != cut && expected_time_of(*other) < with_stack) begin(*other);
    if (best != nullptr && with_stack >= least) continue;
    best = cut;
    least = with_stack;
  }
  return *best;
}

std::vector<PlaneCut> plane_cuts_for(int n, int m, const Hardware& hardware, bool compiles) {
  const auto fits = [&hardware](const PlaneCut& cut, bool checks) {
    return shared_bytes(cut, Precision::f64, checks) + reserved_shared_bytes <= hardware.shared_bytes;
  };
  const PlaneCut* own = hardware.bulk_copies ? own_plane_cut(n, m) : nullptr;
  std::vector<PlaneCut> cuts;
  if (own != nullptr && fits(*own, false))
    cuts = {*own};
  else if (compiles)
    cuts = plane_cuts(n, m, hardware);
  for (PlaneCut& cut : cuts) {
    cut.holds_weights = true;
    cut.holds_weights = fits(cut, true);
  }
  return cuts;
}

}  // namespace shardfft::device::lines
