#include "exec/cross_read.hpp"

#include <algorithm>
#include <utility>

#include "base/compute.hpp"
#include "pack/loop_nest.hpp"
#include "pack/pack.hpp"
#include "tune/defaults.hpp"

namespace shardfft {

namespace {

/// Boxes that must be transposed are read through a buffer of this size, which stays in cache.
std::int64_t buffer_bytes() { return host_defaults().cross_read_buffer_bytes; }
/// Runs that one call reads.
constexpr std::size_t runs_at_once = 512;

/// One reader of one array.
class BoxReader {
 public:
  BoxReader(const CrossMemory& memory, int host_rank, std::uint64_t address, std::size_t element_bytes,
            std::byte* buffer)
      : memory_(memory),
        host_rank_(host_rank),
        address_(address),
        bytes_(static_cast<std::int64_t>(element_bytes)),
        buffer_(buffer) {}

  void read(const LoopNest& nest, std::byte* destination) {
    if (nest.empty) return;
    const bool rows = nest.depth == 0 || (last(nest).from == 1 && last(nest).to == 1);
    if (rows)
      read_rows(nest, destination);
    else
      read_turned(nest, destination);
  }

 private:
  static const Loop& last(const LoopNest& nest) { return nest.loop[static_cast<std::size_t>(nest.depth - 1)]; }

  /// The last loop is contiguous on both sides: reads straight to the destination.
  void read_rows(const LoopNest& nest, std::byte* destination) {
    const std::int64_t row = nest.depth == 0 ? 1 : last(nest).count;
    walk(nest, std::max(0, nest.depth - 1), 0, nest.from_offset, nest.to_offset, row, destination);
    flush();
  }

  void walk(const LoopNest& nest, int depth, int level, std::int64_t from, std::int64_t to, std::int64_t row,
            std::byte* destination) {
    if (level == depth) {
      runs_.push_back({address_ + static_cast<std::uint64_t>(from * bytes_), destination + to * bytes_,
                       static_cast<std::size_t>(row * bytes_)});
      if (runs_.size() == runs_at_once) flush();
      return;
    }
    const Loop& loop = nest.loop[static_cast<std::size_t>(level)];
    for (std::int64_t i = 0; i < loop.count; ++i)
      walk(nest, depth, level + 1, from + i * loop.from, to + i * loop.to, row, destination);
  }

  /// The fastest axes of both sides differ: reads into the buffer in the source's order, then copies from there.
  void read_turned(const LoopNest& nest, std::byte* destination) {
    if (nest.elements() * bytes_ > buffer_bytes()) return read_halves(nest, destination);
    LoopNest there = nest;  // source -> buffer
    std::stable_sort(there.loop.begin(), there.loop.begin() + there.depth,
                     [](const Loop& a, const Loop& b) { return a.from > b.from; });
    Box packed;
    Box placed;
    packed.axes = placed.axes = nest.depth;
    placed.offset = nest.to_offset;
    std::int64_t stride = 1;
    for (int i = there.depth - 1; i >= 0; --i) {
      const auto at = static_cast<std::size_t>(i);
      placed.count[at] = packed.count[at] = there.loop[at].count;
      placed.stride[at] = there.loop[at].to;
      there.loop[at].to = packed.stride[at] = stride;
      stride *= there.loop[at].count;
    }
    there.to_offset = 0;
    if (last(there).from != 1) there.loop[static_cast<std::size_t>(there.depth++)] = {1, 1, 1};
    read_rows(there, buffer_);
    copy_box(buffer_, packed, destination, placed, static_cast<std::size_t>(bytes_));
  }

  /// Reads two halves along the longest loop, if possible one that is not contiguous in the source.
  void read_halves(const LoopNest& nest, std::byte* destination) {
    const auto begin = nest.loop.begin();
    const auto longest = std::max_element(begin, begin + nest.depth, [](const Loop& a, const Loop& b) {
      return std::make_pair(a.from != 1 && a.count > 1, a.count) < std::make_pair(b.from != 1 && b.count > 1, b.count);
    });
    const auto index = static_cast<int>(longest - begin);
    read_turned(nest.cut(index, 0, longest->count / 2), destination);
    read_turned(nest.cut(index, longest->count / 2, longest->count), destination);
  }

  void flush() {
    std::size_t bytes = 0;
    for (const CrossRun& run : runs_) bytes += run.bytes;
    compute({2 * static_cast<double>(bytes), 0}, [this] { memory_.read(host_rank_, runs_); });
    runs_.clear();
  }

  const CrossMemory& memory_;
  int host_rank_;
  std::uint64_t address_;
  std::int64_t bytes_;
  std::byte* buffer_;
  std::vector<CrossRun> runs_;
};

}  // namespace

CrossCost cross_cost(const LocalCopy& copy, std::size_t element_bytes) {
  const LoopNest nest = common_refinement(copy.from, copy.to);
  std::int64_t row = 1;
  for (int i = 0; i < nest.depth; ++i)
    if (nest.loop[static_cast<std::size_t>(i)].from == 1) row = nest.loop[static_cast<std::size_t>(i)].count;
  const std::int64_t elements = nest.elements();
  return {elements / row, elements * static_cast<std::int64_t>(element_bytes)};
}

std::size_t cross_read_bytes() { return static_cast<std::size_t>(buffer_bytes()); }

void read_box(const CrossMemory& memory, int host_rank, std::uint64_t address, const LocalCopy& copy,
              std::byte* destination, std::size_t element_bytes, std::byte* scratch) {
  BoxReader(memory, host_rank, address, element_bytes, scratch)
      .read(common_refinement(copy.from, copy.to), destination);
}

}  // namespace shardfft
