#pragma once
// Poisson's and Helmholtz's equations as plans, with a boundary for each axis.
#include <mpi.h>

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "shardfft/buffer.hpp"
#include "shardfft/layout.hpp"
#include "shardfft/options.hpp"
#include "shardfft/report.hpp"
#include "shardfft/types.hpp"

namespace shardfft {

/// The condition at an end of an axis. An axis is periodic, or open to free space, at both ends or at none.
enum class Boundary { periodic, dirichlet, neumann, open };

/// The conditions at the two ends of an axis, below the first point and above the last.
struct AxisBoundary {
  Boundary lower = Boundary::periodic;
  Boundary upper = Boundary::periodic;
};

/// Points of an axis with walls: in the centres of cells, half a step behind the wall; or on nodes, a step behind a
/// Dirichlet wall and on a Neumann wall.
enum class WallPoints { centres, nodes };

/// How the solution in free space is summed: by Green's function truncated beyond the domain (Vico, Greengard and
/// Ferrando 2016), whose error falls faster than any power of the step for smooth fields; by its values at points
/// (Hockney and Eastwood 1988), or by its means over cells, both with errors of second order.
enum class OpenKernel { truncated, hockney, integrated };

/// -k^2 of each mode, or that of second differences, -(2 sin(k h / 2) / h)^2.
enum class Eigenvalues { spectral, second_order };

/// The treatment of a right-hand side whose mean no solution has: an error, or the mean is subtracted.
enum class WrongMean { refuse, remove };

/// The domain, its boundary, and the treatment of the equation.
struct PoissonOptions {
  /// Lengths of the domain, an entry an axis.
  std::vector<double> lengths{};
  /// An entry an axis; empty: all are periodic.
  std::vector<AxisBoundary> boundary{};
  WallPoints points = WallPoints::centres;
  /// The shift in div grad u - shift u = f; not negative.
  double shift = 0;
  OpenKernel kernel = OpenKernel::truncated;
  Eigenvalues eigenvalues = Eigenvalues::spectral;
  WrongMean wrong_mean = WrongMean::refuse;
  /// How far the mean of f may be from the needed one, as a part of the mean of |f|; 0: 1e-8 in double precision, 1e-4
  /// in single.
  double tolerance = 0;
  /// An axis between walls whose cells have the widths `cells`, by finite volumes of second order; -1: none. Their sum
  /// is the axis's length, and its points are the centres of cells.
  int stretched_axis = -1;
  std::vector<double> cells{};
  /// Options of the plans inside: all except norm, axes, transforms, modes, padded, lone_mode, batch, real_extent and
  /// workspace. With processor gpu each process has a GPU, memory is device, and no axis is stretched.
  Options plan{};
};

/// Values at an end of an axis that are not 0: the solution's values on a Dirichlet wall, its derivatives along the
/// outward normal on a Neumann wall.
struct WallValues {
  int axis = 0;
  bool upper = false;
  /// Numbers of the plan's precision, one for each point of this rank's part that is next to the wall, in row-major
  /// order of the other axes. Ranks without such points may give null.
  const void* values = nullptr;
};

/// Solves div grad u - shift u = f for real fields in a layout, planned once. Each rank has a box of it. If no end of
/// any axis is open or Dirichlet and the shift is 0, f must have the mean of the derivatives given at its walls, and u
/// has the mean 0 (points on walls count half, stretched ones with their widths). Arrays lie in host memory; on GPUs in
/// device memory, but values at walls on the host. Construction, destruction and all functions that solve are
/// collective; errors are thrown on every rank.
class Poisson {
 public:
  Poisson(MPI_Comm comm, const Layout& layout, Precision precision, const PoissonOptions& options);
  ~Poisson();
  Poisson(Poisson&&) noexcept;
  Poisson& operator=(Poisson&&) noexcept;

  /// Writes u for f, both this rank's parts in the layout; they may be one array. Values at walls beside axes that are
  /// open or stretched need second_order eigenvalues. `gradient`: none, or an array an axis for the derivatives of u at
  /// its points; these arrays must differ from f, u and each other, and need walls without values.
  void solve(const void* f, void* u, const std::vector<WallValues>& values = {}, std::span<void* const> gradient = {});
  /// The adjoint of solve() without values: from derivatives by the points of u to those by the points of f. A mean
  /// that no f has is subtracted.
  void adjoint(const void* by_u, void* by_f);

  const Layout& layout() const;  ///< That of f and u.
  /// The GPU, -1 on CPUs, and the stream that its work is enqueued on, null on CPUs.
  int device() const;
  void* stream() const;
  Buffer allocate();  ///< An array like f, in memory of the solver's processor. Collective.
  /// The positions of the points of an axis, an entry an index; an open axis has its points in the centres of cells.
  std::vector<double> points(int axis) const;
  /// The share of each point of an axis in sums over the domain.
  std::vector<double> weights(int axis) const;
  /// Whether solutions differ by a constant: f must then have the mean that a solution needs.
  bool is_singular() const;
  /// Bytes of this rank beside the arrays: workspace, memory shared with others, and the kernel.
  std::size_t workspace_bytes() const;
  /// Program, strategies and bytes of every step of a solve, and times behind the first, as of a plan. Collective.
  PlanReport report() const;

 private:
  struct Impl;
  Impl& impl() const;
  std::unique_ptr<Impl> impl_;
};

}  // namespace shardfft
