// What takes the place of the machine: a source of memory, a clock, and who computes.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <mutex>
#include <numeric>

#include "base/aligned.hpp"
#include "base/hooks.hpp"
#include "support/transform_check.hpp"
#include "support/world.hpp"

namespace shardfft::test {
namespace {

/// The heap, counted.
class CountingMemory : public MemorySource {
 public:
  void* allocate(std::size_t bytes, std::size_t alignment) override {
    const std::lock_guard<std::mutex> lock(mutex_);
    void* const memory = refuses ? nullptr : std::aligned_alloc(alignment, bytes);
    if (memory != nullptr) live += bytes;
    return memory;
  }
  void release(void* memory, std::size_t bytes) noexcept override {
    const std::lock_guard<std::mutex> lock(mutex_);
    live -= bytes;
    std::free(memory);
  }
  bool grant_window(std::size_t bytes) override {
    if (refuses) return false;
    windows += bytes;
    return true;
  }
  void end_window(std::size_t bytes) noexcept override { windows -= bytes; }

  std::size_t live = 0;
  std::size_t windows = 0;
  bool refuses = false;

 private:
  std::mutex mutex_;
};

std::size_t in_pages(std::size_t bytes, std::size_t page) { return bytes == 0 ? 0 : round_up(bytes, page); }

/// What allocate_aligned() asks for.
std::size_t block_bytes(std::size_t bytes) {
  constexpr std::size_t huge = std::size_t{2} << 20;
  return in_pages(bytes, bytes >= 2 * huge ? huge : cache_line);
}

TransformCase small_by(Kind kind, const std::string& exchange) {
  TransformCase c{{12, 10, 8}, "slab", "natural", kind, Precision::f64, quick("slab")};
  c.options.exchange = exchange;
  return c;
}

/// Nothing is kept while planning, and the first run takes the workspace to the byte.
void check_first_run(const TransformCase& c, bool in_place) {
  SCOPED_TRACE(c.name() + (c.options.in_place ? ", in_place" : ""));
  CountingMemory memory;
  const Installed<MemorySource> installed(memory);
  {
    Plan plan = make_plan(MPI_COMM_WORLD, c);
    EXPECT_EQ(memory.live, 0u);
    const std::size_t turns = memory.windows;
    for (const Direction direction : {Direction::forward, Direction::backward})
      check_run(plan, c, direction, in_place, 3);
    const std::size_t copy = c.options.in_place ? 0 : memory.live - block_bytes(plan.workspace_bytes());
    if (!in_place) {
      EXPECT_EQ(copy, 0u);
    }
    EXPECT_EQ(memory.live, block_bytes(plan.workspace_bytes()) + copy);
    EXPECT_EQ(memory.windows - turns, in_pages(plan.report().window_bytes, 4096));
  }
  EXPECT_EQ(memory.live, 0u);
  EXPECT_EQ(memory.windows, 0u);
}

TEST(Memory, TheFirstRunTakesTheWorkspace) {
  for (const std::string& exchange : exchange_names())
    for (const Kind kind : {Kind::c2c, Kind::r2c, Kind::c2r}) check_first_run(small_by(kind, exchange), false);
}

TEST(Memory, ThreadsAndChunksAndTheReferenceAreCounted) {
  for (const char* library : {"fftw", "reference"}) {
    TransformCase c = small_by(Kind::r2c, "p2p");
    c.options.local_fft = library;
    c.options.threads = 2;
    check_first_run(c, false);
    c.options.chunks = 3;
    check_first_run(c, false);
  }
}

/// Ranks of a host make its shared memory together; what one host has no room for is an error on all ranks.
TEST(Memory, WindowsThatOneHostHasNoRoomFor) {
  TransformCase c = small_by(Kind::c2c, "shared_window");
  c.options.fake_ranks_per_host = std::max(1, world().size() / 2);
  CountingMemory memory;
  const Installed<MemorySource> installed(memory);
  memory.refuses = last_rank();
  // A plan of one rank shares nothing.
  if (world().size() > 1) expect_error(Status::out_of_memory, last_rank_text(), [&] { make_plan(MPI_COMM_WORLD, c); });
  memory.refuses = false;
  Plan plan = make_plan(MPI_COMM_WORLD, c);
  memory.refuses = last_rank();
  expect_error(Status::out_of_memory, last_rank_text(), [&] { plan.allocate_input(); });
  memory.refuses = false;
  check_plan(plan, c);
}

TEST(Memory, CopiesForCallsInPlaceAreCounted) {
  for (const char* exchange : {"p2p", "shared_window"})
    for (const Kind kind : {Kind::c2c, Kind::r2c}) {
      TransformCase c = small_by(kind, exchange);
      c.options.in_place = true;
      check_first_run(c, true);
      // Without the option, the copy is made by the first call that needs one, and counted then.
      c.options.in_place = false;
      CountingMemory memory;
      const Installed<MemorySource> installed(memory);
      Plan plan = make_plan(MPI_COMM_WORLD, c);
      const std::size_t planned = plan.workspace_bytes();
      for (const Direction direction : {Direction::forward, Direction::backward})
        check_run(plan, c, direction, true, 3);
      EXPECT_EQ(memory.live, block_bytes(planned) + plan.workspace_bytes() - planned);
    }
}

/// Memory that is refused on one rank is an error on all, and the plan can be used when there is some again.
TEST(Memory, RefusedByTheSource) {
  for (const char* exchange : {"p2p", "shared_window"}) {
    const TransformCase c = small_by(Kind::r2c, exchange);
    CountingMemory memory;
    const Installed<MemorySource> installed(memory);
    Plan plan = make_plan(MPI_COMM_WORLD, c);
    std::vector<double> in(plan.input().bytes() / 8 + 1), out(plan.output().bytes() / 8 + 1);
    memory.refuses = world().rank() == world().size() - 1;
    if (plan.workspace_bytes() + plan.report().window_bytes > 0)
      expect_error(Status::out_of_memory, "", [&] { plan.forward(in.data(), static_cast<void*>(out.data())); });
    memory.refuses = false;
    check_run(plan, c, Direction::forward, false, 3);
  }
}

/// An operator of a kernel is the kernel's spectrum, once, and all ranks hear of it where one has no memory for it.
TEST(Memory, OfAKernelsSpectrum) {
  CountingMemory memory;
  const Installed<MemorySource> installed(memory);
  Plan plan = make_plan(MPI_COMM_WORLD, small_by(Kind::r2c, "p2p"));
  const std::vector<double> kernel(plan.input().bytes() / 8 + 1);
  const void* const from = kernel.data();
  plan.convolution(from);
  const std::size_t before = memory.live;
  memory.refuses = world().rank() == world().size() - 1;
  expect_error(Status::out_of_memory, "", [&] { plan.convolution(from); });
  memory.refuses = false;
  EXPECT_EQ(memory.live, before);
  const Operator made = plan.convolution(from);
  EXPECT_EQ(memory.live, before + block_bytes(plan.output().bytes()));
}

/// A machine that moves `bytes_per_second` and computes for nothing.
class Simulation : public Clock, public ComputeHook {
 public:
  double seconds() override { return now_; }
  void compute(const Work& work, const std::function<void()>& action) override {
    bytes += work.bytes;
    flops += work.flops;
    now_ += work.bytes / bytes_per_second;
    if (runs) action();
  }
  static constexpr double bytes_per_second = 1e9;
  double bytes = 0;
  double flops = 0;
  bool runs = true;

