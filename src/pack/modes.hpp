#pragma once
// Spectra with fewer modes, and with zeroes in the places of those that are missing.
#include <cstddef>

#include "geometry/kept_modes.hpp"
#include "shardfft/layout.hpp"

namespace shardfft {

/// The kept modes of `in` (piece `all`) in `out` (piece `kept`), which differ along the one axis. What becomes of a
/// lone mode: split: the sum of it and its partner; zero: nothing.
void keep_modes(const std::byte* in, const Piece& all, std::byte* out, const Piece& kept, const KeptModes& modes,
                ElementType element, int threads);
/// The way back, with zeroes for all other modes. A lone mode is split: it and its partner have half of it each.
void pad_modes(const std::byte* in, const Piece& kept, std::byte* out, const Piece& all, const KeptModes& modes,
               ElementType element, int threads);

}  // namespace shardfft
