#pragma once
// The inside of an operator, from which plans get its factors.
#include <cstddef>
#include <memory>
#include <vector>

#include "pack/spectral_factors.hpp"
#include "shardfft/operator.hpp"
#include "shardfft/side.hpp"

namespace shardfft {

/// The place of factors: the sides of one member of a plan.
struct OperatorPlace {
  const Side& field;
  const Side& spectrum;
  int member = 0, members = 1;
};

class Operator::Rep {
 public:
  virtual ~Rep() = default;
  /// Throws Error if the operator does not fit the plan.
  virtual std::shared_ptr<const SpectralFactors> factors(const OperatorPlace& place) const = 0;
};

/// One member's factors, in the layout of its spectrum.
struct FactorArray {
  std::shared_ptr<const std::byte> factors;
  std::int64_t count = 0;
};

/// The length of the domain along `axis`, as operators take it; throws Error for lengths that no domain has.
double length_of(const Side& spectrum, const std::vector<double>& lengths, int axis);

/// The sum of value(axis, wavenumber) over the transformed axes.
Operator operator_of_sum(std::function<double(int axis, double wavenumber)> value, std::vector<double> lengths);
/// value(wavenumber) along one axis, for derivatives of odd order.
Operator operator_of_slopes(int axis, std::function<std::complex<double>(double wavenumber)> value,
                            std::vector<double> lengths);

/// An operator of the members' arrays, which are not copied.
Operator operator_of_arrays(ElementType element, std::vector<FactorArray> arrays);

}  // namespace shardfft
