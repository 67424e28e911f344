// Slab: planes, one exchange (FFT-ECP section 3.3; Verma et al. section 3).
#include <algorithm>

#include "algorithm/algorithm.hpp"
#include "algorithm/builder.hpp"
#include "base/check.hpp"

namespace shardfft {

namespace {

/// The only cut axis of a grid layout, or -1.
int only_cut(const Layout& layout) {
  if (!layout.is_grid()) return -1;
  int cut = -1;
  for (int a = 0; a < layout.axes(); ++a) {
    if (layout.parts(a).size() == 1) continue;
    if (cut >= 0) return -1;
    cut = a;
  }
  return cut;
}

bool transformed(const Problem& p, int axis) { return std::find(p.axes.begin(), p.axes.end(), axis) != p.axes.end(); }

/// The axis the first stage is cut along: the input's own if it may stay, else one that need not be transformed,
/// else the first transformed axis.
int first_cut(const Problem& p) {
  const int own = only_cut(p.input);
  if (own > 0 && own != p.half_axis() && (p.axes.size() > 1 || !transformed(p, own))) return own;
  int idle = -1;
  for (int a = 1; a < p.input.axes(); ++a)
    if (!transformed(p, a) &&
        (idle < 0 || p.input.shape()[static_cast<std::size_t>(a)] > p.input.shape()[static_cast<std::size_t>(idle)]))
      idle = a;
  if (idle > 0 && p.input.shape()[static_cast<std::size_t>(idle)] >= p.ranks()) return idle;
  if (p.axes.size() > 1) return p.axes.front() != p.half_axis() ? p.axes.front() : p.axes[p.axes.size() - 2];
  return idle;
}

}  // namespace

Program slab_program(const Problem& problem) {
  ProgramBuilder builder("slab", problem);
  const int cut = first_cut(problem);
  require(cut > 0 || problem.ranks() == 1,
          "algorithm slab needs two axes; 1-D arrays over several ranks need six_step or cyclic");
  std::vector<GridDim> dims;
  if (cut > 0) {
    const Shape& shape = problem.input.shape();
    GridDim dim{cut, {}, problem.ranks()};
    if (only_cut(problem.input) == cut && problem.input.rank_stride()[static_cast<std::size_t>(cut)] == 1)
      dim.parts = problem.input.parts(cut);
    dim.ranks = dim.parts.empty() ? problem.ranks() : static_cast<std::int64_t>(dim.parts.size());
    if (dim.parts.empty())
      for (int i = 0; i < problem.ranks(); ++i)
        dim.parts.push_back(block_part(shape[static_cast<std::size_t>(cut)], problem.ranks(), i));
    dims.push_back(dim);
    const AxisOrder order = only_cut(problem.input) == cut ? problem.input.order() : AxisOrder{};
    builder.reshape(cut_layout(shape, dims, problem.ranks(), order));
  } else {
    builder.reshape(cut_layout(problem.input.shape(), {}, problem.ranks(), problem.input.order()));
  }
  swap_stages(builder, problem, dims);
  return builder.finish();
}

}  // namespace shardfft
