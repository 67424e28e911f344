#pragma once
// Memory that is read next: computations prefetch it line by line, so that later reads do not wait. No standard library
// and nothing out of line here: kernels that are compiled for several processors include it.

namespace shardfft {

/// Rows of memory in the order in which they will be read; empty unless a class derives from it.
struct ReadAhead {
  static constexpr int line_bytes = 64;

  const char* at = nullptr;  ///< the first line of the row that was not prefetched
  const char* end = nullptr;
  /// Takes the next row; false if there is none.
  bool (*next)(ReadAhead&) = nullptr;
  int share = 1;               ///< each transformed axis prefetches one part in so many of all rows ...
  int passes = 1;              ///< ... and each pass one in so many of that
  int credit = 0;              ///< lines that were computed without a prefetch
  const char* idle = nullptr;  ///< prefetched if nothing else is left: memory in cache

  /// Lines that lie one behind the other.
  struct CacheLines {
    const char* at;
    int lines;
  };
  /// The lines to prefetch while `lines` lines of cache are computed: `most` at most.
  [[gnu::always_inline]] CacheLines take(int lines, int most) {
    if (next == nullptr) return {idle, 0};
    const int price = share * passes;
    credit += lines;
    if (credit < price) return {idle, 0};
    if (at >= end && !next(*this)) {
      next = nullptr;
      return {idle, 0};
    }
    const auto left = static_cast<int>((end - at + line_bytes - 1) / line_bytes);
    int count = credit / price;
    if (count > left) count = left;
    if (count > most) count = most;
    credit -= count * price;
    const char* const from = at;
    at += count * line_bytes;
    return {from, count};
  }
};

}  // namespace shardfft
