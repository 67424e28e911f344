#pragma once
// What users say in the environment.
#include <cstdlib>
#include <optional>
#include <string>

#include "base/check.hpp"

namespace shardfft::gpu {

/// A variable that is 0 or 1; nothing where it is not set. Throws invalid_argument for other values.
inline std::optional<bool> switch_in_environment(const std::string& name, const std::string& meaning) {
  const char* said = std::getenv(name.c_str());
  if (said == nullptr || *said == '\0') return std::nullopt;
  require(std::string(said) == "0" || std::string(said) == "1", name, " (", meaning, ") is '", said,
          "', expected 0 or 1");
  return *said == '1';
}

}  // namespace shardfft::gpu
