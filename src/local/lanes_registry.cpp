// Kernels for SIMD batches of lines by processor.
#include "base/environment.hpp"
#include "local/lanes.hpp"

namespace shardfft::lanes {
namespace {

std::vector<Kernels> find_kernels() {
  std::vector<Kernels> all;
#ifdef SHARDFFT_X86
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq")) all.push_back(kernels_512());
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) all.push_back(kernels_256());
#endif
  all.push_back(kernels_128());
  return all;
}

}  // namespace

std::vector<Kernels> no_longer_than(std::vector<Kernels> kernels, const std::string& instructions) {
  const int most = instructions == "avx512" ? 64 : instructions == "avx2" ? 32 : instructions == "baseline" ? 16 : 0;
  require(most > 0, "SHARDFFT_LANES (the vectors of the local FFT lanes) is '", instructions,
          "', expected avx512, avx2 or baseline");
  std::erase_if(kernels, [&](const Kernels& k) { return k.vector_bytes > most; });
  return kernels;
}

const std::vector<Kernels>& all_kernels() {
  static const std::vector<Kernels> all = [] {
    const std::optional<std::string> said = environment("SHARDFFT_LANES");
    return said ? no_longer_than(find_kernels(), *said) : find_kernels();
  }();
  return all;
}

}  // namespace shardfft::lanes
