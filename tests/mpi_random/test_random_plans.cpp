// Random plans on CPUs against the serial reference.
#include "support/operator_check.hpp"
#include "support/random_plans.hpp"

namespace shardfft::test {
namespace {

void cpu_options(Random& random, Options& o) {
  const auto or_auto = [&random](const std::vector<std::string>& names) {
    return random.integer(0, 2) == 0 ? "auto" : one_of(random, names);
  };
  o.algorithm = or_auto(algorithm_names());
  o.exchange = or_auto(exchange_names());
  o.local_fft = or_auto(local_fft_names());
  o.verify = random.integer(0, 3) == 0;
  if (random.integer(0, 5) == 0) o.threads = static_cast<int>(random.integer(2, 3));
  if (random.integer(0, 4) == 0) o.datatypes = Datatypes::basic;
  if (random.integer(0, 7) != 0) return;
  o.workspace = Workspace::least;
  o.exchange = one_of(random, {"auto", "p2p", "pairwise_xor"});
  o.chunks = std::min(o.chunks, 1);
  if (o.algorithm.starts_with("cannon")) o.algorithm = "auto";
}

/// One run between arrays that the plan allocated.
void check_in_allocated(Plan& plan, const TransformCase& c, Direction direction, std::uint64_t salt) {
  const bool forward = direction == Direction::forward;
  const Side& from = forward ? plan.input() : plan.output();
  const Side& to = forward ? plan.output() : plan.input();
  const Buffer in = forward ? plan.allocate_input() : plan.allocate_output();
  const Buffer out = forward ? plan.allocate_output() : plan.allocate_input();
  const WholeArrays whole = whole_arrays(c, direction, from.element, salt);
  LocalArray array(from);
  LocalArray result(to);
  for (std::int64_t f = 0; f < c.options.batch; ++f)
    for_own_elements(from, f, [&](std::int64_t address, std::int64_t i) {
      array.set(address, whole.input[to_size(f)][to_size(i)]);
    });
  if (from.bytes() > 0) std::memcpy(in.data(), array.data(), from.bytes());
  if (forward)
    plan.forward(in.data(), out.data());
  else
    plan.backward(in.data(), out.data());
  if (to.bytes() > 0) std::memcpy(result.data(), out.data(), to.bytes());
  for (std::int64_t f = 0; f < c.options.batch; ++f)
    compare_field(result, to, f, whole.output[to_size(f)], whole.points, whole.mean_square);
}

/// One field has a number that is none, or infinite; the others are right nevertheless.
void check_beside_spoiled(Plan& plan, const TransformCase& c, Direction direction, Random& random, std::uint64_t salt) {
  const bool forward = direction == Direction::forward;
  WholeArrays whole = whole_arrays(c, direction, (forward ? plan.input() : plan.output()).element, salt);
  const std::size_t field = to_size(random.integer(0, c.options.batch - 1));
  std::vector<Value>& spoiled = whole.input[field];
  const double bad = random.coin() ? std::numeric_limits<double>::infinity() : std::nan("");
  spoiled[to_size(random.integer(0, static_cast<std::int64_t>(spoiled.size()) - 1))] = {bad, 0};
  whole.output[field].clear();
  check_run(plan, c, direction, c.options.workspace == Workspace::least || random.coin(), whole);
}

/// Some runs in any order, with any arrays.
void check_runs(Plan& plan, const TransformCase& c, Random& random) {
  int calls = 0;
  for (int run = 0; run < 4; ++run) {
    const Direction direction = random.coin() ? Direction::forward : Direction::backward;
    const auto salt = static_cast<std::uint64_t>(random.integer(0, 1000));
    if (c.options.batch > 1 && random.integer(0, 2) == 0)
      check_beside_spoiled(plan, c, direction, random, salt);
    else if (c.options.workspace == Workspace::least)
      check_run(plan, c, direction, true, salt);
    else if (c.options.modes.empty() && c.kind != Kind::c2r && random.integer(0, 4) == 0)
      check_apply(plan, c, random.coin() ? some_operator(c) : calling_operator(c, calls), some_factor(c), random.coin(),
                  salt);
    else if (random.integer(0, 3) == 0)
      check_in_allocated(plan, c, direction, salt);
    else
      check_run(plan, c, direction, random.coin(), salt);
  }
}

TEST(RandomPlans, AreRight) { EXPECT_EQ(random_plans(cpu_options, "random --cpu", check_runs).failed, 0); }

}  // namespace
}  // namespace shardfft::test
