// Plans of which every process has one GPU: memory and events of other processes, messages.
#include <gtest/gtest.h>

#include <optional>

#include "base/hooks.hpp"
#include "device/line_pass.hpp"
#include "device/pointwise.hpp"
#include "gpu/move/exchange.hpp"
#include "mpi_gpu/descriptors.hpp"
#include "mpi_gpu/my_device.hpp"
#include "support/device_check.hpp"
#include "support/fake_time.hpp"
#include "support/operator_check.hpp"
#include "support/world.hpp"

namespace shardfft::test {
namespace {

const std::vector<Kind> kinds{Kind::c2c, Kind::r2c, Kind::c2r};

void check_mpi_case(const TransformCase& c, const std::string& memory = "device") {
  SCOPED_TRACE(memory + ": " + c.name());
  Plan plan = make_plan(MPI_COMM_WORLD, c);
  check_device_plan(members_of(plan), c, memory);
}

/// What EveryExchange runs with an exchange.
std::vector<TransformCase> cases_with(const std::string& exchange) {
  std::vector<TransformCase> cases;
  for (const std::string algorithm : {"slab", "pencil"}) {
    Options o = on_gpu(algorithm);
    o.exchange = exchange;
    o.batch = 2;
    cases.push_back({{9, 8, 6}, "brick", "natural", Kind::r2c, Precision::f64, o});
    o.batch = 1;
    cases.push_back({{2, 3, 4}, "last-owns", "slab", Kind::c2c, Precision::f32, o});
    o.modes = {6, 5, 4};
    cases.push_back({{9, 8, 6}, "brick", "left", Kind::r2c, Precision::f32, o});
    o.transforms = {AxisTransform::dct2, AxisTransform::fft, AxisTransform::dct1};
    o.modes = {};
    cases.push_back({{9, 8, 6}, "brick", "natural", Kind::c2r, Precision::f64, o});
  }
  return cases;
}

/// A plan, where this machine and MPI library can do its exchange. Plans that need none take any name.
std::optional<Plan> plan_where_possible(const TransformCase& c) {
  try {
    return make_plan(MPI_COMM_WORLD, c);
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), Status::unsupported) << c.name() << ": " << e.what();
    return std::nullopt;
  }
}

TEST(GpuPlans, SizesKindsAndPrecisions) {
  for (const Shape& shape : {Shape{1, 1, 1}, Shape{2, 3, 5}, Shape{7, 11, 13}, Shape{16, 8, 32}})
    for (const Kind kind : kinds)
      for (const Precision precision : {Precision::f64, Precision::f32})
        check_mpi_case({shape, "slab", "left", kind, precision, on_gpu()});
}

TEST(GpuPlans, AlgorithmsAndInputs) {
  const std::vector<std::string> outputs{"left", "natural", "brick", "left", "uneven", "cyclic"};
  std::size_t turn = 0;
  for (const std::string algorithm : {"slab", "pencil", "brick", "cyclic"})
    for (const char* input : {"slab", "brick", "turned-cyclic", "uneven", "mosaic", "last-owns"}) {
      const Precision precision = turn % 4 == 3 ? Precision::f32 : Precision::f64;
      check_mpi_case({{8, 6, 9}, input, outputs[turn % outputs.size()], kinds[turn % 3], precision, on_gpu(algorithm)});
      ++turn;
    }
  for (const Kind kind : kinds) check_mpi_case({{36}, "slab", "natural", kind, Precision::f64, on_gpu()});
}

/// Each step of a run takes less time than those before it, so that the way that is tried last is taken.
struct LaterIsFaster : DeviceStepHook {
  FakeTime time;
  double seconds = 1e-3;
  void reached(std::size_t, Moment, std::byte*, std::size_t, void*) override { time.now += seconds *= 0.98; }
};

