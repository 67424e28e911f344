#pragma once
// The messages of one product, round by round, for any rank and without communication.
#include <vector>

#include "cannon/formation.hpp"

namespace shardfft {

/// A matrix block (row_block, column_block) for `peer`. `kept`: from the blocks this rank keeps since planning,
/// otherwise the one it multiplied with in the round before.
struct MatrixMessage {
  int peer = 0;
  int row_block = 0;
  int column_block = 0;
  bool kept = false;
};

/// What one rank multiplies in a round, and the messages that bring it: before the first round these are the paper's
/// alignment, in later rounds its shifts. A rank that names itself moves nothing.
struct Round {
  int block = 0;        ///< place on the ring of the data block and of the matrix block's rows
  int data_from = 0;    ///< first round: the owner of the block, then the next rank of the ring
  int data_to = 0;      ///< first round: own block to whoever starts with it, then the block just multiplied
  int matrix_from = 0;  ///< itself: the block is kept
  std::vector<MatrixMessage> matrix_to;
};

/// `rounds[r]` of a rank. In round r the rank at ring place c and row place s multiplies with block c + s + r.
/// `local_matrix`: every rank keeps the blocks it needs; no matrix block travels, and no alignment is needed.
///
/// Rows and rings of different lengths (the paper has equal ones): the rank at row place s takes over the matrix block
/// of s + 1. The last of a row longer than the ring takes it over from the rank whose block equals it, at place
/// row_size mod ring_size (0, the paper's ring, when they divide). The last of a shorter row gets it from its home:
/// the ring_size blocks of a matrix column are dealt to the row's ranks in turn.
std::vector<Round> make_rounds(const Formation& formation, int rank, bool local_matrix);

}  // namespace shardfft
