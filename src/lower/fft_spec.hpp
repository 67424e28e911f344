#pragma once
// The local transform of a program's step, between two states or two pieces of them.
#include <string>

#include "algorithm/program.hpp"
#include "geometry/schedule.hpp"
#include "local/local_fft.hpp"

namespace shardfft {

/// The local transform from state `before` to state `after` on `rank`.
FftSpec fft_spec(const TransformStep& step, const State& before, const State& after, int rank, Precision precision);

/// The local transform between two pieces with matching index sets. Batch loops take their counts from `in`. Cosine and
/// sine transforms are of real numbers; complex numbers (`is_complex`, of the input) are a batch of two parts.
FftSpec fft_spec_between(const TransformStep& step, const Piece& in, const Piece& out, Precision precision,
                         bool is_complex);

/// The name of the transform `step` of `before`, for LocalFfts: the same on all ranks, and for all steps that a library
/// computes equally fast. "c2c 64 32 forward", "c2c 64 backward, side by side".
std::string name_fft(const TransformStep& step, const State& before);

/// "fft c2c 64 32", "r2r dct2 64 dst1 32".
std::string describe_fft(const FftSpec& spec);

}  // namespace shardfft
