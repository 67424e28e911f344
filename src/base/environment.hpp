#pragma once
// Variables that users set in the environment.
#include <cstdlib>
#include <optional>
#include <string>

#include "base/check.hpp"

namespace shardfft {

/// A variable; nothing if it is not set.
inline std::optional<std::string> environment(const std::string& name) {
  const char* said = std::getenv(name.c_str());
  return said == nullptr ? std::nullopt : std::optional<std::string>(said);
}

/// A variable that is 0 or 1; nothing if it is not set. Throws invalid_argument for other values.
inline std::optional<bool> switch_in_environment(const std::string& name, const std::string& meaning) {
  const std::optional<std::string> said = environment(name);
  if (!said || said->empty()) return std::nullopt;
  require(*said == "0" || *said == "1", name, " (", meaning, ") is '", *said, "', expected 0 or 1");
  return *said == "1";
}

}  // namespace shardfft
