#pragma once
// Fields that every rank can compute, and their transforms from the definition, in extended precision.
#include <gtest/gtest.h>
#include <mpi.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <numbers>
#include <string>
#include <vector>

#include "shardfft/plan.hpp"
#include "support/world.hpp"

namespace shardfft::test {

using Wide = std::complex<long double>;
using Field = std::vector<Wide>;

inline int rank_of_this() { return world().rank(); }
inline int world_size() { return world().size(); }

inline std::int64_t volume(const Shape& shape) {
  std::int64_t n = 1;
  for (const std::int64_t extent : shape) n *= extent;
  return n;
}

/// Numbers without symmetry, between -1 and 1, exact in single precision; `fields` whole arrays.
inline Field noise(const Shape& shape, std::int64_t fields, bool real, std::uint64_t salt = 0) {
  std::uint64_t state = 12345 + salt;
  const auto next = [&state] {
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    return static_cast<long double>(static_cast<std::int32_t>(state >> 40) - (1 << 23)) / (1 << 23);
  };
  Field field(static_cast<std::size_t>(volume(shape) * fields));
  for (Wide& v : field) {
    const long double re = next();
    const long double im = next();
    v = {re, real ? 0 : im};
  }
  return field;
}

/// One axis from the definition; sign -1 is forward. The array has `fields` slowest.
inline Field transform_axis(const Field& in, const Shape& shape, std::size_t axis, int sign) {
  const std::int64_t n = shape[axis];
  std::int64_t inner = 1;
  for (std::size_t a = axis + 1; a < shape.size(); ++a) inner *= shape[a];
  std::vector<Wide> roots;
  for (std::int64_t i = 0; i < n; ++i)
    roots.push_back(std::polar<long double>(
        1, sign * 2 * std::numbers::pi_v<long double> * static_cast<long double>(i) / static_cast<long double>(n)));
  Field out(in.size());
  for (std::size_t i = 0; i < in.size(); ++i) {
    const std::int64_t at = static_cast<std::int64_t>(i) / inner % n;
    const std::size_t line = i - static_cast<std::size_t>(at * inner);
    Wide sum = 0;
    for (std::int64_t s = 0; s < n; ++s)
      sum += in[line + static_cast<std::size_t>(s * inner)] * roots[static_cast<std::size_t>(s * at % n)];
    out[i] = sum;
  }
  return out;
}

inline Field transform(Field field, const Shape& shape, const std::vector<int>& axes, int sign) {
  for (const int a : axes) field = transform_axis(field, shape, static_cast<std::size_t>(a), sign);
  return field;
}

/// Index of a local element in the whole array.
struct Place {
  std::int64_t address;
  std::int64_t number;
};

inline std::vector<Place> places_of(const Layout& layout, int rank) {
  std::vector<Place> places;
  for (const Piece& piece : layout.pieces(rank))
    for (std::int64_t i = 0; i < piece.set.count(); ++i) {
      Place place{piece.offset, 0};
      std::int64_t rest = i;
      std::int64_t weight = 1;
      for (std::size_t a = static_cast<std::size_t>(piece.set.axes); a-- > 0;) {
        const Progression& p = piece.set.axis[a];
        place.address += rest % p.count * piece.stride[a];
        place.number += p.at(rest % p.count) * weight;
        rest /= p.count;
        weight *= layout.shape()[a];
      }
      places.push_back(place);
    }
  return places;
}

/// Arrays of a plan's side as bytes, filled from and compared with whole fields.
template <class T>
class Local {
 public:
  explicit Local(const Side& side) : side_(side), places_(places_of(side.layout, side.rank)) {}

  std::vector<T> take(const Field& whole) const {
    std::vector<T> local(reals() + 1, T(7));  // one more: ranks without elements have a pointer, and overruns show
    each([&](std::size_t at, std::size_t number) {
      if (side_.element.is_complex) {
        local[2 * at] = static_cast<T>(whole[number].real());
        local[2 * at + 1] = static_cast<T>(whole[number].imag());
      } else {
        local[at] = static_cast<T>(whole[number].real());
      }
    });
    return local;
  }

  std::size_t reals() const { return side_.bytes() / sizeof(T); }
  /// An array for a result.
  std::vector<T> room() const {
    std::vector<T> local(reals() + 1, std::numeric_limits<T>::quiet_NaN());
    local.back() = T(7);
    return local;
  }

  /// Largest difference, as a multiple of the whole field's root mean square.
  double error(const std::vector<T>& local, const Field& whole) const {
    long double square = 0;
    for (const Wide& v : whole) square += std::norm(v);
    const long double rms = std::sqrt(square / static_cast<long double>(whole.size()));
    long double worst = 0;
    EXPECT_EQ(local.at(reals()), T(7)) << "written past the end";
    each([&](std::size_t at, std::size_t number) {
      const Wide got = side_.element.is_complex ? Wide(local[2 * at], local[2 * at + 1]) : Wide(local[at], 0);
      const long double difference = std::abs(got - whole[number]);
      worst = difference >= 0 ? std::max(worst, difference) : std::numeric_limits<long double>::infinity();  // NaN too
    });
    return static_cast<double>(worst / rms);
  }

 private:
  template <class Visit>
  void each(const Visit& visit) const {
    const std::int64_t all = volume(side_.layout.shape());
    const std::int64_t mine = side_.layout.count(side_.rank);
    for (std::int64_t f = 0; f < side_.fields; ++f)
      for (const Place& p : places_)
        visit(static_cast<std::size_t>(f * mine + p.address), static_cast<std::size_t>(f * all + p.number));
  }

  Side side_;
  std::vector<Place> places_;
};

/// c eps (log2 N + sum of sqrt(n)): products of n terms lose more than the steps of an FFT.
template <class T>
double tolerance(const Shape& shape) {
  double sum = std::log2(static_cast<double>(volume(shape)) + 1);
  for (const std::int64_t n : shape) sum += std::sqrt(static_cast<double>(n));
  return 4 * static_cast<double>(std::numeric_limits<T>::epsilon()) * sum;
}

inline std::string text(const Shape& shape) {
  std::string result;
  for (const std::int64_t n : shape) result += (result.empty() ? "" : "x") + std::to_string(n);
  return result;
}

}  // namespace shardfft::test
