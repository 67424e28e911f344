#pragma once
// What is to be done: a list of steps between layouts. Made by algorithms, run by the executor, which cannot tell
// slab from pencil.
#include <algorithm>
#include <string>
#include <variant>
#include <vector>

#include "geometry/factors.hpp"
#include "shardfft/layout.hpp"
#include "shardfft/options.hpp"
#include "shardfft/types.hpp"

namespace shardfft {

/// Axes to transform, the last one first; for real transforms the last entry is the halved axis.
struct FftStep {
  std::vector<int> axes;
  Kind kind = Kind::c2c;  ///< c2c or r2c, as the forward direction does it
};

/// Every element moves to its place in the next state's layout.
struct ReshapeStep {};

/// The same memory seen with other axes (digit-split views): nothing moves.
struct ViewStep {};

/// Multiplies every element by its factor.
struct TwiddleStep {
  TwiddleFactors factors;
};

/// Between real numbers and complex ones without a transform (1-D real arrays): forward gives the numbers an
/// imaginary part of zero, backward drops it.
struct PromoteStep {};

/// Forward: nothing is done. Backward: zeroes and doubles modes as HalfSpectrum says, so that the real part of the full
/// inverse transform is the real array.
struct HalfSpectrumStep {
  HalfSpectrum modes;
};

/// One axis transformed by products of blocks in Cannon's manner (src/cannon). Both states lie on the same mesh of
/// ranks and differ in this axis at most.
struct CannonStep {
  int axis;
  /// The real array's half axis: n indices before, n/2+1 after.
  bool half = false;
  /// Data blocks travel along the fastest dimension of the mesh, whatever the axis (S3DFT algorithms 6 and 7).
  bool global_transpose = false;
  /// Every rank keeps the matrix blocks it needs instead of passing them on.
  bool local_matrix = false;
};

using Step = std::variant<FftStep, ReshapeStep, ViewStep, TwiddleStep, PromoteStep, HalfSpectrumStep, CannonStep>;

/// Data between two steps.
struct State {
  Layout layout;
  bool is_complex = true;
};

/// steps[i] leads from states[i] to states[i + 1]. The backward transform walks the same list from the end.
struct Program {
  std::string algorithm;
  std::vector<State> states;
  std::vector<Step> steps;
};

/// What an algorithm is asked. Layouts have the batch as axis 0; `axes` count it.
struct Problem {
  Kind kind = Kind::c2c;  ///< c2c or r2c
  Layout input;
  Layout output;  ///< empty: as the last stage leaves it
  std::vector<int> axes;
  Shape grid;
  bool natural_order = false;  ///< all stages keep their axes in order in memory: the slab engine of GPUs wants it
  int ranks() const { return input.ranks(); }
  bool fixed_output() const { return output.axes() > 0; }
  int half_axis() const { return kind == Kind::r2c ? axes.back() : -1; }
  bool transforms(int axis) const { return std::find(axes.begin(), axes.end(), axis) != axes.end(); }
};

const char* step_name(const Step& step);

}  // namespace shardfft
