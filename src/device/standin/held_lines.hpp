#pragma once
// The lines that a pass of the stand-in holds between reading and writing them, and their sums (option verify).
#include <complex>
#include <cstdint>
#include <span>

#include "base/hooks.hpp"
#include "device/line_pass.hpp"

namespace shardfft::device::lines {

/// The sum of all bits of the numbers, as words of 32.
std::uint32_t word_sum(const void* numbers, std::size_t bytes);

/// [point][column]: of `width` columns, those from `begin` to `end` are lines of the pass.
template <class T>
struct HeldLines {
  std::span<std::complex<T>> numbers;
  std::int64_t width = 0, begin = 0, end = 0;
};

/// The sums of lines between their input and their output.
template <class T>
class HeldSums {
 public:
  /// `swapped`: the parts of all numbers are exchanged, as for backward transforms. The other two say which axis of the
  /// pass this is.
  HeldSums(const PassChecks& checks, int n, bool swapped, bool first_axis, bool last_axis)
      : checks_(checks), n_(n), swapped_(swapped), first_axis_(first_axis), last_axis_(last_axis) {}
  bool active() const { return checks_.results != nullptr; }

  /// input() is called before the transform, output() after it, with the lines that will be written; output() also
  /// compares the sums and stores the results.
  void input(const HeldLines<T>& lines) {
    if (!active()) return;
    add_input(lines, words(lines));
    changed(lines, HeldLinesHook::Stage::taken);
  }
  void output(const HeldLines<T>& lines) {
    if (!active()) return;
    changed(lines, HeldLinesHook::Stage::transformed);
    add_output(lines, words(lines));
  }
  /// As input() and output(), for lines that are assembled because memory holds them in another form. `bits`: the sum
  /// of the numbers in memory.
  void add_input(const HeldLines<T>& lines, std::uint64_t bits) {
    add(lines, false);
    first_axis_ ? checks_.results[bits_read] += bits : checks_.results[bits_between] -= bits;
  }
  void add_output(const HeldLines<T>& lines, std::uint64_t bits) {
    add(lines, true);
    checks_.results[last_axis_ ? bits_written : bits_between] += bits;
    compare(lines.end - lines.begin);
  }
  static void reached(HeldLinesHook::Stage stage, std::byte* numbers, std::size_t bytes) {
    if (HeldLinesHook* const hook = installed<HeldLinesHook>()) hook->reached(stage, numbers, bytes);
  }

 private:
  void add(const HeldLines<T>& lines, bool is_result);
  std::uint64_t words(const HeldLines<T>& lines) const;
  void compare(std::int64_t lines);
  static void changed(const HeldLines<T>& lines, HeldLinesHook::Stage stage) {
    reached(stage, reinterpret_cast<std::byte*>(lines.numbers.data()), lines.numbers.size_bytes());
  }

  const PassChecks& checks_;
  int n_;
  bool swapped_, first_axis_, last_axis_;
  double difference_ = 0;
  double squares_ = 0;
};

}  // namespace shardfft::device::lines
