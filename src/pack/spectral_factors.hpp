#pragma once
// Factors that an operator multiplies a spectrum by, line by line, and the loop that does it.
#include <array>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "shardfft/layout.hpp"
#include "shardfft/types.hpp"

namespace shardfft {

/// Elements of one field of a rank's array that follow each other along one axis.
struct SpectralLine {
  std::array<std::int64_t, max_axes> index{};  ///< of the first element, along each axis of the field
  int axis = 0;
  std::int64_t count = 0;
  std::int64_t step = 1;    ///< from index to index along `axis`
  std::int64_t place = 0;   ///< of the first element, from the beginning of the field in memory
  std::int64_t stride = 1;  ///< from place to place
  std::int64_t field = 0;
};

/// What an operator does to a spectrum. Factors for its elements: numbers for each index along an axis, constants and
/// arrays, joined. Terms are in postfix order: a join takes the two values before it. Or a call of the caller's.
struct SpectralFactors {
  using Complex = std::complex<double>;
  struct OfAxis {
    int axis = 0;
    std::shared_ptr<const std::vector<Complex>> numbers;  ///< one an index
  };
  /// A number for each element, in the order in memory.
  struct OfArray {
    std::shared_ptr<const std::byte> numbers;
    std::int64_t field = 0;  ///< elements of one field, where fields differ; else 0
    /// Copies `count` numbers from element `first` on, `stride` elements apart.
    void (*read)(const std::byte* numbers, std::int64_t first, std::int64_t stride, std::int64_t count, Complex* to);
  };
  /// CUDA source text, which GPUs run: its function takes the `axes` wavenumbers before it.
  struct OfText {
    std::shared_ptr<const std::string> text;
    int axes = 0;
  };
  /// A quotient is 0 where its divisor is 0.
  enum class Join { plus, minus, times, over };
  using Term = std::variant<Complex, OfAxis, OfArray, OfText, Join>;

  std::vector<Term> terms;
  /// Where there are no terms: changes the elements of a rank, on a GPU by what it enqueues on `stream`; `device` is -1
  /// on CPUs.
  std::function<void(std::byte* data, int device, void* stream)> call;

  bool has_arrays() const;
  bool has_texts() const;
  bool differ_by_field() const;
  /// The most values that wait to be joined at once.
  int depth() const;
};

/// What an operator step multiplies by, on each rank of this process: other factors at each run.
using FactorsInUse = std::map<int, std::shared_ptr<const SpectralFactors>>;

/// Multiplies the elements of a rank's array, whose axis 0 counts fields; real ones by the real parts. Or calls what is
/// to be called. in == out is allowed.
void multiply(const std::byte* in, std::byte* out, const SpectralFactors& factors, const std::vector<Piece>& pieces,
              ElementType element, int threads);

}  // namespace shardfft
