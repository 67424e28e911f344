// Plans over GPUs of this process on several threads and streams at once, one of them planning while others run.
#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

#include "support/device_check.hpp"

namespace shardfft::test {
namespace {

/// Runs that are enqueued on a stream of the thread's own, each into an array of its own, then looked at: three rounds,
/// and more until `stop`.
void run_on_stream(int device, const Shape& shape, const std::atomic<bool>& stop) {
  const device::DeviceScope scope(device);
  Plan plan(Devices{device}, c2c<double>, Layout::slab(shape, 1), default_output, on_gpu());
  const device::Stream stream = device::make_stream();
  void* const handle = stream.get();
  plan.set_streams({&handle, 1});
  const auto points = to_size(product(shape));
  PlacedArray in("device", device, plan.input().bytes());
  std::vector<PlacedArray> outs;
  for (int i = 0; i < 4; ++i) outs.emplace_back("device", device, plan.output().bytes());
  const std::vector<Value> ones(points, Value(1, 0));
  in.put(ones.data());
  for (int runs = 0; runs < 3 || !stop; ++runs) {
    for (const PlacedArray& out : outs) plan.forward(in.data(), out.data());
    device::synchronize(stream.get());
    for (const PlacedArray& out : outs) {
      std::vector<Value> result(points);
      out.get(result.data());
      ASSERT_NEAR(std::abs(result[0] - static_cast<double>(points)), 0, 1e-9);
      for (std::size_t i = 1; i < points; ++i) ASSERT_NEAR(std::abs(result[i]), 0, 1e-9);
    }
  }
}

TEST(Threads, PlansAndStreams) {
  std::atomic<bool> stop{false};
  std::vector<std::thread> runners;
  for (int t = 0; t < 3; ++t)
    runners.emplace_back([t, &stop] { run_on_stream(t % device::device_count(), {6, 5 + t, 8}, stop); });
  std::thread planner([] {
    const std::atomic<bool> at_once{true};
    for (std::int64_t n = 3; n < 9; ++n) run_on_stream(0, {n, 6, 7}, at_once);
  });
  planner.join();
  stop = true;
  for (std::thread& t : runners) t.join();
}

}  // namespace
}  // namespace shardfft::test
