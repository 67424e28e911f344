#pragma once
// Groups the axes of a transform, each group for one stage: cuFFT takes up to three axes in one call, a pass of the
// library's own takes one or two.
#include <cstddef>
#include <limits>
#include <utility>
#include <vector>

#include "gpu/pass/catalogue.hpp"
#include "local/local_fft.hpp"

namespace shardfft::gpu {

using AxisGroup = std::vector<std::size_t>;  ///< positions in FftSpec::transform

/// The side whose strides an array between two stages has.
enum class Strides { in, out };

/// The axes of a transform that passes of the library's own may take.
struct OwnPasses {
  std::size_t most_axes = std::numeric_limits<std::size_t>::max();  ///< the most axes that they take
  bool planes = true;                                               ///< two axes in one pass, if there is one
  /// If not empty: own passes take no axes, and calls of cuFFT take so many axes each, the fastest ones first.
  std::vector<std::size_t> vendor_calls = {};
  bool vendor_scales = false;  ///< calls of cuFFT scale their results
  bool small = false;          ///< own passes for small arrays too (else cuFFT), for work that cuFFT cannot do
};

/// Works on the current device. Groups come in the order in which a transform to the spectrum runs them.
class AxisGroups {
 public:
  AxisGroups(const FftSpec& spec, OwnPasses own) : spec_(spec), own_(std::move(own)) {}

  /// Each axis alone, also those of one point: their cosine transforms multiply.
  std::vector<AxisGroup> single() const;
  /// Groups of a c2c transform. All stages but the first have the strides of `side` on both sides.
  std::vector<AxisGroup> complex(Strides side) const {
    return own_.vendor_calls.empty() ? complex(all_axes(), side) : called(all_axes());
  }
  /// Groups of an r2c or c2r transform: the halved axis with the axes that its pass takes too, then the rest.
  std::vector<AxisGroup> real(Strides side) const;
  /// The passes that stages may use.
  PassUse use() const;
  /// The stage that transforms `group`; all other loops are its batch. The halved axis is halved in the stage of the
  /// real kind, and has n/2+1 points in the others.
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
