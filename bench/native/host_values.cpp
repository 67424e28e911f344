#include "host_values.hpp"

#include <cstring>
#include <type_traits>

namespace shardfft::bench {

Part HostValues::part(Side side) const {
  return side == Side::field ? adapter_.field_part() : adapter_.spectrum_part();
}

void* HostValues::data(Side side) const { return side == Side::field ? adapter_.field() : adapter_.spectrum(); }

// visit(values of their type); the spectrum is complex always.
template <class Visit>
auto HostValues::typed(Side side, Visit visit) const {
  void* values = data(side);
  if (side == Side::field && case_.real())
    return case_.single() ? visit(static_cast<float*>(values)) : visit(static_cast<double*>(values));
  return case_.single() ? visit(static_cast<std::complex<float>*>(values))
                        : visit(static_cast<std::complex<double>*>(values));
}

void HostValues::fill(Side side) {
  typed(side, [&](auto* values) {
    if constexpr (std::is_floating_point_v<std::remove_pointer_t<decltype(values)>>)
      exact_.fill_field(part(side), values);
    else
      side == Side::field ? exact_.fill_field(part(side), values) : exact_.fill_spectrum(part(side), values);
  });
}

ErrorSums HostValues::compare(Side side, double scale) {
  return typed(side, [&](auto* values) {
    if constexpr (std::is_floating_point_v<std::remove_pointer_t<decltype(values)>>)
      return exact_.compare_field(part(side), values, scale);
    else
      return side == Side::field ? exact_.compare_field(part(side), values, scale)
                                 : exact_.compare_spectrum(part(side), values, scale);
  });
}

void HostValues::keep(Side side) {
  kept_ = side;
  const bool reals = side == Side::field && case_.real();
  copy_.resize(std::size_t(part(side).span()) * case_.real_bytes() * (reals ? 1 : 2));
  std::memcpy(copy_.data(), data(side), copy_.size());
}

void HostValues::restore() { std::memcpy(data(kept_), copy_.data(), copy_.size()); }

}  // namespace shardfft::bench
