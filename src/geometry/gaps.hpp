#pragma once
// Local arrays with places between their elements that are not used: rows that are padded, as FFTW's real ones.
#include <optional>
#include <vector>

#include "shardfft/layout.hpp"

namespace shardfft {

/// Elements of a rank's pieces, without what lies between them.
std::int64_t elements_of(const std::vector<Piece>& pieces);

/// Elements from the beginning of an array to the last one of a piece; 0 where its offset and strides make no sense.
std::int64_t reach_of(const Piece& piece);

/// The same index sets, in the same order of axes, without gaps, of a layout that has some. Nothing for layouts without
/// gaps, and where a rank has several pieces or ranks have other orders of axes.
std::optional<Layout> without_gaps(const Layout& layout);

/// A grid layout whose rows along the fastest axis begin at multiples of `unit` elements. What is made of it has such
/// rows too.
Layout with_padded_rows(const Layout& grid, std::int64_t unit);
/// Elements behind each row of `rank` along the fastest axis that are none of the array's; 0 where ranks share rows.
std::int64_t row_gap(const Layout& layout, int rank);

}  // namespace shardfft
