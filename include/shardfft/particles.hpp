#pragma once
// Particles, and an array as their mesh: deposit, interpolation, and moves of particles to other ranks.
#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "shardfft/layout.hpp"
#include "shardfft/types.hpp"

namespace shardfft {

/// How a particle's weight is spread along each axis: to the nearest point, to the 2 points beside it (cloud in cell),
/// or to the 3 nearest ones (triangular-shaped cloud).
enum class Assignment { nearest, cic, tsc };

/// The domain of a mesh, and the positions that it takes.
struct ParticleOptions {
  /// Lengths of the domain, an entry an axis; empty: the extents of the array, so that positions count points.
  std::vector<double> lengths{};
  /// Positions outside the domain, that is below 0 or at its length and above: wrapped to its other end, or refused.
  bool wrap = true;
  /// The number of points that a particle may be beyond the part of its rank. 0: each is in the part of its rank.
  std::int64_t reach = 0;
  /// The coordinates of positions and slopes are in the order of axes from the last to the first, as in Fortran.
  bool last_axis_first = false;
};

/// A move of records to other ranks, each rank having named the targets of its own; made by ParticleMesh::migration().
/// Functions that move are collective.
class Migration {
 public:
  /// Record i goes to rank owner[i]. Throws Error on all ranks if one names a rank that does not exist. Collective.
  Migration(MPI_Comm comm, const std::vector<int>& owner);
  ~Migration();
  Migration(Migration&&) noexcept;
  Migration& operator=(Migration&&) noexcept;

  /// Records that this rank had, and those that it has afterwards.
  std::int64_t sent() const;
  std::int64_t received() const;
  /// Moves sent() records of `bytes` each to received() ones: by sender, and in its order. Any number of arrays can be
  /// moved: positions, velocities, numbers. Throws Error on all ranks if a pointer is null on one, or records have
  /// other sizes.
  void move(const void* records, std::size_t bytes, void* moved) const;
  /// The way back, every record to its old place. It is the adjoint of move().
  void back(const void* moved, std::size_t bytes, void* records) const;

 private:
  friend class ParticleMesh;
  struct Impl;
  const Impl& impl() const;
  explicit Migration(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

/// The points of a periodic array as a mesh for particles. Point i of an axis of n points lies at i length / n, and a
/// position belongs to the rank that has the point at or below it along each axis. Arrays, positions, weights and
/// values are real numbers of one precision in host memory; positions are `count` rows of one coordinate an axis. All
/// functions except the destructor are collective over `comm`, and errors are thrown on every rank. A position is an
/// error if it is no finite number, if it is outside the domain without `wrap`, or if it is beyond the part of its rank
/// and the reach.
class ParticleMesh {
 public:
  /// Each rank has a box of `layout`.
  ParticleMesh(MPI_Comm comm, const Layout& layout, Assignment shape, Precision precision,
               const ParticleOptions& options = {});
  ~ParticleMesh();
  ParticleMesh(ParticleMesh&&) noexcept;
  ParticleMesh& operator=(ParticleMesh&&) noexcept;

  /// Writes to `field`, an array in the layout, at each point the sum of the weights (null: 1 each) that particles
  /// spread there. The sum over all points is that of the weights. It is the adjoint of interpolate().
  void deposit(std::int64_t count, const void* positions, const void* weights, void* field);
  /// Writes the `count` values of a field at the positions: sums of the numbers at points, with the same weights.
  void interpolate(std::int64_t count, const void* positions, const void* field, void* values);
  /// Writes the derivatives of interpolate() by the positions, `count` rows of one number an axis; 0 for nearest. They
  /// are the derivatives of deposit(), too: times a weight, that of a sum over the points of `field` times deposit().
  void gradient(std::int64_t count, const void* positions, const void* field, void* slopes);
  /// The move of particles to the ranks to which their positions belong. Positions stay as they are. `wrap` counts,
  /// `reach` does not.
  Migration migration(std::int64_t count, const void* positions) const;

 private:
  struct Impl;
  Impl& impl() const;
  std::unique_ptr<Impl> impl_;
};

}  // namespace shardfft
