#pragma once
// Runs of bytes that are written past the cache, in whole cache lines: a line written in part is written twice.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace shardfft {

#if defined(__SSE2__)
inline void write_past_cache(const std::byte* source, std::byte* destination, std::int64_t bytes) {
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
/// All of it is there.
inline void end_of_stream() { _mm_sfence(); }
#else
inline void write_past_cache(const std::byte* source, std::byte* destination, std::int64_t bytes) {
  std::memcpy(destination, source, static_cast<std::size_t>(bytes));
}
inline void end_of_stream() {}
#endif

}  // namespace shardfft
