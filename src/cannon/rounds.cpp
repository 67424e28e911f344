#include "cannon/rounds.hpp"

namespace shardfft {

namespace {

struct MatrixSource {
  int rank;
  bool kept;
};

/// The source of the rank's matrix block of round `r`, with rows `block`.
MatrixSource matrix_source(const Formation& f, int rank, int r, int block) {
  if (r == 0) return {f.matrix_home(rank, block), true};
  const int place = f.row_place(rank);
  if (place + 1 < f.row_size()) return {f.on_row(rank, place + 1), false};
  if (f.row_size() >= f.ring_size()) return {f.on_row(rank, f.row_size() % f.ring_size()), false};
  return {f.matrix_home(rank, block), true};
}

int first_block(const Formation& f, int rank, bool local_matrix) {
  return (f.ring_place(rank) + (local_matrix ? 0 : f.row_place(rank))) % f.ring_size();
}

}  // namespace

std::vector<Round> make_rounds(const Formation& f, int rank, bool local_matrix) {
  const int size = f.ring_size();
  const int place = f.ring_place(rank);
  const int first = first_block(f, rank, local_matrix);
  std::vector<Round> rounds(static_cast<std::size_t>(size));
  for (int r = 0; r < size; ++r) {
    Round& round = rounds[static_cast<std::size_t>(r)];
    round.block = (first + r) % size;
    round.data_from = r == 0 ? f.owner(f.on_ring(rank, first)) : f.on_ring(rank, place + 1);
    round.data_to = f.on_ring(rank, place - 1);
    round.matrix_from = rank;
  }
  const int worker = f.worker(rank);
  const int skew = local_matrix ? 0 : f.row_place(worker);
  rounds[0].data_to = f.on_ring(worker, f.ring_place(worker) - skew);
  if (local_matrix) return rounds;
  for (int peer = 0; peer < f.ranks(); ++peer)
    for (int r = 0; r < size; ++r) {
      const int block = (first_block(f, peer, false) + r) % size;
      const MatrixSource source = matrix_source(f, peer, r, block);
      Round& round = rounds[static_cast<std::size_t>(r)];
      if (peer == rank) {
        round.matrix_from = source.rank;
      } else if (source.rank == rank) {
        round.matrix_to.push_back({peer, block, f.ring_place(peer), source.kept});
      }
    }
  return rounds;
}

}  // namespace shardfft
