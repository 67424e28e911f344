// Poisson's equation: transforms of axes that are periodic or between walls, lines of an open or a stretched axis.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <numeric>

#include "api/poisson_impl.hpp"
#include "base/aligned.hpp"
#include "base/check.hpp"
#include "gpu/run/make.hpp"
#include "shardfft/gpu.hpp"
#include "shardfft/redistribution.hpp"

namespace shardfft {

/// The operator that solves, or gives the derivative of the solution along an axis.
const Operator& Poisson::Impl::solving(int slope_axis) {
  const auto known = operators.find(slope_axis);
  if (known != operators.end()) return known->second;
  const auto keep = [&](Operator op) -> const Operator& {
    return operators.emplace(slope_axis, std::move(op)).first->second;
  };
  if (line < 0) {
    const Operator sum = operator_of_sum([this](int axis, double k) { return -eigenvalue(axis, k); }, o.lengths);
    if (slope_axis < 0) return keep(1.0 / (sum - o.shift));
    const auto value = [this, slope_axis](double k) { return std::complex<double>(0, slope(slope_axis, k)); };
    return keep(operator_of_slopes(slope_axis, value, o.lengths) * solving(-1));
  }
  LinesSetup setup{line, squares, o.shift, slope_axis, {}, o.plan.threads};
  if (slope_axis >= 0 && slope_axis != line) {
    const double length = o.lengths[at(slope_axis)] * (is_open(slope_axis) ? 2 : 1);
    const AxisValues k = plan->output().slopes(slope_axis, length);
    for (std::int64_t i = 0; i < plan->output().layout.shape()[at(slope_axis)]; ++i)
      setup.slopes.push_back(is_open(slope_axis) ? k[i] : slope(slope_axis, k[i]));
  }
  return keep(Operator::calling([this, setup](const SpectrumPart& part) {
    if (solver) solver->run(part, setup);
  }));
}

const Operator& Poisson::Impl::lift(int axis, Boundary kind) {
  const auto known = lifts.find({axis, kind == Boundary::dirichlet});
  if (known != lifts.end()) return known->second;
  const WallLift lifting{kind, o.points, grids[at(axis)].step};
  Operator made = Operator::of_wavenumbers(
      [this, axis, lifting](std::span<const double> k) {
        double square = o.shift;
        for (std::size_t a = 0; a < k.size(); ++a)
          if (a != at(axis)) square += k[a] * k[a];
        return lifting.factor(square, k[at(axis)]);
      },
      o.lengths);
  return lifts.emplace(std::pair(axis, kind == Boundary::dirichlet), std::move(made)).first->second;
}

void Poisson::Impl::check_values(const WallValues& given) const {
  require(given.axis >= 0 && given.axis < axes(), "values are given for axis ", given.axis, ", but the array has ",
          axes(), " axes");
  const Boundary kind = end(given);
  require(kind == Boundary::dirichlet || kind == Boundary::neumann, "axis ", given.axis,
          " has no wall that values could be given for");
  if (lifts_values() && any_open())
    fail(Status::unsupported, "values at walls beside open axes need eigenvalues of second_order");
  if (o.eigenvalues == Eigenvalues::spectral && is_stretched_any() && !is_stretched(given.axis))
    fail(Status::unsupported, "values at walls beside a stretched axis need eigenvalues of second_order");
  require(given.values != nullptr || wall_points(side(), given.axis, given.upper).set.empty(),
          "the values at a wall of axis ", given.axis, " are a null pointer on rank ", comm.rank(),
          ", which has points next to it");
}

void Poisson::Impl::check_call(const void* f, const void* u, const std::vector<WallValues>& values,
                               std::span<void* const> gradient, bool is_adjoint) const {
  std::int64_t given = 0;
  agree(comm, [&] {
    require((f != nullptr && u != nullptr) || bytes() == 0, "an array is a null pointer");
    require(gradient.empty() || gradient.size() == at(axes()), "there are ", gradient.size(),
            " arrays for the gradient, but the array has ", axes(), " axes");
    std::vector<const void*> arrays{f, u};
    arrays.insert(arrays.end(), gradient.begin(), gradient.end());
    for (const void* const array : arrays)
      require(!on_gpu() || bytes() == 0 || memory_place(array).device == plan->device(), "the solver runs on GPU ",
              plan->device(), ", but an array lies elsewhere: arrays must be in its memory");
    for (auto slopes = arrays.begin() + 2; slopes < arrays.end(); ++slopes) {
      require(*slopes != nullptr || bytes() == 0, "an array for the gradient is a null pointer");
      require(std::find(arrays.begin(), slopes, *slopes) == slopes || bytes() == 0,
              "an array for the gradient is that of f, of u or of another axis");
    }
    for (const WallValues& one : values) {
      check_values(one);
      const std::int64_t bit = std::int64_t{1} << (2 * one.axis + (one.upper ? 1 : 0));
      require((given & bit) == 0, "values are given twice for one wall of axis ", one.axis);
      given |= bit;
    }
    if (!gradient.empty() && !values.empty())
      fail(Status::unsupported, "the gradient of a solution with values at walls is not supported");
    given = 4 * given + (gradient.empty() ? 0 : 2) + (is_adjoint ? 1 : 0);
  });
  const bool same = comm.either(given) == given;
  agree(comm, [&] {
    if (!same)
      fail(Status::mismatch,
           "the ranks gave values for different walls, only some of them a gradient, or some called adjoint()");
  });
}

template <class T>
void Poisson::Impl::check_mean(const T* f, const std::vector<WallValues>& values) const {
  std::vector<double> sums(3);
  const auto shares = all_shares();
  std::vector<double> totals;
  for (const std::vector<double>& one : shares) totals.push_back(std::accumulate(one.begin(), one.end(), 0.0));
  const double volume = std::accumulate(totals.begin(), totals.end(), 1.0, std::multiplies<>());
  agree(comm, [&] {
    if (on_gpu())
      sums = sums_on_gpu(f, shares);
    else
      for_each(side(), f, [&](const Index& index, const T& number) {
        sums[0] += share(shares, index) * static_cast<double>(number);
        sums[1] += share(shares, index) * std::abs(static_cast<double>(number));
      });
  });
  for (const WallValues& given : values)
    for_wall(side(), given, static_cast<const T*>(nullptr), [&](const Index& index, std::int64_t, T value) {
      const std::size_t a = at(given.axis);
      const double of_lines = totals[a] / shares[a][static_cast<std::size_t>(index[a])] / o.lengths[a];
      const double of_wall = static_cast<double>(value) * share(shares, index) * of_lines;
      sums[2] += of_wall;
      sums[1] += std::abs(of_wall);
    });
  comm.fold(sums, Communicator::Fold::sum);
  const double mean = sums[0] / volume, wanted = sums[2] / volume, size = sums[1] / volume;
  agree(comm, [&] {
    require(std::abs(mean - wanted) <= o.tolerance * size, "the mean of f is ", mean,
            ", but a solution needs the mean ", wanted,
            ", because no end is open or Dirichlet and the shift is 0 (the mean of |f| is ", size,
            "); the option wrong_mean = remove subtracts it");
  });
}

/// Values of second-order differences become a part of the right-hand side.
template <class T>
void Poisson::Impl::move_values(std::byte* f, const std::vector<WallValues>& values, bool with_lifts) {
  const std::shared_ptr<std::byte> there = on_gpu() ? room() : nullptr;
  for (const WallValues& given : values) {
    const Boundary kind = end(given);
    double factor = 1;
    if (is_stretched(given.axis)) {
      const double cell = given.upper ? o.cells.back() : o.cells.front();
      factor = kind == Boundary::dirichlet ? -2 / (cell * cell) : -1 / cell;
    } else if (!with_lifts) {
      const double step = grids[at(given.axis)].step;
      factor = -WallLift{kind, o.points, step}.weight(0) / (step * step);
    }
    const Piece wall = wall_points(side(), given.axis, given.upper);
    Piece rows{wall.set, 0, {}};
    std::int64_t count = 1;
    for (std::size_t a = at(axes()); a-- > 0; count *= rows.set.axis[a].count) rows.stride[a] = count;
    std::vector<T> scaled(static_cast<const T*>(given.values), static_cast<const T*>(given.values) + count);
    for (T& value : scaled) value *= static_cast<T>(factor);
    if (count > 0) add_numbers(scaled.data(), copy_between(rows, wall, wall.set), f, there.get());
  }
}

/// The part of the solution that has the values, and no right-hand side.
template <class T>
void Poisson::Impl::add_lifts(std::byte* u, const std::vector<WallValues>& values) {
  const std::shared_ptr<std::byte> wall = room(), lifted = room();
  for (int axis = 0; axis < axes(); ++axis)
    for (const Boundary kind : {Boundary::dirichlet, Boundary::neumann}) {
      std::vector<WallValues> some;
      std::copy_if(values.begin(), values.end(), std::back_inserter(some),
                   [&](const WallValues& v) { return v.axis == axis && end(v) == kind; });
      if (some.empty()) continue;
      clear(wall.get());
      move_values<T>(wall.get(), some, true);
      plan->apply(lift(axis, kind), static_cast<const void*>(wall.get()), static_cast<void*>(lifted.get()));
      add_all(lifted.get(), u);
    }
}

template <class T>
void Poisson::Impl::solve(const void* f, void* u, const std::vector<WallValues>& values,
                          std::span<void* const> gradient) {
  const void* right = f;
  std::shared_ptr<std::byte> moved;
  std::vector<WallValues> lifted;
  if (!values.empty()) {
    std::vector<WallValues> now;
    for (const WallValues& one : values) (lifts_values() && !is_stretched(one.axis) ? lifted : now).push_back(one);
    if (!now.empty()) {
      moved = room();
      clear(moved.get());
      add_all(static_cast<const std::byte*>(f), moved.get());
      move_values<T>(moved.get(), now, false);
      right = moved.get();
    }
  }
  for (int axis = 0; axis < axes() && !gradient.empty(); ++axis)
    if (is_stretched(axis) || transform(axis) == AxisTransform::fft)
      plan->apply(solving(axis), right, gradient[at(axis)]);
  plan->apply(solving(-1), right, u);
  if (!lifted.empty()) add_lifts<T>(static_cast<std::byte*>(u), lifted);
  for (int axis = 0; axis < axes() && !gradient.empty(); ++axis)
    if (!is_stretched(axis) && transform(axis) != AxisTransform::fft) differentiate(u, axis, gradient[at(axis)]);
}

/// Derivatives along an axis with walls; each line moves to one rank. Those of GPUs are computed on the host.
void Poisson::Impl::differentiate(const void* u, int axis, void* slopes) {
  const Layout whole = is_cut(axis) ? Layout::pencil(layout.shape(), comm.size(), axis) : layout;
  const auto count = static_cast<std::size_t>(whole.count(comm.rank())) * element.bytes();
  AlignedMemory lines, host;
  std::optional<WallSlopes> solver_of_slopes;
  agree(comm, [&] {
    if (on_gpu()) host = allocate_aligned(bytes());
    lines = allocate_aligned(count);
    solver_of_slopes.emplace(extent(axis), grids[at(axis)].step, grids[at(axis)].first, ends(axis),
                             [&](double k) { return slope(axis, k); });
  });
  if (on_gpu() && bytes() > 0) gpu::fetch(place(), u, host.get(), bytes());
  void* const result = on_gpu() ? host.get() : slopes;
  if (on_gpu()) u = host.get();
  if (is_cut(axis))
    redistribute(comm.get(), layout, whole, element.bytes(), u, lines.get());
  else
    std::memcpy(lines.get(), u, count);
  LinesSetup setup{axis, std::vector<std::vector<double>>(at(axes())), 0, -1, {}, o.plan.threads};
  const Side there{whole, element, 1, comm.rank()};
  solve_lines({there, lines.get()}, setup, *solver_of_slopes);
  if (is_cut(axis))
    redistribute(comm.get(), whole, layout, element.bytes(), lines.get(), result);
  else
    std::memcpy(result, lines.get(), count);
  if (on_gpu() && bytes() > 0) gpu::bring(place(), host.get(), slopes, bytes());
}

template <class T>
void Poisson::Impl::weigh(const T* from, T* to, bool divide) const {
  const auto shares = all_shares();
  if (on_gpu()) return weigh_on_gpu(from, to, shares, divide);
  for_each(side(), from, [&](const Index& index, const T& number) {
    const double product = share(shares, index);
    to[&number - from] = static_cast<T>(static_cast<double>(number) * (divide ? 1 / product : product));
  });
}

Poisson::~Poisson() = default;
Poisson::Poisson(Poisson&&) noexcept = default;
Poisson& Poisson::operator=(Poisson&&) noexcept = default;

Poisson::Impl& Poisson::impl() const {
  require(impl_ != nullptr, "this solver was moved from: only the one that it was moved to can be used");
  return *impl_;
}

void Poisson::solve(const void* f, void* u, const std::vector<WallValues>& values, std::span<void* const> gradient) {
  Impl& mine = impl();
  mine.check_call(f, u, values, gradient, false);
  mine.typed([&]<class T>(T*) {
    if (mine.singular() && mine.o.wrong_mean == WrongMean::refuse) mine.check_mean(static_cast<const T*>(f), values);
    mine.solve<T>(f, u, values, gradient);
  });
}

void Poisson::adjoint(const void* by_u, void* by_f) {
  Impl& mine = impl();
  mine.check_call(by_u, by_f, {}, {}, true);
  mine.typed([&]<class T>(T*) {
    auto* const result = static_cast<T*>(by_f);
    mine.weigh(static_cast<const T*>(by_u), result, true);
    mine.solve<T>(result, result, {}, {});
    mine.weigh(static_cast<const T*>(result), result, false);
  });
}

}  // namespace shardfft
