// Every number that FFTW's own MPI library computes, over the same local arrays.
#include "fftw_case.hpp"

namespace shardfft::test {
namespace {

class FftwValues : public testing::TestWithParam<bool>, protected Comparison {
 protected:
  FftwValues() : Comparison(GetParam()) {}
  unsigned seed = 1;
  int compared = 0, passed_by = 0;

  void compare(const Case& c) {
    // All cases are for one and two ranks in double precision; with others some of each kind.
    const int every = ranks() <= 2 ? (GetParam() ? 1 : 3) : (GetParam() ? 3 : 7);
    if (++passed_by % every != 0) return;
    for (const bool in_place : {false, true}) compared += Comparison::compare(c, in_place, seed++) ? 1 : 0;
  }
};

std::vector<Geometry> geometries(const FftwLibrary& of, const std::vector<Sizes>& shapes) {
  std::vector<Geometry> all;
  for (const Sizes& n : shapes) {
    all.emplace_back(of, n, 1);
    all.emplace_back(of, n, 3);
    // Blocks of the caller's: one rank more than half of the first axis, the others the rest.
    all.emplace_back(of, n, 1, n[0] / 2 + 1, (n[1] + ranks() - 1) / ranks() + 1);
  }
  return all;
}

TEST_P(FftwValues, ComplexArrays) {
  for (const Geometry& g :
       geometries(libraries.ours, {{8, 8}, {5, 7}, {1, 6}, {12, 3}, {6, 5, 4}, {3, 8, 2}, {3, 4, 5, 2}}))
    for (const unsigned in : transposed_in)
      for (const unsigned out : transposed_out)
        for (const int sign : {FFTW_FORWARD, FFTW_BACKWARD}) compare(complex_case(g, in, out, sign));
  EXPECT_GT(compared, 8);
}

TEST_P(FftwValues, RealArrays) {
  for (const Sizes& real : std::vector<Sizes>{{8, 8}, {5, 7}, {1, 6}, {6, 5, 4}, {3, 8, 5}, {3, 4, 2, 7}}) {
    Sizes half = real;
    half.back() = half.back() / 2 + 1;
    for (const Geometry& g : geometries(libraries.ours, {half}))
      for (const unsigned in : transposed_in)
        for (const unsigned out : transposed_out)
          for (const bool forward : {true, false}) compare(real_case(libraries, g, real, in, out, forward));
  }
  EXPECT_GT(compared, 8);
}

TEST_P(FftwValues, RealKinds) {
  std::size_t turn = 0;
  for (const Geometry& g : geometries(libraries.ours, {{8, 8}, {5, 7}, {6, 5, 4}, {3, 8, 2}, {3, 4, 5, 2}}))
    for (const unsigned in : transposed_in)
      for (const unsigned out : transposed_out)
        for (int round = 0; round < 2; ++round) {
          std::vector<int> kind;
          for (std::size_t a = 0; a < g.n.size(); ++a) kind.push_back(real_kinds[(turn++ * 5) % real_kinds.size()]);
          compare(kinds_case(g, in, out, kind));
        }
  EXPECT_GT(compared, 8);
}

TEST_P(FftwValues, Lines) {
  for (const std::ptrdiff_t n : {4, 12, 17, 30, 64})
    for (const std::ptrdiff_t howmany : {1, 5})
      for (const unsigned in : {0u, FFTW_MPI_SCRAMBLED_IN})
        for (const unsigned out : {0u, FFTW_MPI_SCRAMBLED_OUT})
          for (const int sign : {FFTW_FORWARD, FFTW_BACKWARD})
            compare(line_case(libraries.ours, n, howmany, in, out, sign));
  EXPECT_GT(compared, 8);
}

TEST_P(FftwValues, Transpositions) {
  for (const Sizes& n : std::vector<Sizes>{{8, 8}, {5, 7}, {1, 6}, {12, 3}})
    for (const std::ptrdiff_t howmany : {1, 2, 5})
      for (const unsigned in : transposed_in)
        for (const unsigned out : transposed_out)
          for (const bool blocks : {false, true}) {
            const Geometry g(libraries.ours, n, howmany, blocks ? n[0] / 2 + 1 : 0,
                             blocks ? (n[1] + ranks() - 1) / ranks() + 1 : 0);
            compare(transpose_case(g, in, out));
          }
  EXPECT_GT(compared, 8);
}

INSTANTIATE_TEST_SUITE_P(Precision, FftwValues, testing::Bool(),
                         [](const auto& precision) { return precision.param ? "Double" : "Float"; });

}  // namespace
}  // namespace shardfft::test
