#pragma once
// Slab transforms on devices, checked over the whole array against one transform of FFTW. Only device/runtime.hpp is
// used: the same tests run on GPUs and on the stand-in.
#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <limits>
#include <random>
#include <vector>

#include "gpu/slab/slab_rank.hpp"
#include "local/local_fft.hpp"
#include "support/elements.hpp"

namespace shardfft::test {

using gpu::SlabArrays;
using gpu::SlabShape;

inline SlabShape slab_shape(const Shape& extents, Transform transform, int ranks) {
  SlabShape shape;
  shape.transform = transform;
  shape.nx = extents[0];
  shape.ny = extents[1];
  shape.nz = extents[2];
  shape.ranks = ranks;
  return shape;
}

/// A random field and its spectrum, unscaled; numbers that both precisions hold exactly.
struct SlabReference {
  SlabReference(const Shape& extents, Kind kind, std::uint64_t seed) {
    const std::int64_t points = product(extents), last = extents[2];
    const std::int64_t half = kind == Kind::r2c ? last / 2 + 1 : last;
    field.resize(to_size(points) * (kind == Kind::r2c ? 1 : 2));
    std::mt19937_64 random(seed);
    for (double& x : field) x = static_cast<double>(static_cast<std::int64_t>(random() % 2001) - 1000) / 1024;
    spectrum.resize(to_size(points / last * half));
    FftSpec spec;
    spec.kind = kind;
    spec.effort = Effort::estimate;
    std::int64_t in = 1, out = 1;
    for (std::size_t a = 3; a-- > 0;) {
      spec.transform.insert(spec.transform.begin(), {extents[a], in, out});
      in *= extents[a];
      out *= a == 2 ? half : extents[a];
    }
    make_local_fft("fftw", spec)->execute(field.data(), spectrum.data());
  }
  std::vector<double> field;  ///< complex numbers as two reals
  std::vector<std::complex<double>> spectrum;
};

/// A relative difference that errors of rounding stay below.
inline double slab_tolerance(const SlabShape& shape) {
  const double eps = shape.transform.precision == Precision::f64 ? std::numeric_limits<double>::epsilon()
                                                                 : std::numeric_limits<float>::epsilon();
  return 4 * eps * (1 + std::log2(static_cast<double>(shape.nx * shape.ny * shape.nz)));
}

/// Sums of squares of a difference and of what it is relative to; not a number stays not a number.
struct Norms {
  double difference = 0, reference = 0;
  void add(std::complex<double> is, std::complex<double> should) {
    difference += std::norm(is - should);
    reference += std::norm(should);
  }
  double relative() const { return std::sqrt(difference / (reference > 0 ? reference : 1)); }
};

/// Where a rank's arrays are: apart; the rows of the way back in the field; the planes of the way there in the dense
/// spectrum, as far as they have room; all but the rows in one.
enum class SlabPlaces { apart, rows_in_field, planes_in_spectrum, one_array };

/// The arrays of one rank on the current device, filled from a reference and compared with it.
template <class T>
class SlabRankArrays {
 public:
  SlabRankArrays(const SlabShape& shape, int rank, SlabPlaces places = SlabPlaces::apart)
      : shape_(shape), rank_(rank), places_(places), stream_(device::make_stream()) {
    const bool one = places == SlabPlaces::one_array;
    field_ = device::make_memory(one ? std::max(shape.field_bytes(rank), shape.spectrum_bytes(rank))
                                     : shape.field_bytes(rank));
    if (!one) spectrum_ = device::make_memory(shape.spectrum_bytes(rank));
    if (!shape.planes_like_field() || places == SlabPlaces::rows_in_field)
      planes_ = device::make_memory(shape.planes_bytes(rank));
    if (shape.dense_spectrum || one) rows_ = device::make_memory(shape.rows_bytes(rank));
    if (places == SlabPlaces::planes_in_spectrum)
      for (device::Memory* memory : {&tail_, &packed_}) *memory = device::make_memory(shape.planes_bytes(rank));
  }
  SlabArrays arrays(Direction direction = Direction::forward) const {
    const bool in_field = places_ == SlabPlaces::rows_in_field && direction == Direction::backward;
    SlabArrays all{field_.get(), planes_ ? planes_.get() : field_.get(), spectrum(),
                   in_field ? field_.get() : rows_.get()};
    if (places_ != SlabPlaces::planes_in_spectrum || direction == Direction::backward) return all;
    all.planes = spectrum();
    all.tail = tail_.get();
    all.tail_begin = static_cast<std::int64_t>(shape_.spectrum_bytes(rank_) * to_size(shape_.x_count(rank_)) /
                                               shape_.planes_bytes(rank_));
    all.packed = packed_.get();
    return all;
  }
  device::StreamHandle stream() const { return stream_.get(); }

