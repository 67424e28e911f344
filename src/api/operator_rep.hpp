#pragma once
// What an operator is inside: how a plan gets its factors.
#include <vector>

#include "pack/spectral_factors.hpp"
#include "shardfft/operator.hpp"
#include "shardfft/side.hpp"

namespace shardfft {

/// Where factors are asked for: the sides of one member of a plan.
struct OperatorPlace {
  const Side& field;
  const Side& spectrum;
  int member = 0;
};

class Operator::Rep {
 public:
  virtual ~Rep() = default;
  /// Throws Error where the operator does not fit the plan.
  virtual std::shared_ptr<const SpectralFactors> factors(const OperatorPlace& place) const = 0;
};

/// Arrays of the members' factors, in the layout of their spectra.
Operator operator_of_arrays(ElementType element, const std::vector<const void*>& arrays,
                            const std::vector<std::int64_t>& counts);

}  // namespace shardfft
