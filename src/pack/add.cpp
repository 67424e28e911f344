#include "pack/add.hpp"

#include "pack/loop_nest.hpp"

namespace shardfft {

namespace {

/// Calls work(from, to) for each real number of a nest whose elements have `parts` real numbers.
template <class T, class Work>
void walk(const LoopNest& nest, int level, const T* from, T* to, std::int64_t parts, const Work& work) {
  if (level == nest.depth) {
    for (std::int64_t p = 0; p < parts; ++p) work(from[p], to[p]);
    return;
  }
  const Loop loop = nest.loop[static_cast<std::size_t>(level)];
  if (level + 1 < nest.depth || parts > 1 || loop.from != 1 || loop.to != 1) {
    for (std::int64_t i = 0; i < loop.count; ++i)
      walk(nest, level + 1, from + i * loop.from * parts, to + i * loop.to * parts, parts, work);
    return;
  }
  for (std::int64_t i = 0; i < loop.count; ++i) work(from[i], to[i]);
}

template <class T, class Work>
void walk(const std::byte* source, std::byte* destination, const LoopNest& nest, std::int64_t parts, const Work& work) {
  if (nest.empty) return;
  walk(nest, 0, reinterpret_cast<const T*>(source) + nest.from_offset * parts,
       reinterpret_cast<T*>(destination) + nest.to_offset * parts, parts, work);
}

template <class Work>
void walk(const std::byte* source, std::byte* destination, const LoopNest& nest, ElementType element,
          const Work& work) {
  const std::int64_t parts = element.is_complex ? 2 : 1;
  if (element.precision == Precision::f64)
    walk<double>(source, destination, nest, parts, work);
  else
    walk<float>(source, destination, nest, parts, work);
}

}  // namespace

void add_box(const std::byte* source, const Box& from, std::byte* destination, const Box& to, ElementType element) {
  walk(source, destination, common_refinement(from, to), element, [](const auto& a, auto& b) { b += a; });
}

void clear_box(std::byte* array, const Box& box, ElementType element) {
  walk(array, array, common_refinement(box, box), element, [](const auto& /*same*/, auto& b) { b = 0; });
}

}  // namespace shardfft
