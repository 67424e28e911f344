#include "pack/pack.hpp"

#include <algorithm>
#include <cstring>

#include "base/check.hpp"
#include "base/compute.hpp"
#include "pack/kernels.hpp"
#include "pack/loop_nest.hpp"
#include "tune/defaults.hpp"

namespace shardfft {

namespace {

/// A nest in two parts: two loops for a kernel, the others around it.
struct Split {
  std::array<Loop, 2 * max_axes> outer{};
  int outer_depth = 0;
  Loop near_source;  ///< fastest loop of the source; the rows when `transposed` is false
  Loop near_target;  ///< fastest loop of the destination
  bool transposed = false;
};

Split split(const LoopNest& nest) {
  Split parts;
  if (nest.depth == 0) return parts;
  const auto begin = nest.loop.begin();
  const int fastest_target = nest.depth - 1;
  const int fastest_source = static_cast<int>(
      std::min_element(begin, begin + nest.depth, [](const Loop& a, const Loop& b) { return a.from < b.from; }) -
      begin);
  parts.transposed = fastest_source != fastest_target;
  parts.near_target = nest.loop[static_cast<std::size_t>(fastest_target)];
  const int other = parts.transposed ? fastest_source : nest.depth - 2;
  if (other >= 0) parts.near_source = nest.loop[static_cast<std::size_t>(other)];
  for (int i = 0; i < nest.depth; ++i)
    if (i != other && i != fastest_target)
      parts.outer[static_cast<std::size_t>(parts.outer_depth++)] = nest.loop[static_cast<std::size_t>(i)];
  return parts;
}

template <std::size_t E>
void run_kernel(const std::byte* source, std::byte* destination, const Split& parts) {
  constexpr auto bytes = static_cast<std::int64_t>(E);
  const Loop a{parts.near_source.count, parts.near_source.from * bytes, parts.near_source.to * bytes};
  const Loop b{parts.near_target.count, parts.near_target.from * bytes, parts.near_target.to * bytes};
  if (parts.transposed && E >= 4) {
    kernel::transpose<std::max<std::size_t>(E, 4)>(source, destination, a, b);
  } else if (b.from == bytes && b.to == bytes && b.count * bytes > host_defaults().run_bytes_worth_a_call) {
    kernel::copy_runs(source, destination, a, b.count * bytes);
  } else {
    kernel::copy_rows<E>(source, destination, a, b);
  }
}

template <std::size_t E>
void run_loops(const std::byte* source, std::byte* destination, const Split& parts, int level) {
  if (level == parts.outer_depth) {
    run_kernel<E>(source, destination, parts);
    return;
  }
  const Loop& loop = parts.outer[static_cast<std::size_t>(level)];
  for (std::int64_t i = 0; i < loop.count; ++i)
    run_loops<E>(source + i * loop.from * static_cast<std::int64_t>(E),
                 destination + i * loop.to * static_cast<std::int64_t>(E), parts, level + 1);
}

template <std::size_t E>
void run_nest(const std::byte* source, std::byte* destination, const LoopNest& nest) {
  if (nest.empty) return;
  constexpr auto bytes = static_cast<std::int64_t>(E);
  run_loops<E>(source + nest.from_offset * bytes, destination + nest.to_offset * bytes, split(nest), 0);
}

/// The loop that threads share: the slowest of the destination with at least one index a thread, else the longest.
int loop_to_cut(const LoopNest& nest, int threads) {
  int longest = 0;
  for (int i = 0; i < nest.depth; ++i) {
    const std::int64_t count = nest.loop[static_cast<std::size_t>(i)].count;
    if (count >= threads) return i;
    if (count > nest.loop[static_cast<std::size_t>(longest)].count) longest = i;
  }
  return longest;
}

template <std::size_t E>
void copy_nest(const std::byte* source, std::byte* destination, const LoopNest& nest, int threads) {
  const std::int64_t bytes = nest.elements() * static_cast<std::int64_t>(E);
  const auto workers =
      static_cast<int>(std::min<std::int64_t>(threads, bytes / host_defaults().copy_bytes_worth_a_thread));
  if (workers <= 1 || nest.depth == 0) {
    run_nest<E>(source, destination, nest);
    return;
  }
  const int index = loop_to_cut(nest, workers);
  const std::int64_t count = nest.loop[static_cast<std::size_t>(index)].count;
#pragma omp parallel for num_threads(workers) schedule(static)
  for (int part = 0; part < workers; ++part)
    run_nest<E>(source, destination, nest.cut(index, count * part / workers, count * (part + 1) / workers));
}

}  // namespace

void copy_box(const std::byte* source, const Box& from, std::byte* destination, const Box& to,
              std::size_t element_bytes, int threads) {
  const LoopNest nest = common_refinement(from, to);
  compute(copy_work(nest, element_bytes), [&] {
    switch (element_bytes) {
      case 1:
        return copy_nest<1>(source, destination, nest, threads);
      case 2:
        return copy_nest<2>(source, destination, nest, threads);
      case 4:
        return copy_nest<4>(source, destination, nest, threads);
      case 8:
        return copy_nest<8>(source, destination, nest, threads);
      case 16:
        return copy_nest<16>(source, destination, nest, threads);
      default:
        fail(Status::internal, "no copy for elements of ", element_bytes, " bytes");
    }
  });
}

void copy_bytes(const std::byte* source, std::byte* destination, std::size_t bytes) {
  if (bytes == 0) return;
  compute({2 * static_cast<double>(bytes), 0}, [&] { std::memcpy(destination, source, bytes); });
}

void pack_boxes(const std::byte* array, const std::vector<Box>& boxes, std::byte* run, std::size_t element_bytes,
                int threads) {
  std::int64_t offset = 0;
  for (const Box& box : boxes) {
    const std::int64_t elements = box.elements();
    copy_box(array, box, run, Box::run(offset, elements), element_bytes, threads);
    offset += elements;
  }
}

void unpack_boxes(const std::byte* run, const std::vector<Box>& boxes, std::byte* array, std::size_t element_bytes,
                  int threads) {
  std::int64_t offset = 0;
  for (const Box& box : boxes) {
    const std::int64_t elements = box.elements();
    copy_box(run, Box::run(offset, elements), array, box, element_bytes, threads);
    offset += elements;
  }
}

}  // namespace shardfft