 private:
  double now_ = 1000;
};

/// One rank, so that nothing waits for real.
TEST(Simulation, TimesAreThoseOfTheModel) {
  TransformCase c = small_by(Kind::c2c, "p2p");
  c.options.local_fft = "fftw";
  Simulation machine;
  const Installed<Clock> clock(machine);
  const Installed<ComputeHook> hook(machine);
  Plan plan = make_plan(MPI_COMM_SELF, c);
  std::vector<std::complex<double>> in(960, 1.0), out(960, -7.0);
  machine.bytes = machine.flops = 0;
  machine.runs = false;
  plan.forward(in.data(), out.data());
  EXPECT_EQ(out[0], -7.0) << "the simulation stands for the computation";
  const double points = 960;
  EXPECT_EQ(machine.bytes, 2 * 16 * points);
  EXPECT_NEAR(machine.flops, 5 * points * std::log2(points), 1e-6);
  EXPECT_NEAR(plan.report().forward.seconds, 2 * 16 * points / Simulation::bytes_per_second, 1e-12);
}

double of_all_ranks(double bytes) {
  const auto each = world().all_gather(static_cast<std::int64_t>(bytes));
  return static_cast<double>(std::accumulate(each.begin(), each.end(), std::int64_t{0}));
}

/// Every byte of a reshape passes through the hook: packed, unpacked, or copied at once.
TEST(Simulation, SeesAllThatMoves) {
  for (const std::string& exchange : exchange_names()) {
    const TransformCase c = small_by(Kind::c2c, exchange);
    SCOPED_TRACE(c.name());
    Simulation machine;
    const Installed<ComputeHook> hook(machine);
    Plan plan = make_plan(MPI_COMM_WORLD, c);
    machine.bytes = machine.flops = 0;
    check_run(plan, c, Direction::forward, false, 5);
    // Of all ranks: one may have less between two steps than at the ends.
    const auto array = of_all_ranks(static_cast<double>(plan.input().bytes()));
    const auto moved = of_all_ranks(machine.bytes);
    const double transforms = world().size() > 1 ? 2 : 1;
    EXPECT_GE(moved, 2 * transforms * array);
    EXPECT_GE(machine.flops, plan.input().count() > 0 ? 1 : 0);
    // alltoallw leaves packing to MPI; the others read and write each element of a reshape once more at least.
    if (exchange != "alltoallw" && world().size() > 1) {
      EXPECT_GE(moved, 2 * (transforms + 1) * array);
    }
  }
}

}  // namespace
}  // namespace shardfft::test
