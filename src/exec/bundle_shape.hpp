#pragma once
// The cut of a rank's lines in bundles, and the layout of a bundle in scratch memory. Pure geometry.
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "algorithm/program.hpp"

namespace shardfft {

/// Indices of a bundle along each axis.
using BundleBlocks = std::array<std::int64_t, max_axes>;

std::vector<std::size_t> axes_of(const Piece& piece);
/// Axes from the fastest to the slowest in memory.
std::vector<std::size_t> fastest_first(const Piece& piece);
/// Block sizes along the axes of a piece: transformed axes whole, the others as far as `bundle_bytes` allow, the
/// fastest first. The exception are `run_axes`, along which lines are contiguous in the arrays of their owners: a block
/// has so many of their indices that they fill a run of memory.
BundleBlocks choose_blocks(const Piece& piece, const TransformStep& step, std::size_t element_bytes,
                           std::int64_t bundle_bytes, const std::vector<std::size_t>& run_axes);
/// Axes along which owners' arrays are contiguous but bundles of these blocks have only parts of a cache line, if all
/// points of a line fall into one set of the cache. Then the cache has lost these cache lines before the next bundle,
/// and each is read from memory once for every part.
std::vector<std::size_t> run_axes(const std::vector<Layout>& owners, int rank, const TransformStep& step,
                                  const BundleBlocks& block, std::size_t element_bytes);
/// A piece in the memory order of `like`, dense except for gaps that avoid strides in one set of the cache.
Piece scratch_piece(const IndexSet& set, const Piece& like, std::size_t element_bytes);
/// Whether a rank's part of a layout is exactly this piece.
bool is_part(const Layout& layout, int rank, const Piece& piece);
/// Bytes from the first element of a piece to the last, in whole cache lines.
std::size_t extent_bytes(const Piece& piece, std::size_t element_bytes);

}  // namespace shardfft
