#pragma once
// Steps that touch every element once: twiddles, promotions, half spectra, copies.
#include "exec/operation.hpp"

namespace shardfft {

/// The operation of such a step of `rank` from the state `before` on; null where the step is of another kind.
std::unique_ptr<Operation> make_pointwise(const Step& step, const State& before, int rank, Precision precision,
                                          int threads, Trace* trace);
/// A plain copy, for programs without steps.
std::unique_ptr<Operation> make_copy(std::size_t bytes, Trace* trace);

}  // namespace shardfft
