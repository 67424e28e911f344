// Plans of a process a GPU whose messages have short numbers.
#include <optional>

#include "gpu/move/exchange.hpp"
#include "gpu/tolerance_kit.hpp"
#include "support/world.hpp"

namespace shardfft::test {
namespace {

/// Nothing where this machine or MPI library cannot do the exchange.
void check_case_within(const TransformCase& c) {
  SCOPED_TRACE(c.name() + ", tolerance " + std::to_string(c.options.tolerance));
  std::optional<Plan> made;
  try {
    made = make_plan(MPI_COMM_WORLD, c);
  } catch (const Error& e) {
    if (e.code() != Status::unsupported) throw;
    return;
  }
  Plan& plan = *made;
  for (const Direction direction : {Direction::forward, Direction::backward, Direction::forward}) {
    const Distance distance = distance_of(members_of(plan), c, direction);
    const double relative = std::sqrt(sum_over_ranks(distance.error) / sum_over_ranks(distance.norm));
    check_told(plan.report(), c, direction, relative);
  }
}

class DeviceTolerance : public testing::TestWithParam<std::string> {};

TEST_P(DeviceTolerance, IsKept) {
  for (const int ranks_per_host : {0, 2}) {
    std::vector<TransformCase> cases{
        {{9, 8, 6}, "brick", "natural", Kind::r2c, Precision::f64, on_gpu("pencil")},
        {{12, 10, 8}, "slab", "left", Kind::c2c, Precision::f64, on_gpu("slab")},
        {{2, 3, 4}, "slab", "natural", Kind::c2c, Precision::f32, on_gpu("slab")},
    };
    for (TransformCase& c : cases)
      for (const double tolerance : {1e-2, 1e-6, 1e-10}) {
        c.options.exchange = GetParam();
        c.options.tolerance = tolerance;
        c.options.fake_ranks_per_host = ranks_per_host;
        check_case_within(c);
      }
  }
}

INSTANTIATE_TEST_SUITE_P(Strategies, DeviceTolerance, testing::ValuesIn(gpu::device_exchange_names()),
                         [](const auto& strategy) { return strategy.param; });

}  // namespace
}  // namespace shardfft::test
