// Random plans on the stand-in's GPUs against the serial reference.
#include "support/device_check.hpp"
#include "support/random_plans.hpp"

namespace shardfft::test {
namespace {

void gpu_options(Random& random, Options& o) {
  const auto or_auto = [&random](const std::vector<std::string>& names) {
    return random.integer(0, 2) == 0 ? "auto" : one_of(random, names);
  };
  o.processor = Processor::gpu;
  o.in_place = false;  // it has no effect there
  o.algorithm = or_auto(algorithm_names());
  o.exchange = or_auto(device_exchange_names());
  o.verify = random.integer(0, 3) == 0;
  if (random.integer(0, 2) != 0) return;
  o.workspace = Workspace::least;
  o.chunks = std::min(o.chunks, 1);
}

/// Both directions, in and out of place, with arrays in any kind of memory; with the least workspace in place, aligned,
/// and on the device.
void check_runs(Plan& plan, const TransformCase& c, Random& random) {
  if (c.options.workspace == Workspace::least) {
    TransformCase aligned = c;
    aligned.shift = 0;
    return check_device_plan(members_of(plan), aligned);
  }
  const std::string memory = one_of(random, {"host", "managed", "device", "pinned"});
  check_device_plan(members_of(plan), c, memory, static_cast<std::uint64_t>(random.integer(0, 1000)));
}

TEST(RandomPlans, AreRightOnGpus) { EXPECT_EQ(random_plans(gpu_options, " --gpu", check_runs).failed, 0); }

}  // namespace
}  // namespace shardfft::test
