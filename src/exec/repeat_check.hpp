#pragma once
// Steps that are loops over elements run twice (option verify).
#include <memory>

#include "exec/operation.hpp"
#include "verify/step_check.hpp"

namespace shardfft {

/// A loop over elements: run again, and compared bit by bit. The operation lives as long.
std::unique_ptr<StepCheck> make_repeat_check(Operation& operation, std::size_t in_bytes, std::size_t out_bytes);

}  // namespace shardfft
