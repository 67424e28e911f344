#include "local/loops.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace shardfft {
namespace {

bool continues(const Loop& outer, const Loop& inner) {
  return outer.from == inner.count * inner.from && outer.to == inner.count * inner.to;
}

Loops all_loops(const FftSpec& spec, Kind halved) {
  Loops loops = spec.transform;
  if (spec.kind == halved && !loops.empty()) loops.back().count = loops.back().count / 2 + 1;
  loops.insert(loops.end(), spec.batch.begin(), spec.batch.end());
  return loops;
}

std::int64_t extent(const Loops& loops, std::int64_t Loop::*stride) {
  std::int64_t last = 0;
  for (const Loop& loop : loops) {
    if (loop.count == 0) return 0;
    last += (loop.count - 1) * (loop.*stride);
  }
  return last + 1;
}

}  // namespace

std::int64_t points(const Loops& loops) {
  std::int64_t n = 1;
  for (const Loop& loop : loops) n *= loop.count;
  return n;
}

Loops merged(Loops loops) {
  std::erase_if(loops, [](const Loop& loop) { return loop.count == 1; });
  merge_loops(loops, continues);
  std::stable_sort(loops.begin(), loops.end(),
                   [](const Loop& a, const Loop& b) { return a.from != b.from ? a.from > b.from : a.to > b.to; });
  return loops;
}

bool is_empty(const FftSpec& spec) { return points(spec.transform) == 0 || points(spec.batch) == 0; }

Loops input_loops(const FftSpec& spec) { return all_loops(spec, Kind::c2r); }
Loops output_loops(const FftSpec& spec) { return all_loops(spec, Kind::r2c); }

ElementType input_element(const FftSpec& spec) {
  return {spec.precision, spec.kind == Kind::c2c || spec.kind == Kind::c2r};
}
ElementType output_element(const FftSpec& spec) {
  return {spec.precision, spec.kind == Kind::c2c || spec.kind == Kind::r2c};
}

std::int64_t input_extent(const Loops& loops) { return extent(loops, &Loop::from); }
std::int64_t output_extent(const Loops& loops) { return extent(loops, &Loop::to); }

Work work_of(const FftSpec& spec) {
  const auto side_bytes = [](const Loops& loops, ElementType element) {
    return static_cast<double>(points(loops)) * static_cast<double>(element.bytes());
  };
  const auto line = static_cast<double>(points(spec.transform));
  const auto lines = static_cast<double>(points(spec.batch));
  const double flops = (spec.kind == Kind::c2c ? 5 : 2.5) * lines * line * std::log2(std::max(line, 1.0));
  return {side_bytes(input_loops(spec), input_element(spec)) + side_bytes(output_loops(spec), output_element(spec)),
          flops};
}

std::vector<std::int64_t> dense_strides(const Loops& loops) {
  std::vector<std::size_t> order(loops.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return loops[a].from < loops[b].from; });
  std::vector<std::int64_t> strides(loops.size());
  std::int64_t stride = 1;
  for (const std::size_t i : order) {
    strides[i] = stride;
    stride *= loops[i].count;
  }
  return strides;
}

void set_strides(FftSpec& spec, std::int64_t Loop::*side, const std::vector<std::int64_t>& strides) {
  std::size_t next = 0;
  for (Loop& d : spec.transform) d.*side = strides[next++];
  for (Loop& d : spec.batch) d.*side = strides[next++];
}

}  // namespace shardfft
