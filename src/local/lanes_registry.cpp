// Kernels for lines in lanes by processor.
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

const std::vector<Kernels>& all_kernels() {
  static const std::vector<Kernels> all = find_kernels();
  return all;
}

}  // namespace shardfft::lanes
