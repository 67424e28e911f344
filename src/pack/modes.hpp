#pragma once
// Spectra with fewer modes, or with zeroes for the missing modes.
#include <cstddef>

#include "geometry/kept_modes.hpp"
#include "shardfft/layout.hpp"

namespace shardfft {

/// Copies the kept modes of `in` (piece `all`) to `out` (piece `kept`); the pieces differ along one axis. A lone mode
/// becomes the sum of itself and its partner (rule split) or 0 (rule zero).
void keep_modes(const std::byte* in, const Piece& all, std::byte* out, const Piece& kept, const KeptModes& modes,
                ElementType element, int threads);
/// The way back, with zeroes for all other modes. If the rule is split, a lone mode and its partner each get half.
void pad_modes(const std::byte* in, const Piece& kept, std::byte* out, const Piece& all, const KeptModes& modes,
               ElementType element, int threads);

}  // namespace shardfft
