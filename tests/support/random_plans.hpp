#pragma once
// Plans drawn at random, each told by a seed and a number, so that one line repeats it.
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <optional>

#include "support/transform_check.hpp"
#include "support/world.hpp"

namespace shardfft::test {

/// Any order of the axes in memory; half of them natural.
inline AxisOrder random_order(Random& random, std::size_t axes) {
  AxisOrder order(axes);
  std::iota(order.begin(), order.end(), 0);
  if (random.coin()) std::shuffle(order.begin(), order.end(), random.engine());
  return order;
}

/// Any product of `axes` factors that is `ranks`.
inline Shape random_grid(Random& random, int ranks, std::size_t axes) {
  Shape grid(axes, 1);
  for (int f = 2; ranks > 1; ++f)
    for (; ranks % f == 0; ranks /= f) grid[to_size(random.integer(0, static_cast<std::int64_t>(axes) - 1))] *= f;
  return grid;
}

/// Blocks along some axes, cyclic parts along others, ranks counted along the axes in any order.
inline Layout mixed_grid(Random& random, const Shape& shape, int ranks, const AxisOrder& order) {
  const Shape grid = random_grid(random, ranks, shape.size());
  std::vector<std::vector<Progression>> parts(shape.size());
  std::vector<int> rank_stride(shape.size());
  for (std::size_t a = 0; a < shape.size(); ++a) {
    const bool cyclic = random.coin();
    for (std::int64_t i = 0; i < grid[a]; ++i)
      parts[a].push_back(cyclic ? cyclic_part(shape[a], grid[a], i) : block_part(shape[a], grid[a], i));
  }
  AxisOrder counted(shape.size());
  std::iota(counted.begin(), counted.end(), 0);
  std::shuffle(counted.begin(), counted.end(), random.engine());
  int stride = 1;
  for (const int a : counted) {
    rank_stride[to_size(a)] = stride;
    stride *= static_cast<int>(grid[to_size(a)]);
  }
  return Layout::grid(shape, parts, ranks, rank_stride, order);
}

inline Layout random_layout(Random& random, const Shape& shape, int ranks) {
  const std::size_t axes = shape.size();
  const auto any_axis = static_cast<int>(random.integer(0, static_cast<std::int64_t>(axes) - 1));
  const AxisOrder order = random_order(random, axes);
  switch (random.integer(0, 8)) {
    case 0:
      if (axes > 1) return Layout::pencil(shape, random_grid(random, ranks, axes - 1), any_axis, order);
      break;
    case 1:
      return Layout::brick(shape, random_grid(random, ranks, axes), order);
    case 2:
      return Layout::cyclic(shape, random_grid(random, ranks, axes), order);
    case 3:
    case 4:
      return mixed_grid(random, shape, ranks, order);
    case 5:
      return mosaic(shape, ranks, static_cast<std::uint64_t>(random.integer(0, 1 << 30)), order);
    case 6:
      return uneven_boxes(shape, ranks, order);
    case 7:
      return Layout::single(shape, ranks, static_cast<int>(random.integer(0, ranks - 1)), order);
    default:
      break;
  }
  return Layout::slab(shape, ranks, any_axis, order);
}

/// One to four axes, at most some thousand points; extents of 1 and primes among them.
inline Shape random_shape(Random& random) {
  constexpr std::array<std::int64_t, 4> largest{300, 50, 20, 9};
  const auto axes = to_size(random.integer(1, 4));
  Shape shape(axes);
  for (std::int64_t& n : shape) n = random.integer(1, random.integer(0, 3) == 0 ? 4 : largest[axes - 1]);
  return shape;
}

inline const std::string& one_of(Random& random, const std::vector<std::string>& names) {
  return names[to_size(random.integer(0, static_cast<std::int64_t>(names.size()) - 1))];
}

/// What a plan is made of.
struct RandomPlan {
  TransformCase c;
  Layout input;
  std::optional<Layout> output;  ///< none: the case says whether `left` or `natural`

