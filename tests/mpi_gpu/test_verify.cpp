// The option verify on GPUs of several processes, by every exchange; calls on a stream of the caller's.
#include <gtest/gtest.h>

#include <optional>

#include "device/plane_pass.hpp"
#include "mpi_gpu/my_device.hpp"
#include "support/device_flips.hpp"
#include "support/operator_check.hpp"
#include "support/smaller_gpus.hpp"
#include "support/world.hpp"

namespace shardfft::test {
namespace {

/// The last rank's bits flip.
std::optional<std::size_t> mine() {
  return world().rank() + 1 == world().size() ? std::optional<std::size_t>(0) : std::nullopt;
}

void check_flips(Plan& plan, const TransformCase& c) {
  SCOPED_TRACE(c.name());
  VerifiedCall run(plan, c, any_rank);
  EXPECT_GE(run.check_flips(mine()), 5);
  EXPECT_GT(plan.report().forward.checks, 0);
}

void check_flips(const TransformCase& c) {
  Plan plan = make_plan(MPI_COMM_WORLD, c);
  check_flips(plan, c);
}

/// One of two by turns: two processes take those that four leave.
bool takes(std::size_t turn) { return (turn + to_size(world().size()) / 2) % 2 == 0; }

TEST(GpuVerify, FindsFlipsByEveryExchange) {
  std::size_t turn = 0;
  for (const std::string& exchange : device_exchange_names()) {
    ++turn;  // or each kind would always meet the same processes
    for (const Kind kind : {Kind::c2c, Kind::r2c}) {
      if (!takes(turn++)) continue;
      TransformCase c = verified({{6, 10, 8}, "slab", "natural", kind, Precision::f64, on_gpu("slab")});
      c.options.exchange = exchange;
      std::optional<Plan> plan;
      const Failure said = failure_of([&] { plan = make_plan(MPI_COMM_WORLD, c); });
      EXPECT_TRUE(!said.failed() || said.code == Status::unsupported) << said.text;
      if (plan) check_flips(*plan, c);
    }
  }
}

TEST(GpuVerify, FindsFlipsInEveryStep) {
  for (const TransformCase& c : cases_to_verify()) check_flips(c);
}

TEST(GpuVerify, FindsFlipsInChunks) {
  std::size_t turn = 0;  // an odd number of cases: each meets both precisions
  for (const Precision precision : {Precision::f64, Precision::f32})
    for (const TransformCase& c : chunks_to_verify(precision))
      if (takes(turn++)) check_flips(c);
}

TEST(GpuVerify, ChunksAreRight) {
  for (const Precision precision : {Precision::f64, Precision::f32})
    for (const TransformCase& c : chunks_to_verify(precision)) {
      SCOPED_TRACE(c.name());
      Plan plan = make_plan(MPI_COMM_WORLD, c);
      check_device_plan(members_of(plan), c);
    }
}

/// In passes next to a reshape, which operators stand between, too.
TEST(GpuVerify, FindsFlipsInSlabs) {
  const SmallerGpus smaller;
  const Shape shape = fitting({128, 128, 128}, {128, 128, 16});
  const TransformCase c = verified({shape, "slab", "left", Kind::r2c, Precision::f64, on_gpu()});
  Plan plan = make_plan(MPI_COMM_WORLD, c);
  if (world().size() % 2 == 0 && device::lines::planes_checkable(128, 128)) {
    EXPECT_NE(plan.report().forward.steps.front().text.find("plane "), std::string::npos) << plan.report();
  }
  check_device_plan(members_of(plan), c);
  for (const bool in_place : {false, true}) check_apply(plan, c, some_operator(c), some_factor(c), in_place);
  for (const Direction direction : {Direction::forward, Direction::backward}) {
    SCOPED_TRACE(direction == Direction::forward ? "forward" : "backward");
    VerifiedCall run(plan, c, any_rank, direction);
    const PlanReport report = plan.report();
    const std::size_t step = joined_step(report, direction);
    const bool joined = step < steps_of(report, direction).size();
    EXPECT_TRUE(joined || world().size() == 1 || (world().size() % 2 != 0 && direction == Direction::backward))
        << report;
    for (const Moment moment : {Moment::between, Moment::in_middle}) {
      std::optional<DeviceFlip::Where> where;
      if (mine()) where = {step, moment, 0, 0.4, sizeof(double), 62};
      const bool told = run.check_flip(where, moment);
      EXPECT_TRUE(told || moment != Moment::between || !joined) << "it never happened";
    }
  }
}

TEST(GpuVerify, ResultsAreRight) {
  for (const TransformCase& c : cases_to_verify()) {
    SCOPED_TRACE(c.name());
    Plan plan = make_plan(MPI_COMM_WORLD, c);
    check_device_plan(members_of(plan), c);
    check_device_plan(members_of(plan), c, "host", 2);
  }
}

/// The work of such a call has ended when it returns: what it found is told.
TEST(GpuVerify, TellsOnCallersStreams) {
  const device::DeviceScope scope(my_device());
  const device::Stream stream = device::make_stream();
  TransformCase c = verified({{6, 10, 8}, "slab", "left", Kind::c2c, Precision::f64, on_gpu()});
  c.options.device = my_device();
  c.options.stream = stream.get();
  check_flips(c);
}

}  // namespace
}  // namespace shardfft::test
