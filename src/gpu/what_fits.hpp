#pragma once
// If a problem does not fit into a GPU: names the ways to run it that would fit.
#include <cstddef>
#include <cstdint>
#include <string>

namespace shardfft::gpu {

struct Wanted {
  std::size_t needed = 0;     ///< bytes for input, output, workspace and everything else
  std::size_t there = 0;      ///< bytes of the GPU
  std::size_t one_array = 0;  ///< bytes of one array that is both input and output; 0 if that was asked for
  std::int64_t batch = 1;     ///< fields
};

/// The end of an error's sentence: the ways that would fit, or that the problem needs more or larger GPUs.
std::string what_would_fit(const Wanted& wanted);

}  // namespace shardfft::gpu