  void upload_field(const SlabReference& reference) {
    std::vector<T> numbers(field_reals());
    for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<T>(reference.field[first_real() + i]);
    device::copy_bytes(field_.get(), numbers.data(), numbers.size() * sizeof(T), stream());
    device::synchronize(stream());
  }
  void upload_spectrum(const SlabReference& reference) {
    std::vector<std::complex<T>> numbers(spectrum_numbers(), std::complex<T>(std::numeric_limits<T>::quiet_NaN()));
    for_spectrum(
        [&](std::size_t here, std::size_t there) { numbers[here] = std::complex<T>(reference.spectrum[there]); });
    device::copy_bytes(spectrum(), numbers.data(), numbers.size() * sizeof(numbers[0]), stream());
    device::synchronize(stream());
  }
  void compare_field(const SlabReference& reference, double scale, Norms& norms) {
    std::vector<T> numbers(field_reals());
    device::copy_bytes(numbers.data(), field_.get(), numbers.size() * sizeof(T), stream());
    device::synchronize(stream());
    for (std::size_t i = 0; i < numbers.size(); ++i) norms.add(numbers[i], scale * reference.field[first_real() + i]);
  }
  void compare_spectrum(const SlabReference& reference, double scale, Norms& norms) {
    std::vector<std::complex<T>> numbers(spectrum_numbers());
    device::copy_bytes(numbers.data(), spectrum(), numbers.size() * sizeof(numbers[0]), stream());
    device::synchronize(stream());
    for_spectrum([&](std::size_t here, std::size_t there) {
      norms.add(std::complex<double>(numbers[here]), scale * reference.spectrum[there]);
    });
  }

 private:
  void* spectrum() const { return spectrum_ ? spectrum_.get() : field_.get(); }
  std::size_t reals_a_point() const { return shape_.transform.kind == Kind::r2c ? 1 : 2; }
  std::size_t field_reals() const { return shape_.field_bytes(rank_) / sizeof(T); }
  std::size_t first_real() const { return to_size(shape_.x_begin(rank_) * shape_.ny * shape_.nz) * reals_a_point(); }
  std::size_t spectrum_numbers() const { return shape_.spectrum_bytes(rank_) / sizeof(std::complex<T>); }
  /// visit(place in the rank's spectrum, place in the whole one)
  template <class Visit>
  void for_spectrum(const Visit& visit) const {
    const std::int64_t rows = shape_.y_count(rank_);
    for (std::int64_t x = 0; x < shape_.nx; ++x)
      for (std::int64_t y = 0; y < rows; ++y)
        for (std::int64_t z = 0; z < shape_.nzc(); ++z)
          visit(to_size((x * rows + y) * shape_.spectrum_pitch() + z),
                to_size((x * shape_.ny + shape_.y_begin(rank_) + y) * shape_.nzc() + z));
  }

  SlabShape shape_;
  int rank_;
  SlabPlaces places_;
  device::Memory field_, planes_, spectrum_, rows_, tail_, packed_;
  device::Stream stream_;
};

struct SlabTestShape {
  Shape extents;
  std::string why;
};
/// Even and uneven, with and without line passes, ranks without planes or rows.
inline std::vector<SlabTestShape> slab_test_shapes() {
  return {{{7, 128, 128}, "planes in one pass, x lines by cuFFT, ranks with few planes"},
          {{128, 128, 48}, "line passes, three bundles a line"},
          {{128, 256, 30}, "line passes, z lines that real transforms pad to whole bundles"},
          {{128, 61, 32}, "line passes along x only"},
          {{128, 128, 5}, "line passes along x only, z lines that begin within 16 bytes in single precision"},
          {{61, 128, 32}, "line passes along y only"},
          {{128, 3, 32}, "line passes along x, ranks without rows"},
          {{2, 128, 32}, "line passes along y, ranks without planes"},
          {{50, 31, 20}, "no line passes"},
          {{7, 5, 7}, "odd planes"},
          {{3, 5, 7}, "fewer planes than ranks"},
          {{1, 7, 5}, "one plane"}};
}

}  // namespace shardfft::test
