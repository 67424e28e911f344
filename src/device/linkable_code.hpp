#pragma once
// Functions that the vendor's FFT library links into its kernels.
#include <string>

namespace shardfft::device {

/// Code of the functions in `source`, for the current device. Throws Error without a compiler.
std::string linkable_code(const std::string& source);

}  // namespace shardfft::device
