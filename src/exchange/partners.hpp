#pragma once
// The order of partners when all pairs of ranks exchange blocks, one partner at a time.
#include <vector>

namespace shardfft {

/// Partners of `rank` in order, each other rank once. In every round each rank has one partner, which has it too; if
/// the count is odd, a rank is alone once (-1). Powers of two: partner = rank xor round, in size - 1 rounds. Other
/// counts: a round-robin tournament by the circle method, size - 1 rounds for even and size for odd counts.
std::vector<int> partners_by_round(int rank, int size);

}  // namespace shardfft
