#pragma once
// Which axes of a transform go together, each group in one stage: cuFFT takes up to three in one call, passes of our
// own take one or two.
#include <cstddef>
#include <limits>
#include <utility>
#include <vector>

#include "gpu/pass/catalogue.hpp"
#include "local/local_fft.hpp"

namespace shardfft::gpu {

using AxisGroup = std::vector<std::size_t>;  ///< positions in FftSpec::transform

/// Which side's strides an array between two stages has.
enum class Strides { in, out };

/// What passes of our own may have of a transform.
struct OwnPasses {
  std::size_t most_axes = std::numeric_limits<std::size_t>::max();  ///< that they take, of several
  bool planes = true;                                               ///< two of them in one pass where there is one
  /// Not empty: they take none, and calls of cuFFT so many each, those of the fastest axes first.
  std::vector<std::size_t> vendor_calls = {};
  bool small = false;  ///< of small arrays too, which else leave them to cuFFT: they must do what that cannot
};

/// On the current device. Groups come in the order in which they are transformed on the way to the spectrum.
class AxisGroups {
 public:
  AxisGroups(const FftSpec& spec, OwnPasses own) : spec_(spec), own_(std::move(own)) {}

  /// One axis after the other, those of one point too: their cosine transforms multiply.
  std::vector<AxisGroup> single() const;
  /// Groups of a c2c transform. All stages but the first have the strides of `side` on both sides.
  std::vector<AxisGroup> complex(Strides side) const {
    return own_.vendor_calls.empty() ? complex(all_axes(), side) : called(all_axes());
  }
  /// Groups of an r2c or c2r transform: the halved axis with what a pass takes beside it, then the rest.
  std::vector<AxisGroup> real(Strides side) const;
  /// What stages may use.
  PassUse use() const;
  /// The stage that transforms `group`; all other loops are its batch. The halved axis is so for the stage of the real
  /// kind and has n/2+1 points for the others.
  FftSpec stage(Kind kind, const AxisGroup& group, Strides from, Strides to) const;

 private:
  std::size_t half_axis() const { return spec_.transform.size() - 1; }
  AxisGroup all_axes() const;
  AxisGroup other_axes() const;
  std::vector<AxisGroup> take_lines(AxisGroup& axes, Strides side, const AxisGroup& planes) const;
  AxisGroup take_planes(AxisGroup& axes, Strides side) const;
  std::vector<AxisGroup> called(AxisGroup axes) const;
  std::vector<AxisGroup> complex(AxisGroup axes, Strides side) const;

  bool takes_planes(const FftSpec& stage) const { return find_own_pass(stage, use()) != nullptr; }

  FftSpec spec_;
  OwnPasses own_;
};

}  // namespace shardfft::gpu
