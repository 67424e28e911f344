#pragma once
// What a GPU would have room for, where it has none for what was asked.
#include <cstddef>
#include <cstdint>
#include <string>

namespace shardfft::gpu {

struct Wanted {
  std::size_t needed = 0;     ///< bytes for input, output, workspace and all else
  std::size_t there = 0;      ///< bytes of the GPU
  std::size_t one_array = 0;  ///< bytes of an array that is input and output at once; 0 where that was asked
  std::int64_t batch = 1;     ///< fields
};

/// The end of an error's sentence: the ways that have room, or that there is none on as few GPUs.
std::string what_would_fit(const Wanted& wanted);

}  // namespace shardfft::gpu
