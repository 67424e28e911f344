#pragma once
// Which modes of a spectrum stay where some are left out, and where they lie. Pure geometry.
#include <cstdint>
#include <vector>

#include "shardfft/types.hpp"

namespace shardfft {

/// The low modes along one axis of a spectrum: `kept` of `all` indices.
struct KeptModes {
  int axis = 0;
  std::int64_t all = 0;
  std::int64_t kept = 0;
  /// 0, 1, ..., -2, -1 as fftfreq has them; else 0, 1, 2, ... (halved axes, cosine and sine transforms).
  bool two_sided = true;
  /// Half of a real array's spectrum: every mode k stands for -k too.
  bool halved = false;
  /// An even number of modes is kept: the highest one has no partner on the other side of zero.
  bool lone = false;
  LoneMode rule = LoneMode::split;
  /// Of an array that is padded with zeroes, not of a spectrum.
  bool points = false;

  /// Indices [kept_first, +count) of the kept modes are [all_first, +count) of all.
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
  /// Where the lone mode lies among the kept ones; where it and its partner lie among all, which is one place where
  /// halved.
  std::int64_t lone_kept() const { return two_sided ? kept / 2 : kept - 1; }
  std::int64_t lone_all() const { return two_sided ? all - kept / 2 : kept - 1; }
  std::int64_t partner_all() const { return lone_kept(); }
};

}  // namespace shardfft
