// Random plans on GPUs, the stand-in's or real ones, against the serial reference.
#include "support/device_check.hpp"
#include "support/enqueued_operator.hpp"
#include "support/operator_check.hpp"
#include "support/random_plans.hpp"

namespace shardfft::test {
namespace {

void gpu_options(Random& random, Options& o) {
  const auto or_auto = [&random](const std::vector<std::string>& names) {
    return random.integer(0, 2) == 0 ? "auto" : one_of(random, names);
  };
  o.processor = Processor::gpu;
  o.algorithm = or_auto(algorithm_names());
  o.exchange = or_auto(device_exchange_names());
  o.verify = random.integer(0, 3) == 0;
  if (random.integer(0, 2) == 0) {
    o.workspace = Workspace::least;
    o.chunks = std::min(o.chunks, 1);
  } else if (random.integer(0, 3) == 0) {
    o.memory = static_cast<MemoryModel>(random.integer(0, 4));
  }
  if (random.integer(0, 3) != 0) return;
  static const int device = world().rank() % device::device_count();
  const device::DeviceScope scope(device);
  static const device::Stream stream = device::make_stream();
  o.device = device;
  o.stream = stream.get();
}

/// Both directions, in and out of place, with arrays in any kind of memory that the plan allows, operators too; with
/// the least workspace in place, aligned, and on the device.
void check_runs(Plan& plan, const TransformCase& c, Random& random) {
  Members members = members_of(plan);
  members.run = [run = members.run, &c](Direction direction, const auto& in, const auto& out) {
    run(direction, in, out);
    const device::DeviceScope scope(c.options.stream != nullptr ? c.options.device : device::current_device());
    if (c.options.stream != nullptr) device::synchronize(c.options.stream);
  };
  if (c.options.workspace == Workspace::least) {
    TransformCase aligned = c;
    aligned.shift = 0;
    return check_device_plan(members, aligned);
  }
  const bool any = c.options.memory == MemoryModel::automatic;
  const std::string memory = any ? one_of(random, {"host", "managed", "device", "pinned"}) : to_text(c.options.memory);
  const auto salt = static_cast<std::uint64_t>(random.integer(0, 1000));
  check_device_plan(members, c, memory, salt);
  const bool on_host = any || c.options.memory == MemoryModel::host;
  if (!on_host || !c.options.modes.empty() || c.kind == Kind::c2r || random.coin()) return;
  EnqueuedOperator enqueued(c);
  check_apply(plan, c, random.coin() ? some_operator(c) : enqueued.made(), some_factor(c), random.coin(), salt);
}

TEST(RandomPlans, AreRightOnGpus) { EXPECT_EQ(random_plans(gpu_options, "random --gpu", check_runs).failed, 0); }

}  // namespace
}  // namespace shardfft::test
