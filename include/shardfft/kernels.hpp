#pragma once
// Kernels of GPU plans, compiled ahead. Included by tools that compile them; plans compile the kernels that they miss.
#include <cstdint>
#include <string>
#include <vector>

#include "shardfft/types.hpp"

namespace shardfft {

/// The properties of plans that their kernels depend on.
struct KernelsFor {
  std::vector<std::int64_t> extents;  ///< of the array, the fastest axis in memory last
  bool real = false;                  ///< r2c and c2r, else c2c
  Precision precision = Precision::f64;
  int architecture = 90;  ///< compute capability: 90 is 9.0
  bool verify = false;    ///< plans with the option verify
};
/// Compiles the kernels that plans of such arrays may ask the compiler for, on any number of GPUs, and keeps them in
/// the folder that plans search (SHARDFFT_CACHE); returns a description of each kernel. Needs libnvrtc of the version
/// that plans will find, but no GPU. Throws Error if there is no compiler or no folder that can be written, or if the
/// architecture is not known.
std::vector<std::string> compile_kernels(const KernelsFor& plans);

/// Why nothing is kept in the folder of this library (SHARDFFT_CACHE); empty if it can be used, or none is named.
std::string why_nothing_is_kept();

}  // namespace shardfft
