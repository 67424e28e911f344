#pragma once
// Leaves modes out of a spectrum, or puts zeroes in their places.
#include "exec/operation.hpp"

namespace shardfft {

/// Forward keeps the modes of `before`, backward pads them with zeroes, on `rank`.
std::unique_ptr<Operation> make_modes(const ModesStep& step, const State& before, const State& after, int rank,
                                      Precision precision, int threads, Trace* trace);

}  // namespace shardfft
