// Programs in which only some ranks transform: the others own their parts of input and output.
#include <gtest/gtest.h>

#include "algorithm/algorithm.hpp"
#include "support/problem.hpp"
#include "support/zoo.hpp"

namespace shardfft::test {
namespace {

int ranks_with_data(const Layout& layout) {
  int ranks = 0;
  for (int r = 0; r < layout.ranks(); ++r) ranks += layout.count(r) > 0 ? 1 : 0;
  return ranks;
}

TEST(RestingRanks, TransformNothing) {
  for (const auto& [name, layout] : zoo({12, 10, 16}, 8))
    for (const int active : {1, 3, 6})
      for (const std::string algorithm : {"auto", "slab", "pencil", "brick"}) {
        SCOPED_TRACE(name + ", " + algorithm + ", " + std::to_string(active));
        Problem problem = problem_of(Kind::c2c, layout);
        problem.output = problem.input;
        problem.active = active;
        const Program program = make_program(algorithm, problem);
        EXPECT_NE(program.algorithm.find(" on " + std::to_string(active) + " of 8 ranks"), std::string::npos);
        EXPECT_TRUE(program.states.front().layout.same_as(problem.input));
        EXPECT_TRUE(program.states.back().layout.same_as(problem.output));
        for (std::size_t i = 0; i < program.steps.size(); ++i) {
          program.states[i].layout.validate();
          if (!std::holds_alternative<TransformStep>(program.steps[i])) continue;
          EXPECT_LE(ranks_with_data(program.states[i].layout), active);
        }
      }
}

}  // namespace
}  // namespace shardfft::test
