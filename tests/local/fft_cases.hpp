#pragma once
// Runs one spec on a backend and on the reference, and compares every byte of the arrays that may change.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>
#include <random>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "base/words.hpp"
#include "local/local_fft.hpp"
#include "local/loops.hpp"
#include "shardfft/error.hpp"

namespace shardfft::test {

inline std::vector<std::string> tested_backends() {
  std::vector<std::string> names;
  for (const std::string& name : local_fft_names())
    if (name != "reference") names.push_back(name);
  return names;
}

inline double epsilon(Precision p) {
  return p == Precision::f64 ? std::numeric_limits<double>::epsilon() : std::numeric_limits<float>::epsilon();
}

/// An array of real numbers, complex ones as pairs, seen as doubles whatever its precision. `shift` bytes off
/// alignment.
class TestArray {
 public:
  TestArray(Precision precision, std::int64_t reals, std::size_t shift = 0)
      : precision_(precision), reals_(reals), shift_(shift), memory_(static_cast<std::size_t>(reals) * 8 + 128) {}
  TestArray(const TestArray&) = delete;
  TestArray& operator=(const TestArray&) = delete;

  void* data() {
    const auto address = reinterpret_cast<std::uintptr_t>(memory_.data());
    return memory_.data() + ((64 - address % 64) % 64 + shift_);
  }
  double get(std::int64_t i) {
    return precision_ == Precision::f64 ? static_cast<double*>(data())[i]
                                        : static_cast<double>(static_cast<float*>(data())[i]);
  }
  void set(std::int64_t i, double value) {
    if (precision_ == Precision::f64)
      static_cast<double*>(data())[i] = value;
    else
      static_cast<float*>(data())[i] = static_cast<float>(value);
  }
  std::int64_t reals() const { return reals_; }
  void fill_random(unsigned seed) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> uniform(-1, 1);
    for (std::int64_t i = 0; i < reals_; ++i) set(i, uniform(random));
  }
  void copy_from(TestArray& other) {
    for (std::int64_t i = 0; i < reals_; ++i) set(i, other.get(i));
  }

 private:
  Precision precision_;
  std::int64_t reals_;
  std::size_t shift_;
  std::vector<char> memory_;
};

inline std::int64_t input_reals(const FftSpec& spec) {
  return input_extent(input_loops(spec)) * (input_element(spec).is_complex ? 2 : 1);
}
inline std::int64_t output_reals(const FftSpec& spec) {
  return output_extent(output_loops(spec)) * (output_element(spec).is_complex ? 2 : 1);
}

/// Largest absolute error allowed for inputs of size one.
inline double tolerance(const FftSpec& spec) {
  const double n = static_cast<double>(std::max<std::int64_t>(points(spec.transform), 1));
  return 6 * epsilon(spec.precision) * std::log2(2 * n) * std::sqrt(n) * std::max(std::abs(spec.scale), 1e-3);
}

inline std::string describe(const std::string& backend, const FftSpec& spec) {
  std::ostringstream text;
  text << backend << ' ' << to_text(spec.kind) << (spec.precision == Precision::f64 ? " f64" : " f32")
       << (spec.direction == Direction::forward ? " forward" : " backward");
  const auto add = [&](const char* name, const Loops& loops) {
    text << ' ' << name;
    for (const Loop& d : loops) text << ' ' << d.count << ':' << d.from << ':' << d.to;
  };
  add("transform", spec.transform);
  add("batch", spec.batch);
  text << (spec.in_place ? " in_place" : "") << (spec.preserve_input ? "" : " destroy")
       << (spec.aligned ? "" : " unaligned") << " scale " << spec.scale << " threads " << spec.threads;
  return text.str();
}

/// Positions of the output that the transform writes: one flag a real number.
inline std::vector<bool> written(const FftSpec& spec) {
  const int parts = output_element(spec).is_complex ? 2 : 1;
  std::vector<bool> flags(static_cast<std::size_t>(output_reals(spec)));
  walk(output_loops(spec), [&](std::int64_t, std::int64_t out, const Loop& line) {
    for (std::int64_t i = 0; i < line.count; ++i)
      for (int p = 0; p < parts; ++p) flags[static_cast<std::size_t>((out + i * line.to) * parts + p)] = true;
  });
  return flags;
}

