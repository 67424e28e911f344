#pragma once
// Steps that touch every element once: twiddles, promotions, half spectra, modes, operators, copies.
#include "exchange/operation_context.hpp"
#include "exec/operation.hpp"

namespace shardfft {

/// The operation of such a step of this rank between two states; null for steps of another kind.
std::unique_ptr<Operation> make_pointwise(const Step& step, const State& before, const State& after,
                                          Precision precision, const OperationContext& context);
/// A plain copy, for programs without steps.
std::unique_ptr<Operation> make_copy(std::size_t bytes, Trace* trace);

}  // namespace shardfft
