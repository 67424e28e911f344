// Devices that fail in the middle of a call, all ranks in this process.
#include <cstdlib>

#include "device/standin/settings.hpp"
#include "gpu/group_kit.hpp"
#include "gpu/move/exchange.hpp"

namespace shardfft::test {
namespace {

using device::standin::fail_after;

/// A reshape in which one rank has enqueued its sends and the others have not: its copies wait for their turn.
TEST(DeviceFailures, AbandonedTurnsDoNotWait) {
  gpu::Team team({0, 1, 2});
  setenv("SHARDFFT_TURNS", "1", 1);
  const Shape shape{9, 9, 4};
  const auto operations =
      gpu::make_device_reshape("cuda_peer_copy", {&team, Layout::slab(shape, 3), Layout::slab(shape, 3, 1)});
  unsetenv("SHARDFFT_TURNS");
  EXPECT_GT(operations.front()->kept().table, 0u) << "nobody sends in turn";
  std::vector<device::Memory> memory;
  std::vector<device::Stream> streams;
  std::vector<std::byte*> outs;
  for (int r = 0; r < 3; ++r) {
    const device::DeviceScope scope(r);
    for (int side = 0; side < 2; ++side) memory.push_back(device::make_memory(9 * 3 * 4 * 16));
    streams.push_back(device::make_stream());
    outs.push_back(static_cast<std::byte*>(memory.back().get()));
  }
  const auto enqueue = [&](int rank, int phase) {
    const device::DeviceScope scope(rank);
    const auto r = static_cast<std::size_t>(rank);
    operations[r]->enqueue(phase, {static_cast<const std::byte*>(memory[2 * r].get()), outs[r], nullptr, outs},
                           streams[r].get());
  };
  for (int r = 0; r < 3; ++r) enqueue(r, 0);
  for (int phase = 1; phase < operations.front()->phases(); ++phase) enqueue(0, phase);
  for (const auto& operation : operations) operation->abandon();
  for (int r = 0; r < 3; ++r) {
    const device::DeviceScope scope(r);
    EXPECT_NO_THROW(device::synchronize(streams[to_size(r)].get()));
  }
}

/// The second call with the same arrays is captured: wherever it fails, the capture ends, and other plans capture
/// theirs.
TEST(DeviceFailures, CapturesEnd) {
  const TransformCase c{{12, 10, 6}, "slab", "left", Kind::c2c, Precision::f64, on_gpu("slab")};
  const auto fails = [&c](int piece) {
    Plan plan = make_plan_over({0, 1}, c);
    const Members members = members_of(plan);
    std::vector<CallArrays> arrays = make_arrays(members, c, Direction::forward, "device", false);
    check_arrays(members, arrays, c, Direction::forward, 1);
    fail_after(piece);
    bool failed = false;
    try {
      check_arrays(members, arrays, c, Direction::forward, 1);
    } catch (const Error&) {
      failed = true;
    }
    fail_after(-1);
    return failed;
  };
  int piece = 0;
  while (fails(piece)) ++piece;
  EXPECT_GT(piece, 30) << "none failed in the capture";
  Plan plan = make_plan_over({0, 1}, c);
  const Members members = members_of(plan);
  std::vector<CallArrays> arrays = make_arrays(members, c, Direction::forward, "device", false);
  for (std::uint64_t run = 0; run < 5; ++run) check_arrays(members, arrays, c, Direction::forward, run);
  EXPECT_EQ(plan.report().forward.graph_runs, 3);
}

}  // namespace
}  // namespace shardfft::test
