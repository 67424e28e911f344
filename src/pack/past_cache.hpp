#pragma once
// Writes runs of bytes past the cache, in whole cache lines: a line that is written in part is written twice.
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
/// Makes all that was written past the cache visible.
inline void end_of_stream() { _mm_sfence(); }
#else
inline void write_past_cache(const std::byte* source, std::byte* destination, std::int64_t bytes) {
  std::memcpy(destination, source, static_cast<std::size_t>(bytes));
}
inline void end_of_stream() {}
#endif

/// Writes rows that follow each other in the destination as one run: if a row ends within a cache line, that line waits
/// for the next row.
class RowsPastCache {
 public:
  void write(const std::byte* source, std::byte* destination, std::int64_t bytes) {
    if (destination != end_) finish();
    if (held_ > 0) {
      const std::int64_t more = std::min(bytes, line_bytes - held_);
      std::memcpy(line_ + held_, source, static_cast<std::size_t>(more));
      held_ += more;
      end_ += more;
      if (held_ < line_bytes) return;
      write_past_cache(line_, end_ - line_bytes, line_bytes);
      held_ = 0;
      source += more;
      destination += more;
      bytes -= more;
    }
    end_ = destination + bytes;
    const auto beyond = static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(end_) % line_bytes);
    held_ = beyond < bytes ? beyond : 0;
    write_past_cache(source, destination, bytes - held_);
    std::memcpy(line_, source + bytes - held_, static_cast<std::size_t>(held_));
  }
  /// Writes the held part of the last line.
  void finish() {
    if (held_ == 0) return;  // no row may have been written: `end_` is null then
    std::memcpy(end_ - held_, line_, static_cast<std::size_t>(held_));
    held_ = 0;
  }

 private:
  static constexpr std::int64_t line_bytes = 64;
  std::byte* end_ = nullptr;  ///< of the rows in the destination
  std::int64_t held_ = 0;     ///< bytes of it in `line_`
  alignas(line_bytes) std::byte line_[line_bytes];
};

}  // namespace shardfft
