#include "local/blocking.hpp"

#include <algorithm>
#include <tuple>

namespace shardfft {
namespace {

/// Elements of neighbouring columns that a block must not cut: two cache lines of the smallest element.
constexpr std::int64_t bundle = 16;

bool is_contiguous(const Loop& loop) { return std::min(loop.from, loop.to) == 1; }

std::int64_t divide_up(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

/// At most `block` points, evened out. If there are enough contiguous columns: whole bundles of them, at least one.
std::int64_t rounded_block(const Loop& loop, std::int64_t block) {
  block = std::clamp<std::int64_t>(block, 1, loop.count);
  const std::int64_t even = divide_up(loop.count, divide_up(loop.count, block));
  if (!is_contiguous(loop)) return even;
  const std::int64_t bundled = divide_up(even, bundle) * bundle;
  return std::min(bundled <= block ? bundled : std::max(bundle, block / bundle * bundle), loop.count);
}

/// Loops in the order that suits the backend best.
Loops by_preference(Loops loops) {
  const auto key = [](const Loop& loop) {
    const bool short_loop = loop.count < 8;  // calls on few transforms cost more than long strides
    return std::tuple(short_loop, short_loop ? -loop.count : loop.from + loop.to);
  };
  std::stable_sort(loops.begin(), loops.end(), [&](const Loop& a, const Loop& b) { return key(a) < key(b); });
  return loops;
}

std::int64_t transform_bytes(const FftSpec& spec) {
  FftSpec one = spec;
  one.batch.clear();
  return std::max(points(input_loops(one)) * static_cast<std::int64_t>(input_element(spec).bytes()),
                  points(output_loops(one)) * static_cast<std::int64_t>(output_element(spec).bytes()));
}

/// `block` rounded up so that no bundle is cut.
std::int64_t whole_bundles(const Loop& loop, std::int64_t block) {
  return is_contiguous(loop) && loop.count > bundle ? divide_up(block, bundle) * bundle : block;
}

/// Cuts the longest loop so that every thread gets the same number of calls.
void cut_for_threads(Blocking& b, int threads) {
  if (b.calls() % threads == 0 || b.calls() >= 4 * static_cast<std::int64_t>(threads)) return;
  if (b.blocked.count == 1 && !b.kept.empty()) {
    const auto longest =
        std::max_element(b.kept.begin(), b.kept.end(), [](const Loop& x, const Loop& y) { return x.count < y.count; });
    b.blocked = *longest;
    b.block = longest->count;
    b.kept.erase(longest);
  }
  const std::int64_t pieces = divide_up(b.blocks(), threads) * threads;
  b.block = std::min(b.block, whole_bundles(b.blocked, divide_up(b.blocked.count, pieces)));
}

}  // namespace

Blocking choose_blocking(const FftSpec& spec, const CallLimits& limits) {
  Blocking result;
  std::int64_t bytes = transform_bytes(spec);
  int given = 0;
  for (const Loop& loop : by_preference(spec.batch)) {
    const bool full = given >= limits.max_loops || result.blocked.count > 1;
    if (full) {
      result.outer.push_back(loop);
    } else if (bytes <= limits.max_bytes / loop.count) {
      result.kept.push_back(loop);
      bytes *= loop.count;
      ++given;
    } else {
      result.blocked = loop;
      result.block = rounded_block(loop, limits.max_bytes / bytes);
      ++given;
    }
  }
  if (limits.threads > 1) cut_for_threads(result, limits.threads);
  return result;
}

}  // namespace shardfft
