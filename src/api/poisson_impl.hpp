#pragma once
// The inside of a solver.
#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "api/operator_rep.hpp"
#include "api/poisson_lines.hpp"
#include "api/poisson_walls.hpp"
#include "geometry/schedule.hpp"
#include "mpi/communicator.hpp"
#include "run/runner.hpp"
#include "shardfft/plan.hpp"
#include "shardfft/poisson.hpp"

namespace shardfft {

struct Poisson::Impl {
  Communicator comm;
  Layout layout;
  ElementType element;
  PoissonOptions o;
  std::vector<AxisGrid> grids{};
  int line = -1;  ///< the axis that is solved line by line
  /// Whether ranks solve blocks of stretched lines: they have slabs along the axis, on several hosts, and tell less of
  /// their blocks (32 bytes a line to each other rank, below MPI's 2^31) than both ways to whole lines would send.
  bool cuts_lines = false;
  std::optional<Plan> plan{};
  std::unique_ptr<AxisSolver> solver{};
  std::vector<std::vector<double>> squares{};  ///< of each axis of the spectrum that is no line and not padded
  std::map<int, Operator> operators{};         ///< by axis: the derivative of the solution; -1: the solution
  std::map<std::pair<int, bool>, Operator> lifts{};
  std::size_t kernel_bytes = 0;

  void check_domain();
  void check_axis(int axis) const;
  void check_stretched() const;
  void check_plan() const;
  void make();
  Options plan_options() const;
  Layout spectrum_layout(const Options& options) const;
  void make_solver();

  int axes() const { return layout.axes(); }
  const AxisBoundary& ends(int axis) const { return o.boundary[at(axis)]; }
  bool is_open(int axis) const { return ends(axis).lower == Boundary::open; }
  bool is_cut(int axis) const { return !layout.axis_is_local(axis); }
  bool is_stretched(int axis) const { return axis == o.stretched_axis; }
  std::int64_t extent(int axis) const { return layout.shape()[at(axis)]; }
  AxisTransform transform(int axis) const { return transform_of(ends(axis), o.points); }
  double eigenvalue(int axis, double k) const {
    return o.eigenvalues == Eigenvalues::spectral
               ? k * k
               : std::pow(2 / grids[at(axis)].step * std::sin(k * grids[at(axis)].step / 2), 2);
  }
  double slope(int axis, double k) const {
    return o.eigenvalues == Eigenvalues::spectral ? k : std::sin(k * grids[at(axis)].step) / grids[at(axis)].step;
  }
  bool singular() const;
  const Operator& solving(int slope_axis);
  const Operator& lift(int axis, Boundary kind);
  Side side() const { return Side{layout, element, 1, comm.rank()}; }
  std::size_t bytes() const { return static_cast<std::size_t>(layout.count(comm.rank())) * element.bytes(); }

  /// GPUs (poisson_gpu.cpp): arrays lie in device memory, and sums and additions run there.
  bool on_gpu() const { return o.plan.processor == Processor::gpu; }
  MemberPlace place() const;
  std::vector<double> sums_on_gpu(const void* f, const std::vector<std::vector<double>>& shares) const;
  void weigh_on_gpu(const void* from, void* to, const std::vector<std::vector<double>>& shares, bool divide) const;
  /// An array like f, on the solver's processor. Collective.
  std::shared_ptr<std::byte> room();
  void clear(std::byte* array) const;
  void add(const std::byte* from, const LocalCopy& boxes, std::byte* to) const;
  void add_all(const std::byte* from, std::byte* to) const {
    const Box all = Box::run(0, layout.count(comm.rank()));
    add(from, {all, all}, to);
  }
  void add_numbers(const void* numbers, const LocalCopy& boxes, std::byte* to, std::byte* room) const;

  void check_call(const void* f, const void* u, const std::vector<WallValues>& values, std::span<void* const> gradient,
                  bool is_adjoint) const;
  void check_values(const WallValues& given) const;
  template <class T>
  void check_mean(const T* f, const std::vector<WallValues>& values) const;
  template <class T>
  void move_values(std::byte* f, const std::vector<WallValues>& values, bool with_lifts);
  template <class T>
  void add_lifts(std::byte* u, const std::vector<WallValues>& values);
  template <class T>
  void solve(const void* f, void* u, const std::vector<WallValues>& values, std::span<void* const> gradient);
  void differentiate(const void* u, int axis, void* slopes);
  template <class T>
  void weigh(const T* from, T* to, bool divide) const;
  /// The share of each point of an axis in sums, and that of a point of the array.
  std::vector<double> shares(int axis) const {
    return weights_of(ends(axis), o.points, extent(axis), is_stretched(axis) ? o.cells : std::vector<double>{});
  }
  static double share(const std::vector<std::vector<double>>& shares, const Index& index) {
    double product = 1;
    for (std::size_t a = 0; a < shares.size(); ++a) product *= shares[a][static_cast<std::size_t>(index[a])];
    return product;
  }
  std::vector<std::vector<double>> all_shares() const {
    std::vector<std::vector<double>> all;
    for (int axis = 0; axis < axes(); ++axis) all.push_back(shares(axis));
    return all;
  }
  Boundary end(const WallValues& v) const { return v.upper ? ends(v.axis).upper : ends(v.axis).lower; }
  bool lifts_values() const { return o.eigenvalues == Eigenvalues::spectral && !is_stretched_any(); }
  bool is_stretched_any() const { return o.stretched_axis >= 0; }
  bool any_open() const {
    return std::any_of(o.boundary.begin(), o.boundary.end(),
                       [](const AxisBoundary& ends) { return ends.lower == Boundary::open; });
  }

  static std::size_t at(int axis) { return static_cast<std::size_t>(axis); }
  template <class Work>
  void typed(const Work& work) const {
    if (element.precision == Precision::f64)
      work(static_cast<double*>(nullptr));
    else
      work(static_cast<float*>(nullptr));
  }
};

}  // namespace shardfft
