#pragma once
// An operator's factors as seen from lines along one axis: a sum, or a quotient of two sums, of few numbers. Passes
// that transform these lines can then multiply their results by the way.
#include <optional>
#include <vector>

#include "pack/spectral_factors.hpp"

namespace shardfft {

struct LineForm {
  using Terms = std::vector<SpectralFactors::Term>;
  /// first + second * along[index]: terms that do not depend on the axis (none: zero), and numbers along it. Without
  /// `along` there is no second one.
  struct Sum {
    Terms first, second;
    std::vector<SpectralFactors::Complex> along;
  };
  Sum above;
  std::optional<Sum> below;  ///< the quotient is 0 if it is 0
};

/// None if the factors have no such form: they have arrays or texts, or depend on the axis in another way.
std::optional<LineForm> line_form(const SpectralFactors& factors, int axis);

/// The number, if the terms are one number or none.
std::optional<SpectralFactors::Complex> constant_of(const LineForm::Terms& terms);

}  // namespace shardfft
