// Plans whose ranks are GPUs of this process.
#include <gtest/gtest.h>

#include "support/device_check.hpp"

namespace shardfft::test {
namespace {

const std::vector<Kind> kinds{Kind::c2c, Kind::r2c, Kind::c2r};

/// `ranks` members on as many of the machine's GPUs as there are.
std::vector<int> devices_for(int ranks) {
  std::vector<int> devices;
  for (int r = 0; r < ranks; ++r) devices.push_back(r % cuda::device_count());
  return devices;
}

void check_case_on(int ranks, const TransformCase& c, const std::string& memory = "device") {
  SCOPED_TRACE(std::to_string(ranks) + " ranks, " + memory + ": " + c.name());
  const std::vector<int> devices = devices_for(ranks);
  GroupPlan plan = make_group_plan(devices, c);
  check_device_plan(ranks_of(plan, devices), c, memory);
}

TEST(GroupPlans, SizesKindsAndPrecisions) {
  for (const Shape& shape : {Shape{1, 1, 1}, Shape{2, 3, 5}, Shape{7, 11, 13}, Shape{16, 8, 32}, Shape{31, 1, 17}})
    for (const Kind kind : kinds)
      for (const Precision precision : {Precision::f64, Precision::f32})
        for (const int ranks : {1, 3}) check_case_on(ranks, {shape, "slab", "left", kind, precision, on_gpu()});
}

TEST(GroupPlans, AlgorithmsAndInputs) {
  const std::vector<std::string> outputs{"left", "natural", "brick", "left", "uneven", "cyclic"};
  std::size_t turn = 0;
  for (const std::string algorithm : {"slab", "pencil", "brick", "cyclic"})
    for (const NamedLayout& input : zoo({4, 4, 4}, 4)) {
      const Precision precision = turn % 4 == 3 ? Precision::f32 : Precision::f64;
      check_case_on(
          static_cast<int>(2 + turn % 3),
          {{8, 6, 9}, input.name, outputs[turn % outputs.size()], kinds[turn % 3], precision, on_gpu(algorithm)});
      ++turn;
    }
}

TEST(GroupPlans, OneTwoAndFourDimensions) {
  for (const Kind kind : kinds) {
    check_case_on(3, {{36}, "slab", "natural", kind, Precision::f64, on_gpu()});
    check_case_on(2, {{13, 10}, "slab", "left", kind, Precision::f64, on_gpu()});
    check_case_on(2, {{7, 9}, "last-slab", "natural", kind, Precision::f32, on_gpu()});
    check_case_on(2, {{4, 5, 3, 6}, "slab", "natural", kind, Precision::f64, on_gpu()});
    check_case_on(1, {{3, 4, 2, 5}, "turned-brick", "left", kind, Precision::f64, on_gpu()});
  }
  check_case_on(4, {{64, 36}, "cyclic", "natural", Kind::c2c, Precision::f64, on_gpu("cyclic")});
}

TEST(GroupPlans, SubsetsOfAxesAndBatches) {
  const std::vector<std::vector<int>> subsets{{0}, {1}, {2}, {1, 0}, {2, 0}, {1, 2}, {2, 1, 0}};
  std::size_t turn = 0;
  for (const auto& axes : subsets) {
    Options options = on_gpu();
    options.axes = axes;
    options.batch = 1 + static_cast<std::int64_t>(turn % 3);
    for (const Kind kind : kinds)
      check_case_on(static_cast<int>(1 + turn++ % 3),
                    {{6, 5, 9}, turn % 2 == 0 ? "slab" : "turned-brick", "natural", kind, Precision::f64, options});
  }
}

/// Every order of the axes in memory, at both ends: cuFFT's strides, line passes and dense copies.
TEST(GroupPlans, MemoryOrders) {
  AxisOrder order{0, 1, 2};
  std::size_t turn = 0;
  do {
    SCOPED_TRACE(std::to_string(order[0]) + std::to_string(order[1]) + std::to_string(order[2]));
    for (const Shape& shape : {Shape{5, 6, 8}, Shape{64, 2, 64}}) {
      const Kind kind = kinds[turn++ % 3];
      const TransformCase c{shape, "", "", kind, Precision::f64, on_gpu()};
      Shape half = shape;
      half.back() = shape.back() / 2 + 1;
      Options options = c.options;
      const AxisOrder other(order.rbegin(), order.rend());
      const std::vector<int> devices = devices_for(2);
      GroupPlan plan(devices, {kind, Precision::f64}, Layout::slab(kind == Kind::c2r ? half : shape, 2, 0, order),
                     Layout::slab(kind == Kind::r2c ? half : shape, 2, 1, other), options);
      check_device_plan(ranks_of(plan, devices), c);
    }
  } while (std::next_permutation(order.begin(), order.end()));
}

TEST(GroupPlans, ManyLinesNeedDenseCopies) {
  Options options = on_gpu();
  options.axes = {1};
  check_case_on(1, {{70, 12, 6}, "slab", "left", Kind::c2c, Precision::f64, options});
  check_case_on(1, {{70, 9, 6}, "slab", "left", Kind::r2c, Precision::f32, options});
  check_case_on(1, {{3, 9, 5}, "slab", "left", Kind::c2r, Precision::f32, options});
}

TEST(GroupPlans, Norms) {
  for (const Norm norm : {Norm::backward, Norm::ortho, Norm::forward, Norm::none})
    for (const Kind kind : kinds) {
      Options o = on_gpu();
      o.norm = norm;
      check_case_on(2, {{4, 3, 5}, "slab", "left", kind, Precision::f64, o});
      check_case_on(2, {{8, 6, 4}, "pencil", "natural", kind, Precision::f64, o});
    }
}

TEST(GroupPlans, MemoryModels) {
  for (const std::string memory : {"host", "registered", "managed", "device", "auto"})
    for (const Kind kind : kinds)
      for (const int ranks : {1, 3}) {
        Options o = on_gpu();
        o.memory = memory;
        check_case_on(ranks, {{7, 6, 10}, "slab", "natural", kind, Precision::f64, o}, memory);
        check_case_on(ranks, {{2, 3, 5}, "brick", "left", kind, Precision::f32, o}, memory);
      }
  for (const std::string memory : {"host", "pinned", "managed"})
    check_case_on(2, {{7, 6, 10}, "slab", "natural", Kind::r2c, Precision::f64, on_gpu()}, memory);
}

TEST(GroupPlans, UnalignedArrays) {
  for (const Kind kind : kinds)
    for (const Precision precision : {Precision::f64, Precision::f32}) {
      TransformCase c{{8, 6, 4}, "slab", "left", kind, precision, on_gpu()};
      c.shift = 1;
      check_case_on(2, c);
    }
}

TEST(GroupPlans, EveryExchange) {
  for (const std::string& exchange : device_exchange_names()) {
    Options o = on_gpu("pencil");
    o.exchange = exchange;
    const TransformCase c{{9, 8, 6}, "brick", "natural", Kind::r2c, Precision::f64, o};
    try {
      make_group_plan(devices_for(4), c);
    } catch (const Error& e) {
      EXPECT_EQ(e.code(), Status::unsupported) << exchange << ": " << e.what();
      continue;
    }
    for (const int ranks : {1, 2, 4}) check_case_on(ranks, c);
  }
}

/// The same arrays come again and again, then others: what was captured must not be replayed for those.
TEST(GroupPlans, GraphsFollowTheArrays) {
  const std::vector<int> devices = devices_for(2);
  const TransformCase c{{12, 10, 8}, "slab", "left", Kind::c2c, Precision::f64, on_gpu()};
  GroupPlan plan = make_group_plan(devices, c);
  const Ranks ranks = ranks_of(plan, devices);
  std::vector<RunArrays> first = make_arrays(ranks, c, Direction::forward, "device", false);
  std::vector<RunArrays> second = make_arrays(ranks, c, Direction::forward, "device", false);
  std::uint64_t salt = 1;
  for (int run = 0; run < 5; ++run) check_arrays(ranks, first, c, Direction::forward, salt++);
  EXPECT_NE(plan.report().find("3 forward runs as a graph"), std::string::npos) << plan.report();
  for (int run = 0; run < 4; ++run) check_arrays(ranks, run % 2 == 0 ? second : first, c, Direction::forward, salt++);
  for (int run = 0; run < 4; ++run) check_arrays(ranks, second, c, Direction::forward, salt++);
  EXPECT_NE(plan.report().find("5 forward runs as a graph"), std::string::npos) << plan.report();
}

/// With the caller's streams everything is in their order: nobody waits between the copies and the transform.
TEST(GroupPlans, CallersStreams) {
  const std::vector<int> devices = devices_for(3);
  const TransformCase c{{12, 10, 8}, "slab", "natural", Kind::c2c, Precision::f64, on_gpu()};
  GroupPlan plan = make_group_plan(devices, c);
  const Ranks ranks = ranks_of(plan, devices);
  const WholeArrays whole = whole_arrays(c, Direction::forward, plan.input(0).element, 5);
  std::vector<cuda::Stream> streams;
  std::vector<void*> handles;
  std::vector<RunArrays> arrays = make_arrays(ranks, c, Direction::forward, "device", false);
  std::vector<PlacedArray> pinned_in, pinned_out;
  std::vector<const void*> ins;
  std::vector<void*> outs;
  for (std::size_t m = 0; m < devices.size(); ++m) {
    const cuda::DeviceScope scope(devices[m]);
    streams.push_back(cuda::make_stream());
    handles.push_back(streams.back().get());
    pinned_in.emplace_back("pinned", devices[m], arrays[m].from_side.bytes());
    pinned_out.emplace_back("pinned", devices[m], arrays[m].to_side.bytes());
    for_own_elements(arrays[m].from_side, 0, [&](std::int64_t address, std::int64_t i) {
      arrays[m].host_in.set(address, whole.input[0][to_size(i)]);
    });
    pinned_in.back().put(arrays[m].host_in.data());
    ins.push_back(arrays[m].in->data());
    outs.push_back(arrays[m].out.data());
  }
  plan.set_streams(handles);
  for (int run = 0; run < 4; ++run) {
    for (std::size_t m = 0; m < devices.size(); ++m) {
      const cuda::DeviceScope scope(devices[m]);
      cuda::fill_zero(arrays[m].in->data(), arrays[m].from_side.bytes(), handles[m]);
      cuda::copy_bytes(arrays[m].in->data(), pinned_in[m].data(), arrays[m].from_side.bytes(), handles[m]);
    }
    plan.forward(ins, outs);
    for (std::size_t m = 0; m < devices.size(); ++m) {
      const cuda::DeviceScope scope(devices[m]);
      cuda::copy_bytes(pinned_out[m].data(), arrays[m].out.data(), arrays[m].to_side.bytes(), handles[m]);
      cuda::synchronize(handles[m]);
    }
    for (std::size_t m = 0; m < devices.size(); ++m) {
      pinned_out[m].get(arrays[m].host_out.data());
      compare_field(arrays[m].host_out, arrays[m].to_side, 0, whole.output[0], whole.points);
    }
  }
}

TEST(GroupPlans, AllocatedArrays) {
  for (const std::string memory : {"host", "registered", "managed", "device", "auto"}) {
    SCOPED_TRACE(memory);
    Options o = on_gpu();
    o.memory = memory;
    const std::vector<int> devices = devices_for(2);
    GroupPlan plan(devices, r2c<double>, Layout::slab({4, 6, 5}, 2), natural_output, o);
    std::vector<Buffer> buffers;
    std::vector<const void*> ins;
    std::vector<void*> outs;
    for (int r = 0; r < 2; ++r) {
      const cuda::DeviceScope scope(devices[to_size(r)]);
      buffers.push_back(plan.allocate_input(r));
      buffers.push_back(plan.allocate_output(r));
      const std::vector<double> ones(to_size(plan.input(r).count()), 1.0);
      const cuda::Stream stream = cuda::make_stream();
      cuda::copy_bytes(buffers[to_size(2 * r)].data(), ones.data(), plan.input(r).bytes(), stream.get());
      cuda::synchronize(stream.get());
      ins.push_back(buffers[to_size(2 * r)].data());
      outs.push_back(buffers[to_size(2 * r + 1)].data());
    }
    plan.forward(ins, outs);
    for (int r = 0; r < 2; ++r) {
      LocalArray result(plan.output(r));
      const cuda::DeviceScope scope(devices[to_size(r)]);
      const cuda::Stream stream = cuda::make_stream();
      cuda::copy_bytes(result.data(), outs[to_size(r)], plan.output(r).bytes(), stream.get());
      cuda::synchronize(stream.get());
      for_own_elements(plan.output(r), 0, [&](std::int64_t address, std::int64_t number) {
        EXPECT_NEAR(std::abs(result.get(address) - (number == 0 ? 120.0 : 0.0)), 0, 1e-12) << number;
      });
    }
  }
}

TEST(GroupPlans, ReportTellsStepsAndTimes) {
  const std::vector<int> devices = devices_for(2);
  const TransformCase c{{12, 10, 8}, "pencil", "natural", Kind::c2c, Precision::f64, on_gpu("pencil")};
  GroupPlan plan = make_group_plan(devices, c);
  EXPECT_EQ(plan.report().find(" ms"), std::string::npos) << "times before the first run";
  check_device_plan(ranks_of(plan, devices), c);
  const std::string report = plan.report();
  for (const std::string word : {"2 ranks", "GPUs: rank 0", "cuda_peer", "fft c2c", "cufft", " ms", "r = T_comm"})
    EXPECT_NE(report.find(word), std::string::npos) << "no '" << word << "' in\n" << report;
}

TEST(GroupPlans, ReportsWhatChunksReach) {
  Options o = on_gpu("pencil");
  o.chunks = 3;
  GroupPlan pencils(devices_for(4), c2c<double>, Layout::pencil({12, 10, 8}, 2, {2, 2}), default_output, o);
  EXPECT_NE(pencils.report().find("(not cut in chunks)"), std::string::npos) << pencils.report();
  o.algorithm = "slab";
  GroupPlan slab(devices_for(2), c2c<double>, Layout::slab({12, 10, 8}, 2), default_output, o);
  EXPECT_NE(slab.report().find("slab, 3 chunks"), std::string::npos) << slab.report();
  EXPECT_EQ(slab.report().find("(not cut in chunks)"), std::string::npos) << slab.report();
}

/// Its transforms run while its copies travel: there is no time of either alone.
TEST(GroupPlans, ReportTellsNoRatioOfSlabs) {
  const std::vector<int> devices = devices_for(2);
  const TransformCase c{{12, 10, 8}, "slab", "left", Kind::c2c, Precision::f64, on_gpu()};
  GroupPlan plan = make_group_plan(devices, c);
  check_device_plan(ranks_of(plan, devices), c);
  const std::string report = plan.report();
  EXPECT_NE(report.find("cannot be told"), std::string::npos) << report;
  EXPECT_EQ(report.find("T_total = "), std::string::npos) << report;
}

/// Planes to rows is the slab engine's, wherever the output may lie as it leaves it.
TEST(GroupPlans, SlabsRunOnTheSlabEngine) {
  const std::vector<int> devices = devices_for(2);
  for (const Kind kind : {Kind::c2c, Kind::r2c}) {
    const Shape half{16, 12, kind == Kind::r2c ? 5 : 8};
    for (const bool given : {false, true}) {
      const TransformCase c{{16, 12, 8}, "", "", kind, Precision::f64, on_gpu()};
      const Layout in = Layout::slab(c.shape, 2), out = Layout::slab(half, 2, 1);
      GroupPlan plan = given ? GroupPlan(devices, {kind, Precision::f64}, in, out, c.options)
                             : GroupPlan(devices, {kind, Precision::f64}, in, default_output, c.options);
      EXPECT_TRUE(plan.output(0).layout.same_as(out));
      EXPECT_NE(plan.report().find("1. slab"), std::string::npos) << plan.report();
      EXPECT_EQ(plan.report().find("2. "), std::string::npos) << plan.report();
      check_device_plan(ranks_of(plan, devices), c);
    }
  }
}

void expect_refusal(Status code, const std::string& words, const std::function<void()>& work) {
  try {
    work();
    ADD_FAILURE() << "no error; expected: " << words;
  } catch (const Error& e) {
    EXPECT_EQ(static_cast<int>(e.code()), static_cast<int>(code)) << e.what();
    EXPECT_NE(std::string(e.what()).find(words), std::string::npos) << e.what();
  }
}

TEST(GroupPlans, BadInput) {
  const Layout slab = Layout::slab({4, 6, 5}, 2);
  const auto make = [&](const std::vector<int>& devices, const Options& o) {
    GroupPlan(devices, c2c<double>, slab, default_output, o);
  };
  Options o = on_gpu();
  expect_refusal(Status::invalid_argument, "one GPU at least", [&] { make({}, o); });
  expect_refusal(Status::invalid_argument, "2 ranks", [&] { make({0}, o); });
  expect_refusal(Status::invalid_argument, "but this host has", [&] { make({0, 1000}, o); });
  expect_refusal(Status::invalid_argument, "GPU -1", [&] { make({0, -1}, o); });
  o.memory = "attic";
  expect_refusal(Status::invalid_argument, "unknown memory 'attic'; known: auto, host", [&] { make({0, 0}, o); });
  o = on_gpu("cannon");
  expect_refusal(Status::invalid_argument, "CPUs only", [&] { make({0, 0}, o); });
  o = on_gpu();
  o.exchange = "alltoallv";
  expect_refusal(Status::invalid_argument, "is for processor cpu; processor gpu has: cuda_peer", [&] {
    make({0, 0}, o);
  });
  o.exchange = "pigeon";
  expect_refusal(Status::invalid_argument, "unknown exchange 'pigeon'; known: cuda_peer", [&] { make({0, 0}, o); });
  o = on_gpu();
  o.local_fft = "fftw";
  expect_refusal(Status::invalid_argument, "cufft", [&] { make({0, 0}, o); });
}

TEST(GroupPlans, ArraysInTheWrongPlace) {
  const std::vector<int> devices = devices_for(2);
  for (const std::string memory : {"host", "registered", "managed", "device"}) {
    Options o = on_gpu();
    o.memory = memory;
    GroupPlan plan(devices, c2c<double>, Layout::slab({4, 6, 5}, 2), default_output, o);
    const std::string wrong = memory == "device" ? "host" : "device";
    const PlacedArray a(wrong, devices[0], plan.input(0).bytes()), b(wrong, devices[1], plan.input(1).bytes());
    const std::vector<const void*> ins{a.data(), b.data()};
    const std::vector<void*> outs{a.data(), b.data()};
    expect_refusal(Status::invalid_argument, "memory=" + memory, [&] { plan.forward(ins, outs); });
    expect_refusal(Status::invalid_argument, "null pointer", [&] {
      plan.forward(std::vector<const void*>{nullptr, nullptr}, outs);
    });
    expect_refusal(Status::invalid_argument, "2 ranks",
                   [&] { plan.forward(std::vector<const void*>{a.data()}, outs); });
  }
  if (devices[0] == devices[1]) return;
  GroupPlan plan(devices, c2c<double>, Layout::slab({4, 6, 5}, 2), default_output, on_gpu());
  const PlacedArray a("device", devices[0], plan.input(0).bytes());
  const std::vector<const void*> ins{a.data(), a.data()};
  const std::vector<void*> outs{a.data(), a.data()};
  expect_refusal(Status::invalid_argument, "lies on GPU 0, but rank 1 runs on GPU 1", [&] { plan.forward(ins, outs); });
}

TEST(GroupPlans, ManagedArraysLargerThanTheDevice) {
  Options o = on_gpu();
  o.memory = "managed";
  expect_refusal(Status::out_of_memory, "managed memory would not help", [&] {
    GroupPlan({0}, c2c<double>, Layout::slab({1 << 20, 1 << 20, 1}, 1), default_output, o);
  });
}

}  // namespace
}  // namespace shardfft::test
