#pragma once
// The kept modes of a spectrum with fewer modes, and their places. Pure geometry.
#include <cstdint>
#include <vector>

#include "shardfft/types.hpp"

namespace shardfft {

/// The low modes along one axis of a spectrum: `kept` of `all` indices.
struct KeptModes {
  int axis = 0;
  std::int64_t all = 0;
  std::int64_t kept = 0;
  /// True: 0, 1, ..., -2, -1, as in fftfreq. False: 0, 1, 2, ... (halved axes, cosine and sine transforms).
  bool two_sided = true;
  /// Half of a real array's spectrum: every mode k also stands for -k.
  bool halved = false;
  /// An even number of modes is kept: the highest one has no partner on the other side of zero.
  bool lone = false;
  LoneMode rule = LoneMode::split;
  /// The axis belongs to an array that is padded with zeroes, not to a spectrum.
  bool points = false;

  /// Kept modes [kept_first, +count) are modes [all_first, +count) of all.
  struct Run {
    std::int64_t all_first = 0;
    std::int64_t kept_first = 0;
    std::int64_t count = 0;
  };
  std::vector<Run> runs() const {
    if (!two_sided) return {{0, 0, kept}};
    const std::int64_t low = (kept + 1) / 2, high = kept / 2;
    return {{0, 0, low}, {all - high, low, high}};
  }
  /// The index of the lone mode among the kept ones, and the indices of it and its partner among all: the same index if
  /// `halved`.
  std::int64_t lone_kept() const { return two_sided ? kept / 2 : kept - 1; }
  std::int64_t lone_all() const { return two_sided ? all - kept / 2 : kept - 1; }
  std::int64_t partner_all() const { return lone_kept(); }
};

}  // namespace shardfft
