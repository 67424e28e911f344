// The choice of recipes for planes.
//
// Two things limit a plane pass: the L2 cache, which every point crosses four times, and the work that nothing hides.
// Tiles of one group are therefore fetched and stored while those of another one are transformed. Columns are read and
// written in whole or half lines of the cache, since narrower ones cost as many requests. Both kinds of tiles keep all
// threads busy, and the points of a thread stay in registers.
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
constexpr double stack_bytes_of_a_time = 700;  ///< so many double the time of a pass

/// One kind of tile: it transforms `lines` lines at once.
struct TileWay {
  LineCut line;
  int lines;
  int workers() const { return line.team * lines; }
};

/// Owners have near-equal runs of a line. Threads look up the owner of a point. They can skip that if runs end with a
/// team's points: if the last radix is a multiple of the number of owners. This counts little, because one owner may
/// have the whole line.
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

/// Registers of a thread if a block has `threads` threads. Each quarter of a multiprocessor has a quarter of them, for
/// whole warps, and a thread gets a multiple of eight.
int registers_of(int threads, int registers) {
  constexpr int quarters = 4, step = 8;
  const int warps = (threads + quarters * warp - 1) / (quarters * warp);
  return registers / quarters / (warps * warp) / step * step;
}

/// The stack to expect before a kernel is compiled: threads with code for two kinds of lines, of many points each,
/// seldom do without. Such code also takes longest to compile.
int likely_stack_bytes(const PlaneCut& cut) {
  constexpr int many_points = 50, some_stack = 40;
  return !cut.alike() && cut.rows.points() + cut.columns.points() > many_points ? some_stack : 0;
}

/// Lines computed over lines wanted, if n lines are dealt `lines` at a time: the last tile may be partly empty.
double filled(int n, int lines) { return double(round_up(n, lines)) / n; }

}  // namespace

double time_of(const PlaneCut& cut) {
  const double groups = cut.groups;
  const double rows = cost(cut.rows, groups * cut.row_workers() / warp) * filled(cut.columns.n, cut.lines);
  const double columns = cost(cut.columns, groups * cut.column_workers() / warp) * filled(cut.rows.n, cut.width);
  // Columns narrower than a line of the cache take more requests, and the data between the axes go to memory. A single
  // group waits for its tiles. On an H200, two groups of half as wide columns took 0.89 to 1.02 of the time of one
  // group, and one group of whole lines 0.93 to 1.02 of the time of one of half lines.
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
    if (best != nullptr && expected_time_of(*cut) >= least) break;  // later ones are not expected to be faster
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
