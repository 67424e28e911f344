#pragma once
// The kernels' headers as text, for the compiler at run time. Made by cmake/embed.cmake.
#include <vector>

namespace shardfft::device::lines {

struct KernelSource {
  const char* name;  ///< as it is included
  const char* text;
};
const std::vector<KernelSource>& kernel_sources();

}  // namespace shardfft::device::lines
