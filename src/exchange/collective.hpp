#pragma once
// What the collective strategies share: arguments by rank, and what all members must agree on.
#include "exchange/blocks.hpp"
#include "mpi/datatype.hpp"

namespace shardfft {

/// Counts and displacements in elements for MPI_Alltoallv, one entry a rank.
struct CountsByRank {
  std::vector<int> counts;
  std::vector<int> displacements;
};
CountsByRank counts_by_rank(const Blocks& blocks, int ranks);

/// Arguments of MPI_Alltoallw: types that carry their own displacements, so that nothing is limited by an int.
struct TypesByRank {
  std::vector<int> counts;
  std::vector<int> displacements;
  std::vector<MPI_Datatype> types;
  std::vector<Datatype> owned;

  explicit TypesByRank(int ranks);
  void set(int peer, Datatype type);
};

/// The strided boxes of a message in the array, in packed order, as one datatype.
Datatype message_type(const Message& message, std::size_t element_bytes);

}  // namespace shardfft
