#include "host_values.hpp"

#include <cmath>
#include <cstring>

namespace shardfft::bench {

Part HostValues::part(Side side) const {
  return side == Side::field ? adapter_.field_part() : adapter_.spectrum_part();
}

void* HostValues::data(Side side) const { return side == Side::field ? adapter_.field() : adapter_.spectrum(); }

bool HostValues::reals(Side side) const { return side == Side::field ? case_.real() : case_.real_spectrum(); }

// visit(values of their type), for each field of the batch: field b holds b + 1 times the exact values.
template <class Visit>
void HostValues::typed(Side side, Visit visit) const {
  void* values = data(side);
  const std::int64_t apart = part(side).span();
  const auto each = [&](auto* first) {
    for (std::int64_t b = 0; b < case_.batch; ++b) visit(first + b * apart, double(b + 1));
  };
  if (reals(side)) return case_.single() ? each(static_cast<float*>(values)) : each(static_cast<double*>(values));
  return case_.single() ? each(static_cast<std::complex<float>*>(values))
                        : each(static_cast<std::complex<double>*>(values));
}

void HostValues::fill(Side side) {
  typed(side, [&](auto* values, double factor) {
    side == Side::field ? exact_.fill_field(part(side), values, factor)
                        : exact_.fill_spectrum(part(side), values, factor);
  });
}

ErrorSums HostValues::compare(Side side, double scale) {
  ErrorSums all;
  typed(side, [&](auto* values, double factor) {
    const ErrorSums one = side == Side::field ? exact_.compare_field(part(side), values, scale * factor)
                                              : exact_.compare_spectrum(part(side), values, scale * factor);
    // Written so that NaN stays.
    all.largest = one.largest <= all.largest ? all.largest : one.largest;
    all.squares += one.squares;
    all.reference += one.reference;
  });
  return all;
}

void HostValues::apply() {
  const Part part = this->part(Side::spectrum);
  typed(Side::spectrum, [&](auto* values, double) {
    for (std::int64_t i = 0; i < part.count[0]; ++i)
      for (std::int64_t j = 0; j < part.count[1]; ++j) {
        const double row = gain(part, 0, i) * gain(part, 1, j);
        auto* const line = values + i * part.stride[0] + j * part.stride[1];
        using Real = decltype(std::abs(*line));
        for (std::int64_t k = 0; k < part.count[2]; ++k) line[k * part.stride[2]] *= Real(row * gain(part, 2, k));
      }
  });
}

double HostValues::gain(const Part& part, int axis, std::int64_t index) const {
  return exact_.gain(axis)[std::size_t(part.lower[axis] + index * part.step[axis])];
}

void HostValues::keep(Side side) {
  kept_ = side;
  copy_.resize(std::size_t(case_.batch * part(side).span()) * case_.real_bytes() * (reals(side) ? 1 : 2));
  std::memcpy(copy_.data(), data(side), copy_.size());
}

void HostValues::restore() { std::memcpy(data(kept_), copy_.data(), copy_.size()); }

}  // namespace shardfft::bench
