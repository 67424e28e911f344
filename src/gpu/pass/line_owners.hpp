#pragma once
// Next to a reshape the points of a transform's lines belong to several ranks: which of them a pass reads from, or
// stores into, the arrays at the other end of the reshape.
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

/// The points of every line along one axis are in near-equal runs, each of which belongs to one rank at the other end
/// of a reshape. What a pass finds, or leaves, in the array of its owner there, nothing has to move: the own run, or
/// all of them, where the others' memory is reached.
struct LineOwners {
  enum class Side { input, output };  ///< which side of the pass is next to the reshape

  /// A run that is in its owner's array at the other end.
  struct Run {
    int number = 0;                      ///< among all runs of a line
    int rank = 0;                        ///< its owner
    std::int64_t offset = 0;             ///< in that array: the first point of the first line, in elements
    std::int64_t line = 1;               ///< stride along the lines
    std::vector<std::int64_t> others{};  ///< along all other axes, as LineOwners::others has them
  };

  Side side = Side::output;
  int runs = 1;                        ///< of a line
  std::int64_t line = 1;               ///< stride of this side along the lines
  std::vector<std::int64_t> others{};  ///< and along all other axes of more than one point
  std::vector<Run> away{};             ///< ascending; all other runs are where a pass without owners has them

  bool has_all() const { return static_cast<int>(away.size()) == runs; }
  /// The same, but of the runs that are away only those of `rank`.
  LineOwners only(int rank) const;
  std::int64_t stride_here(const Loop& loop) const { return side == Side::input ? loop.from : loop.to; }
  /// In the array of a run's owner, of a loop of more than one point across the lines.
  std::int64_t stride_there(const Loop& loop, const Run& run) const;
};

/// Bytes from the beginning of its owner's array to the first of the points of a run.
std::int64_t offset_bytes(const LineOwners::Run& run, Precision precision);

/// The owners of the lines of `step`, whose piece next to the reshape is `here`, in the layout `beyond` at the other
/// end: of those runs that hold the points of all lines there. Nothing where there are no such runs.
std::optional<LineOwners> line_owners(const TransformStep& step, const Piece& here, const Layout& beyond,
                                      LineOwners::Side side);
/// The same, with what the ranks have in pieces of other arrays, of the same runs as in `beyond`.
std::optional<LineOwners> line_owners(const TransformStep& step, const Piece& here, const Layout& beyond,
                                      LineOwners::Side side, const std::function<Piece(int)>& there);

/// Loops of more than one point; those that continue each other in input and output, and in all arrays at the other end
/// of the reshape, are one. `owners`: null where there is no other end.
std::vector<Loop> merged_loops(std::vector<Loop> batch, const LineOwners* owners);

/// Shares the points of one side of a pass over lines of n points, whose outer loop is `outer`: all lie as those of its
/// first owner, but for the runs that are away. `outer`: null where there is no such loop, which then has this stride.
void share(device::lines::Side& side, int n, const LineOwners& owners, const Loop* outer, std::int64_t otherwise);
/// Puts the arrays of a side that was shared: the one with the rest of the points, and for each run that is away its
/// owner's.
void place(device::lines::Side& side, int n, const LineOwners& owners, Precision precision, std::byte* rest,
           std::span<std::byte* const> beyond);

}  // namespace shardfft::gpu
