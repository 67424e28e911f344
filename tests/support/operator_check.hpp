#pragma once
// Plan::apply against the definition: the whole array's spectrum, times a factor a mode, transformed back.
#include <functional>
#include <numbers>

#include "support/transform_check.hpp"

namespace shardfft::test {

constexpr double pi = std::numbers::pi;

/// Of the global indices of a mode.
using FactorOf = std::function<Value(const Index& index)>;

/// Signed mode number of an index, as NumPy's fftfreq(n) and rfftfreq(n) times n, or the index itself along axes with a
/// cosine or sine transform; 0 along other axes.
std::int64_t mode_number(const TransformCase& c, int axis, std::int64_t index);

/// Random fields and what comes of them by the definition.
struct AppliedFields {
  std::vector<std::vector<Value>> input, output;
  double points = 1;
};

AppliedFields applied_fields(const TransformCase& c, ElementType element, const FactorOf& factor, std::uint64_t salt);

/// The answer of a plan of one member for the field that it is given, in place or not, and the one by the definition.
void check_apply(Plan& plan, const TransformCase& c, const Operator& op, const FactorOf& factor, bool in_place = false,
                 std::uint64_t salt = 1);

/// A factor that leaves real fields real; any one for complex fields.
FactorOf some_factor(const TransformCase& c);

Operator some_operator(const TransformCase& c);

/// Multiplies a spectrum on the host by some_factor(), and counts how often.
Operator calling_operator(const TransformCase& c, int& calls);

/// `factor` for each element of an array of spectra, in its type.
LocalArray factors_of(const Side& spectrum, const FactorOf& factor);

/// A plan over all ranks with that operator, in place and not. Collective.
void check_case_applied(const TransformCase& c);

}  // namespace shardfft::test
