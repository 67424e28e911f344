#pragma once
// Numbers to transform, and whether a contender transforms them rightly.
#include "contenders.hpp"

namespace claims {

/// The value at a global index: pseudo-random in [-1, 1)^2, the same however the array is cut.
Complex value_at(std::int64_t index);
/// Writes the field of value_at into a contender's input.
void fill(Contender& contender, std::int64_t n);
/// Transforms there and back. Gives the largest of: relative errors of some modes against the sums that define them, of
/// the spectrum's energy against the field's (Parseval), and of the round trip; infinite where one is no number.
/// Collective.
double worst_error(Contender& contender, std::int64_t n, MPI_Comm comm);

}  // namespace claims
