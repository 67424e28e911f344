// The messages of Cannon's products: against the tables of the paper's algorithms, and by playing them through.
#include <gtest/gtest.h>

#include <set>
#include <tuple>

#include "cannon/rounds.hpp"

namespace shardfft {
namespace {

/// A rank of a cubic mesh by its places, each modulo p.
int cube(int p, int i, int j, int k) {
  const auto wrap = [p](int x) { return (x % p + p) % p; };
  return (wrap(i) * p + wrap(j)) * p + wrap(k);
}

/// One row of the table in shared/cannon.md: where P(i, j, k) sends.
struct PaperStage {
  const char* name;
  int axis;
  bool global_transpose;
  int (*align_data)(int p, int i, int j, int k);
  int (*align_matrix)(int p, int i, int j, int k);
  int (*shift_data)(int p, int i, int j, int k);
  int (*shift_matrix)(int p, int i, int j, int k);
  int (*result)(int p, int i, int j, int k);
};

int stays(int p, int i, int j, int k) { return cube(p, i, j, k); }
int left_k(int p, int i, int j, int k) { return cube(p, i, j, k - 1); }
int left_j(int p, int i, int j, int k) { return cube(p, i, j - 1, k); }
int left_i(int p, int i, int j, int k) { return cube(p, i - 1, j, k); }
int align_matrix_a(int p, int i, int j, int k) { return cube(p, i, j - k, k); }

const PaperStage paper_stages[] = {
    {"algorithm 3", 3, false, [](int p, int i, int j, int k) { return cube(p, i, j, k - j); }, align_matrix_a, left_k,
     left_j, stays},
    {"algorithm 4", 2, false, [](int p, int i, int j, int k) { return cube(p, i, j - k, k); },
     [](int p, int i, int j, int k) { return cube(p, i, k, j - k); }, left_j, left_k, stays},
    {"algorithm 5", 1, false, [](int p, int i, int j, int k) { return cube(p, i - j, j, k); },
     [](int p, int i, int j, int k) { return cube(p, k, j - k, i); }, left_i, left_j, stays},
    {"algorithm 6", 2, true, [](int p, int i, int j, int k) { return cube(p, i, k, j - k); }, align_matrix_a, left_k,
     left_j, [](int p, int i, int j, int k) { return cube(p, i, k, j); }},
    {"algorithm 7", 1, true, [](int p, int i, int j, int k) { return cube(p, k, j, i - j); }, align_matrix_a, left_k,
     left_j, [](int p, int i, int j, int k) { return cube(p, k, j, i); }},
};

/// The only matrix message of a round, or `rank` when there is none.
int matrix_target(const Round& round, int rank) {
  EXPECT_LE(round.matrix_to.size(), 1u);
  return round.matrix_to.empty() ? rank : round.matrix_to.front().peer;
}

TEST(Rounds, AreThePapersOnCubicMeshes) {
  for (const int p : {2, 3, 4})
    for (const PaperStage& stage : paper_stages) {
      SCOPED_TRACE(stage.name);
      const Formation formation({1, p, p, p}, stage.axis, stage.global_transpose);
      for (int rank = 0; rank < p * p * p; ++rank) {
        const int i = rank / (p * p), j = rank / p % p, k = rank % p;
        const auto rounds = make_rounds(formation, rank, false);
        ASSERT_EQ(rounds.size(), static_cast<std::size_t>(p));
        EXPECT_EQ(rounds[0].data_to, stage.align_data(p, i, j, k));
        EXPECT_EQ(matrix_target(rounds[0], rank), stage.align_matrix(p, i, j, k));
        EXPECT_EQ(formation.owner(rank), stage.result(p, i, j, k));
        for (int r = 1; r < p; ++r) {
          EXPECT_EQ(rounds[static_cast<std::size_t>(r)].data_to, stage.shift_data(p, i, j, k));
          EXPECT_EQ(matrix_target(rounds[static_cast<std::size_t>(r)], rank), stage.shift_matrix(p, i, j, k));
        }
        // The paper's C(j, k) is all that P(i, j, k) hands out at the alignment.
        for (const MatrixMessage& m : rounds[0].matrix_to)
          EXPECT_EQ(std::make_pair(m.row_block, m.column_block), std::make_pair(j, k));
      }
    }
}

using Block = std::pair<int, int>;

/// Plays the messages of all ranks: what is sent must be at hand, what is awaited must be sent, and in the end every
/// rank has multiplied each data block of its ring with the right matrix block, once.
void play(const Shape& mesh, int axis, bool global_transpose, bool local_matrix) {
  const Formation f(mesh, axis, global_transpose);
  const int ranks = f.ranks();
  std::vector<std::vector<Round>> rounds;
  for (int rank = 0; rank < ranks; ++rank) rounds.push_back(make_rounds(f, rank, local_matrix));
  std::vector<int> data(static_cast<std::size_t>(ranks));  // owner of the data block held
  std::vector<Block> matrix(static_cast<std::size_t>(ranks));
  std::vector<std::set<int>> multiplied(static_cast<std::size_t>(ranks));
  for (int rank = 0; rank < ranks; ++rank) data[static_cast<std::size_t>(rank)] = rank;
  for (int r = 0; r < f.ring_size(); ++r) {
    std::set<std::tuple<int, int, int>> data_messages;              // from, to, block
    std::multiset<std::tuple<int, int, int, int>> matrix_messages;  // from, to, block
    for (int rank = 0; rank < ranks; ++rank) {
      const Round& round = rounds[static_cast<std::size_t>(rank)][static_cast<std::size_t>(r)];
      data_messages.insert({rank, round.data_to, data[static_cast<std::size_t>(rank)]});
      for (const MatrixMessage& m : round.matrix_to) {
        EXPECT_TRUE(m.kept || Block(m.row_block, m.column_block) == matrix[static_cast<std::size_t>(rank)]);
        matrix_messages.insert({rank, m.peer, m.row_block, m.column_block});
      }
    }
    for (int rank = 0; rank < ranks; ++rank) {
      const auto at = static_cast<std::size_t>(rank);
      const Round& round = rounds[at][static_cast<std::size_t>(r)];
      const int wanted = f.owner(f.on_ring(rank, round.block));
      EXPECT_EQ(data_messages.count({round.data_from, rank, wanted}), 1u);
      data[at] = wanted;
      matrix[at] = {round.block, f.ring_place(rank)};
      if (round.matrix_from != rank) {
        const auto found = matrix_messages.find({round.matrix_from, rank, matrix[at].first, matrix[at].second});
        ASSERT_NE(found, matrix_messages.end());
        matrix_messages.erase(found);
      }
      EXPECT_TRUE(multiplied[at].insert(round.block).second);
    }
    EXPECT_TRUE(matrix_messages.empty());
  }
}

TEST(Rounds, MatchOnEveryMesh) {
  const Shape meshes[] = {{1, 1},       {1, 5},       {1, 2, 3},    {1, 3, 2},    {1, 4, 4},       {1, 1, 1, 7},
                          {1, 2, 3, 4}, {1, 4, 3, 2}, {1, 3, 1, 2}, {1, 2, 5, 2}, {1, 5, 2, 1},    {1, 3, 3, 3},
                          {1, 6, 4, 3}, {1, 1, 6, 4}, {1, 2, 2, 2}, {1, 8, 1, 1}, {1, 2, 3, 2, 3}, {1, 2, 2, 2, 2}};
  for (const Shape& mesh : meshes)
    for (int axis = 1; axis < static_cast<int>(mesh.size()); ++axis)
      for (const bool transposed : {false, true})
        for (const bool local : {false, true}) {
          SCOPED_TRACE(testing::PrintToString(mesh) + " axis " + std::to_string(axis) +
                       (transposed ? " transposed" : "") + (local ? " local" : ""));
          play(mesh, axis, transposed, local);
        }
}

TEST(Rounds, LocalMatricesNeedNoAlignment) {
  const Formation f({1, 2, 3, 4}, 3, false);
  for (int rank = 0; rank < 24; ++rank) EXPECT_EQ(make_rounds(f, rank, true)[0].data_from, rank);
}

TEST(Formation, WorkersAndOwnersAreInverse) {
  for (int axis = 1; axis <= 3; ++axis) {
    const Formation f({1, 2, 3, 5}, axis, true);
    for (int rank = 0; rank < 30; ++rank) {
      EXPECT_EQ(f.owner(f.worker(rank)), rank);
      EXPECT_EQ(f.worker(f.owner(rank)), rank);
    }
  }
}

}  // namespace
}  // namespace shardfft
