#pragma once
// Kernels of GPU plans, compiled ahead. Included by tools that do so; plans compile what they miss.
#include <cstdint>
#include <string>
#include <vector>

#include "shardfft/types.hpp"

namespace shardfft {

/// What plans are to be, as far as their kernels depend on it.
struct KernelsFor {
  std::vector<std::int64_t> extents;  ///< of the array, the fastest axis in memory last
  bool real = false;                  ///< r2c and c2r, else c2c
  Precision precision = Precision::f64;
  int architecture = 90;  ///< compute capability: 90 is 9.0
  bool verify = false;    ///< plans with the option verify
};
/// Compiles what plans of such arrays may ask the compiler for, on any number of GPUs, and keeps it in the folder where
/// they look (SHARDFFT_CACHE); returns a description of each kernel. Needs libnvrtc of the version that plans will
/// find, but no GPU. Throws Error where there is no compiler, no folder that can be written, or the architecture is not
/// known.
std::vector<std::string> compile_kernels(const KernelsFor& plans);

/// Why nothing is kept in the folder of this library (SHARDFFT_CACHE); empty if it can be used, or none is named.
std::string why_nothing_is_kept();

}  // namespace shardfft
