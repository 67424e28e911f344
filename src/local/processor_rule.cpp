#include "local/processor_rule.hpp"

#include <algorithm>

#include "base/text.hpp"

namespace shardfft {

std::string processor_maker() {
  TextOfFile file("/proc/cpuinfo");
  for (std::string word, rest; file >> word;) {
    if (word == "vendor_id" && file >> rest >> word) return word;
    std::getline(file, rest);
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
