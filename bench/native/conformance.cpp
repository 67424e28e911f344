#include "conformance.hpp"

#include <cmath>
#include <limits>

namespace shardfft::bench {

Error tolerance(const Case& wanted) {
  const double eps = wanted.single() ? std::numeric_limits<float>::epsilon() : std::numeric_limits<double>::epsilon();
  const double unit = eps * std::max(1.0, std::log2(double(wanted.points())));
  const double allowed = wanted.options.value("tolerance", 0.0);
  return {40 * unit + 20 * allowed, 2 * unit + allowed};
}

// Written so that NaN fails: no comparison with it is true.
bool passes(const Error& error, const Error& bound) { return error.max <= bound.max && error.l2 <= bound.l2; }

Error Examiner::error(Side side, double scale) {
  const ErrorSums mine = values_->compare(side, scale);
  const Triple shape = side == Side::field ? case_.shape : case_.spectrum();
  // MPI_MAX need not keep a NaN, so a NaN travels as a count of its own.
  double largest = std::isnan(mine.largest) ? 0 : mine.largest;
  double sums[3] = {mine.squares, mine.reference, std::isnan(mine.largest) ? 1.0 : 0.0};
  MPI_Allreduce(MPI_IN_PLACE, &largest, 1, MPI_DOUBLE, MPI_MAX, comm_);
  MPI_Allreduce(MPI_IN_PLACE, sums, 3, MPI_DOUBLE, MPI_SUM, comm_);
  const double points = double(shape[0]) * double(shape[1]) * double(shape[2]);
  if (sums[2] > 0) return {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::quiet_NaN()};
  return {largest / std::sqrt(sums[1] / points), std::sqrt(sums[0] / sums[1])};
}

Json to_json(const Error& error) {
  // JSON has no NaN: null stands for it.
  const auto number = [](double x) { return std::isfinite(x) ? Json(x) : Json(nullptr); };
  return {{"max", number(error.max)}, {"l2", number(error.l2)}};
}

}  // namespace shardfft::bench
