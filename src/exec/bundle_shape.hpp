#pragma once
// How a rank's lines are cut in bundles, and how a bundle lies in scratch memory. Pure geometry.
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "algorithm/program.hpp"

namespace shardfft {

/// Indices of a bundle along each axis.
using BundleBlocks = std::array<std::int64_t, max_axes>;

std::vector<std::size_t> axes_of(const Piece& piece);
/// From the fastest to the slowest in memory.
std::vector<std::size_t> fastest_first(const Piece& piece);
/// Block sizes along the axes of a piece: transformed axes whole, the others as far as `bundle_bytes` go, the fastest
/// first. But of each of `run_axes`, along which lines lie one behind the other with their owners, a block has so many
/// that they fill a run of memory.
BundleBlocks choose_blocks(const Piece& piece, const TransformStep& step, std::size_t element_bytes,
                           std::int64_t bundle_bytes, const std::vector<std::size_t>& run_axes);
/// Axes along which owners' arrays are contiguous while bundles of these blocks have only parts of a cache line, if all
/// points of their lines fall into one set of the cache. The next bundles then find none of these cache lines any more,
/// and each of them comes from memory once for every part.
std::vector<std::size_t> run_axes(const std::vector<Layout>& owners, int rank, const TransformStep& step,
                                  const BundleBlocks& block, std::size_t element_bytes);
/// Dense in the memory order of `like`, with rows kept off the strides that fall into one cache set.
Piece scratch_piece(const IndexSet& set, const Piece& like, std::size_t element_bytes);
/// Whether a rank's part of a layout is this very piece.
bool is_part(const Layout& layout, int rank, const Piece& piece);
/// Bytes from the first element of a piece to the last, in whole cache lines.
std::size_t extent_bytes(const Piece& piece, std::size_t element_bytes);

}  // namespace shardfft
