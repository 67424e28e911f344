#pragma once
// Checked narrowing and the throw helpers every layer uses.
#include <cstdint>
#include <limits>
#include <string>

#include "base/text.hpp"
#include "shardfft/error.hpp"

namespace shardfft {

/// Throws Error(code) with all arguments streamed into one message.
template <class... Parts>
[[noreturn]] void fail(Status code, const Parts&... parts) {
  Text text;
  (text << ... << parts);
  throw Error(code, text.str());
}

template <class... Parts>
void require(bool condition, const Parts&... parts) {
  if (!condition) fail(Status::invalid_argument, parts...);
}

/// The only way from int64_t to int: throws if the value does not fit.
inline int narrow(std::int64_t value, const char* what) {
  if (value < std::numeric_limits<int>::min() || value > std::numeric_limits<int>::max())
    fail(Status::internal, what, " does not fit an int: ", value);
  return static_cast<int>(value);
}

}  // namespace shardfft
