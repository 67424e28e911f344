#include "exec/bundle_shape.hpp"

#include <algorithm>

#include "base/aligned.hpp"
#include "tune/defaults.hpp"

namespace shardfft {

namespace {

bool is_transformed(const TransformStep& step, std::size_t axis) { return step.has(static_cast<int>(axis)); }

}  // namespace

std::vector<std::size_t> axes_of(const Piece& piece) {
  std::vector<std::size_t> axes(static_cast<std::size_t>(piece.set.axes));
  for (std::size_t a = 0; a < axes.size(); ++a) axes[a] = a;
  return axes;
}

std::vector<std::size_t> fastest_first(const Piece& piece) {
  std::vector<std::size_t> axes = axes_of(piece);
  std::stable_sort(axes.begin(), axes.end(),
                   [&](std::size_t a, std::size_t b) { return piece.stride[a] < piece.stride[b]; });
  return axes;
}

BundleBlocks choose_blocks(const Piece& piece, const TransformStep& step, std::size_t element_bytes,
                           std::int64_t bundle_bytes, const std::vector<std::size_t>& run_axes) {
  BundleBlocks block{};
  block.fill(1);
  std::int64_t room = bundle_bytes / static_cast<std::int64_t>(element_bytes);
  for (const std::size_t a : axes_of(piece))
    if (is_transformed(step, a)) {
      block[a] = piece.set.axis[a].count;
      room /= std::max<std::int64_t>(1, block[a]);
    }
  const auto extend = [&](std::size_t a, std::int64_t most) {
    if (is_transformed(step, a)) return;
    room *= block[a];
    const std::int64_t count = piece.set.axis[a].count;
    const std::int64_t blocks = (count - 1) / std::clamp<std::int64_t>(std::min(room, most), 1, count) + 1;
    block[a] = (count - 1) / blocks + 1;  // near-equal blocks instead of a small last one
    room /= block[a];
  };
  const std::int64_t run = host_defaults().run_bytes_worth_a_bundle / static_cast<std::int64_t>(element_bytes);
  for (const std::size_t a : run_axes) extend(a, run);
  for (const std::size_t a : fastest_first(piece)) extend(a, room * block[a]);
  return block;
}

Piece scratch_piece(const IndexSet& set, const Piece& like, std::size_t element_bytes) {
  Piece piece{set, 0, {}};
  std::int64_t stride = 1;
  for (const std::size_t a : fastest_first(like)) {
    piece.stride[a] = stride;
    stride *= set.axis[a].count;
    const std::int64_t bytes = stride * static_cast<std::int64_t>(element_bytes);
    if (set.axis[a].count > 1 && bytes % 512 == 0) stride += static_cast<std::int64_t>(cache_line / element_bytes);
  }
  return piece;
}

bool is_part(const Layout& layout, int rank, const Piece& piece) {
  const auto own = layout.pieces(rank);
  return own.size() == 1 && own.front() == piece;
}

std::size_t extent_bytes(const Piece& piece, std::size_t element_bytes) {
  std::int64_t last = 0;
  for (const std::size_t a : axes_of(piece)) last += (piece.set.axis[a].count - 1) * piece.stride[a];
  return round_up(static_cast<std::size_t>(last + 1) * element_bytes, cache_line);
}

std::vector<std::size_t> run_axes(const std::vector<Layout>& owners, int rank, const TransformStep& step,
                                  const BundleBlocks& block, std::size_t element_bytes) {
  const auto bytes = static_cast<std::int64_t>(element_bytes);
  std::vector<std::size_t> axes;
  for (const Layout& layout : owners)
    for (const Piece& piece : layout.pieces(rank)) {
      const std::size_t fastest = fastest_first(piece).front();
      const bool parts = block[fastest] * bytes < static_cast<std::int64_t>(cache_line) &&
                         block[fastest] < piece.set.axis[fastest].count;
      const bool one_set = std::any_of(step.axes.begin(), step.axes.end(), [&](const AxisStep& axis) {
        return piece.stride[static_cast<std::size_t>(axis.axis)] * bytes % host_defaults().cache_way_bytes == 0;
      });
      if (parts && one_set) axes.push_back(fastest);
    }
  return axes;
}

}  // namespace shardfft
