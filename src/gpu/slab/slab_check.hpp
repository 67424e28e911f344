#pragma once
// The checks of a slab transform (option verify): its passes add up their lines themselves, and the plan compares what
// those on one side of the exchange wrote, on all ranks, with what those on the other side read.
#include "gpu/check/line_weights.hpp"
#include "gpu/check/passes_check.hpp"
#include "gpu/slab/slab_shape.hpp"

namespace shardfft::gpu {

/// What the passes of one direction need.
struct SlabWeights {
  PlaneWeights planes;
  LineWeights y, x;
  std::size_t bytes() const { return planes.bytes() + y.bytes() + x.bytes(); }
};

/// The checks of one direction, which others own.
struct SlabChecks {
  Direction direction = Direction::forward;
  const PassesCheck *planes = nullptr, *x = nullptr;  ///< plane passes, and y lines of columns that these leave out
  const CopyCheck* spectrum = nullptr;  ///< where x lines and the spectrum are different arrays, else null

  /// Where passes tell what they found.
  std::uint64_t* of_planes() const { return planes->results_of(direction == Direction::forward ? 0 : 1); }
  std::uint64_t* of_y() const { return planes->results_of(direction == Direction::forward ? 1 : 0); }
  std::uint64_t* of_x() const { return x->results_of(0); }
};

/// In the order in which data passes them; `checks` tells of them. `copied`: there is a copy between x lines and the
/// spectrum.
DeviceChecks make_slab_checks(const SlabShape& shape, int rank, Direction direction, bool copied, SlabChecks& checks);

}  // namespace shardfft::gpu
