// device/fields.hpp without a GPU: plain loops.
#include "device/fields.hpp"

#include <cmath>
#include <cstring>
#include <numeric>

#include "device/standin/kernel.hpp"
#include "pack/add.hpp"

namespace shardfft::device {
namespace {

using standin::Access;
using standin::enqueue_kernel;

/// The bytes from the first number of a box to the last one.
Access reach(const std::byte* array, const Box& box, std::size_t element_bytes) {
  std::int64_t last = 0;
  for (std::size_t a = 0; a < static_cast<std::size_t>(box.axes); ++a) last += (box.count[a] - 1) * box.stride[a];
  return {array + static_cast<std::size_t>(box.offset) * element_bytes,
          static_cast<std::size_t>(last + 1) * element_bytes};
}

template <class T>
void add_piece(const std::byte* a, const std::byte* b, const ShellSums& what, const Piece& piece, const double* tables,
               double* sums) {
  const std::int64_t parts = what.element.is_complex ? 2 : 1;
  for (std::int64_t number = 0; number < piece.set.count(); ++number) {
    std::int64_t rest = number, place = piece.offset;
    std::array<std::int64_t, max_axes> index{};
    for (std::size_t axis = what.extents.size(); axis-- > 0; rest /= piece.set.axis[axis].count) {
      const std::int64_t at = rest % piece.set.axis[axis].count;
      index[axis] = piece.set.axis[axis].at(at);
      place += at * piece.stride[axis];
    }
    double square = 0, weight = 1, term = 0;
    const double* table = tables;
    for (std::size_t axis = 0; axis < what.extents.size(); table += 2 * what.extents[axis++]) {
      square += table[index[axis]];
      weight *= table[what.extents[axis] + index[axis]];
    }
    const T* const one = reinterpret_cast<const T*>(a) + place * parts;
    for (std::int64_t p = 0; p < parts && what.summand == Summand::product; ++p)
      term += static_cast<double>(one[p]) * static_cast<double>((reinterpret_cast<const T*>(b) + place * parts)[p]);
    if (what.summand != Summand::product) term = static_cast<double>(one[0]);
    if (what.summand == Summand::size) term = parts == 2 ? std::hypot(one[0], one[1]) : std::abs(term);
    sums[static_cast<std::size_t>(std::sqrt(square) / what.width + 0.5)] += weight * term;
  }
}

}  // namespace

void add_in_shells(const std::byte* a, const std::byte* b, const ShellSums& what, const double* tables, double* sums,
                   void* stream) {
  const auto bytes = [](std::int64_t count) { return static_cast<std::size_t>(count) * sizeof(double); };
  const std::int64_t indices = std::accumulate(what.extents.begin(), what.extents.end(), std::int64_t{0});
  for (const Piece& piece : what.pieces) {
    if (piece.set.empty()) continue;
    std::vector<Access> touched{
        reach(a, box_of(piece), what.element.bytes()), {tables, bytes(2 * indices)}, {sums, bytes(what.shells)}};
    if (what.summand == Summand::product) touched.push_back(reach(b, box_of(piece), what.element.bytes()));
    enqueue_kernel(stream, "sums in shells", std::move(touched), [=] {
      (what.element.precision == Precision::f64 ? add_piece<double> : add_piece<float>)(a, b, what, piece, tables,
                                                                                        sums);
    });
  }
}

void powers_of_runs(const std::byte* array, std::int64_t count, std::int64_t fields, std::int64_t parts,
                    Precision precision, Powers* powers, void* stream) {
  const bool wide = precision == Precision::f64;
  const auto of_runs = [=](const auto* numbers) {
    for (std::int64_t i = 0; i < fields * parts; ++i) {
      const Progression run = block_part(count, parts, i % parts);
      powers[i] = run.empty() ? Powers() : shardfft::powers_of(numbers + i / parts * count + run.first, run.count);
    }
  };
  enqueue_kernel(
      stream, "powers",
      {{array, static_cast<std::size_t>(count * fields) * (wide ? sizeof(double) : sizeof(float))},
       {powers, static_cast<std::size_t>(fields * parts) * sizeof(Powers)}},
      [=] { wide ? of_runs(reinterpret_cast<const double*>(array)) : of_runs(reinterpret_cast<const float*>(array)); });
}

void add_box(const std::byte* source, const Box& from, std::byte* destination, const Box& to, ElementType element,
             void* stream) {
  if (to.elements() == 0) return;
  enqueue_kernel(stream, "add a box", {reach(source, from, element.bytes()), reach(destination, to, element.bytes())},
                 [=] { shardfft::add_box(source, from, destination, to, element); });
}

void clear_box(std::byte* array, const Box& box, ElementType element, void* stream) {
  if (box.elements() == 0) return;
  enqueue_kernel(stream, "clear a box", {reach(array, box, element.bytes())},
                 [=] { shardfft::clear_box(array, box, element); });
}

}  // namespace shardfft::device
