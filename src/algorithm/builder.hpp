#pragma once
// Puts programs together: null reshapes vanish, real extents halve in the first transform.
#include "algorithm/program.hpp"

namespace shardfft {

class ProgramBuilder {
 public:
  ProgramBuilder(std::string algorithm, const Problem& problem);
  /// Moves the data into `layout` (of the current shape); nothing when it lies there already.
  void reshape(const Layout& layout);
  /// As reshape(), but lowering chooses in which order the axes lie in memory, up to the next reshape.
  void reshape_freely(const Layout& layout);
  /// Transforms `axes` (last first); they must be local. Where only some modes of an axis are kept, the others are left
  /// out before the next axis is transformed; points of an axis that is padded are added when its turn comes.
  void fft(const std::vector<int>& axes);
  /// Adds any other step, with the state it leads to.
  void step(Step step, State state);
  const State& state() const { return program_.states.back(); }
  /// Adds the reshape into the problem's output, if one is fixed, and hands the program over.
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

/// One grid dimension of intermediate layouts: which axis it cuts, and how.
struct GridDim {
  int axis;
  std::vector<Progression> parts;  ///< of `axis`
  std::int64_t ranks;
};

/// A layout cut along the axes of `dims`; the rank is the row-major index over `dims` in the given order.
Layout cut_layout(const Shape& shape, const std::vector<GridDim>& dims, int ranks, const AxisOrder& order = {});

/// Transforms all axes by stages: what is local is transformed, then one cut axis is swapped for a transformed one
/// and so on. `dims` describes the first stage, which `builder`'s state must have been brought to.
void swap_stages(ProgramBuilder& builder, const Problem& problem, std::vector<GridDim> dims);

}  // namespace shardfft