/// Each way in turn runs in the same memory, which other processes have open.
TEST(GpuPlans, WaysThatWereTriedAreRight) {
  const int ranks = world().size();
  if (ranks == 1 || ranks > 4) GTEST_SKIP() << "as with two to four";
  for (const int ranks_per_host : {0, 1, 2}) {
    Options options = on_gpu();
    options.effort = Effort::measure;
    options.fake_ranks_per_host = ranks_per_host;
    const TransformCase c{{16, 32, 12}, "last-slab",    ranks_per_host == 1 ? "left" : "natural",
                          Kind::c2c,    Precision::f64, options};
    SCOPED_TRACE(c.name() + ", ranks a host: " + std::to_string(ranks_per_host));
    LaterIsFaster hook;
    std::optional<Plan> plan;
    {
      const Installed<Clock> clock(hook.time);
      const Installed<DeviceStepHook> steps(hook);
      plan = make_plan(MPI_COMM_WORLD, c);
    }
    const std::string text = plan->report().to_text();
    if (ranks_per_host == 0 || ranks_per_host >= ranks) {
      EXPECT_EQ(plan->report().exchange, "cuda_peer") << text;
      EXPECT_NE(text.find(": measured: by size "), std::string::npos) << text;
    } else {
      const bool two = ranks_per_host == 1 && gpu::mpi_takes_device_memory(world(), my_device());
      const char* const why = two ? "host_staged: measured: mpi_device " : "";
      EXPECT_NE(text.find(std::string("chose exchange ") + why), std::string::npos) << text;
    }
    check_device_plan(members_of(*plan), c);
  }
}

/// Users' arrays that are no whole pages are written by peers by way of arrays beside them.
TEST(GpuPlans, ResultsThatPeersWouldWriteSlowly) {
  const int ranks = world().size();
  if (ranks > 4) GTEST_SKIP() << "as with fewer";
  const Shape shape{128, 34, 32 * ranks + 2};
  int turn = 0;
  for (const char* input : {"slab", "slab along 1", "slab along 2"})
    for (const char* output : {"natural", "left"}) {
      Options options = on_gpu();
      options.chunks = turn++ % 3 + 1;
      const TransformCase c{shape, input, output, Kind::c2c, Precision::f64, options};
      check_mpi_case(c);
    }
}

/// What is sent then lies in the output, so that one array of workspace is enough where shares are equal.
TEST(GpuPlans, SendsFromTheOutput) {
  const int ranks = world().size();
  if (ranks < 2 || ranks > 4) GTEST_SKIP() << "as with two";
  if (!device::lines::supported(128)) GTEST_SKIP() << "no line kernels";
  for (const int chunks : {2, 3, 5}) {
    Options options = on_gpu();
    options.chunks = chunks;
    options.verify = chunks == 3;
    options.axes = {0, 1};
    const TransformCase c{{128, 128, 10 * ranks}, "slab", "left", Kind::c2c, Precision::f64, options};
    check_mpi_case(c);
    if (ranks == 3) continue;
    const Plan plan = make_plan(MPI_COMM_WORLD, c);
    const std::size_t array = std::max(plan.input().bytes(), plan.output().bytes());
    EXPECT_LE(plan.workspace_bytes(), device::in_whole_pages(array + array / 32)) << plan.report();
  }
}

/// In place, what is sent lies in the input.
TEST(GpuPlans, SendsFromTheInput) {
  const int ranks = world().size();
  if (ranks < 2 || ranks > 4) GTEST_SKIP() << "as with two";
  if (!device::lines::supported(128)) GTEST_SKIP() << "no line kernels";
  for (const char* exchange : {"auto", "cuda_peer_copy", "host_staged"}) {
    Options options = on_gpu();
    options.chunks = 4;
    options.exchange = exchange;
    options.verify = exchange == std::string("auto");
    options.in_place = true;
    options.axes = {0, 1};
    const TransformCase c{{128, 128, 10 * ranks}, "slab", "left", Kind::c2c, Precision::f64, options};
    check_mpi_case(c);
    if (ranks == 3 || exchange == std::string("host_staged")) continue;  // which packs
    const Plan plan = make_plan(MPI_COMM_WORLD, c);
    const std::size_t array = std::max(plan.input().bytes(), plan.output().bytes());
    EXPECT_LE(plan.workspace_bytes(), device::in_whole_pages(array + array / 32)) << plan.report();
  }
}

TEST(GpuPlans, EveryExchange) {
  std::size_t turn = 0;
  for (const std::string& exchange : device_exchange_names()) {
    ++turn;
    for (const TransformCase& c : cases_with(exchange)) {
      if (turn++ % 2 == 0) continue;  // with another exchange
      SCOPED_TRACE(c.name());
      std::optional<Plan> plan = plan_where_possible(c);
      EXPECT_TRUE(plan || exchange != "host_staged");
      if (plan) check_device_plan(members_of(*plan), c);
    }
  }
}

