// Copies that go past the cache: for results that nobody reads before they would have been evicted anyway. A plain
// store first reads the line it writes; these do not, which saves a third of the traffic of a copy.
#include <algorithm>
#include <cstdint>
#include <cstring>

#include "base/compute.hpp"
#include "pack/loop_nest.hpp"
#include "pack/pack.hpp"
#include "tune/defaults.hpp"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace shardfft {

namespace {

#if defined(__SSE2__)
void stream_run(const std::byte* source, std::byte* destination, std::int64_t bytes) {
  // Whole cache lines only: a line written in part is written twice.
  const auto misaligned = static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(destination) % 64);
  const std::int64_t head = std::min(bytes, misaligned == 0 ? 0 : 64 - misaligned);
  std::memcpy(destination, source, static_cast<std::size_t>(head));
  std::int64_t i = head;
  for (; i + 64 <= bytes; i += 64) {
    const auto* s = reinterpret_cast<const __m128i*>(source + i);
    auto* d = reinterpret_cast<__m128i*>(destination + i);
    const __m128i line[4] = {_mm_loadu_si128(s), _mm_loadu_si128(s + 1), _mm_loadu_si128(s + 2),
                             _mm_loadu_si128(s + 3)};
    for (int quarter = 0; quarter < 4; ++quarter) _mm_stream_si128(d + quarter, line[quarter]);
  }
  std::memcpy(destination + i, source + i, static_cast<std::size_t>(bytes - i));
}
void stream_end() { _mm_sfence(); }
#else
void stream_run(const std::byte* source, std::byte* destination, std::int64_t bytes) {
  std::memcpy(destination, source, static_cast<std::size_t>(bytes));
}
void stream_end() {}
#endif

/// A nest whose last loop is a run of `bytes` on both sides.
struct Runs {
  const LoopNest& nest;
  std::int64_t element;
  std::int64_t bytes;
};

void stream_loops(const std::byte* source, std::byte* destination, const Runs& runs, int level) {
  if (level == runs.nest.depth - 1) {
    stream_run(source, destination, runs.bytes);
    return;
  }
  const Loop& loop = runs.nest.loop[static_cast<std::size_t>(level)];
  for (std::int64_t i = 0; i < loop.count; ++i)
    stream_loops(source + i * loop.from * runs.element, destination + i * loop.to * runs.element, runs, level + 1);
}

}  // namespace

void stream_box(const std::byte* source, const Box& from, std::byte* destination, const Box& to,
                std::size_t element_bytes) {
  const LoopNest nest = common_refinement(from, to);
  const auto element = static_cast<std::int64_t>(element_bytes);
  const Loop last = nest.empty || nest.depth == 0 ? Loop{} : nest.loop[static_cast<std::size_t>(nest.depth - 1)];
  if (last.from != 1 || last.to != 1 || last.count * element < host_defaults().run_bytes_to_write_past_cache) {
    copy_box(source, from, destination, to, element_bytes, 1);
    return;
  }
  compute(copy_work(nest, element_bytes), [&] {
    stream_loops(source + nest.from_offset * element, destination + nest.to_offset * element,
                 {nest, element, last.count * element}, 0);
    stream_end();
  });
}

}  // namespace shardfft
