// Plans whose messages have short numbers: within the tolerance, and the report tells how far within.
#include <nlohmann/json.hpp>

#include "support/transform_check.hpp"
#include "support/world.hpp"

namespace shardfft::test {
namespace {

/// The relative L2 error of one run, over all ranks and fields.
double error_of(Plan& plan, const TransformCase& c, Direction direction) {
  const bool forward = direction == Direction::forward;
  const Side &from = forward ? plan.input() : plan.output(), &to = forward ? plan.output() : plan.input();
  const WholeArrays whole = whole_arrays(c, direction, from.element, 3);
  LocalArray in(from), out(to);
  double error = 0, norm = 0;
  for (std::int64_t f = 0; f < c.options.batch; ++f)
    for_own_elements(from, f,
                     [&](std::int64_t at, std::int64_t i) { in.set(at, whole.input[to_size(f)][to_size(i)]); });
  if (forward)
    plan.forward(in.data(), out.data());
  else
    plan.backward(in.data(), out.data());
  for (std::int64_t f = 0; f < c.options.batch; ++f)
    for_own_elements(to, f, [&](std::int64_t at, std::int64_t i) {
      const Value wanted = whole.output[to_size(f)][to_size(i)];
      error += std::norm(out.get(at) - wanted);
      norm += std::norm(wanted);
    });
  return std::sqrt(sum_over_ranks(error) / sum_over_ranks(norm));
}

bool is_short(const PlanReport& report) {
  for (const Choice& choice : report.choices)
    if (choice.what == "tolerance") return choice.chosen.find("bytes a number") != std::string::npos;
  ADD_FAILURE() << "no choice for the tolerance in\n" << report;
  return false;
}

/// What rounding of the transforms themselves adds.
double rounding(const TransformCase& c) { return 40 * epsilon(c.precision); }

void check_tolerance(const TransformCase& c) {
  SCOPED_TRACE(c.name() + ", tolerance " + std::to_string(c.options.tolerance));
  Plan plan = make_plan(MPI_COMM_WORLD, c);
  for (const Direction direction : {Direction::forward, Direction::backward}) {
    const double error = error_of(plan, c, direction);
    EXPECT_LE(error, c.options.tolerance + rounding(c));
    const PlanReport report = plan.report();
    const PlanReport::Program& program = direction == Direction::forward ? report.forward : report.backward;
    EXPECT_LE(program.error, c.options.tolerance);
    // Errors of steps are sums of many independent ones; a half spectrum counts most of its modes once, not twice.
    EXPECT_LE(error, 1.5 * program.error + rounding(c)) << report;
    double steps = 0;
    for (const PlanReport::Step& step : program.steps) steps += step.error;
    EXPECT_DOUBLE_EQ(steps, program.error);
    EXPECT_EQ(program.error > 0, is_short(report)) << report;
  }
}

TransformCase with(TransformCase c, const std::string& exchange, double tolerance) {
  c.options.exchange = exchange;
  c.options.tolerance = tolerance;
  return c;
}

class Tolerance : public testing::TestWithParam<std::string> {};

TEST_P(Tolerance, IsKept) {
  const std::vector<TransformCase> cases{
      {{14, 12, 10}, "slab", "left", Kind::c2c, Precision::f64, quick("slab")},
      {{6, 7, 9}, "pencil", "natural", Kind::r2c, Precision::f64, quick("pencil")},
      {{8, 5, 6}, "brick", "natural", Kind::c2r, Precision::f32, quick("brick")},
      {{9, 9, 4}, "mosaic", "uneven", Kind::c2c, Precision::f32, quick()},
      {{64, 36}, "cyclic", "natural", Kind::c2c, Precision::f64, quick("cyclic")},
      {{36}, "slab", "natural", Kind::r2c, Precision::f64, quick("six_step")},
  };
  for (const TransformCase& c : cases)
    for (const double tolerance : {0.3, 1e-2, 1e-4, 1e-6, 1e-9}) check_tolerance(with(c, GetParam(), tolerance));
}

TEST_P(Tolerance, WithChunksBatchesThreadsAndModes) {
  TransformCase c{{12, 10, 8}, "slab", "natural", Kind::c2c, Precision::f64, quick("slab")};
  c.options.chunks = 3;
  check_tolerance(with(c, GetParam(), 1e-5));
  c.options.chunks = 1;
  c.options.batch = 3;
  check_tolerance(with(c, GetParam(), 1e-3));
  c.options.threads = 2;
  c.options.in_place = true;
  check_tolerance(with(c, GetParam(), 1e-3));
}

TEST_P(Tolerance, MoreRanksThanPlanes) {
  check_tolerance(with({{2, 3, 4}, "slab", "natural", Kind::r2c, Precision::f64, quick("slab")}, GetParam(), 1e-3));
}

INSTANTIATE_TEST_SUITE_P(Exchanges, Tolerance, testing::ValuesIn(plain_exchanges()),
                         [](const auto& exchange) { return exchange.param; });

TransformCase slabs(const std::string& exchange, double tolerance) {
  TransformCase c{{16, 16, 16}, "slab", "left", Kind::c2c, Precision::f64, quick("slab")};
  return with(c, exchange, tolerance);
}

/// Fewer bytes, by as much as the format says.
TEST(ToleranceReport, TellsBytesErrorsAndChoice) {
  const std::int64_t exact = make_plan(MPI_COMM_WORLD, slabs("p2p", 0)).report().forward.steps[1].bytes_sent;
  if (world().size() == 1) return;
  const TransformCase c = slabs("p2p", 1e-6);
  Plan plan = make_plan(MPI_COMM_WORLD, c);
  error_of(plan, c, Direction::forward);
  const PlanReport report = plan.report();
  const PlanReport::Step& reshape = report.forward.steps[1];
  EXPECT_NE(reshape.text.find("3 bytes a number"), std::string::npos) << report;
  EXPECT_NEAR(static_cast<double>(reshape.bytes_sent) / static_cast<double>(exact), (3 + 2.0 / 16) / 8, 0.02);
  EXPECT_GT(reshape.error, 1e-9);
  EXPECT_NE(report.to_text().find("messages with short numbers: a relative error of "), std::string::npos) << report;
  const auto json = nlohmann::json::parse(report.to_json());
  EXPECT_EQ(json["forward"]["error"], report.forward.error);
  EXPECT_EQ(json["forward"]["steps"][1]["error"], reshape.error);
  EXPECT_EQ(report.backward.error, 0) << "not run yet";
}

/// What sends no messages, or has nothing to save, stays exact and says why.
TEST(ToleranceReport, TellsWhyAllIsExact) {
  const auto why = [](const TransformCase& c) {
    Plan plan = make_plan(MPI_COMM_WORLD, c);
    if (c.options.workspace == Workspace::fast) check_plan(plan, c);
    const PlanReport report = plan.report();
    EXPECT_FALSE(is_short(report));
    EXPECT_EQ(report.forward.error, 0);
    for (const Choice& choice : report.choices)
      if (choice.what == "tolerance") return choice.why;
    return std::string();
  };
  const bool alone = world().size() == 1;
  EXPECT_EQ(why(slabs("shared_window", 1e-3)),
            alone ? "one rank sends nothing" : "the ranks of this host read each other's memory");
  if (alone) return;
  EXPECT_NE(why(slabs("p2p", 1e-15)).find("need all bytes of each number"), std::string::npos);
  TransformCase least = slabs("p2p", 1e-3);
  least.options.workspace = Workspace::least;
  EXPECT_NE(why(least).find("workspace = least"), std::string::npos);
}

/// Ranks of one host read each other's memory; only what goes to other hosts is short.
TEST(ToleranceReport, MessagesToOtherHosts) {
  TransformCase c = slabs("shared_window", 1e-4);
  c.options.fake_ranks_per_host = 1;
  if (world().size() > 1) check_tolerance(c);
}

/// Both directions of one call.
TEST(ToleranceReport, ApplyIsBothDirections) {
  const TransformCase c = slabs("p2p", 1e-4);
  Plan plan = make_plan(MPI_COMM_WORLD, c);
  const WholeArrays whole = whole_arrays(c, Direction::forward, plan.input().element, 3);
  LocalArray in(plan.input()), out(plan.input());
  for_own_elements(plan.input(), 0, [&](std::int64_t at, std::int64_t i) { in.set(at, whole.input[0][to_size(i)]); });
  plan.apply(Operator::of_indices([](std::span<const std::int64_t>) { return std::complex<double>(1); }), in.data(),
             out.data());
  double error = 0, norm = 0;
  for_own_elements(plan.input(), 0, [&](std::int64_t at, std::int64_t i) {
    error += std::norm(out.get(at) - whole.input[0][to_size(i)]);
    norm += std::norm(whole.input[0][to_size(i)]);
  });
  EXPECT_LE(std::sqrt(sum_over_ranks(error) / sum_over_ranks(norm)), 2 * c.options.tolerance);
  const PlanReport report = plan.report();
  EXPECT_LE(report.apply->error, 2 * c.options.tolerance);
  EXPECT_EQ(report.apply->error > 0, world().size() > 1);
}

TEST(ToleranceValues, OthersAreRefused) {
  for (const double bad : {-1e-3, 1.0, 2.0, std::nan(""), std::numeric_limits<double>::infinity()})
    expect_error(Status::invalid_argument, "tolerance", [&] { make_plan(MPI_COMM_WORLD, slabs("p2p", bad)); });
  TransformCase verified = slabs("p2p", 1e-3);
  verified.options.verify = true;
  expect_error(Status::invalid_argument, "tolerance", [&] { make_plan(MPI_COMM_WORLD, verified); });
}

}  // namespace
}  // namespace shardfft::test
