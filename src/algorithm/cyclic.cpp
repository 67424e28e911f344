// Cyclic: every cut axis of n indices is dealt to p ranks in turn. It is transformed locally over its n/p indices,
// twiddled, exchanged once for all axes together, and transformed over p. If p*p divides n, the result is dealt in turn
// too.
#include "algorithm/algorithm.hpp"
#include "algorithm/builder.hpp"
#include "algorithm/digit_view.hpp"
#include "base/check.hpp"

namespace shardfft {

namespace {

bool divides_twice(std::int64_t p, std::int64_t n) { return n % (p * p) == 0; }

bool dealt_in_turn(const Layout& layout, int axis) {
  const auto& parts = layout.parts(axis);
  const auto p = static_cast<std::int64_t>(parts.size());
  for (std::int64_t c = 0; c < p; ++c)
    if (!(parts[static_cast<std::size_t>(c)] == cyclic_part(layout.shape()[static_cast<std::size_t>(axis)], p, c)))
      return false;
  return true;
}

/// Is `layout` cyclic along every cut axis that is transformed, with p*p dividing n?
bool suits(const Problem& problem, const Layout& layout) {
  if (!layout.is_grid() || problem.kind != Kind::c2c || !problem.plain()) return false;
  std::int64_t used = 1;
  for (int a = 1; a < layout.axes(); ++a) {
    const auto p = static_cast<std::int64_t>(layout.parts(a).size());
    used *= p;
    if (p == 1 || !problem.transforms(a)) continue;
    if (!divides_twice(p, layout.shape()[static_cast<std::size_t>(a)]) || !dealt_in_turn(layout, a)) return false;
  }
  return used == problem.ranks();
}

/// A cyclic layout with one exchange for this problem, or an empty one: prime factors of the rank count go to the axis
/// with the most room.
Layout find_cyclic(const Problem& problem) {
  const Shape& shape = problem.input.shape();
  Shape grid(shape.size(), 1);
  int left = problem.ranks();
  for (int factor = 2; left > 1; ++factor)
    while (left % factor == 0) {
      int best = -1;
      for (int a = 1; a < problem.input.axes(); ++a) {
        const auto i = static_cast<std::size_t>(a);
        if (!divides_twice(grid[i] * factor, shape[i])) continue;
        if (best < 0 ||
            shape[i] / grid[i] > shape[static_cast<std::size_t>(best)] / grid[static_cast<std::size_t>(best)])
          best = a;
      }
      if (best < 0) return {};
      grid[static_cast<std::size_t>(best)] *= factor;
      left /= factor;
    }
  return Layout::cyclic(shape, grid);
}

/// The view's layouts before and after the exchange: columns (n2) cut, then rows (k1) cut.
struct ViewLayouts {
  std::vector<DigitSplit> splits;
  std::vector<DigitSplit> output_splits;
  Layout rows_local;
  Layout columns_local;
  std::vector<int> first_axes;
  std::vector<int> second_axes;
  TwiddleStep twiddle;
};

ViewLayouts view_layouts(const Problem& problem, const Layout& cyclic) {
  ViewLayouts v;
  Shape shape;
  std::vector<std::vector<Progression>> before;
  std::vector<std::vector<Progression>> after;
  std::vector<int> rank_stride;
  AxisOrder order;
  AxisOrder order_after;
  const auto add = [&](std::int64_t extent, std::vector<Progression> p, std::vector<Progression> q, int stride) {
    shape.push_back(extent);
    before.push_back(std::move(p));
    after.push_back(std::move(q));
    rank_stride.push_back(stride);
    return static_cast<int>(shape.size()) - 1;
  };
  std::vector<std::pair<int, int>> axis_of(cyclic.shape().size());
  for (int a = 0; a < cyclic.axes(); ++a) {
    const auto i = static_cast<std::size_t>(a);
    const std::int64_t n = cyclic.shape()[i];
    const auto p = static_cast<std::int64_t>(cyclic.parts(a).size());
    const int stride = cyclic.rank_stride()[i];
    if (p == 1 || !problem.transforms(a)) {
      const int whole = add(n, cyclic.parts(a), cyclic.parts(a), stride);
      axis_of[i] = {whole, whole};
      if (a > 0 && problem.transforms(a)) v.first_axes.push_back(whole);
      v.splits.push_back({});
      v.output_splits.push_back({});
      continue;
    }
    const Progression all_rows{0, n / p, 1};
    std::vector<Progression> single;
    std::vector<Progression> dealt;
    for (std::int64_t c = 0; c < p; ++c) {
      single.push_back({c, 1, 1});
      dealt.push_back(cyclic_part(n / p, p, c));
    }
    // Row and column share the grid coordinate: one of the two is cut at a time.
    const int row = add(n / p, {all_rows}, dealt, stride);
    const int column = add(p, single, {Progression{0, p, 1}}, stride);
    axis_of[i] = {row, column};
    v.first_axes.push_back(row);
    v.second_axes.push_back(column);
    v.twiddle.factors.pairs.push_back({column, row, n});
    v.splits.push_back({n / p, p});
    v.output_splits.push_back({p, n / p});
  }
  for (const int a : cyclic.order()) {
    const auto [row, column] = axis_of[static_cast<std::size_t>(a)];
    order.push_back(row);
    if (column != row) {
      order.push_back(column);
      order_after.push_back(column);
    }
    order_after.push_back(row);
  }
  v.rows_local = Layout::grid(shape, before, problem.ranks(), rank_stride, order);
  v.columns_local = Layout::grid(shape, after, problem.ranks(), rank_stride, order_after);
  return v;
}

}  // namespace

bool cyclic_fits(const Problem& problem) {
  return suits(problem, problem.input) && (!problem.fixed_output() || problem.output.same_as(problem.input));
}

Program cyclic_program(const Problem& problem) {
  Layout cyclic = suits(problem, problem.input) ? problem.input : Layout();
  if (cyclic.axes() == 0 && problem.kind == Kind::c2c && problem.plain()) cyclic = find_cyclic(problem);
  if (cyclic.axes() == 0) {
    // Without plain complex transforms, or a way to deal the indices so that one exchange is enough, another algorithm
    // transforms between the layouts.
    Program program = make_program(problem.input.axes() == 2 ? "six_step" : "slab", problem);
    program.algorithm = "cyclic by " + program.algorithm;
    return program;
  }
  ProgramBuilder builder("cyclic", problem);
  builder.reshape(cyclic);
  const ViewLayouts v = view_layouts(problem, cyclic);
  builder.step(ViewStep{}, {v.rows_local, true});
  builder.fft(v.first_axes);
  if (!v.second_axes.empty()) {
    builder.step(v.twiddle, builder.state());
    builder.reshape(v.columns_local);
    builder.fft(v.second_axes);
  }
  builder.step(ViewStep{}, {cyclic, true});
  return builder.finish();
}

}  // namespace shardfft