inline void expect_same(TestArray& got, TestArray& expected, const std::vector<bool>& check, double allowed,
                        const char* what) {
  for (std::size_t i = 0; i < check.size(); ++i) {
    if (!check[i]) continue;
    const auto at = static_cast<std::int64_t>(i);
    const double error = std::abs(got.get(at) - expected.get(at));
    if (!(error <= allowed)) {
      ADD_FAILURE() << what << " at real " << i << ": " << got.get(at) << " instead of " << expected.get(at)
                    << ", allowed error " << allowed;
      return;
    }
  }
}

/// Byte shifts of the arrays of a case.
struct Shifts {
  std::size_t in = 0, out = 0;
};

inline void check_out_of_place(const std::string& backend, const FftSpec& spec, Shifts shifts) {
  TestArray in(spec.precision, input_reals(spec), shifts.in), kept(spec.precision, input_reals(spec));
  TestArray out(spec.precision, output_reals(spec), shifts.out), expected(spec.precision, output_reals(spec));
  in.fill_random(1);
  kept.copy_from(in);
  out.fill_random(2);
  expected.copy_from(out);
  const auto fft = make_local_fft(backend, spec);
  make_local_fft("reference", spec)->execute(kept.data(), expected.data());
  fft->execute(in.data(), out.data());
  const auto flags = written(spec);
  expect_same(out, expected, flags, tolerance(spec), "output");
  std::vector<bool> others = flags;
  others.flip();
  expect_same(out, expected, others, 0, "element between outputs");
  if (spec.preserve_input || spec.kind != Kind::c2r)
    expect_same(in, kept, std::vector<bool>(static_cast<std::size_t>(in.reals()), true), 0, "input");
}

inline void check_in_place(const std::string& backend, const FftSpec& spec, Shifts shifts) {
  const std::int64_t reals = std::max(input_reals(spec), output_reals(spec));
  TestArray data(spec.precision, reals, shifts.in), expected(spec.precision, reals);
  data.fill_random(1);
  expected.copy_from(data);
  const auto fft = make_local_fft(backend, spec);
  make_local_fft("reference", spec)->execute(expected.data(), expected.data());
  fft->execute(data.data(), data.data());
  expect_same(data, expected, written(spec), tolerance(spec), "output");
}

inline void check(const std::string& backend, const FftSpec& spec, Shifts shifts = {}) {
  SCOPED_TRACE(describe(backend, spec));
  if (spec.in_place)
    check_in_place(backend, spec, shifts);
  else
    check_out_of_place(backend, spec, shifts);
}

/// Runs a spec in every backend, both precisions, with one and two threads.
inline void check_everywhere(FftSpec spec, Shifts shifts = {}) {
  spec.effort = Effort::estimate;
  for (const std::string& backend : tested_backends()) {
    for (const Precision precision : {Precision::f64, Precision::f32}) {
      for (const int threads : {1, 2}) {
        spec.precision = precision;
        spec.threads = threads;
        check(backend, spec, shifts);
        if (::testing::Test::HasFailure()) return;
      }
    }
  }
}

/// Both directions too.
inline void check_directions(FftSpec spec, Shifts shifts = {}) {
  for (const Direction direction : {Direction::forward, Direction::backward}) {
    spec.direction = direction;
    check_everywhere(spec, shifts);
  }
}

/// Row-major dense strides on both sides: `shape` is the transform's, in real extents; `batch` fields before it.
inline FftSpec dense_spec(Kind kind, const std::vector<std::int64_t>& shape, std::int64_t batch = 1) {
  FftSpec spec;
  spec.kind = kind;
  std::int64_t in = 1, out = 1;
  spec.transform.resize(shape.size());
  for (std::size_t a = shape.size(); a-- > 0;) {
    spec.transform[a] = {shape[a], in, out};
    const bool halved = a + 1 == shape.size();
    in *= halved && kind == Kind::c2r ? shape[a] / 2 + 1 : shape[a];
    out *= halved && kind == Kind::r2c ? shape[a] / 2 + 1 : shape[a];
  }
  if (batch != 1) spec.batch = {{batch, in, out}};
  return spec;
}

}  // namespace shardfft::test
