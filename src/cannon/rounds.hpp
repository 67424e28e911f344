#pragma once
// The messages of one product, round by round, for any rank and without communication.
#include <vector>

#include "cannon/formation.hpp"

namespace shardfft {

/// A matrix block (row_block, column_block) for `peer`. `kept`: one of the blocks that this rank keeps since planning;
/// otherwise its block of the round before.
struct MatrixMessage {
  int peer = 0;
  int row_block = 0;
  int column_block = 0;
  bool kept = false;
};

/// The block that one rank multiplies in a round, and its messages: before the first round these are the paper's
/// alignment, in later rounds its shifts. A rank that names itself moves nothing.
struct Round {
  int block = 0;        ///< place on the ring of the data block and of the matrix block's rows
  int data_from = 0;    ///< first round: the owner of the block, then the next rank of the ring
  int data_to = 0;      ///< first round: own block to the rank that starts with it, then the block just multiplied
  int matrix_from = 0;  ///< itself: the block is kept
  std::vector<MatrixMessage> matrix_to;
};

/// `rounds[r]` of a rank. In round r the rank at ring place c and row place s multiplies with block c + s + r.
/// `local_matrix`: every rank keeps the blocks that it needs; no matrix block travels, and no alignment is needed.
///
/// Rows and rings may differ in length (the paper has equal ones). The rank at row place s takes over the matrix block
/// of s + 1. The last rank of a row at least as long as the ring takes it over from the rank with the equal block, at
/// place row_size mod ring_size (0, the paper's ring, if they divide). The last rank of a shorter row gets it from its
/// home: the ring_size blocks of a matrix column are dealt to the row's ranks in turn.
std::vector<Round> make_rounds(const Formation& formation, int rank, bool local_matrix);

}  // namespace shardfft
