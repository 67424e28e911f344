// How a slab is cut unless SlabOptions say it.
#include "gpu/slab/slab_shape.hpp"
#include "tune/defaults.hpp"

namespace shardfft::gpu {

namespace {

/// The last row that begins at or below `bytes`.
const SlabCut& cut_of(const std::vector<SlabCut>& rows, std::size_t bytes) {
  const SlabCut* cut = &rows.front();
  for (const SlabCut& row : rows)
    if (row.from_bytes <= bytes) cut = &row;
  return *cut;
}

}  // namespace

/// A single rank has nothing to overlap, and stores know no chunks.
SlabOptions chosen(SlabOptions options, const SlabShape& shape) {
  const PeerGpuDefaults& defaults = peer_gpu_defaults();
  if (options.stores) {
    options.paired = false;
    options.chunks = 1;
    options.parts = {1};
    return options;
  }
  const bool many = shape.ranks > 2;
  const std::size_t bytes = shape.planes_bytes(0);
  const SlabCut& cut = cut_of(many ? defaults.many_gpus : defaults.few_gpus, bytes);
  options.paired = many && options.paired.value_or(bytes >= defaults.bytes_worth_turns);
  if (options.chunks == 0) {
    const auto chunks = static_cast<int>(
        std::min<std::size_t>(bytes / defaults.chunk_bytes, static_cast<std::size_t>(cut.most_chunks)));
    options.chunks = shape.ranks == 1 ? 1 : std::max(1, chunks);
  }
  if (!options.parts.empty()) return options;
  if (shape.ranks == 1)
    options.parts = {1};
  else
    options.parts = cut.parts.size() > 1 && shape.real() ? defaults.real_parts : cut.parts;
  return options;
}

}  // namespace shardfft::gpu
