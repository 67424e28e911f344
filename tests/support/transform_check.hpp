#pragma once
// One case of a transform: the plan runs on cut arrays, the reference on the whole one, and each rank compares its
// part.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include "base/words.hpp"
#include "shardfft/option_table.hpp"
#include "shardfft/plan.hpp"
#include "support/encoded.hpp"
#include "support/serial_dft.hpp"
#include "support/zoo.hpp"

namespace shardfft::test {

struct TransformCase {
  Shape shape;                  ///< of the real (or only) array
  std::string input = "slab";   ///< a name of the zoo
  std::string output = "left";  ///< left, natural, or a name of the zoo
  Kind kind = Kind::c2c;
  Precision precision = Precision::f64;
  Options options = {};
  std::size_t shift = 0;  ///< elements by which arrays miss their alignment

  std::string name() const {
    std::string result = std::string(to_text(kind)) + (precision == Precision::f64 ? " double " : " single ") +
                         text(shape) + " " + input + " to " + output + ", " + options.algorithm + ", " +
                         options.exchange + ", " + options.local_fft;
    for (const int a : options.axes) result += (a == options.axes.front() ? ", axes " : " ") + std::to_string(a);
    for (const AxisTransform type : options.transforms) result += std::string(" ") + to_text(type);
    for (const std::int64_t m : options.modes) result += " " + std::to_string(m);
    if (!options.modes.empty()) result += " modes, " + option_text(option_row("lone_mode"), options);
    if (options.batch > 1) result += ", batch " + std::to_string(options.batch);
    if (options.chunks > 1) result += ", chunks " + std::to_string(options.chunks);
    return result;
  }
};

/// Options for many small plans: no time is spent on planning. SHARDFFT_TEST_EXCHANGE takes the place of "auto".
inline Options quick(const std::string& algorithm = "auto") {
  Options o;
  if (const char* exchange = std::getenv("SHARDFFT_TEST_EXCHANGE")) o.exchange = exchange;
  o.algorithm = algorithm;
  o.effort = Effort::estimate;
  return o;
}

inline double epsilon(Precision p) {
  return p == Precision::f64 ? std::numeric_limits<double>::epsilon() : std::numeric_limits<float>::epsilon();
}

/// A number in [-1, 1) that depends on all arguments.
inline double noise(std::uint64_t salt, std::uint64_t number, std::uint64_t part) {
  std::uint64_t h = salt * 0x9E3779B97F4A7C15ULL + number * 0xD1B54A32D192ED03ULL + part + 1;
  for (int i = 0; i < 2; ++i) h = (h ^ (h >> 29)) * 0xBF58476D1CE4E5B9ULL;
  return static_cast<double>(h >> 11) / static_cast<double>(std::uint64_t{1} << 52) - 1;
}

/// A rank's array of either precision, real or complex, seen as complex double numbers; poisoned, with a guard.
class LocalArray {
 public:
  explicit LocalArray(const Side& side, std::size_t bytes = 0, std::size_t shift = 0)
      : element_(side.element),
        bytes_(std::max(bytes, side.bytes())),
        shift_(shift * side.element.bytes()),
        memory_(bytes_ + shift_ + guard_bytes, poison) {}
  void* data() { return memory_.data() + shift_; }
  Value get(std::int64_t i) const {
    double re = 0;
    double im = 0;
    const std::byte* at = memory_.data() + shift_ + to_size(i) * element_.bytes();
    if (element_.precision == Precision::f64) {
      std::memcpy(&re, at, 8);
      if (element_.is_complex) std::memcpy(&im, at + 8, 8);
      return {re, im};
    }
    float parts[2] = {0, 0};
    std::memcpy(parts, at, element_.bytes());
    return {parts[0], parts[1]};
  }
  void set(std::int64_t i, Value v) {
    std::byte* at = memory_.data() + shift_ + to_size(i) * element_.bytes();
    const double parts[2] = {v.real(), v.imag()};
    const float small[2] = {static_cast<float>(v.real()), static_cast<float>(v.imag())};
    std::memcpy(at, element_.precision == Precision::f64 ? static_cast<const void*>(parts) : small, element_.bytes());
  }
  bool guard_is_whole() const {
    for (std::size_t i = 0; i < guard_bytes; ++i)
      if (memory_[shift_ + bytes_ + i] != poison) return false;
    return true;
  }
  const std::vector<std::byte>& memory() const { return memory_; }

