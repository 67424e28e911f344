#pragma once
// The innermost copies: runs, strided rows and tiled transposes of elements of `E` bytes. Addresses need no alignment.
// Strides of loops are in bytes.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "pack/loop_nest.hpp"

namespace shardfft::kernel {

/// Vector extensions of GCC and Clang: the same source gives SSE on x86 and NEON on ARM.
using Pair = std::uint64_t __attribute__((vector_size(16)));
using Quad = std::uint32_t __attribute__((vector_size(16)));

template <class T>
inline T load(const std::byte* p) {
  T value;
  std::memcpy(&value, p, sizeof(T));
  return value;
}

template <class T>
inline void store(std::byte* p, T value) {
  std::memcpy(p, &value, sizeof(T));
}

/// Copies `rows` runs of `bytes` contiguous bytes.
inline void copy_runs(const std::byte* source, std::byte* destination, const Loop& rows, std::int64_t bytes) {
  for (std::int64_t r = 0; r < rows.count; ++r)
    std::memcpy(destination + r * rows.to, source + r * rows.from, static_cast<std::size_t>(bytes));
}

/// Copies rows of elements with any strides, and short contiguous runs (a call of memcpy for each would cost more).
template <std::size_t E>
void copy_rows(const std::byte* source, std::byte* destination, const Loop& rows, const Loop& line) {
  for (std::int64_t r = 0; r < rows.count; ++r) {
    const std::byte* s = source + r * rows.from;
    std::byte* d = destination + r * rows.to;
    for (std::int64_t i = 0; i < line.count; ++i) std::memcpy(d + i * line.to, s + i * line.from, E);
  }
}

/// Elements in a cache line: the side of the square that `transpose_line` copies.
template <std::size_t E>
inline constexpr std::int64_t line_elements = 64 / static_cast<std::int64_t>(E);

/// Transposes a square of `line_elements`, contiguous along one axis in the source and along the other in the
/// destination: every cache line that it touches is used whole. `from` and `to` are distances of its rows in bytes.
template <std::size_t E>
void transpose_line(const std::byte* source, std::int64_t from, std::byte* destination, std::int64_t to);

template <>
inline void transpose_line<16>(const std::byte* source, std::int64_t from, std::byte* destination, std::int64_t to) {
  for (std::int64_t i = 0; i < 4; ++i)
    for (std::int64_t j = 0; j < 4; ++j) store(destination + i * to + j * 16, load<Pair>(source + j * from + i * 16));
}

template <>
inline void transpose_line<8>(const std::byte* source, std::int64_t from, std::byte* destination, std::int64_t to) {
  for (std::int64_t i = 0; i < 8; i += 2) {
    for (std::int64_t j = 0; j < 8; j += 2) {
      const auto a = load<Pair>(source + j * from + i * 8);
      const auto b = load<Pair>(source + (j + 1) * from + i * 8);
      store(destination + i * to + j * 8, Pair{a[0], b[0]});
      store(destination + (i + 1) * to + j * 8, Pair{a[1], b[1]});
    }
  }
}

template <>
inline void transpose_line<4>(const std::byte* source, std::int64_t from, std::byte* destination, std::int64_t to) {
  for (std::int64_t i = 0; i < 16; i += 4) {
    for (std::int64_t j = 0; j < 16; j += 4) {
      Quad row[4];
      for (int r = 0; r < 4; ++r) row[r] = load<Quad>(source + (j + r) * from + i * 4);
      const Quad ab_low = __builtin_shufflevector(row[0], row[1], 0, 4, 1, 5);
      const Quad ab_high = __builtin_shufflevector(row[0], row[1], 2, 6, 3, 7);
      const Quad cd_low = __builtin_shufflevector(row[2], row[3], 0, 4, 1, 5);
      const Quad cd_high = __builtin_shufflevector(row[2], row[3], 2, 6, 3, 7);
      std::byte* d = destination + i * to + j * 4;
      store(d, Quad(__builtin_shufflevector(ab_low, cd_low, 0, 1, 4, 5)));
      store(d + to, Quad(__builtin_shufflevector(ab_low, cd_low, 2, 3, 6, 7)));
      store(d + 2 * to, Quad(__builtin_shufflevector(ab_high, cd_high, 0, 1, 4, 5)));
      store(d + 3 * to, Quad(__builtin_shufflevector(ab_high, cd_high, 2, 3, 6, 7)));
    }
  }
}

/// Copies one tile of a transpose: whole squares by `transpose_line`, the other elements one by one.
template <std::size_t E>
void transpose_tile(const std::byte* source, std::byte* destination, const Loop& near_source, const Loop& near_target) {
  constexpr std::int64_t line = line_elements<E>;
  const bool unit = near_source.from == static_cast<std::int64_t>(E) && near_target.to == static_cast<std::int64_t>(E);
  const std::int64_t whole_s = unit ? near_source.count / line * line : 0;
  const std::int64_t whole_t = unit ? near_target.count / line * line : 0;
  for (std::int64_t i = 0; i < whole_s; i += line)
    for (std::int64_t j = 0; j < whole_t; j += line)
      transpose_line<E>(source + i * near_source.from + j * near_target.from, near_target.from,
                        destination + i * near_source.to + j * near_target.to, near_source.to);
  for (std::int64_t i = 0; i < near_source.count; ++i)
    for (std::int64_t j = i < whole_s ? whole_t : 0; j < near_target.count; ++j)
      std::memcpy(destination + i * near_source.to + j * near_target.to,
                  source + i * near_source.from + j * near_target.from, E);
}

/// Exchanges two axes: `near_source` is the fastest of the source, `near_target` that of the destination. Tiles keep
/// the lines of both sides in the first-level cache until all their elements are used.
template <std::size_t E>
void transpose(const std::byte* source, std::byte* destination, const Loop& near_source, const Loop& near_target) {
  constexpr std::int64_t tile = E == 16 ? 32 : 64;
  for (std::int64_t i = 0; i < near_source.count; i += tile) {
    const Loop a{std::min(tile, near_source.count - i), near_source.from, near_source.to};
    for (std::int64_t j = 0; j < near_target.count; j += tile) {
      const Loop b{std::min(tile, near_target.count - j), near_target.from, near_target.to};
      transpose_tile<E>(source + i * a.from + j * b.from, destination + i * a.to + j * b.to, a, b);
    }
  }
}

}  // namespace shardfft::kernel
