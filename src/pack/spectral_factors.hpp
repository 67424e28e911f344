#pragma once
// Factors that an operator multiplies a spectrum by, line by line, and the loop that does it.
#include <array>
#include <complex>
#include <cstddef>
#include <map>
#include <memory>

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

class SpectralFactors {
 public:
  virtual ~SpectralFactors() = default;
  /// The factors of the line's elements. Many threads may ask at once.
  virtual void line(const SpectralLine& line, std::complex<double>* factors) const = 0;
  virtual bool differ_by_field() const { return false; }
};

/// What an operator step multiplies by, on each rank of this process: other factors at each run.
using FactorsInUse = std::map<int, std::shared_ptr<const SpectralFactors>>;

/// Multiplies the elements of a rank's array, whose axis 0 counts fields; real ones by the real parts. in == out is
/// allowed.
void multiply(const std::byte* in, std::byte* out, const SpectralFactors& factors, const std::vector<Piece>& pieces,
              ElementType element, int threads);

}  // namespace shardfft
