#pragma once
// Factors by which an operator multiplies a spectrum, line by line, and the loop that does it.
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
  std::int64_t place = 0;   ///< of the first element, counted from the beginning of its field in memory
  std::int64_t stride = 1;  ///< from place to place
  std::int64_t field = 0;
};

/// The action of an operator on a spectrum. Either factors of elements: constants, numbers for each index along an
/// axis, and arrays, in postfix order (a join takes the two values before it). Or a function of the caller.
struct SpectralFactors {
  using Complex = std::complex<double>;
  struct OfAxis {
    int axis = 0;
    std::shared_ptr<const std::vector<Complex>> numbers;  ///< one an index
  };
  /// A number for each element, in the order in memory.
  struct OfArray {
    std::shared_ptr<const std::byte> numbers;
    std::int64_t field = 0;  ///< elements of one field if fields differ; else 0
    /// Copies `count` numbers from element `first` on, `stride` elements apart.
    void (*read)(const std::byte* numbers, std::int64_t first, std::int64_t stride, std::int64_t count, Complex* to);
  };
  /// CUDA source text, which only GPUs run: its function takes the `axes` wavenumbers before it as arguments.
  struct OfText {
    std::shared_ptr<const std::string> text;
    int axes = 0;
  };
  /// A quotient is 0 if its divisor is 0.
  enum class Join { plus, minus, times, over };
  using Term = std::variant<Complex, OfAxis, OfArray, OfText, Join>;

  std::vector<Term> terms;
  /// Used if there are no terms. Changes the elements of a rank; on a GPU it enqueues this work on `stream`. `device`
  /// is -1 on CPUs.
  std::function<void(std::byte* data, int device, void* stream)> call;

  bool has_arrays() const;
  bool has_texts() const;
  bool differ_by_field() const;
  /// Equal for equal operators, on all ranks: of the terms, and of numbers up to their last bits, in which hosts may
  /// differ. What arrays and functions hold does not count.
  std::uint64_t mark() const;
  /// The largest number of values that wait to be joined.
  int depth() const;
};

/// The factors of an operator step on each rank of this process; they may change from run to run.
using FactorsInUse = std::map<int, std::shared_ptr<const SpectralFactors>>;

/// Multiplies the elements of a rank's array, whose axis 0 counts fields, by the factors; real elements by their real
/// parts. If `factors` has a function, calls it instead. in == out is allowed. Without `in` and without a function, the
/// result is the factors.
void multiply(const std::byte* in, std::byte* out, const SpectralFactors& factors, const std::vector<Piece>& pieces,
              ElementType element, int threads);

}  // namespace shardfft
