#include "local/processor_rule.hpp"

#include <algorithm>

#include "base/text.hpp"

namespace shardfft {

std::string processor_fact(const std::string& name) {
  TextOfFile file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    const std::size_t colon = line.find(": ");
    if (line.starts_with(name) && colon != std::string::npos && line.find_first_not_of(" \t", name.size()) == colon)
      return line.substr(colon + 2);
  }
  return {};
}

std::string expected_fastest(const std::vector<std::string>& names, const std::string& maker, int vector_bytes) {
  const auto has = [&](const std::string& name) { return std::find(names.begin(), names.end(), name) != names.end(); };
  if (maker == "GenuineIntel" && has("mkl")) return "mkl";
  if (vector_bytes >= 64 && has("lanes")) return "lanes";
  return has("fftw") ? "fftw" : names.at(0);
}

}  // namespace shardfft
