#pragma once
// The transforms that targets run, and a reshape with the one or two of them that run together with it.
#include <optional>

#include "algorithm/program.hpp"
#include "local/local_fft.hpp"
#include "schedule/pieces.hpp"

namespace shardfft {

/// A transform from state to state.
struct LocalTransform {
  TransformStep step;
  State before, after;
  double scale = 1;
  bool in_place = false;  ///< reads and writes the same array
  bool preserve_input = true;
};

/// The local transform of a rank's elements in `slice`, whose axis is not transformed.
FftSpec fft_spec(const LocalTransform& local, int rank, Precision precision, const Slice& slice = {});

/// That transform, with the offsets of its arrays in bytes.
struct PlacedFft {
  FftSpec spec;
  std::int64_t in = 0, out = 0;
};
PlacedFft placed_fft(const LocalTransform& local, int rank, Precision precision, const Slice& slice);

/// A reshape, and the transforms at its ends that run with it.
struct Joined {
  int step = 0;  ///< the reshape
  State from, to;
  std::optional<LocalTransform> before;  ///< its result is `from`
  std::optional<LocalTransform> after;   ///< its input is `to`

  ChunkedSteps steps() const {
    return {from.layout, to.layout, before ? &before->step : nullptr, after ? &after->step : nullptr};
  }
};

}  // namespace shardfft
