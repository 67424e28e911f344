#pragma once
// The rows of the stand-in's plane passes, and their sums (option verify).
#include <complex>
#include <cstring>
#include <memory>
#include <vector>

#include "device/plane_pass.hpp"
#include "device/standin/held_lines.hpp"
#include "device/standin/memory.hpp"
#include "local/local_fft.hpp"

namespace shardfft::device::lines {

/// Rows of a plane pass: those outside, and those inside; if the rows outside are real, those inside are their spectra.
struct PlaneRows {
  PlanePass pass;
  std::shared_ptr<const LocalFft> fft;

  bool forward() const { return pass.columns.direction == Direction::forward; }
  ElementType outside_element() const { return {pass.columns.precision, !pass.real}; }
  std::byte* outside(std::int64_t plane, std::int64_t row) const {
    return at(pass.rows, plane, row, outside_element());
  }
  std::byte* inside(std::int64_t plane, std::int64_t row) const {
    return at(inner_side(pass).part[0], plane, row, {pass.columns.precision, true});
  }
  std::size_t outside_bytes() const { return static_cast<std::size_t>(pass.m) * outside_element().bytes(); }
  std::size_t spectrum_bytes() const {
    return static_cast<std::size_t>(spectrum_points(pass.m, pass.real)) *
           ElementType{pass.columns.precision, true}.bytes();
  }
  void run() const {
    const Pass& columns = pass.columns;
    std::vector<std::byte> from(std::max(spectrum_bytes(), outside_bytes()));
    for (std::int64_t plane = columns.outer_begin; plane < columns.outer_end; ++plane)
      for (std::int64_t row = 0; row < columns.n; ++row) {
        std::byte* const source = forward() ? outside(plane, row) : inside(plane, row);
        std::byte* const result = forward() ? inside(plane, row) : outside(plane, row);
        std::memcpy(from.data(), source, forward() ? outside_bytes() : spectrum_bytes());
        if (columns.precision == Precision::f64)
          pass.real ? run_real<double>(from.data(), result) : run_complex<double>(from.data(), result);
        else
          pass.real ? run_real<float>(from.data(), result) : run_complex<float>(from.data(), result);
      }
  }
  /// Writes over all dead numbers.
  void spoil() const {
    const auto [all, begin, end] = spent(pass);
    const Pass& columns = pass.columns;
    for (std::int64_t plane = columns.outer_begin; plane < columns.outer_end; ++plane)
      for (int row = all ? 0 : begin; row < (all ? columns.n : end); ++row)
        std::memset(inside(plane, row), 0xff, spectrum_bytes());
  }
  template <class T>
  HeldSums<T> sums() const {
    return {pass.row_checks, pass.m, !forward(), forward(), !forward()};
  }
  template <class T>
  static HeldLines<T> line(std::complex<T>* numbers, int points) {
    return {{numbers, static_cast<std::size_t>(points)}, 1, 0, 1};
  }
  template <class T>
  void run_complex(std::byte* from, std::byte* to) const {
    HeldSums<T> held = sums<T>();
    held.input(line(reinterpret_cast<std::complex<T>*>(from), pass.m));
    fft->execute(from, to);
    held.output(line(reinterpret_cast<std::complex<T>*>(to), pass.m));
  }
  template <class T>
  void run_real(std::byte* from, std::byte* to) const {
    const std::uint32_t read = word_sum(from, forward() ? outside_bytes() : spectrum_bytes());
    auto* const spectrum = reinterpret_cast<std::complex<T>*>(forward() ? to : from);
    if (!forward())  // the imaginary parts of these numbers are ignored
      for (int end = 0; end <= pass.m / 2; end += pass.m % 2 == 0 ? pass.m / 2 : pass.m) spectrum[end].imag(0);
    HeldSums<T> held = sums<T>();
    std::vector<std::complex<T>> in = forward() ? of_reals<T>(from) : of_half(spectrum);
    if (held.active()) {
      held.add_input(line(in.data(), pass.m), read);
      held.reached(HeldLinesHook::Stage::taken, from, forward() ? outside_bytes() : spectrum_bytes());
    }
    fft->execute(from, to);
    const std::size_t written = forward() ? spectrum_bytes() : outside_bytes();
    if (held.active()) held.reached(HeldLinesHook::Stage::transformed, to, written);
    std::vector<std::complex<T>> out = forward() ? of_half(spectrum) : of_reals<T>(to);
    if (held.active()) held.add_output(line(out.data(), pass.m), word_sum(to, written));
  }
  /// A row as a complex line.
  template <class T>
  std::vector<std::complex<T>> of_reals(const std::byte* row) const {
    const T* const numbers = reinterpret_cast<const T*>(row);
    return {numbers, numbers + pass.m};
  }
  template <class T>
  std::vector<std::complex<T>> of_half(const std::complex<T>* half) const {
    std::vector<std::complex<T>> whole(half, half + pass.m / 2 + 1);
    for (int k = (pass.m - 1) / 2; k > 0; --k) whole.push_back(std::conj(half[k]));
    return whole;
  }
  /// Adds the memory from the first row to the end of the last one.
  void add_to(std::vector<standin::Access>& touched) const {
    const Pass& columns = pass.columns;
    const auto add = [&](std::byte* first, std::byte* last, std::size_t bytes) {
      touched.push_back({first, static_cast<std::size_t>(last - first) + bytes});
    };
    const std::int64_t begin = columns.outer_begin, end = columns.outer_end - 1, last = columns.n - 1;
    add(outside(begin, 0), outside(end, last), outside_bytes());
    add(inside(begin, 0), inside(end, last), spectrum_bytes());
  }

 private:
  static std::byte* at(const Part& part, std::int64_t plane, std::int64_t row, ElementType element) {
    return static_cast<std::byte*>(part.base) +
           (plane * part.outer_stride + row * part.line_stride) * static_cast<std::int64_t>(element.bytes());
  }
};

}  // namespace shardfft::device::lines
