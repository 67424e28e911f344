#pragma once
// The recipe of a line kernel, and its choice by the properties of the hardware.
#include <cstdint>
#include <optional>
#include <vector>

#include "device/facts.hpp"
#include "device/line_checks.hpp"
#include "device/line_cut.hpp"
#include "shardfft/types.hpp"

namespace shardfft::device::lines {

/// A kernel for lines of line.n points.
struct Recipe {
  LineCut line;
  int width = 8;               ///< of a bundle, in 16-byte columns
  int resident = 1;            ///< bundles on a multiprocessor at a time
  int cluster = 1;             ///< multiprocessors that keep step on neighbouring bundles
  bool bulk = true;            ///< bulk copies fetch the bundles
  bool holds_weights = false;  ///< shared memory has room for the weights of checks

  constexpr TileCut tile(bool odd = false) const { return {line, width, odd, bulk}; }
  int shared_bytes(Precision precision, bool odd = false) const { return tile(odd).bytes(factor_bytes(precision)); }
  /// The larger need of both precisions for even rows; for odd rows, which are in single precision, their own.
  int most_shared_bytes(bool odd) const { return shared_bytes(odd ? Precision::f32 : Precision::f64, odd); }
  /// With the weights of checks behind the twiddles.
  int checked_bytes(Precision precision, bool odd = false) const {
    const int bytes = shared_bytes(precision, odd), number = factor_bytes(precision);
    return holds_weights ? (bytes + 15) / 16 * 16 + weight_bytes(line.n, number) : bytes;
  }
  static constexpr int factor_bytes(Precision precision) { return precision == Precision::f64 ? 16 : 8; }
};

/// The resources of one multiprocessor.
struct Hardware {
  int shared_bytes = 0;      ///< at most, of one block
  int all_shared_bytes = 0;  ///< of all blocks
  int registers = 65536;     ///< of all blocks, 32 bits each
  int threads = 2048;        ///< of all blocks
  bool bulk_copies = true;   ///< also clusters: hardware has both or neither
};

/// Shared memory of a block that kernels declare themselves or that the system reserves, in bytes.
inline constexpr int reserved_shared_bytes = 1024;

/// Longer lines have no recipe.
inline constexpr std::int64_t longest_line = 1 << 13;

inline bool same(const Recipe& a, const Recipe& b) {
  return same(a.line, b.line) && a.width == b.width && a.resident == b.resident && a.cluster == b.cluster &&
         a.bulk == b.bulk;
}

/// A block of Hopper, and its multiprocessor.
inline constexpr Hardware hopper{227 * 1024, 228 * 1024};

/// The recipes of the line kernels that are compiled with the library.
inline constexpr Recipe own_recipes[] = {
    {{128, 8, 2, {8, 16}}, 8, 8, 1},      {{256, 16, 2, {16, 16}}, 16, 2, 1},   {{384, 16, 3, {8, 8, 6}}, 8, 2, 2},
    {{512, 64, 3, {8, 8, 8}}, 16, 1, 2},  {{768, 32, 3, {8, 8, 12}}, 8, 1, 2},  {{1024, 64, 3, {16, 16, 4}}, 8, 1, 2},
    {{1536, 64, 3, {8, 8, 24}}, 4, 1, 2}, {{2048, 64, 3, {32, 8, 8}}, 4, 1, 2},
};
/// Null if there is none.
inline const Recipe* own_recipe(std::int64_t n) {
  for (const Recipe& recipe : own_recipes)
    if (recipe.line.n == n) return &recipe;
  return nullptr;
}

/// A multiprocessor of a device.
Hardware hardware_of(const DeviceFacts& facts);
/// The recipe for lines of n points on such hardware: that of the kernel compiled with the library, else, with a
/// compiler, the best one. Odd rows have larger tiles: they get the first of these that fits into shared memory.
std::optional<Recipe> recipe_for(int n, const Hardware& hardware, bool compiles, bool odd = false);

/// Recipes for lines of n points, the best one first. None if n has a prime factor above 13, or if no bundle fits into
/// shared memory. Without bulk copies, bundles wider than a run of memory gain nothing, but a second bundle on the
/// multiprocessor does: it is read while the first one is transformed.
std::vector<Recipe> recipes(int n, const Hardware& hardware);

}  // namespace shardfft::device::lines
