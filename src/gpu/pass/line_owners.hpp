#pragma once
// Next to a reshape, the points of a transform's lines belong to several ranks. Tells which of these points a pass
// reads from, or stores into, the arrays at the other end of the reshape.
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "device/line_pass.hpp"
#include "geometry/schedule.hpp"
#include "local/local_fft.hpp"

namespace shardfft {
struct TransformStep;
}

namespace shardfft::gpu {

/// The points of every line along one axis are in near-equal runs, and each run belongs to one rank at the other end of
/// a reshape. A run that a pass reads or writes in its owner's array there need not be moved: this rank's own run, or
/// all runs if the others' memory is in reach.
struct LineOwners {
  enum class Side { input, output };  ///< the side of the pass next to the reshape

  /// A run that is in its owner's array at the other end.
  struct Run {
    int number = 0;                      ///< its number among all runs of a line
    int rank = 0;                        ///< its owner
    std::int64_t offset = 0;             ///< in that array: the first point of the first line, in elements
    std::int64_t line = 1;               ///< the stride along the lines
    std::vector<std::int64_t> others{};  ///< strides along all other axes, in the order of LineOwners::others
  };

  Side side = Side::output;
  int runs = 1;                        ///< of each line
  std::int64_t line = 1;               ///< the stride of this side along the lines
  std::vector<std::int64_t> others{};  ///< and those along all other axes of more than one point
  std::vector<Run> direct{};           ///< those in their owners' arrays, ascending

  bool has_all() const { return static_cast<int>(direct.size()) == runs; }
  /// The same, but only the runs of `rank` are direct.
  LineOwners only(int rank) const;
  std::int64_t stride_here(const Loop& loop) const { return side == Side::input ? loop.from : loop.to; }
  /// The stride of a loop across the lines, of more than one point, in the array of a run's owner.
  std::int64_t stride_there(const Loop& loop, const Run& run) const;
};

/// Bytes from the beginning of its owner's array to the first point of a run.
std::int64_t offset_bytes(const LineOwners::Run& run, Precision precision);

/// The owners of the lines of `step`, whose piece next to the reshape is `here`, in the layout `other_end`. `direct`
/// has the runs that their owners hold for all lines. None if the lines have no near-equal runs there.
std::optional<LineOwners> line_owners(const TransformStep& step, const Piece& here, const Layout& other_end,
                                      LineOwners::Side side);
/// The same, with the ranks' pieces in other arrays; their runs are those of `other_end`.
std::optional<LineOwners> line_owners(const TransformStep& step, const Piece& here, const Layout& other_end,
                                      LineOwners::Side side, const std::function<Piece(int)>& there);

/// Loops of more than one point. Loops that continue each other in input, output and all arrays at the other end of the
/// reshape become one. `owners`: null if there is no other end.
std::vector<Loop> merged_loops(std::vector<Loop> batch, const LineOwners* owners);

/// Divides one side of a pass over lines of n points: direct runs get their own strides, with the outer loop
/// `outer`, all others those of the first owner. If `outer` is null, the outer stride of direct runs is `otherwise`.
void share(device::lines::Side& side, int n, const LineOwners& owners, const Loop* outer, std::int64_t otherwise);
/// Sets the arrays of a divided side: `own` for the points of other runs, and the owner's array for each direct
/// run.
void place(device::lines::Side& side, int n, const LineOwners& owners, Precision precision, std::byte* own,
           std::span<std::byte* const> direct_arrays);

}  // namespace shardfft::gpu
