#pragma once
// What of a transform's lines does not travel in the reshape next to it.
#include <cstdint>
#include <optional>
#include <vector>

#include "device/line_pass.hpp"
#include "geometry/schedule.hpp"
#include "local/local_fft.hpp"

namespace shardfft {
struct TransformStep;
}

namespace shardfft::gpu {

/// Next to a reshape a run of the points of every line along one axis stays on its GPU. A pass finds them, or leaves
/// them, in the array at the other end of the reshape, so that nothing has to copy them.
struct OwnPoints {
  enum class Side { input, output };  ///< which side of the pass they are on
  /// A stride of that side, and of the array at the other end.
  struct Strides {
    std::int64_t here = 1, there = 1;
  };

  Side side = Side::output;
  int runs = 1, run = 0;          ///< the points of a line in near-equal runs, one a GPU; which one stays
  std::int64_t offset = 0;        ///< in the array at the other end: the first point of the first line, in elements
  Strides line;                   ///< along the lines
  std::vector<Strides> others{};  ///< along all other axes

  std::int64_t stride_here(const Loop& loop) const { return side == Side::input ? loop.from : loop.to; }
  /// At the other end, of a loop of more than one point across the lines.
  std::int64_t stride_there(const Loop& loop) const;
  /// Bytes from the beginning of that array to the first of the points.
  std::int64_t offset_bytes(Precision precision) const;
};

/// What stays on this GPU of the lines of `step`, whose piece next to the reshape is `here`; `beyond` is the piece of
/// the same rank in the layout at the other end. Nothing where that is no run of points of all lines along one axis.
std::optional<OwnPoints> own_points(const TransformStep& step, const Piece& here, const Layout& beyond, int rank,
                                    OwnPoints::Side side);

/// Loops of more than one point; those that continue each other in input and output, and at the other end of the
/// reshape, are one. `own`: null where there is no other end.
std::vector<Loop> merged_loops(std::vector<Loop> batch, const OwnPoints* own);

/// Shares the points of one side of a pass over lines of n points: all lie as those of its first owner, but for the own
/// ones, which have these strides.
void share(device::lines::Side& side, int n, const OwnPoints& own, std::int64_t outer_stride);
/// Puts the arrays of a side that was shared: the one of the others' points, and the one at the other end.
void place(device::lines::Side& side, int n, const OwnPoints& own, Precision precision, std::byte* others,
           std::byte* beyond);

}  // namespace shardfft::gpu
