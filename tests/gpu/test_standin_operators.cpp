// Which kernels run operators.
#include <gtest/gtest.h>

#include "device/standin/settings.hpp"
#include "gpu/applied_kit.hpp"
#include "support/smaller_gpus.hpp"

namespace shardfft::test {
namespace {

/// An operator that the pass before it multiplies by costs no kernel.
TEST(StandinOperators, CostNoKernel) {
  const SmallerGpus smaller;
  given_gpu_defaults.elements_worth_passes = 4096;
  TransformCase c{{48, 16, 14}, "slab", "left", Kind::r2c, Precision::f64, on_gpu()};
  c.options.effort = Effort::estimate;
  /// Pieces of work of the second call, which is enqueued twice, as a graph too: the first one computes numbers of
  /// lines.
  const auto applied = [&](const Operator& op) {
    Plan plan = make_plan_over({0}, c);
    const PlacedArray in("device", 0, plan.input(0).bytes());
    PlacedArray out("device", 0, plan.input(0).bytes());
    const auto apply = [&] { plan.apply(op, std::vector<const void*>{in.data()}, std::vector<void*>{out.data()}); };
    apply();
    constexpr int enough = 1 << 20;
    device::standin::fail_after(enough);
    apply();
    const int left = device::standin::pieces_before_failure();
    device::standin::fail_after(-1);
    return enough - left;
  };
  const Operator laplacian = Operator::laplacian(), inverse = Operator::inverse_laplacian();
  const int pieces = applied(laplacian);
  EXPECT_EQ(applied(inverse), pieces);
  EXPECT_EQ(applied(laplacian + inverse), pieces + 2);
}

}  // namespace
}  // namespace shardfft::test
