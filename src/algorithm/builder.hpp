#pragma once
// Builds programs: drops reshapes that move nothing, and halves real extents in the first transform.
#include "algorithm/program.hpp"

namespace shardfft {

class ProgramBuilder {
 public:
  ProgramBuilder(std::string algorithm, const Problem& problem);
  /// Moves the data into `layout` (of the current shape), unless it is there already.
  void reshape(const Layout& layout);
  /// As reshape(), but lowering chooses the order of the axes in memory, up to the next reshape.
  void reshape_freely(const Layout& layout);
  /// Transforms `axes` (last first); they must be local. If only some modes of an axis are kept, the others are dropped
  /// before the next axis is transformed. Points of a padded axis are added just before its transform.
  void fft(const std::vector<int>& axes);
  /// Adds any other step, with the state after it.
  void step(Step step, State state);
  const State& state() const { return program_.states.back(); }
  /// Adds the reshape into the problem's output, if one is fixed, and returns the program.
  Program finish();

 private:
  void transform(const std::vector<int>& axes);
  void keep_modes(const AxisStep& axis);
  void pad(int axis, std::int64_t points);

  const Problem& problem_;
  Program program_;
};

/// Near-equal runs of an axis, one a rank.
std::vector<Progression> runs(std::int64_t extent, std::int64_t ranks);

/// One grid dimension of intermediate layouts: the axis that it cuts, and the parts.
struct GridDim {
  int axis;
  std::vector<Progression> parts;  ///< of `axis`
  std::int64_t ranks;
};

/// A layout cut along the axes of `dims`; the rank is the row-major index over `dims` in the given order.
Layout cut_layout(const Shape& shape, const std::vector<GridDim>& dims, int ranks, const AxisOrder& order = {});

/// Transforms all axes by stages: all local axes are transformed, then one cut axis is swapped for a transformed one,
/// and so on. `dims` describes the first stage; `builder` must be in its layout.
void swap_stages(ProgramBuilder& builder, const Problem& problem, std::vector<GridDim> dims);

}  // namespace shardfft
