#include "conformance.hpp"

#include <cmath>
#include <limits>
#include <vector>

namespace shardfft::bench {

Error tolerance(const Case& wanted) {
  const double eps = wanted.single() ? std::numeric_limits<float>::epsilon() : std::numeric_limits<double>::epsilon();
  const double unit = eps * std::max(1.0, std::log2(double(wanted.points())));
  return {40 * unit, 2 * unit};
}

// Written so that NaN fails: no comparison with it is true.
bool passes(const Error& error, const Error& bound) { return error.max <= bound.max && error.l2 <= bound.l2; }

template <class Visit>
auto Examiner::typed(bool real, void* data, Visit visit) {
  if (real && case_.single()) return visit(static_cast<float*>(data));
  if (real) return visit(static_cast<double*>(data));
  if (case_.single()) return visit(static_cast<std::complex<float>*>(data));
  return visit(static_cast<std::complex<double>*>(data));
}

std::size_t Examiner::field_bytes() const {
  const std::size_t element = case_.real_bytes() * (case_.real() ? 1 : 2);
  return std::size_t(adapter_.field_part().span()) * element;
}

std::size_t Examiner::spectrum_bytes() const {
  return std::size_t(adapter_.spectrum_part().span()) * 2 * case_.real_bytes();
}

void Examiner::fill_field() {
  const Part part = adapter_.field_part();
  std::vector<char> stage(adapter_.on_device() ? field_bytes() : 0);
  void* data = adapter_.on_device() ? stage.data() : adapter_.field();
  typed(case_.real(), data, [&](auto* values) { field_.fill_field(part, values); });
  if (adapter_.on_device()) adapter_.copy(adapter_.field(), data, stage.size());
}

void Examiner::fill_spectrum() {
  const Part part = adapter_.spectrum_part();
  std::vector<char> stage(adapter_.on_device() ? spectrum_bytes() : 0);
  void* data = adapter_.on_device() ? stage.data() : adapter_.spectrum();
  typed(false, data, [&](auto* values) {
    if constexpr (!std::is_floating_point_v<std::remove_pointer_t<decltype(values)>>)
      field_.fill_spectrum(part, values);
  });
  if (adapter_.on_device()) adapter_.copy(adapter_.spectrum(), data, stage.size());
}

Error Examiner::field_error(double scale) {
  const Part part = adapter_.field_part();
  std::vector<char> stage(adapter_.on_device() ? field_bytes() : 0);
  if (adapter_.on_device()) adapter_.copy(stage.data(), adapter_.field(), stage.size());
  void* data = adapter_.on_device() ? stage.data() : adapter_.field();
  const auto sums = typed(case_.real(), data, [&](auto* values) { return field_.compare_field(part, values, scale); });
  return combine(sums, case_.shape);
}

Error Examiner::spectrum_error(double scale) {
  const Part part = adapter_.spectrum_part();
  std::vector<char> stage(adapter_.on_device() ? spectrum_bytes() : 0);
  if (adapter_.on_device()) adapter_.copy(stage.data(), adapter_.spectrum(), stage.size());
  void* data = adapter_.on_device() ? stage.data() : adapter_.spectrum();
  const auto sums = typed(false, data, [&](auto* values) {
    if constexpr (std::is_floating_point_v<std::remove_pointer_t<decltype(values)>>)
      return ErrorSums{};
    else
      return field_.compare_spectrum(part, values, scale);
  });
  return combine(sums, case_.spectrum());
}

Error Examiner::combine(const ErrorSums& mine, const Triple& shape) const {
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
