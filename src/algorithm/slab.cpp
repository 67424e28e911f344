// Slab: planes, one exchange (FFT-ECP section 3.3; Verma et al. section 3).
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

/// The axis that the first stage cuts: the input's own if it may stay, else the longest one without a transform, if it
/// suffices for all ranks, else the first transformed axis.
int first_cut(const Problem& p) {
  const int own = only_cut(p.input);
  if (own > 0 && own != p.half_axis() && (p.axes.size() > 1 || !p.transforms(own))) return own;
  int idle = -1;
  for (int a = 1; a < p.input.axes(); ++a)
    if (!p.transforms(a) &&
        (idle < 0 || p.input.shape()[static_cast<std::size_t>(a)] > p.input.shape()[static_cast<std::size_t>(idle)]))
      idle = a;
  if (idle > 0 && p.input.shape()[static_cast<std::size_t>(idle)] >= p.active_ranks()) return idle;
  if (p.axes.size() > 1) return p.axes.front() != p.half_axis() ? p.axes.front() : p.axes[p.axes.size() - 2];
  return idle;
}

}  // namespace

Program slab_program(const Problem& problem) {
  ProgramBuilder builder("slab", problem);
  const int cut = first_cut(problem);
  require(cut > 0 || problem.ranks() == 1,
          "algorithm slab needs two axes; 1-D arrays over several ranks need six_step or cyclic");
  const Shape& shape = problem.input.shape();
  const bool stays = only_cut(problem.input) == cut && problem.active == 0;
  std::vector<GridDim> dims;
  if (cut > 0) {
    const auto c = static_cast<std::size_t>(cut);
    auto parts = stays && problem.input.rank_stride()[c] == 1 ? problem.input.parts(cut)
                                                              : runs(shape[c], problem.active_ranks());
    const auto ranks = static_cast<std::int64_t>(parts.size());
    dims.push_back({cut, std::move(parts), ranks});
  }
  builder.reshape(cut_layout(shape, dims, problem.ranks(), cut <= 0 || stays ? problem.input.order() : AxisOrder{}));
  swap_stages(builder, problem, dims);
  return builder.finish();
}

}  // namespace shardfft
