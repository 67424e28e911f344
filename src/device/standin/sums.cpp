// device/sums.hpp without a GPU: plain loops.
#include "device/sums.hpp"

#include <algorithm>
#include <bit>
#include <complex>
#include <cstring>

#include "device/standin/kernel.hpp"

namespace shardfft::device {
namespace {

using standin::enqueue_kernel;

std::uint32_t word(const std::byte* at) {
  std::uint32_t bits = 0;
  std::memcpy(&bits, at, sizeof bits);
  return bits;
}

std::uint64_t words(const std::byte* at, std::size_t bytes) {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < bytes; i += sizeof(std::uint32_t)) sum += word(at + i);
  return sum;
}

/// The distance, in elements, from the first element that loops of these counts and strides touch to the last one.
std::int64_t reach(const std::vector<Loop>& loops) {
  std::int64_t last = 0;
  for (const Loop& loop : loops) last += (loop.count - 1) * loop.from;
  return last;
}

template <class T>
class Lines {
 public:
  Lines(const WeightedSums& what, double* sums, std::uint64_t* bits)
      : what_(what), lines_(what.lines()), sums_(sums), bits_(bits) {}

  void visit_units(std::size_t level, const std::byte* at, std::int64_t sum) const {
    if (level == what_.units.size()) return visit_line(0, at, sum, {1, 0}, what_.weights);
    const Loop& loop = what_.units[level];
    for (std::int64_t i = 0; i < loop.count; ++i)
      visit_units(level + 1, at + i * loop.from * element(), sum + i * loop.to);
  }

 private:
  std::int64_t element() const { return static_cast<std::int64_t>(what_.element.bytes()); }

  void visit_line(std::size_t level, const std::byte* at, std::int64_t sum, std::complex<double> weight,
                  const double* weights) const {
    if (level == what_.line.size()) return add(at, sum, weight);
    const Loop& loop = what_.line[level];
    for (std::int64_t i = 0; i < loop.count; ++i)
      visit_line(level + 1, at + i * loop.from * element(), sum,
                 weight * std::complex<double>(weights[2 * i], weights[2 * i + 1]), weights + 2 * loop.count);
  }

  void add(const std::byte* at, std::int64_t sum, std::complex<double> weight) const {
    T parts[2] = {};
    std::memcpy(parts, at, what_.element.bytes());
    const std::complex<double> x(static_cast<double>(parts[0]), static_cast<double>(parts[1]));
    const std::complex<double> product = x * weight;
    sums_[sum] += product.real();
    sums_[sum + lines_] += product.imag();
    sums_[sum + 2 * lines_] += std::norm(x);
    *bits_ += words(at, what_.element.bytes());
  }

  const WeightedSums& what_;
  std::int64_t lines_;
  double* sums_;
  std::uint64_t* bits_;
};

std::uint64_t box_words(const std::byte* array, const Box& box, std::size_t element_bytes, int axis,
                        std::int64_t offset) {
  if (axis == box.axes) return words(array + static_cast<std::size_t>(offset) * element_bytes, element_bytes);
  const auto a = static_cast<std::size_t>(axis);
  std::uint64_t sum = 0;
  for (std::int64_t i = 0; i < box.count[a]; ++i)
    sum += box_words(array, box, element_bytes, axis + 1, offset + i * box.stride[a]);
  return sum;
}

LineSums sums_of(const double* sums, std::int64_t lines) { return {sums, sums + lines, sums + 2 * lines, lines}; }

}  // namespace

void add_weighted(const std::byte* array, const WeightedSums& what, double* sums, std::uint64_t* bits, void* stream) {
  const std::int64_t lines = what.lines(), points = what.points();
  if (lines == 0 || points == 0) return;
  std::size_t weights = 0;
  for (const Loop& loop : what.line) weights += 2 * static_cast<std::size_t>(loop.count) * sizeof(double);
  const auto elements = static_cast<std::size_t>(reach(what.units) + reach(what.line) + 1);
  enqueue_kernel(stream, "weighted sums",
                 {{array, elements * what.element.bytes()},
                  {what.weights, weights},
                  {sums, 3 * static_cast<std::size_t>(lines) * sizeof(double)},
                  {bits, sizeof *bits}},
                 [=] {
                   if (what.element.precision == Precision::f64)
                     Lines<double>(what, sums, bits).visit_units(0, array, 0);
                   else
                     Lines<float>(what, sums, bits).visit_units(0, array, 0);
                 });
}

void add_bits(const std::byte* array, const Box& box, std::size_t element_bytes, std::uint64_t* sum, void* stream) {
  if (box.elements() == 0) return;
  std::int64_t last = box.offset;
  for (int a = 0; a < box.axes; ++a) {
    const auto axis = static_cast<std::size_t>(a);
    last += (box.count[axis] - 1) * box.stride[axis];
  }
  enqueue_kernel(stream, "sum of bits",
                 {{array + static_cast<std::size_t>(box.offset) * element_bytes,
                   static_cast<std::size_t>(last - box.offset + 1) * element_bytes},
                  {sum, sizeof *sum}},
                 [=] { *sum += box_words(array, box, element_bytes, 0, box.offset); });
}

void add_differences(const std::byte* one, const std::byte* other, std::size_t bytes, std::uint64_t* sum,
                     void* stream) {
  if (bytes == 0) return;
  enqueue_kernel(stream, "comparison", {{one, bytes}, {other, bytes}, {sum, sizeof *sum}}, [=] {
    for (std::size_t i = 0; i < bytes; i += sizeof(std::uint32_t)) *sum += word(one + i) != word(other + i) ? 1 : 0;
  });
}

void compare_lines(const double* before, const double* after, std::int64_t lines, const LineLimits& limits,
                   std::uint64_t* result, void* stream) {
  if (lines == 0) return;
  const std::size_t bytes = 3 * static_cast<std::size_t>(lines) * sizeof(double);
  enqueue_kernel(stream, "comparison of sums", {{before, bytes}, {after, bytes}, {result, 2 * sizeof *result}}, [=] {
    double most = 0;
    for (std::int64_t line = 0; line < lines; ++line) {
      const double residual = line_residual(limits, sums_of(before, lines), sums_of(after, lines), line);
      if (residual >= 0) ++result[0];
      most = std::max(most, residual);
    }
    result[1] = std::bit_cast<std::uint64_t>(most);
  });
}

}  // namespace shardfft::device
