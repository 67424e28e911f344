#pragma once
// How much of an operator a kernel computes. Kernels that are compiled at run time include this too.

namespace shardfft::device {

constexpr int most_factor_terms = 24, most_factor_depth = 6;

}  // namespace shardfft::device
