// Copies that go past the cache: for results that nobody reads before they would have been evicted anyway. A plain
// store first reads the line it writes; these do not, which saves a third of the traffic of a copy.
#include <algorithm>
#include <cstdint>
#include <cstring>

#include "pack/loop_nest.hpp"
#include "pack/pack.hpp"

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
    const __m128i a = _mm_loadu_si128(s);
    const __m128i b = _mm_loadu_si128(s + 1);
    const __m128i c = _mm_loadu_si128(s + 2);
    const __m128i e = _mm_loadu_si128(s + 3);
    _mm_stream_si128(d, a);
    _mm_stream_si128(d + 1, b);
    _mm_stream_si128(d + 2, c);
    _mm_stream_si128(d + 3, e);
  }
  std::memcpy(destination + i, source + i, static_cast<std::size_t>(bytes - i));
}
void stream_end() { _mm_sfence(); }

/// Asks for lines well ahead and keeps them out of the outer caches, which the destination needs.
void fetch_run(const std::byte* source, std::byte* destination, std::int64_t bytes) {
  constexpr std::int64_t ahead = 2048;
  std::int64_t i = 0;
  for (; i + 64 <= bytes; i += 64) {
    _mm_prefetch(reinterpret_cast<const char*>(source + i + ahead), _MM_HINT_NTA);
    const auto* s = reinterpret_cast<const __m128i*>(source + i);
    auto* d = reinterpret_cast<__m128i*>(destination + i);
    const __m128i a = _mm_loadu_si128(s);
    const __m128i b = _mm_loadu_si128(s + 1);
    const __m128i c = _mm_loadu_si128(s + 2);
    const __m128i e = _mm_loadu_si128(s + 3);
    _mm_storeu_si128(d, a);
    _mm_storeu_si128(d + 1, b);
    _mm_storeu_si128(d + 2, c);
    _mm_storeu_si128(d + 3, e);
  }
  std::memcpy(destination + i, source + i, static_cast<std::size_t>(bytes - i));
}
#else
void fetch_run(const std::byte* source, std::byte* destination, std::int64_t bytes) {
  std::memcpy(destination, source, static_cast<std::size_t>(bytes));
}
void stream_run(const std::byte* source, std::byte* destination, std::int64_t bytes) {
  std::memcpy(destination, source, static_cast<std::size_t>(bytes));
}
void stream_end() {}
#endif

using RunCopy = void (*)(const std::byte*, std::byte*, std::int64_t);

struct Runs {
  const LoopNest& nest;
  std::int64_t element;
  std::int64_t bytes;
  RunCopy copy;
};

void copy_loops(const std::byte* source, std::byte* destination, const Runs& runs, int level) {
  if (level == runs.nest.depth - 1) {
    runs.copy(source, destination, runs.bytes);
    return;
  }
  const Loop& loop = runs.nest.loop[static_cast<std::size_t>(level)];
  for (std::int64_t i = 0; i < loop.count; ++i)
    copy_loops(source + i * loop.from * runs.element, destination + i * loop.to * runs.element, runs, level + 1);
}

/// Copies by `copy` if both boxes consist of runs long enough for it, and says whether they do.
bool copy_by_runs(const std::byte* source, const Box& from, std::byte* destination, const Box& to,
                  std::size_t element_bytes, RunCopy copy) {
  constexpr std::int64_t long_run_bytes = 256;
  const LoopNest nest = common_refinement(from, to);
  if (nest.empty || nest.depth == 0) return false;
  const Loop& last = nest.loop[static_cast<std::size_t>(nest.depth - 1)];
  const auto element = static_cast<std::int64_t>(element_bytes);
  if (last.from != 1 || last.to != 1 || last.count * element < long_run_bytes) return false;
  copy_loops(source + nest.from_offset * element, destination + nest.to_offset * element,
             {nest, element, last.count * element, copy}, 0);
  return true;
}

}  // namespace

void stream_box(const std::byte* source, const Box& from, std::byte* destination, const Box& to,
                std::size_t element_bytes) {
  if (copy_by_runs(source, from, destination, to, element_bytes, stream_run))
    stream_end();
  else
    copy_box(source, from, destination, to, element_bytes, 1);
}

void fetch_box(const std::byte* source, const Box& from, std::byte* destination, const Box& to,
               std::size_t element_bytes) {
  if (!copy_by_runs(source, from, destination, to, element_bytes, fetch_run))
    copy_box(source, from, destination, to, element_bytes, 1);
}

}  // namespace shardfft
