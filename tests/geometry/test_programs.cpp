// Programs of every algorithm: states that chain, axes that are local where they are transformed, and no more
// exchanges than promised.
#include <gtest/gtest.h>

#include <algorithm>

#include "algorithm/algorithm.hpp"
#include "geometry/schedule.hpp"
#include "shardfft/error.hpp"
#include "support/elements.hpp"
#include "support/problem.hpp"
#include "support/zoo.hpp"

namespace shardfft::test {
namespace {

Layout natural_of(const Problem& p) {
  if (p.kind != Kind::r2c) return p.input;
  return p.input.with_axis_extent(p.half_axis(), p.input.shape()[to_size(p.half_axis())] / 2 + 1);
}

int reshapes(const Program& program) {
  return static_cast<int>(std::count_if(program.steps.begin(), program.steps.end(),
                                        [](const Step& s) { return std::holds_alternative<ReshapeStep>(s); }));
}

void check_fft(const TransformStep& step, const State& before, const State& after) {
  EXPECT_FALSE(step.axes.empty());
  Layout expected = before.layout;
  for (const int a : step.numbers()) EXPECT_TRUE(before.layout.axis_is_local(a)) << "axis " << a << " is cut";
  EXPECT_EQ(before.is_complex, step.kind() == Kind::c2c);
  EXPECT_TRUE(after.is_complex);
  if (step.kind() == Kind::r2c) {
    const int half = step.axes.back().axis;
    expected = expected.with_axis_extent(half, expected.shape()[to_size(half)] / 2 + 1);
    EXPECT_TRUE(after.layout.axis_is_local(half));
  }
  EXPECT_TRUE(after.layout.same_as(expected));
  for (const AxisStep& a : step.axes) {
    EXPECT_EQ(a.in, before.layout.shape()[to_size(a.axis)]);
    EXPECT_EQ(a.out, after.layout.shape()[to_size(a.axis)]);
  }
}

bool tiles(const Layout& layout) {
  try {
    layout.validate();
    return true;
  } catch (const Error&) {
    return false;
  }
}

/// A view is of the same memory: as many elements on every rank, at the same addresses.
void check_view(const State& before, const State& after) {
  EXPECT_EQ(before.is_complex, after.is_complex);
  for (int r = 0; r < before.layout.ranks(); ++r) {
    ASSERT_EQ(before.layout.count(r), after.layout.count(r));
    numbers_by_address(after.layout, r);
  }
}

void check_step(const Step& step, const State& before, const State& after) {
  if (const auto* fft = std::get_if<TransformStep>(&step)) {
    check_fft(*fft, before, after);
  } else if (std::holds_alternative<ReshapeStep>(step)) {
    EXPECT_FALSE(before.layout.same_as(after.layout)) << "a null reshape";
    EXPECT_EQ(before.is_complex, after.is_complex);
    // A view of a half spectrum does not fill its shape.
    EXPECT_TRUE(!after.layout.is_grid() || tiles(after.layout));
  } else if (std::holds_alternative<ViewStep>(step)) {
    check_view(before, after);
  } else if (std::holds_alternative<PromoteStep>(step)) {
    EXPECT_FALSE(before.is_complex);
    EXPECT_TRUE(after.is_complex);
    EXPECT_TRUE(before.layout.same_as(after.layout));
  } else {
    EXPECT_TRUE(before.layout.same_as(after.layout));
    EXPECT_EQ(before.is_complex, after.is_complex);
  }
}

void check_program(const Program& program, const Problem& problem) {
  ASSERT_EQ(program.states.size(), program.steps.size() + 1);
  EXPECT_FALSE(program.algorithm.empty());
  EXPECT_TRUE(program.states.front().layout.same_as(problem.input));
  EXPECT_EQ(program.states.front().is_complex, problem.kind == Kind::c2c);
  EXPECT_TRUE(program.states.back().is_complex);
  EXPECT_TRUE(!problem.fixed_output() || program.states.back().layout.same_as(problem.output));
  EXPECT_EQ(program.states.back().layout.shape(), natural_of(problem).shape());
  bool views = false;
  std::vector<int> done;
  for (std::size_t i = 0; i < program.steps.size(); ++i) {
    SCOPED_TRACE("step " + std::to_string(i) + ", " + step_name(program.steps[i]));
    check_step(program.steps[i], program.states[i], program.states[i + 1]);
    views = views || std::holds_alternative<ViewStep>(program.steps[i]);
    if (const auto* fft = std::get_if<TransformStep>(&program.steps[i]))
      for (const int a : fft->numbers()) done.push_back(a);
  }
  if (views) return;  // the axes have other numbers there
  std::vector<int> wanted = problem.axes;
  std::sort(wanted.begin(), wanted.end());
  std::sort(done.begin(), done.end());
  EXPECT_EQ(done, wanted) << "every axis once";
}

/// Each output: as left, natural, and another kind of layout.
void check_all_outputs(const std::string& algorithm, Problem problem) {
  check_program(make_program(algorithm, problem), problem);
  problem.output = natural_of(problem);
  check_program(make_program(algorithm, problem), problem);
  const Shape shape = problem.output.without_batch().shape();
  problem.output = uneven_boxes(shape, problem.ranks(), reversed_order(shape.size())).with_batch(1);
  if (problem.input.shape()[0] == 1) check_program(make_program(algorithm, problem), problem);
}

TEST(Programs, EveryAlgorithmFromEveryLayout) {
  for (const Shape& shape : {Shape{6, 5}, Shape{6, 4, 8}, Shape{1, 1, 1}, Shape{4, 3, 2, 6}})
    for (int ranks : {1, 2, 3, 4, 6, 8})
      for (const auto& [name, layout] : zoo(shape, ranks))
        for (const Kind kind : {Kind::c2c, Kind::r2c})
          for (const std::string algorithm : {"auto", "slab", "pencil", "brick", "cyclic"}) {
            SCOPED_TRACE(algorithm + " of " + name + " " + text(shape) + " on " + std::to_string(ranks) +
                         (kind == Kind::r2c ? ", real" : ""));
            check_all_outputs(algorithm, problem_of(kind, layout));
            if (HasFailure()) return;
          }
}

TEST(Programs, OneDimension) {
  for (const std::int64_t n : {1, 2, 7, 12, 16, 36, 101, 144})
    for (int ranks : {1, 2, 3, 4, 6})
      for (const auto& [name, layout] : zoo({n}, ranks))
        for (const Kind kind : {Kind::c2c, Kind::r2c})
          for (const std::string algorithm : {"auto", "cyclic", "six_step"}) {
            SCOPED_TRACE(algorithm + " of " + name + " " + std::to_string(n) + " on " + std::to_string(ranks) +
                         (kind == Kind::r2c ? ", real" : ""));
            check_all_outputs(algorithm, problem_of(kind, layout));
            if (HasFailure()) return;
          }
}

TEST(Programs, SubsetsOfAxesInAnyOrder) {
  const Shape shape{6, 4, 8};
  const std::vector<std::vector<int>> subsets{{0},    {1},    {2},    {0, 1},    {1, 0},
                                              {0, 2}, {2, 0}, {2, 1}, {2, 1, 0}, {1, 2, 0}};
  for (int ranks : {1, 2, 4, 6, 9})
    for (const auto& [name, layout] : zoo(shape, ranks))
      for (const auto& axes : subsets)
        for (const Kind kind : {Kind::c2c, Kind::r2c})
          for (const std::string algorithm : {"auto", "slab", "pencil", "brick", "cyclic"}) {
            std::string axes_text;
            for (const int a : axes) axes_text += " " + std::to_string(a);
            SCOPED_TRACE(algorithm + " of " + name + " on " + std::to_string(ranks) + ", axes" + axes_text +
                         (kind == Kind::r2c ? ", real" : ""));
            check_all_outputs(algorithm, problem_of(kind, layout, axes));
            if (HasFailure()) return;
          }
}

TEST(Programs, Batches) {
  for (const auto& [name, layout] : zoo({6, 4, 8}, 4))
    for (const std::string algorithm : {"auto", "slab", "pencil", "brick", "cyclic"}) {
      SCOPED_TRACE(algorithm + " of " + name);
      check_all_outputs(algorithm, problem_of(Kind::c2c, layout, {}, 3));
      check_all_outputs(algorithm, problem_of(Kind::r2c, layout, {}, 3));
    }
  check_all_outputs("six_step", problem_of(Kind::c2c, Layout::slab({12}, 3), {}, 3));
}

struct Promise {
  std::string name;
  std::string algorithm;
  Layout input;
  bool natural;
  Kind kind;
  int reshapes;
};

TEST(Programs, NoMoreReshapesThanPromised) {
  const Shape cube{16, 16, 16};
  const Layout slab = Layout::slab(cube, 4);
  const Layout pencil = Layout::pencil(cube, {2, 2});
  const Layout brick = Layout::brick(cube, {2, 2, 2});
  const Layout cyclic = Layout::cyclic(cube, {2, 2, 1});
  const std::vector<Promise> promises{
      {"slab from slab", "slab", slab, false, Kind::c2c, 1},
      {"slab from slab, natural", "slab", slab, true, Kind::c2c, 2},
      {"slab from slab, real", "slab", slab, false, Kind::r2c, 1},
      {"slab along axis 1", "slab", Layout::slab(cube, 4, 1), false, Kind::c2c, 1},
      {"pencil from pencil", "pencil", pencil, false, Kind::c2c, 2},
      {"pencil from pencil, natural", "pencil", pencil, true, Kind::c2c, 3},
      {"pencil from pencil, real", "pencil", pencil, false, Kind::r2c, 2},
      {"brick from brick, natural", "brick", brick, true, Kind::c2c, 4},
      {"brick from brick", "brick", brick, false, Kind::c2c, 3},
      {"brick from brick, real, natural", "brick", brick, true, Kind::r2c, 4},
      {"cyclic from cyclic", "cyclic", cyclic, false, Kind::c2c, 1},
      {"cyclic from cyclic, natural", "cyclic", cyclic, true, Kind::c2c, 1},
      {"cyclic of one dimension", "cyclic", Layout::cyclic({64}, {4}), true, Kind::c2c, 1},
      {"six-step from runs, natural", "six_step", Layout::slab({64}, 4), true, Kind::c2c, 3},
      {"auto from slab", "auto", slab, false, Kind::c2c, 1},
      {"auto from pencil", "auto", pencil, false, Kind::c2c, 2},
      {"auto from cyclic", "auto", cyclic, true, Kind::c2c, 1},
      {"one rank", "auto", Layout::slab(cube, 1), true, Kind::c2c, 0},
      {"one rank, pencil", "pencil", Layout::slab(cube, 1), true, Kind::r2c, 0},
  };
  for (const Promise& p : promises) {
    SCOPED_TRACE(p.name);
    Problem problem = problem_of(p.kind, p.input);
    if (p.natural) problem.output = natural_of(problem);
    const Program program = make_program(p.algorithm, problem);
    check_program(program, problem);
    EXPECT_LE(reshapes(program), p.reshapes) << program.algorithm;
    EXPECT_GE(reshapes(program), p.reshapes > 0 ? 1 : 0);
  }
}

/// Local axes need no exchange at all.
TEST(Programs, LocalAxesNeedNoReshape) {
  const Layout slab = Layout::slab({8, 6, 4}, 4);
  for (const std::string algorithm : {"auto", "slab"}) {
    EXPECT_EQ(reshapes(make_program(algorithm, problem_of(Kind::c2c, slab, {1, 2}))), 0);
    EXPECT_EQ(reshapes(make_program(algorithm, problem_of(Kind::r2c, slab, {1, 2}))), 0);
  }
  const Layout pencil = Layout::pencil({8, 6, 4}, {2, 2});
  EXPECT_EQ(reshapes(make_program("pencil", problem_of(Kind::c2c, pencil, {2}))), 0);
}

/// Whole lists of local axes: how they are cut is for lowering to say.
TEST(Programs, LocalAxesAreOneStep) {
  for (const Kind kind : {Kind::c2c, Kind::r2c})
    for (const std::int64_t extent : {16, 64}) {
      const Program program = make_program("slab", problem_of(kind, Layout::slab({extent, extent, extent}, 1)));
      EXPECT_EQ(program.steps.size(), 1U);
    }
}

/// Numbers that say which way a step goes.
std::vector<Direction> signs(const Program& program) {
  std::vector<Direction> found;
  for (const Step& step : program.steps)
    std::visit(
        [&found](const auto& s) {
          if constexpr (requires { s.sign; }) found.push_back(s.sign);
        },
        step);
  return found;
}

void expect_states_after_transforms(const Program& program) {
  for (std::size_t i = 0; i < program.steps.size(); ++i) {
    const auto* const fft = std::get_if<TransformStep>(&program.steps[i]);
    if (fft == nullptr) continue;
    const State after = state_after(*fft, program.states[i]);
    EXPECT_TRUE(after.layout.same_as(program.states[i + 1].layout));
    EXPECT_EQ(after.is_complex, program.states[i + 1].is_complex);
  }
}

TEST(Programs, ReversedOnesUndoThem) {
  for (const std::string algorithm : {"slab", "pencil", "cannon", "cannon_hybrid"})
    for (const Kind kind : {Kind::c2c, Kind::r2c}) {
      const Program program = make_program(algorithm, problem_of(kind, Layout::slab({8, 6, 4}, 4)));
      const Program back = reversed(program);
      ASSERT_EQ(back.steps.size(), program.steps.size());
      for (std::size_t i = 0; i < program.states.size(); ++i) {
        const State& state = program.states[program.states.size() - 1 - i];
        EXPECT_TRUE(back.states[i].layout.same_as(state.layout));
        EXPECT_EQ(back.states[i].is_complex, state.is_complex);
      }
      for (const Program& either : {program, back}) expect_states_after_transforms(either);
      for (const Direction sign : signs(program)) EXPECT_EQ(sign, Direction::forward);
      for (const Direction sign : signs(back)) EXPECT_EQ(sign, Direction::backward);
      EXPECT_EQ(signs(back).size(), signs(program).size());
      EXPECT_EQ(signs(reversed(back)), signs(program));
    }
  const Program real = make_program("slab", problem_of(Kind::r2c, Layout::slab({8, 6, 4}, 2)));
  EXPECT_EQ(std::get<TransformStep>(real.steps.front()).kind(), Kind::r2c);
  EXPECT_EQ(std::get<TransformStep>(reversed(real).steps.back()).kind(), Kind::c2r);
  const auto back = std::get<TransformStep>(reversed(real).steps.back());
  EXPECT_EQ(back.numbers(), std::get<TransformStep>(real.steps.front()).numbers());
  EXPECT_EQ(back.axes.back().in, std::get<TransformStep>(real.steps.front()).axes.back().out);
  EXPECT_EQ(back.axes.back().sign, Direction::backward);
}

TEST(Programs, PencilExchangesInRowsAndColumns) {
  Problem problem = problem_of(Kind::c2c, Layout::pencil({16, 16, 16}, {2, 4}));
  const Program program = make_program("pencil", problem);
  for (std::size_t i = 0; i < program.steps.size(); ++i) {
    if (!std::holds_alternative<ReshapeStep>(program.steps[i])) continue;
    const auto group = exchange_group(program.states[i].layout, program.states[i + 1].layout, 5);
    EXPECT_TRUE(group.size() == 2 || group.size() == 4) << group.size();
  }
}

/// Most ranks that any rank exchanges with in one reshape, itself included.
std::size_t largest_group(const Program& program) {
  std::size_t most = 1;
  for (std::size_t i = 0; i < program.steps.size(); ++i) {
    if (!std::holds_alternative<ReshapeStep>(program.steps[i])) continue;
    const Layout &from = program.states[i].layout, &to = program.states[i + 1].layout;
    for (int rank = 0; rank < from.ranks(); ++rank) most = std::max(most, exchange_group(from, to, rank).size());
  }
  return most;
}

std::int64_t elements_sent(const Program& program) {
  std::int64_t sent = 0;
  for (std::size_t i = 0; i < program.steps.size(); ++i)
    for (int rank = 0; rank < program.states[i].layout.ranks(); ++rank)
      if (std::holds_alternative<ReshapeStep>(program.steps[i]))
        sent += make_schedule(program.states[i].layout, program.states[i + 1].layout, rank).send_count;
  return sent;
}

TEST(Programs, BrickGroupsStayInGroupsOfNeighbours) {
  Problem problem = problem_of(Kind::c2c, Layout::brick({18, 18, 18}, {3, 3, 3}));
  problem.output = problem.input;
  const Program groups = make_program("brick_groups", problem), pencils = make_program("brick", problem);
  EXPECT_EQ(largest_group(groups), 3U);
  EXPECT_GT(largest_group(pencils), 3U);
  EXPECT_EQ(reshapes(groups), 6);
  EXPECT_LT(static_cast<double>(elements_sent(groups)), 1.6 * static_cast<double>(elements_sent(pencils)));
  // Uneven extents, a grid of the user's, another order of the axes, a real array.
  for (const Kind kind : {Kind::c2c, Kind::r2c}) {
    Problem uneven = problem_of(kind, Layout::slab({7, 9, 11}, 12), {0, 2, 1});
    uneven.grid = {2, 3, 2};
    check_all_outputs("brick_groups", uneven);
    EXPECT_LE(largest_group(make_program("brick_groups", problem_of(kind, Layout::brick({7, 9, 11}, {2, 3, 2})))), 3U);
  }
  problem.grid = {3, 9};
  EXPECT_THROW(make_program("brick_groups", problem), Error);
  EXPECT_THROW(make_program("brick_groups", problem_of(Kind::c2c, Layout::slab({8, 8}, 4))), Error);
}

TEST(Programs, GridOption) {
  Problem problem = problem_of(Kind::c2c, Layout::slab({16, 16, 16}, 8));
  problem.grid = {4, 2};
  check_program(make_program("pencil", problem), problem);
  for (const Shape& grid : {Shape{4, 4}, Shape{8}, Shape{2, 2, 2}}) {
    problem.grid = grid;
    EXPECT_THROW(make_program("pencil", problem), Error);
    EXPECT_THROW(make_program("brick", problem), Error);
  }
}

TEST(Programs, RefusedOnes) {
  const auto code_of = [](const std::string& name, const Problem& problem) {
    try {
      make_program(name, problem);
      return Status::ok;
    } catch (const Error& e) {
      return e.code();
    }
  };
  const Problem line = problem_of(Kind::c2c, Layout::slab({16}, 4));
  const Problem cube = problem_of(Kind::c2c, Layout::slab({4, 4, 4}, 4));
  EXPECT_EQ(code_of("slab", line), Status::invalid_argument);
  EXPECT_EQ(code_of("pencil", line), Status::invalid_argument);
  EXPECT_EQ(code_of("six_step", cube), Status::invalid_argument);
  EXPECT_EQ(code_of("sofa", cube), Status::invalid_argument);
  EXPECT_EQ(code_of("auto", line), Status::ok);
}

/// To exchange with all ranks of a host costs no more than with some, and planes are one step less.
TEST(Programs, PencilsOfOneHostBecomeSlabs) {
  for (const Kind kind : {Kind::c2c, Kind::r2c}) {
    Problem problem = problem_of(kind, Layout::pencil({12, 10, 16}, {2, 4}));
    EXPECT_EQ(choose_algorithm(problem).chosen, "pencil");
    problem.one_host = true;
    EXPECT_EQ(choose_algorithm(problem).chosen, "slab");
    problem = problem_of(kind, Layout::pencil({4, 4, 16}, {2, 4}));
    problem.one_host = true;
    EXPECT_EQ(choose_algorithm(problem).chosen, "pencil") << "fewer planes than ranks";
  }
}

TEST(Programs, AutoIsOneOfTheOthers) {
  std::vector<std::string> names = algorithm_names();
  EXPECT_NE(std::find(names.begin(), names.end(), "auto"), names.end());
  for (int ranks : {1, 2, 4, 8, 64})
    for (const auto& [name, layout] : zoo({8, 8, 8}, ranks)) {
      const std::string chosen = choose_algorithm(problem_of(Kind::c2c, layout)).chosen;
      EXPECT_NE(chosen, "auto");
      EXPECT_NE(std::find(names.begin(), names.end(), chosen), names.end()) << chosen;
    }
}

}  // namespace
}  // namespace shardfft::test
