#pragma once
// The local transform of one chunk, in blocks; messages can continue between two blocks.
#include <cstddef>
#include <functional>
#include <memory>
#include <vector>

#include "exec/bundled_fft.hpp"
#include "exec/operation.hpp"
#include "geometry/schedule.hpp"

namespace shardfft {

class ChunkFft {
 public:
  /// Transforms this rank's elements in `slice`, whose axis is not transformed; Slice{} means all of them.
  ChunkFft(const BundledFftSetup& setup, const Slice& slice);
  /// Known after the plan's transforms are made.
  std::size_t scratch_bytes() const;
  std::size_t table_bytes() const;
  /// `in` and `out` are the whole arrays; `scratch` has scratch_bytes(). The calling thread calls `between` after every
  /// block of its own. All time of a block is recorded as that of a transform, including its copies into and out of
  /// cache.
  void run(const std::byte* in, std::byte* out, std::byte* scratch, const std::function<void()>& between) const;

 private:
  /// Offsets are in bytes from the beginning of the whole arrays.
  struct Block {
    std::unique_ptr<Operation> fft;
    std::int64_t in = 0;
    std::int64_t out = 0;
  };

  void add_block(const BundledFftSetup& setup, const Piece& in, const Piece& out);
  /// The scratch of the block that needs most: each thread runs one block at a time.
  std::size_t block_bytes() const;
  void run_block(const Block& block, const std::byte* in, std::byte* out, std::byte* scratch, Trace* trace) const;
  void run_tasks(const std::byte* in, std::byte* out, std::byte* scratch, const std::function<void()>& between) const;

  std::vector<Block> blocks_;
  int task_threads_ = 1;  ///< if several, each runs whole blocks
  Trace* trace_;
};

}  // namespace shardfft
