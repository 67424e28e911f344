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
    for (const char* name : {"workspace", "datatypes", "memory", "verify", "threads", "check_calls"})
      if (const std::string text = option_text(option_row(name), options); text != option_text(option_row(name), {}))
        result += std::string(", ") + name + " " + text;
    if (!options.grid.empty()) result += ", grid " + text(options.grid);
    return result;
  }
};

/// Options for many small plans: no time is spent on planning. SHARDFFT_TEST_EXCHANGE takes the place of "auto".
Options quick(const std::string& algorithm = "auto");

inline Options quick_with(const std::vector<AxisTransform>& transforms, const std::string& algorithm = "auto") {
  Options options = quick(algorithm);
  options.transforms = transforms;
  return options;
}

inline const std::vector<Kind> fourier_kinds{Kind::c2c, Kind::r2c, Kind::c2r};

double epsilon(Precision p);

/// A number in [-1, 1) that depends on all arguments.
double noise(std::uint64_t salt, std::uint64_t number, std::uint64_t part);

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
  /// Every byte, guards included.
  bool operator==(const LocalArray& other) const {
    return memory_.size() == other.memory_.size() &&
           std::memcmp(memory_.data(), other.memory_.data(), memory_.size()) == 0;
  }

 private:
  ElementType element_;
  std::size_t bytes_;
  std::size_t shift_;
  std::vector<std::byte> memory_;
};

/// Calls visit(address, row-major number) for this rank's elements of field `field`.
template <class Visit>
void for_own_elements(const Side& side, std::int64_t field, const Visit& visit) {
  const std::int64_t first = field * side.layout.count(side.rank);
  const Shape shape = side.layout.shape();
  for (const Piece& piece : side.layout.pieces(side.rank))
    for_elements(piece,
                 [&](std::int64_t address, const Index& index) { visit(first + address, number_of(index, shape)); });
}

Value rounded(Value v, Precision precision);

/// Field `field` of a whole random array, rounded to the element type.
std::vector<Value> whole_field(const Shape& shape, ElementType element, std::uint64_t salt, std::int64_t field);

/// Worst error of the program in units of its tolerance; programs may print it.
double& worst_error();

/// Compares this rank's part of a field with the whole expected one: relative L2 and maximum. Numbers whose mean square
/// is below `mean_square` are compared with that: of few modes of many, all may be small. Nothing may be expected.
void compare_field(const LocalArray& array, const Side& side, std::int64_t field, const std::vector<Value>& expected,
                   double points, double mean_square = 0);

std::vector<int> axes_of(const TransformCase& c);

SerialTransform serial_of(const TransformCase& c);

double scale_of(Norm norm, bool analysis, double points);

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

Plan make_plan(MPI_Comm comm, const TransformCase& c);

/// Whole input and expected output of one direction, field by field.
struct WholeArrays {
  std::vector<std::vector<Value>> input, output;
  double points = 1;
  double mean_square = 0;  ///< of the numbers before modes are left out
};

WholeArrays whole_arrays(const TransformCase& c, Direction direction, ElementType from, std::uint64_t salt);

/// One run of one direction, out of place or in place.
void check_run(Plan& plan, const TransformCase& c, Direction direction, bool in_place, std::uint64_t salt);

void check_run(Plan& plan, const TransformCase& c, Direction direction, bool in_place, const WholeArrays& whole);

/// Both directions, out of place and in place, of one plan.
void check_plan(Plan& plan, const TransformCase& c, std::uint64_t salt = 1);

void check_case(const TransformCase& c, MPI_Comm comm = MPI_COMM_WORLD);

}  // namespace shardfft::test
