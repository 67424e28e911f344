// Pencil: lines, a two-dimensional process grid, two exchanges in rows and columns of ranks (FFT-ECP section 3.3).
// Brick: the same between bricks, up to four reshapes (benchmark report, figure 2.2).
#include <algorithm>

#include "algorithm/algorithm.hpp"
#include "algorithm/builder.hpp"
#include "base/check.hpp"

namespace shardfft {

namespace {

/// Axes cut in the first stage: the first two, without the last transformed one.
std::vector<int> first_cuts(const Problem& p) {
  std::vector<int> cuts;
  for (int a = 1; a < p.input.axes(); ++a)
    if (a != p.axes.back()) cuts.push_back(a);
  if (cuts.size() > 2) cuts.resize(2);
  return cuts;
}

/// Factors p1 x p2 of `ranks`, as square as the extents allow; p1 <= p2.
Shape square_grid(std::int64_t ranks, std::int64_t extent1, std::int64_t extent2) {
  Shape best{1, ranks};
  std::int64_t best_idle = INT64_MAX;
  for (std::int64_t p1 = 1; p1 <= ranks; ++p1) {
    if (ranks % p1 != 0) continue;
    const std::int64_t p2 = ranks / p1;
    const std::int64_t idle = std::max<std::int64_t>(0, p1 - extent1) + std::max<std::int64_t>(0, p2 - extent2);
    const auto skew = [](std::int64_t a, std::int64_t b) { return a > b ? a - b : b - a; };
    if (idle < best_idle || (idle == best_idle && skew(p1, p2) <= skew(best[0], best[1]) && p1 <= p2)) {
      best = {p1, p2};
      best_idle = idle;
    }
  }
  return best;
}

/// Whether the input is cut in pencils over the wanted axes, so that its cuts can stay.
bool input_is_pencil(const Problem& p, const std::vector<int>& cuts) {
  if (!p.input.is_grid() || !p.grid.empty() || p.active > 0) return false;
  for (int a = 0; a < p.input.axes(); ++a)
    if (p.input.parts(a).size() > 1 && std::find(cuts.begin(), cuts.end(), a) == cuts.end()) return false;
  std::int64_t used = 1;
  for (const int a : cuts) used *= static_cast<std::int64_t>(p.input.parts(a).size());
  return used == p.ranks() && (cuts.size() < 2 || p.input.rank_stride()[static_cast<std::size_t>(cuts[0])] >=
                                                      p.input.rank_stride()[static_cast<std::size_t>(cuts[1])]);
}

std::vector<GridDim> pencil_dims(const Problem& p, const std::vector<int>& cuts) {
  const Shape& shape = p.input.shape();
  std::vector<GridDim> dims;
  if (input_is_pencil(p, cuts)) {
    for (const int a : cuts) dims.push_back({a, p.input.parts(a), static_cast<std::int64_t>(p.input.parts(a).size())});
    return dims;
  }
  Shape grid = p.grid;
  const auto extent = [&](std::size_t i) { return shape[static_cast<std::size_t>(cuts[i])]; };
  if (grid.empty())
    grid = cuts.size() == 1 ? Shape{p.active_ranks()} : square_grid(p.active_ranks(), extent(0), extent(1));
  std::int64_t product = 1;
  for (const std::int64_t g : grid) product *= g;
  require(grid.size() == cuts.size() && product == p.active_ranks(), "option grid needs ", cuts.size(),
          " entries whose product is the number of ranks, ", p.ranks());
  for (std::size_t i = 0; i < cuts.size(); ++i) dims.push_back({cuts[i], runs(extent(i), grid[i]), grid[i]});
  return dims;
}

Program stages_from(const std::string& name, const Problem& problem, const std::vector<GridDim>& dims,
                    const AxisOrder& order) {
  ProgramBuilder builder(name, problem);
  builder.reshape(cut_layout(problem.input.shape(), dims, problem.ranks(), order));
  swap_stages(builder, problem, dims);
  return builder.finish();
}

/// Parts of `coarse`, each cut again in `fine` runs.
std::vector<Progression> cut_again(const std::vector<Progression>& coarse, std::int64_t fine) {
  std::vector<Progression> parts;
  for (const Progression& c : coarse)
    for (std::int64_t i = 0; i < fine; ++i) {
      const Progression part = block_part(c.count, fine, i);
      parts.push_back({c.at(part.first), part.count, c.stride});
    }
  return parts;
}

/// Bricks p1 x p2 x p3 become lines in groups of p3 neighbouring ranks: axis 1 keeps its p1 parts, the parts of axis 2
/// are cut again in p3.
bool nested_dims(const Problem& p, std::vector<GridDim>& dims) {
  if (!p.input.is_grid() || p.input.axes() != 4 || p.axes.back() != 3 || !p.grid.empty() || p.active > 0) return false;
  const auto parts = [&](int a) { return static_cast<std::int64_t>(p.input.parts(a).size()); };
  if (parts(1) * parts(2) * parts(3) != p.ranks() || parts(3) == 1) return false;
  const auto& stride = p.input.rank_stride();
  if (stride[3] != 1 || stride[2] != parts(3) || stride[1] != parts(2) * parts(3)) return false;
  dims = {{1, p.input.parts(1), parts(1)}, {2, cut_again(p.input.parts(2), parts(3)), parts(2) * parts(3)}};
  return true;
}

/// `name`: the algorithm that the user asked for.
Program by_pencils(const std::string& name, const Problem& problem) {
  const std::vector<int> cuts = first_cuts(problem);
  require(!cuts.empty() || problem.ranks() == 1, "algorithm ", name,
          " needs two axes; 1-D arrays over several ranks need six_step or cyclic");
  const auto dims = cuts.empty() ? std::vector<GridDim>{} : pencil_dims(problem, cuts);
  return stages_from(name, problem, dims, input_is_pencil(problem, cuts) ? problem.input.order() : AxisOrder{});
}

}  // namespace

Program pencil_program(const Problem& problem) { return by_pencils("pencil", problem); }

Program brick_program(const Problem& problem) {
  std::vector<GridDim> dims;
  if (nested_dims(problem, dims)) return stages_from("brick", problem, dims, problem.input.order());
  return by_pencils("brick", problem);
}

}  // namespace shardfft
