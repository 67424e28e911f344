// device/cosine.hpp without a GPU.
#include "device/cosine.hpp"

#include <cmath>
#include <numbers>

#include "device/standin/kernel.hpp"

namespace shardfft::device {
namespace {

template <class T>
TwoReals<T> root_of(const CosineUnit& unit) {
  const double angle = std::numbers::pi * (static_cast<double>(unit.angle) / static_cast<double>(unit.half_turn));
  return {static_cast<T>(std::cos(angle)), static_cast<T>(std::sin(angle))};
}

template <class T>
void run_before(const T* in, TwoReals<T>* work, const CosineLines& lines) {
  const std::int64_t units = units_before(lines.type, lines.n), all = units * lines.lines_of_all();
  for (std::int64_t i = 0; i < all; ++i) {
    const CosinePlace place = locate(lines, units, i);
    const CosineUnit unit = before_unit(lines.type, lines.n, place.unit);
    TwoReals<T> numbers[2];
    for (int k = 0; k < 2; ++k) {
      if (unit.in[k] < 0) continue;
      const T* const number = in + place.from + unit.in[k] * lines.line.from;
      numbers[k] = {number[0], place.pair ? number[lines.second] : T(0)};
    }
    const TwoReals<T> root = root_of<T>(unit);
    for (int o = 0; o < 2; ++o)
      if (unit.out[o] >= 0) work[place.to + unit.out[o] * lines.line.to] = output_of(unit, o, numbers, root);
  }
}

template <class T>
void run_after(const TwoReals<T>* work, T* out, const CosineLines& lines) {
  const std::int64_t units = units_after(lines.type, lines.n), all = units * lines.lines_of_all();
  for (std::int64_t i = 0; i < all; ++i) {
    const CosinePlace place = locate(lines, units, i);
    const CosineUnit unit = after_unit(lines.type, lines.n, place.unit);
    TwoReals<T> numbers[2];
    for (int k = 0; k < 2; ++k)
      if (unit.in[k] >= 0) numbers[k] = work[place.from + unit.in[k] * lines.line.from];
    const TwoReals<T> root = root_of<T>(unit);
    for (int o = 0; o < 2; ++o) {
      if (unit.out[o] < 0) continue;
      const TwoReals<T> z = output_of(unit, o, numbers, root);
      T* const number = out + place.to + unit.out[o] * lines.line.to;
      number[0] = z.re * static_cast<T>(lines.scale);
      if (place.pair) number[lines.second] = z.im * static_cast<T>(lines.scale);
    }
  }
}

/// The bytes from the first touched number to the last one.
standin::Access touched(const void* array, const CosineLines& lines, std::int64_t Loop::*stride, std::int64_t points,
                        std::int64_t second, std::size_t number_bytes) {
  std::int64_t last = (points - 1) * (lines.line.*stride);
  for (int a = 0; a < lines.depth; ++a) last += (lines.loops[a].count - 1) * (lines.loops[a].*stride);
  if (lines.lines % 2 == 0) last += second;
  return {array, static_cast<std::size_t>(last + 1) * number_bytes};
}

standin::Access touched_work(const void* work, const CosineLines& lines, std::int64_t Loop::*stride,
                             Precision precision) {
  const std::int64_t points = fourier_lines(lines.type, lines.n) * fourier_points(lines.type, lines.n);
  return touched(work, lines, stride, points, 0, ElementType{precision, true}.bytes());
}

}  // namespace

void before_fourier(const void* in, void* work, const CosineLines& lines, Precision precision, void* stream) {
  if (lines.lines_of_all() == 0) return;
  const std::size_t real = ElementType{precision, false}.bytes();
  standin::enqueue_kernel(
      stream, "before Fourier",
      {touched(in, lines, &Loop::from, lines.n, lines.second, real), touched_work(work, lines, &Loop::to, precision)},
      [=] {
        if (precision == Precision::f64)
          run_before(static_cast<const double*>(in), static_cast<TwoReals<double>*>(work), lines);
        else
          run_before(static_cast<const float*>(in), static_cast<TwoReals<float>*>(work), lines);
      });
}

void after_fourier(const void* work, void* out, const CosineLines& lines, Precision precision, void* stream) {
  if (lines.lines_of_all() == 0) return;
  const std::size_t real = ElementType{precision, false}.bytes();
  standin::enqueue_kernel(
      stream, "after Fourier",
      {touched(out, lines, &Loop::to, lines.n, lines.second, real), touched_work(work, lines, &Loop::from, precision)},
      [=] {
        if (precision == Precision::f64)
          run_after(static_cast<const TwoReals<double>*>(work), static_cast<double*>(out), lines);
        else
          run_after(static_cast<const TwoReals<float>*>(work), static_cast<float*>(out), lines);
      });
}

}  // namespace shardfft::device