/// Peers of one host write directly, to other hosts go messages.
TEST(GpuPlans, SeveralHosts) {
  for (const char* algorithm : {"slab", "pencil"})
    for (const int ranks_per_host : {1, 2}) {
      TransformCase c{{9, 8, 6}, "slab", "natural", Kind::r2c, Precision::f64, on_gpu(algorithm)};
      c.options.fake_ranks_per_host = ranks_per_host;
      const bool some = ranks_per_host > 1 && world().size() > ranks_per_host;
      EXPECT_EQ(make_plan(MPI_COMM_WORLD, c).report().exchange == "mixed", some);
      check_mpi_case(c);
    }
}

TEST(GpuPlans, MemoryModels) {
  for (const std::string memory : {"host", "registered", "managed", "device", "auto"})
    for (const std::string exchange : {"auto", "host_staged"}) {
      Options o = on_gpu();
      set_option(o, "memory", memory);
      o.exchange = exchange;
      check_mpi_case({{7, 6, 10}, "slab", "natural", Kind::r2c, Precision::f64, o}, memory);
      check_mpi_case({{2, 3, 5}, "brick", "left", Kind::c2c, Precision::f32, o}, memory);
    }
  // Ranks need not have their arrays in the same kind of memory.
  const char* const kinds_of_memory[] = {"device", "host", "managed"};
  check_mpi_case({{7, 6, 10}, "slab", "natural", Kind::c2c, Precision::f64, on_gpu()},
                 kinds_of_memory[world().rank() % 3]);
}

/// Arrays change on one rank only, are freed, and come again at the same address.
TEST(GpuPlans, ChangingArrays) {
  const TransformCase c{{8, 9, 6}, "slab", "natural", Kind::c2c, Precision::f64, on_gpu("pencil")};
  Plan plan = make_plan(MPI_COMM_WORLD, c);
  const Members members = members_of(plan);
  std::vector<CallArrays> kept = make_arrays(members, c, Direction::forward, "device", false);
  for (std::uint64_t run = 0; run < 6; ++run) {
    if (static_cast<int>(run) % world().size() == world().rank()) {
      std::vector<CallArrays> fresh = make_arrays(members, c, Direction::forward, "device", false);
      check_arrays(members, fresh, c, Direction::forward, 10 + run);
    } else {
      check_arrays(members, kept, c, Direction::forward, 10 + run);
    }
  }
}

/// Runs of both directions in turns, several plans at once.
TEST(GpuPlans, RunsInTurns) {
  const TransformCase slab{{8, 6, 10}, "slab", "left", Kind::c2c, Precision::f64, on_gpu()};
  const TransformCase pencil{{6, 7, 9}, "pencil", "natural", Kind::r2c, Precision::f64, on_gpu("pencil")};
  Plan a = make_plan(MPI_COMM_WORLD, slab), b = make_plan(MPI_COMM_WORLD, pencil);
  const Members first = members_of(a), second = members_of(b);
  std::vector<CallArrays> slab_forward = make_arrays(first, slab, Direction::forward, "device", false);
  std::vector<CallArrays> slab_backward = make_arrays(first, slab, Direction::backward, "device", true);
  std::vector<CallArrays> pencil_forward = make_arrays(second, pencil, Direction::forward, "device", true);
  for (std::uint64_t run = 0; run < 4; ++run) {
    check_arrays(first, slab_forward, slab, Direction::forward, 20 + run);
    check_arrays(second, pencil_forward, pencil, Direction::forward, 30 + run);
    check_arrays(first, slab_backward, slab, Direction::backward, 40 + run);
  }
}

TEST(GpuPlans, CallersStream) {
  const device::DeviceScope scope(my_device());
  const device::Stream stream = device::make_stream();
  TransformCase c{{12, 10, 8}, "slab", "natural", Kind::c2c, Precision::f64, on_gpu()};
  c.options.stream = stream.get();
  Plan plan = make_plan(MPI_COMM_WORLD, c);
  const Members members = members_of(plan);
  const WholeArrays whole = whole_arrays(c, Direction::forward, plan.input().element, 5);
  std::vector<CallArrays> arrays = make_arrays(members, c, Direction::forward, "device", false);
  CallArrays& a = arrays.front();
  PlacedArray pinned_in("pinned", my_device(), plan.input().bytes());
  PlacedArray pinned_out("pinned", my_device(), plan.output().bytes());
  a.put(whole);
  pinned_in.put(a.host_in.data());
  for (int run = 0; run < 4; ++run) {
    device::fill_zero(a.in->data(), plan.input().bytes(), stream.get());
    device::copy_bytes(a.in->data(), pinned_in.data(), plan.input().bytes(), stream.get());
    plan.forward(a.in->data(), a.out.data());
    device::copy_bytes(pinned_out.data(), a.out.data(), plan.output().bytes(), stream.get());
    device::synchronize(stream.get());
    pinned_out.get(a.host_out.data());
    compare_field(a.host_out, plan.output(), 0, whole.output[0], whole.points);
  }
}

