#include "local/processor_rule.hpp"

#include <algorithm>
#include <fstream>

namespace shardfft {

std::string processor_maker() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string word, rest; file >> word;) {
    if (word == "vendor_id" && file >> rest >> word) return word;
    std::getline(file, rest);
  }
  return {};
}

std::string expected_fastest(const std::vector<std::string>& names, const std::string& maker) {
  for (const std::string wanted : {maker == "GenuineIntel" ? "mkl" : "fftw", "fftw"})
    if (std::find(names.begin(), names.end(), wanted) != names.end()) return wanted;
  return names.at(0);
}

}  // namespace shardfft
