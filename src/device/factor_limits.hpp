#pragma once
// The largest operators that a kernel computes. Kernels that are compiled at run time include this file too.

namespace shardfft::device {

constexpr int most_factor_terms = 24, most_factor_depth = 6;

}  // namespace shardfft::device
