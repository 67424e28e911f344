#pragma once
// Element types, transform kinds and normalisations: the vocabulary every other header uses.
#include <complex>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace shardfft {

/// Global array extents or process counts, one entry an axis; axis 0 is the slowest in natural order.
using Shape = std::vector<std::int64_t>;

/// Floating-point precision of real numbers and of the parts of complex numbers.
enum class Precision { f32, f64 };

/// The numbers that `forward` reads and writes: complex to complex, real to half spectrum, half spectrum to real, or
/// real to real if all axes have cosine or sine transforms.
enum class Kind { c2c, r2c, c2r, r2r };

/// The transform along one axis: a Fourier transform, or a cosine or sine transform of type I to IV by the definitions
/// of SciPy and FFTW (docs/transforms.md), which takes the real and the imaginary parts of complex numbers one by one.
enum class AxisTransform { fft, dct1, dct2, dct3, dct4, dst1, dst2, dst3, dst4 };

/// Sign of the exponent: `forward` is exp(-2 pi i jk/n), `backward` is exp(+2 pi i jk/n).
enum class Direction { forward, backward };

/// The direction that takes the factor 1/N, in NumPy's words; `none` scales neither direction.
enum class Norm { backward, ortho, forward, none };

/// The treatment of mode -m/2 if an even number m of modes is kept (option lone_mode).
enum class LoneMode { split, keep, zero };

/// The type of one number of a local array.
struct ElementType {
  Precision precision = Precision::f64;
  bool is_complex = true;
  /// Bytes of one number.
  std::size_t bytes() const { return (precision == Precision::f64 ? 8u : 4u) * (is_complex ? 2u : 1u); }
  bool operator==(const ElementType&) const = default;
};

/// Kind and precision of a transform, the runtime value behind `c2c<double>` and its siblings.
struct Transform {
  Kind kind = Kind::c2c;
  Precision precision = Precision::f64;
  bool operator==(const Transform&) const = default;
};

/// The elements of arrays: float, double or std::complex of them. Pass arrays of other types of the same layout as
/// void*.
template <class T>
concept Element = std::same_as<T, float> || std::same_as<T, double> || std::same_as<T, std::complex<float>> ||
    std::same_as<T, std::complex<double>>;

/// The type T as a value.
template <Element T>
inline constexpr ElementType element_type{
    std::same_as<T, double> || std::same_as<T, std::complex<double>> ? Precision::f64 : Precision::f32,
    std::same_as<T, std::complex<float>> || std::same_as<T, std::complex<double>>};

namespace detail {
template <class T>
struct PrecisionOf;
template <>
struct PrecisionOf<float> {
  static constexpr Precision value = Precision::f32;
};
template <>
struct PrecisionOf<double> {
  static constexpr Precision value = Precision::f64;
};
}  // namespace detail

template <class T>
inline constexpr Transform c2c{Kind::c2c, detail::PrecisionOf<T>::value};
template <class T>
inline constexpr Transform r2c{Kind::r2c, detail::PrecisionOf<T>::value};
template <class T>
inline constexpr Transform c2r{Kind::c2r, detail::PrecisionOf<T>::value};
template <class T>
inline constexpr Transform r2r{Kind::r2r, detail::PrecisionOf<T>::value};

/// The other direction.
inline Direction opposite(Direction d) { return d == Direction::forward ? Direction::backward : Direction::forward; }

}  // namespace shardfft