void check_callers_workspace(const std::string& algorithm) {
  const TransformCase c{{6, 8, 5}, "slab", "natural", Kind::r2c, Precision::f64, on_gpu(algorithm)};
  Plan plan = make_plan(MPI_COMM_WORLD, c);
  const Members members = members_of(plan);
  check_device_plan(members, c);
  for (int i = 0; i < 2; ++i) {
    const PlacedArray memory("device", my_device(), plan.workspace_bytes());
    plan.set_workspace(memory.data(), plan.workspace_bytes());
    check_device_plan(members, c);
    EXPECT_TRUE(memory.guard_is_whole()) << "written behind the workspace";
    world().barrier();
  }
}

TEST(GpuPlans, CallersWorkspace) {
  const Descriptors none("0");  // which memory of callers has not
  for (const char* algorithm : {"slab", "pencil"}) check_callers_workspace(algorithm);
}

TEST(GpuPlans, ReportAndTrace) {
  TransformCase c{{12, 10, 8}, "pencil", "natural", Kind::c2c, Precision::f64, on_gpu("pencil")};
  Plan plan = make_plan(MPI_COMM_WORLD, c);
  check_device_plan(members_of(plan), c);
  const std::string report = plan.report().to_text();
  for (const std::string word : {"GPUs: rank", "exchange cuda_peer", "memory auto", "fft c2c", " ms", "r = T_comm"})
    EXPECT_NE(report.find(word), std::string::npos) << "no '" << word << "' in\n" << report;
}

/// Two rows for more than two ranks: some have nothing between two steps, and announce the next one early.
TEST(GpuPlans, ChunksOfRanksThatHaveNothing) {
  std::size_t turn = 0;
  for (const Shape& shape : {Shape{14, 2, 14}, Shape{14, 1, 6}, Shape{2, 14, 14}}) {
    ++turn;
    for (const std::string input : {"cyclic", "turned-cyclic", "slab", "last-owns"}) {
      Options o = on_gpu();
      o.chunks = turn++ % 2 == 0 ? 2 : 5;
      o.batch = o.chunks - 1;
      check_mpi_case({shape, input, "natural", Kind::c2c, Precision::f64, o});
    }
  }
}

/// Operators between transforms of several processes; arrays lie on the host.
TEST(GpuPlans, Operators) {
  for (const Kind kind : {Kind::c2c, Kind::r2c})
    for (const std::string algorithm : {"slab", "pencil"}) {
      const TransformCase c{{12, 9, 8}, "slab", "left", kind, Precision::f64, on_gpu(algorithm)};
      Plan plan = make_plan(MPI_COMM_WORLD, c);
      check_device_plan(members_of(plan), c);  // others open a workspace that operators then outgrow
      for (int run = 0; run < 3; ++run) check_apply(plan, c, some_operator(c), some_factor(c), run == 1);
      check_device_plan(members_of(plan), c);
    }
}

/// Each process enqueues on its GPU's stream; what one of them throws is told to all.
TEST(GpuPlans, OperatorsThatCall) {
  const TransformCase c{{12, 9, 8}, "slab", "left", Kind::r2c, Precision::f64, on_gpu("pencil")};
  const Communicator comm = Communicator::duplicate(MPI_COMM_WORLD);  // a failure ends all plans of a communicator
  Plan plan = make_plan(comm.get(), c);
  bool fails = false;
  const Operator op = Operator::calling([&](const SpectrumPart& part) {
    if (fails && last_rank()) throw std::runtime_error("no spectrum today");
    EXPECT_EQ(part.device, my_device());
    device::scale(part.data, part.data, part.side.count(), part.side.element, 3, part.stream);
  });
  for (const bool in_place : {false, true})
    check_apply(
        plan, c, op, [](const Index&) { return 3; }, in_place);
  fails = true;
  static LocalArray x(plan.input());
  expect_error(Status::backend_failure, "no spectrum today", [&] { plan.apply(op, x.data(), x.data()); });
}

}  // namespace
}  // namespace shardfft::test
