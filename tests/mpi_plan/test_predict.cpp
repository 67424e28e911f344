// Predictions against real plans: memory, messages and steps, for plans that are drawn; and times by figures alone.
#include <cmath>

#include "shardfft/predict.hpp"
#include "support/random_plans.hpp"

namespace shardfft::test {
namespace {

void any_options(Random& random, Options& o) {
  const auto or_auto = [&random](const std::vector<std::string>& names) {
    return random.integer(0, 2) == 0 ? "auto" : one_of(random, names);
  };
  o.algorithm = or_auto(algorithm_names());
  o.exchange = or_auto(exchange_names());
  o.local_fft = or_auto(local_fft_names());
  o.effort = Effort::estimate;
  if (random.integer(0, 5) != 0) return;
  o.workspace = Workspace::least;
  o.exchange = one_of(random, {"auto", "p2p", "pairwise_xor"});
  o.chunks = std::min(o.chunks, 1);
  if (o.algorithm.starts_with("cannon")) o.algorithm = "auto";
}

Prediction predicted(const RandomPlan& drawn) {
  Options options = drawn.c.options;
  const Transform transform{drawn.c.kind, drawn.c.precision};
  if (drawn.c.kind == Kind::c2r) options.real_extent = drawn.c.shape[to_size(serial_of(drawn.c).halved())];
  const Placement placement{world().size()};
  if (drawn.output) return predict(transform, drawn.input, *drawn.output, options, placement);
  return predict(transform, drawn.input, drawn.c.output == "left" ? default_output : natural_output, options,
                 placement);
}

void compare_steps(const PlanReport::Program& told, const PlanReport::Program& real) {
  ASSERT_EQ(told.steps.size(), real.steps.size());
  for (std::size_t i = 0; i < told.steps.size(); ++i) {
    if (world().rank() == 0) {  // whose words these are
      EXPECT_EQ(told.steps[i].text, real.steps[i].text);
      EXPECT_EQ(told.steps[i].role, real.steps[i].role);
    }
    EXPECT_EQ(told.steps[i].bytes_sent, real.steps[i].bytes_sent);
    EXPECT_EQ(told.steps[i].messages_sent, real.steps[i].messages_sent);
  }
}

void compare(const PlanReport& told, const PlanReport& real) {
  EXPECT_EQ(told.way, real.way);
  EXPECT_EQ(told.algorithm, real.algorithm);
  EXPECT_EQ(told.input, real.input);
  EXPECT_EQ(told.output, real.output);
  EXPECT_EQ(told.workspace_bytes, real.workspace_bytes);
  EXPECT_EQ(told.window_bytes, real.window_bytes);
  EXPECT_EQ(told.table_bytes, real.table_bytes);
  compare_steps(told.forward, real.forward);
  compare_steps(told.backward, real.backward);
}

TEST(Predict, SaysWhatFortyDrawnPlansHave) {
  int made = 0, sent = 0;
  for (std::uint64_t number = 0; made < 40; ++number) {
    const RandomPlan drawn = draw_plan(number + 4000, world().size(), any_options);
    SCOPED_TRACE(drawn.text());
    std::optional<Plan> plan;
    Status refused = Status::ok;
    try {
      plan = drawn.make();
    } catch (const Error& e) {
      refused = e.code();
    }
    try {
      const Prediction told = predicted(drawn);
      ASSERT_EQ(refused, Status::ok);
      const PlanReport real = plan->report();
      compare(told.report, real);
      EXPECT_TRUE(std::isfinite(told.seconds) && told.seconds > 0);
      for (const PlanReport::Step& step : real.forward.steps) sent += step.messages_sent > 0 ? 1 : 0;
      ++made;
    } catch (const Error& e) {
      ASSERT_EQ(e.code(), refused) << e.what();
    }
  }
  EXPECT_EQ(sent > 0, world().size() > 1);
}

}  // namespace
}  // namespace shardfft::test
