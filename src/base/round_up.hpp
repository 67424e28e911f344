#pragma once
#include <concepts>
#include <type_traits>

namespace shardfft {

/// The least multiple of `to` that is no less than `count`.
template <std::integral T>
constexpr T round_up(T count, std::type_identity_t<T> to) {
  return (count + to - 1) / to * to;
}

}  // namespace shardfft
