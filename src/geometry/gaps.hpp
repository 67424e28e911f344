#pragma once
// Local arrays with gaps between their elements: padded rows, such as FFTW's real ones.
#include <optional>
#include <vector>

#include "shardfft/layout.hpp"

namespace shardfft {

/// Elements of a rank's pieces, without gaps.
std::int64_t elements_of(const std::vector<Piece>& pieces);

/// Elements from the beginning of an array to the last one of a piece; 0 if its offset and strides are invalid.
std::int64_t reach_of(const Piece& piece);

/// The layout with the same index sets and order of axes, but without gaps. Nothing if the layout has no gaps, if a
/// rank has several pieces, or if ranks have different orders of axes.
std::optional<Layout> without_gaps(const Layout& layout);

/// A grid layout whose rows along the fastest axis begin at multiples of `unit` elements. Layouts derived from it have
/// such rows too.
Layout with_padded_rows(const Layout& grid, std::int64_t unit);
/// Elements of padding behind each row of `rank` along the fastest axis; 0 if that axis is cut.
std::int64_t row_gap(const Layout& layout, int rank);

}  // namespace shardfft
