#pragma once
// The work of a transform: a list of steps between layouts. Algorithms make it and choose the axes and the cuts;
// lowering (src/lower) decides how it runs.
#include <algorithm>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "geometry/factors.hpp"
#include "geometry/kept_modes.hpp"
#include "pack/spectral_factors.hpp"
#include "shardfft/layout.hpp"
#include "shardfft/options.hpp"
#include "shardfft/types.hpp"

namespace shardfft {

/// The transform along one axis, from `in` numbers to `out` numbers.
struct AxisStep {
  int axis = 0;
  Kind kind = Kind::c2c;  ///< r2r: a cosine or sine transform; of complex numbers, the parts one by one
  std::int64_t in = 0;
  std::int64_t out = 0;
  Direction sign = Direction::forward;
  AxisTransform type = AxisTransform::fft;

  bool operator==(const AxisStep&) const = default;
};

/// Axes to transform, the last one first. A halved axis (r2c) is the last entry. So is a completed one (c2r), but then
/// the first entry comes first.
struct TransformStep {
  static constexpr const char* name = "transform";
  std::vector<AxisStep> axes;

  bool has(int axis) const;
  std::vector<int> numbers() const;
  /// The change of the numbers: r2c or c2r if one axis has that kind, else the kind of all axes.
  Kind kind() const { return axes.back().kind; }
  /// Real numbers stay real, complex ones complex.
  bool keeps_numbers() const { return kind() == Kind::c2c || kind() == Kind::r2r; }
};

/// The transform that undoes `step`, up to a factor.
TransformStep reversed(TransformStep step);
/// Types II and III are each other's inverses up to a factor; I and IV are their own.
AxisTransform inverse_type(AxisTransform type);

/// Fourier transforms of `axes` (the last one halved for r2c) of an array of `shape`.
TransformStep fourier_step(const std::vector<int>& axes, Kind kind, const Shape& shape);

/// Every element moves to its place in the next state's layout.
struct ReshapeStep {
  static constexpr const char* name = "reshape";
};

/// The array is seen with other axes (digit-split views). Nothing moves.
struct ViewStep {
  static constexpr const char* name = "view";
};

/// Multiplies every element by its factor, or by the conjugate if `sign` is backward.
struct TwiddleStep {
  static constexpr const char* name = "twiddle";
  static constexpr bool in_place = true;
  TwiddleFactors factors;
  Direction sign = Direction::forward;
};

/// Converts real numbers to complex ones without a transform (1-D real arrays): the imaginary part is zero. With a
/// backward `sign`: complex numbers to their real parts.
struct PromoteStep {
  static constexpr const char* name = "promote";
  Direction sign = Direction::forward;
};

/// Forward: does nothing. Backward: zeroes and doubles modes by HalfSpectrum, so that the real part of the full inverse
/// transform is the real array.
struct HalfSpectrumStep {
  static constexpr const char* name = "half spectrum";
  static constexpr bool in_place = true;
  HalfSpectrum modes;
  Direction sign = Direction::forward;
};

/// The low modes of a spectrum along an axis, or the first points of an array. Forward: drops all others. Backward:
/// makes them zero.
struct ModesStep {
  static constexpr const char* name = "modes";
  KeptModes modes;
  Direction sign = Direction::forward;
};

/// One axis transformed by products of blocks in Cannon's manner (src/cannon). Both states are on the same mesh of
/// ranks and differ in this axis at most.
struct CannonStep {
  static constexpr const char* name = "cannon";
  int axis;
  /// The real array's half axis: n indices on its side, n/2+1 on the other.
  bool half = false;
  /// Data blocks travel along the fastest dimension of the mesh, for any axis (S3DFT algorithms 6 and 7).
  bool global_transpose = false;
  /// Every rank keeps the matrix blocks that it needs, and passes none on.
  bool local_matrix = false;
  Direction sign = Direction::forward;
};

/// Multiplies a spectrum by the factors of an operator, which the plan sets before each run.
struct OperatorStep {
  static constexpr const char* name = "operator";
  static constexpr bool in_place = true;
  std::shared_ptr<const FactorsInUse> factors;
};

/// A step has a name, a `sign` if it has an opposite, and `in_place` if it can overwrite its input.
using Step = std::variant<TransformStep, ReshapeStep, ViewStep, TwiddleStep, PromoteStep, HalfSpectrumStep, ModesStep,
                          CannonStep, OperatorStep>;

/// Data between two steps.
struct State {
  Layout layout;
  bool is_complex = true;
  /// The algorithm needs no certain order of axes in memory: lowering chooses one (src/lower/orders).
  bool free_order = false;
  /// Bytes of elements of any kind that are only moved; 0: elements are numbers of the plan's precision.
  std::size_t element_bytes = 0;
};

/// Whether every element has the same place and size in both.
inline bool lie_alike(const State& a, const State& b) {
  return a.is_complex == b.is_complex && a.layout.same_as(b.layout);
}
/// Bytes of one element.
std::size_t element_bytes(const State& state, Precision precision);
/// Bytes of a state on `rank`, or the most of any rank.
std::size_t state_bytes(const State& state, Precision precision, int rank);
std::size_t max_state_bytes(const State& state, Precision precision);

/// The state after `step`: the axes have their new extents, and the numbers their new kind.
State state_after(const TransformStep& step, State state);

/// steps[i] leads from states[i] to states[i + 1].
struct Program {
  std::string algorithm;  ///< in words, for users
  std::vector<State> states;
  std::vector<Step> steps;
  int active = 0;      ///< as Problem::active
  Shape grid{};        ///< as Problem::grid
  std::string name{};  ///< the name by which make_program() makes it
};

/// The program that undoes `program`, up to a factor: its steps in reverse order, each one reversed.
Program reversed(const Program& program);
/// `first`, then a step that keeps the layout, then `second`, whose first state is the last one of `first`.
Program joined(const Program& first, Step between, const Program& second);

/// The task of an algorithm. Layouts have the batch as axis 0; `axes` count it.
struct Problem {
  Kind kind = Kind::c2c;  ///< c2c, r2c or r2r
  Layout input;
  Layout output;                     ///< empty: the layout after the last stage
  std::vector<int> axes;             ///< for r2c, the halved axis is the last
  std::vector<AxisTransform> types;  ///< one an entry of `axes`; empty if all are Fourier transforms
  /// Modes that are kept, one number an entry of `axes`, 0 for all; empty if all axes keep all.
  Shape modes;
  /// Points that are transformed, with zeroes behind the array's own: one number an entry of `axes`, 0 for the array's
  /// own; empty if no axis is padded.
  Shape padded;
  LoneMode lone_mode = LoneMode::split;
  Shape grid;
  /// Reshapes run in chunks: if the fastest axis becomes whole, the slowest one stays whole too, to be cut in chunks
  /// whose lines are one run of memory.
  bool keeps_slowest = false;
  /// All ranks are on one host: an exchange with many of them costs no more than with few.
  bool one_host = false;
  /// The number of ranks that transform; the others only own input and output. 0: all. Used by slab, pencil and brick.
  int active = 0;
  int ranks() const { return input.ranks(); }
  int active_ranks() const { return active > 0 ? active : ranks(); }
  bool fixed_output() const { return output.axes() > 0; }
  int half_axis() const { return kind == Kind::r2c ? axes.back() : -1; }
  AxisTransform type(int axis) const;
  /// Modes that are kept along an axis of n points, at most n.
  std::int64_t modes_of(int axis, std::int64_t n) const;
  /// Points that are transformed along an axis of n points, at least n.
  std::int64_t padded_to(int axis, std::int64_t n) const;
  /// Whether all transforms are Fourier transforms of the array's own points that keep all modes.
  bool plain() const;
  bool transforms(int axis) const { return std::find(axes.begin(), axes.end(), axis) != axes.end(); }
};

const char* step_name(const Step& step);

/// "keep 4 of 5 modes along axis 1"; axes are numbered as in users' arrays.
std::string describe_modes(const ModesStep& step);

}  // namespace shardfft