 private:
  ElementType element_;
  std::size_t bytes_;
  std::size_t shift_;
  std::vector<std::byte> memory_;
};

/// Calls visit(address, row-major number) for this rank's elements of field `field`.
template <class Visit>
void for_own_elements(const Side& side, std::int64_t field, const Visit& visit) {
  for (const Piece& piece : side.layout.pieces(side.rank))
    for_elements(piece, [&](std::int64_t address, const Index& index) {
      visit(address + field * side.layout.count(side.rank), number_of(index, side.layout.shape()));
    });
}

inline Value rounded(Value v, Precision precision) {
  if (precision == Precision::f64) return v;
  return {static_cast<float>(v.real()), static_cast<float>(v.imag())};
}

/// Field `field` of a whole random array, rounded to the element type.
inline std::vector<Value> whole_field(const Shape& shape, ElementType element, std::uint64_t salt, std::int64_t field) {
  std::vector<Value> data(to_size(product(shape)));
  const std::uint64_t stream = salt + 77 * static_cast<std::uint64_t>(field);
  for (std::size_t i = 0; i < data.size(); ++i)
    data[i] = rounded({noise(stream, i, 0), element.is_complex ? noise(stream, i, 1) : 0}, element.precision);
  return data;
}

/// The half spectrum of a real field. Any numbers would do along a single axis; of several axes, half spectra that
/// belong to no real array have no one answer.
inline std::vector<Value> half_spectrum(const SerialTransform& serial, ElementType element, std::uint64_t salt,
                                        std::int64_t field) {
  const double scale = 1 / std::sqrt(serial.points());
  std::vector<Value> data = serial.analyse(whole_field(serial.shape, {Precision::f64, false}, salt, field));
  for (Value& v : data) v = rounded(v * scale, element.precision);
  return data;
}

/// Worst error of the program in units of its tolerance; programs may print it.
inline double& worst_error() {
  static double worst = 0;
  return worst;
}

/// Compares this rank's part of a field with the whole expected one: relative L2 and maximum. Numbers whose mean square
/// is below `mean_square` are compared with that: of few modes of many, all may be small.
inline void compare_field(const LocalArray& array, const Side& side, std::int64_t field,
                          const std::vector<Value>& expected, double points, double mean_square = 0) {
  double norm = 0;
  double largest = std::sqrt(mean_square);
  for (const Value& v : expected) {
    norm += std::norm(v);
    largest = std::max(largest, std::abs(v));
  }
  norm = std::max(norm, mean_square * static_cast<double>(expected.size()));
  double error = 0;
  double largest_error = 0;
  bool finite = true;
  for_own_elements(side, field, [&](std::int64_t address, std::int64_t number) {
    const Value got = array.get(address);
    finite = finite && std::isfinite(got.real()) && std::isfinite(got.imag());
    const double e = std::abs(got - expected[to_size(number)]);
    error += e * e;
    largest_error = std::max(largest_error, e);
  });
  // Measured at c = 1: oneMKL reaches 1.7 at lengths with large prime factors (255 = 3 * 5 * 17).
  constexpr double c = 4;
  const double tolerance = c * epsilon(side.element.precision) * (1 + std::log2(points));
  EXPECT_TRUE(finite) << "field " << field;
  EXPECT_LE(std::sqrt(error), tolerance * std::sqrt(norm)) << "field " << field << ", L2";
  EXPECT_LE(largest_error, 2 * tolerance * largest) << "field " << field << ", maximum";
  if (norm > 0) worst_error() = std::max(worst_error(), std::sqrt(error / norm) / tolerance);
}

inline std::vector<int> axes_of(const TransformCase& c) {
  std::vector<int> axes = c.options.axes;
  if (!axes.empty()) return axes;
  axes.resize(c.shape.size());
  std::iota(axes.begin(), axes.end(), 0);
  return axes;
}

inline SerialTransform serial_of(const TransformCase& c) {
  return {c.kind, c.shape, axes_of(c), c.options.transforms, c.options.modes, c.options.lone_mode};
}

inline double scale_of(Norm norm, bool analysis, double points) {
  if (norm == Norm::ortho) return 1 / std::sqrt(points);
  if (norm == Norm::none) return 1;
  return (norm == Norm::forward) == analysis ? 1 / points : 1;
}

/// What `make` makes of the case's transform, input, output and options.
template <class Make>
auto plan_of(const TransformCase& c, int ranks, const Make& make) {
  const SerialTransform serial = serial_of(c);
  const Shape& in = c.kind == Kind::c2r ? serial.spectrum_shape() : c.shape;
  const Shape& out = c.kind == Kind::c2r ? c.shape : serial.spectrum_shape();
  const Layout input = zoo_layout(c.input, in, ranks);
  Options options = c.options;
  if (c.kind == Kind::c2r) options.real_extent = c.shape[to_size(serial.halved())];
  const Transform transform{c.kind, c.precision};
  if (c.output == "left") return make(transform, input, default_output, options);
  if (c.output == "natural") return make(transform, input, natural_output, options);
  return make(transform, input, zoo_layout(c.output, out, ranks), options);
}

inline Plan make_plan(MPI_Comm comm, const TransformCase& c) {
  int ranks = 0;
  MPI_Comm_size(comm, &ranks);
  return plan_of(c, ranks, [comm](const auto&... arguments) { return Plan(comm, arguments...); });
}

/// Whole input and expected output of one direction, field by field.
struct WholeArrays {
  std::vector<std::vector<Value>> input, output;
  double points = 1;
  double mean_square = 0;  ///< of the numbers before modes are left out
};

inline WholeArrays whole_arrays(const TransformCase& c, Direction direction, ElementType from, std::uint64_t salt) {
  const SerialTransform serial = serial_of(c);
  const bool analysis = (direction == Direction::forward) != (c.kind == Kind::c2r);
  const Shape& shape = analysis ? c.shape : serial.spectrum_shape();
  WholeArrays whole{{}, {}, serial.points()};
  for (std::int64_t f = 0; f < c.options.batch; ++f) {
    whole.input.push_back(analysis || serial.halved() < 0 ? whole_field(shape, from, salt, f)
                                                          : half_spectrum(serial, from, salt, f));
    whole.output.push_back(analysis ? serial.analyse(whole.input.back()) : serial.synthesise(whole.input.back()));
    const double scale = scale_of(c.options.norm, analysis, serial.points());
    for (Value& v : whole.output.back()) v *= scale;
    if (!analysis || c.options.modes.empty()) continue;
    SerialTransform all = serial;
    all.modes.clear();
    const std::vector<Value> uncut = all.analyse(whole.input.back());
    double sum = 0;
    for (const Value& v : uncut) sum += std::norm(v * scale);
    whole.mean_square = std::max(whole.mean_square, sum / static_cast<double>(uncut.size()));
  }
  return whole;
}

/// One run of one direction, out of place or in place.
inline void check_run(Plan& plan, const TransformCase& c, Direction direction, bool in_place, std::uint64_t salt) {
  SCOPED_TRACE(std::string(direction == Direction::forward ? "forward" : "backward") + (in_place ? ", in place" : ""));
  const bool forward = direction == Direction::forward;
  const Side& from = forward ? plan.input() : plan.output();
  const Side& to = forward ? plan.output() : plan.input();
  const WholeArrays whole = whole_arrays(c, direction, from.element, salt);
  const std::size_t bytes = in_place ? plan.in_place_bytes() : 0;
  LocalArray in(from, bytes, c.shift);
  LocalArray out(to, bytes, c.shift);
  for (std::int64_t f = 0; f < c.options.batch; ++f)
    for_own_elements(
        from, f, [&](std::int64_t address, std::int64_t i) { in.set(address, whole.input[to_size(f)][to_size(i)]); });
  const std::vector<std::byte> before = in.memory();
  if (in_place) std::memcpy(out.data(), in.data(), from.bytes());
  void* source = in_place ? out.data() : in.data();
  if (forward)
    plan.forward(source, out.data());
  else
    plan.backward(source, out.data());
  for (std::int64_t f = 0; f < c.options.batch; ++f)
    compare_field(out, to, f, whole.output[to_size(f)], whole.points, whole.mean_square);
  EXPECT_TRUE(out.guard_is_whole()) << "written behind the output";
  EXPECT_TRUE(in.memory() == before) << "the input was written";
}

/// Both directions, out of place and in place, of one plan.
inline void check_plan(Plan& plan, const TransformCase& c, std::uint64_t salt = 1) {
  for (const Direction direction : {Direction::forward, Direction::backward})
    for (const bool in_place : {false, true})
      check_run(plan, c, direction, in_place, salt + (direction == Direction::forward ? 0 : 500));
}

inline void check_case(const TransformCase& c, MPI_Comm comm = MPI_COMM_WORLD) {
  SCOPED_TRACE(c.name());
  Plan plan = make_plan(comm, c);
  EXPECT_EQ(plan.input().element.is_complex, c.kind == Kind::c2c || c.kind == Kind::c2r);
  EXPECT_EQ(plan.output().element.is_complex, c.kind == Kind::c2c || c.kind == Kind::r2c);
  check_plan(plan, c);
}

}  // namespace shardfft::test