  std::string text() const {
    return c.name() + "; in " + input.describe() + (output ? "; out " + output->describe() : "");
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
  if (random.integer(0, 3) == 0) o.fake_ranks_per_host = static_cast<int>(random.integer(1, ranks));
  return o;
}

/// Other transforms than Fourier's, and fewer modes, which CPUs have.
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
  if (c.options.processor == Processor::cpu) draw_transforms(random, c);
  const SerialTransform serial = serial_of(c);
  const Shape spectrum = serial.spectrum_shape();
  plan.input = random_layout(random, c.kind == Kind::c2r ? spectrum : shape, ranks);
  c.input = "drawn";
  c.output = random.coin() ? "left" : "natural";
  if (random.coin() || (c.kind == Kind::c2r && !c.options.modes.empty())) {
    plan.output = random_layout(random, c.kind == Kind::c2r ? shape : spectrum, ranks);
    c.output = "drawn";
  }
  return plan;
}

/// A number from the environment.
inline std::int64_t setting(const char* name, std::int64_t otherwise) {
  const char* const given = std::getenv(name);
  return given != nullptr ? std::strtoll(given, nullptr, 10) : otherwise;
}

namespace detail {

/// The line that repeats the plan in work, for handlers of signals.
inline std::array<char, 400> repeat_line{};

inline void say_and_end(int signal) {
  const char* const why = signal == SIGALRM ? "hangs: " : "crashes: ";
  // What else could be done here if it fails?
  static_cast<void>(!write(STDERR_FILENO, why, std::strlen(why)));
  static_cast<void>(!write(STDERR_FILENO, repeat_line.data(), std::strlen(repeat_line.data())));
  std::signal(signal, SIG_DFL);
  std::raise(signal == SIGALRM ? SIGKILL : signal);
}

inline void tell_repeat_line(const std::string& line) {
  constexpr unsigned seconds = 180;
  std::snprintf(repeat_line.data(), repeat_line.size(), "%s\n", line.c_str());
  for (const int signal : {SIGALRM, SIGSEGV, SIGBUS, SIGFPE, SIGABRT, SIGILL}) std::signal(signal, say_and_end);
  alarm(seconds);
}

inline int failed_parts() {
  const testing::TestResult& result = *testing::UnitTest::GetInstance()->current_test_info()->result();
  int failed = 0;
  for (int i = 0; i < result.total_part_count(); ++i) failed += result.GetTestPartResult(i).failed() ? 1 : 0;
  return failed;
}

}  // namespace detail

/// What random_plans() did with its plans.
struct RandomCounts {
  std::int64_t checked = 0;
  std::int64_t refused = 0;  ///< with an error that says that the combination cannot be
  std::int64_t failed = 0;
};

/// Makes and checks plans: SHARDFFT_RANDOM_PLANS of them from number SHARDFFT_RANDOM_FIRST on, or, without the former,
/// as many as fit into some seconds. `options` is what `./run random` needs to come here again.
template <class Check>
RandomCounts random_plans(void (*more_options)(Random&, Options&), const std::string& options, const Check& check) {
  constexpr std::int64_t seconds = 2;
  const std::int64_t first = setting("SHARDFFT_RANDOM_FIRST", 0);
  const std::int64_t plans = setting("SHARDFFT_RANDOM_PLANS", -1);
  const int ranks = world().size();
  RandomCounts counts;
  const auto begin = std::chrono::steady_clock::now();
  for (std::int64_t i = first; plans < 0 || i < first + plans; ++i) {
    const bool late = std::chrono::steady_clock::now() - begin > std::chrono::seconds(seconds);
    if (plans < 0 && any_rank(late)) break;
    const RandomPlan drawn = draw_plan(static_cast<std::uint64_t>(i), ranks, more_options);
    const std::string line = "./run random --seed " + std::to_string(seed()) + " --first " + std::to_string(i) +
                             " --plans 1 --ranks " + std::to_string(ranks) + options;
    detail::tell_repeat_line(line);
    SCOPED_TRACE(drawn.text());
    const int before = detail::failed_parts();
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
    const bool failed = any_rank(detail::failed_parts() > before);
    if (failed && world().rank() == 0) std::printf("fails: %s\n", line.c_str());
    ++(failed ? counts.failed : refused ? counts.refused : counts.checked);
  }
  alarm(0);
  if (world().rank() == 0)
    std::printf("random plans: %lld right, %lld refused, %lld failed\n", static_cast<long long>(counts.checked),
                static_cast<long long>(counts.refused), static_cast<long long>(counts.failed));
  std::fflush(stdout);
  return counts;
}

}  // namespace shardfft::test
