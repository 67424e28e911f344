#pragma once
// Plans drawn at random, each told by a seed and a number, so that one line repeats it.
#include <gtest/gtest.h>

#include <optional>

#include "base/hooks.hpp"
#include "mpi/datatype.hpp"
#include "support/random_layouts.hpp"
#include "support/random_problems.hpp"
#include "support/transform_check.hpp"
#include "support/world.hpp"

namespace shardfft::test {

/// What a plan is made of.
struct RandomPlan {
  TransformCase c;
  Layout input;
  std::optional<Layout> output;  ///< none: the case says whether `left` or `natural`
  CountLimit limit{mpi_count_limit()};

  std::string text() const {
    return c.name() + "; in " + input.describe() + (output ? "; out " + output->describe() : "") +
           (limit.most < mpi_count_limit() ? "; MPI counts to " + std::to_string(limit.most) : "");
  }
  Plan make() const {
    Options options = c.options;
    const Transform transform{c.kind, c.precision};
    if (c.kind == Kind::c2r) options.real_extent = c.shape[to_size(serial_of(c).halved())];
    if (output) return Plan(MPI_COMM_WORLD, transform, input, *output, options);
    return Plan(MPI_COMM_WORLD, transform, input, c.output == "left" ? default_output : natural_output, options);
  }
};

/// Options that both processors have.
inline Options random_options(Random& random, std::size_t axes, int ranks) {
  Options o;
  o.effort = random.integer(0, 19) == 0 ? Effort::measure : Effort::estimate;
  o.norm = static_cast<Norm>(random.integer(0, 3));
  if (random.coin()) {
    o.axes.resize(axes);
    std::iota(o.axes.begin(), o.axes.end(), 0);
    std::shuffle(o.axes.begin(), o.axes.end(), random.engine());
    o.axes.resize(to_size(random.integer(1, static_cast<std::int64_t>(axes))));
  }
  o.batch = random.integer(0, 2) == 0 ? random.integer(2, 4) : 1;
  o.chunks = static_cast<int>(random.integer(0, 2) == 0 ? random.integer(2, 5) : random.integer(0, 1));
  o.in_place = random.coin();
  o.check_calls = random.integer(0, 9) != 0;
  if (random.integer(0, 4) == 0) o.call_timeout = 100;
  if (random.integer(0, 3) == 0) o.fake_ranks_per_host = static_cast<int>(random.integer(1, ranks));
  return o;
}

/// Other transforms than Fourier's, and fewer modes.
inline void draw_transforms(Random& random, TransformCase& c) {
  const std::vector<int> axes = axes_of(c);
  if (random.integer(0, 2) == 0) {
    for (std::size_t i = 0; i < axes.size(); ++i)
      c.options.transforms.push_back(static_cast<AxisTransform>(random.coin() ? 0 : random.integer(1, 8)));
    if (c.kind != Kind::c2c) c.options.transforms.back() = AxisTransform::fft;
    const auto fourier = std::count(c.options.transforms.begin(), c.options.transforms.end(), AxisTransform::fft);
    if (fourier == 0 && random.coin()) c.kind = Kind::r2r;
  }
  if (random.integer(0, 3) != 0) return;
  for (const int axis : axes) c.options.modes.push_back(random.coin() ? 0 : random.integer(1, c.shape[to_size(axis)]));
  c.options.lone_mode = random.coin() ? LoneMode::split : LoneMode::zero;
}

/// A process grid, for algorithms that take one.
inline void draw_grid(Random& random, std::size_t axes, int ranks, Options& o) {
  if (random.integer(0, 4) != 0) return;
  const bool whole = o.algorithm == "brick_groups" || o.algorithm.starts_with("cannon");
  const bool some = axes > 1 && (o.algorithm == "auto" || o.algorithm == "pencil" || o.algorithm == "brick");
  if (whole || some) o.grid = random_grid(random, ranks, whole ? axes : std::min<std::size_t>(axes - 1, 2));
}

/// Plan `number` of the seed. `options` draws what only one processor has.
inline RandomPlan draw_plan(std::uint64_t number, int ranks, void (*more_options)(Random&, Options&)) {
  Random random(number * 7919);
  const Shape shape = random_shape(random);
  RandomPlan plan{{shape}, {}, {}};
  TransformCase& c = plan.c;
  c.kind = static_cast<Kind>(random.integer(0, 2));
  c.precision = random.integer(0, 2) == 0 ? Precision::f32 : Precision::f64;
  c.shift = to_size(random.integer(0, 3) == 0 ? 1 : 0);
  c.options = random_options(random, shape.size(), ranks);
  more_options(random, c.options);
  draw_grid(random, shape.size(), ranks, c.options);
  draw_transforms(random, c);
  const SerialTransform serial = serial_of(c);
  const Shape spectrum = serial.spectrum_shape();
  plan.input = random_layout(random, c.kind == Kind::c2r ? spectrum : shape, ranks);
  c.input = "drawn";
  c.output = random.coin() ? "left" : "natural";
  if (random.coin() || (c.kind == Kind::c2r && !c.options.modes.empty())) {
    plan.output = random_layout(random, c.kind == Kind::c2r ? shape : spectrum, ranks);
    c.output = "drawn";
  }
  if (random.integer(0, 4) == 0) plan.limit.most = random.integer(1, 30);
  c.options.overwrite_input = random.integer(0, 2) == 0;
  return plan;
}

/// Makes and checks plans. `more_options` draws what only one processor has.
template <class Check>
RandomCounts random_plans(void (*more_options)(Random&, Options&), const std::string& command, const Check& check) {
  return random_problems(command, [&](std::int64_t i) {
    const RandomPlan drawn = draw_plan(static_cast<std::uint64_t>(i), world().size(), more_options);
    SCOPED_TRACE(drawn.text());
    CountLimit limit = drawn.limit;
    const Installed lowered(limit);
    bool refused = false;
    std::optional<Plan> plan;
    try {
      plan = drawn.make();
    } catch (const Error& e) {
      refused = e.code() == Status::unsupported || e.code() == Status::invalid_argument;
      EXPECT_TRUE(refused) << e.what();
    }
    EXPECT_EQ(any_rank(refused), refused) << "refused on some ranks only";
    try {
      Random random(static_cast<std::uint64_t>(i) * 104729);
      if (plan) check(*plan, drawn.c, random);
    } catch (const std::exception& e) {
      ADD_FAILURE() << e.what();
    }
    return refused;
  });
}

}  // namespace shardfft::test
