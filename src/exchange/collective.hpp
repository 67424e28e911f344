#pragma once
// Arguments of MPI's collectives, by rank, for the strategies that call them.
#include "exchange/blocks.hpp"
#include "mpi/datatype.hpp"

namespace shardfft {

/// Counts and displacements in elements for MPI_Alltoallv, one entry a rank.
struct CountsByRank {
  std::vector<int> counts;
  std::vector<int> displacements;
};
CountsByRank counts_by_rank(const Blocks& blocks, int ranks);

/// Arguments of MPI_Alltoallw: types contain their displacements, so that no int limits these.
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
