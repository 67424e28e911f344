// Plans whose ranks are GPUs of this process.
#include <gtest/gtest.h>

#include <functional>
#include <regex>

#include "device/capture.hpp"
#include "device/line_pass.hpp"
#include "gpu/group_kit.hpp"

namespace shardfft::test {
namespace {

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
      Plan plan(Devices(devices), {kind, Precision::f64}, Layout::slab(kind == Kind::c2r ? half : shape, 2, 0, order),
                Layout::slab(kind == Kind::r2c ? half : shape, 2, 1, other), options);
      check_device_plan(members_of(plan), c);
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
        set_option(o, "memory", memory);
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
      make_plan_over(devices_for(4), c);
    } catch (const Error& e) {
      EXPECT_EQ(e.code(), Status::unsupported) << exchange << ": " << e.what();
      continue;
    }
    for (const int ranks : {1, 2, 4}) check_case_on(ranks, c);
  }
}

/// Peers of one host write directly, to other hosts go messages.
TEST(GroupPlans, SeveralHosts) {
  for (const char* algorithm : {"slab", "pencil"})
    for (const auto& [ranks, ranks_per_host] : {std::pair{3, 2}, {4, 2}, {4, 1}}) {
      TransformCase c{{9, 8, 6}, "slab", "natural", Kind::r2c, Precision::f64, on_gpu(algorithm)};
      c.options.fake_ranks_per_host = ranks_per_host;
      EXPECT_EQ(make_plan_over(devices_for(ranks), c).report().exchange == "mixed", ranks_per_host > 1);
      check_case_on(ranks, c);
    }
}

/// By size, not at all, or as often as the user says; planned only, so that nothing touches the memory.
TEST(GroupPlans, ChunksOfSlabs) {
  const auto told = [](int chunks) {
    Options o = on_gpu("slab");
    o.chunks = chunks;
    const Plan plan(Devices(devices_for(2)), c2c<double>, Layout::slab({512, 256, 256}, 2), default_output, o);
    const std::string text = plan.report().to_text();
    std::smatch found;
    return std::regex_search(text, found, std::regex("([0-9]+) chunks")) ? std::stoi(found[1]) : 1;
  };
  EXPECT_GT(told(0), 1);
  EXPECT_EQ(told(1), 1);
  EXPECT_EQ(told(3), 3);
}

/// The same arrays come again and again, then others in turn with them: each pair has a graph of its own.
void check_graphs(const Shape& shape, bool stores) {
  const std::vector<int> devices = devices_for(2);
  const TransformCase c{shape, "slab", "left", Kind::c2c, Precision::f64, on_gpu()};
  Plan plan = make_plan_over(devices, c);
  EXPECT_EQ(plan.report().to_text().find("stores into the peers") != std::string::npos, stores);
  const Members members = members_of(plan);
  std::vector<CallArrays> first = make_arrays(members, c, Direction::forward, "device", false);
  std::vector<CallArrays> second = make_arrays(members, c, Direction::forward, "device", false);
  std::uint64_t salt = 1;
  for (int run = 0; run < 5; ++run) check_arrays(members, first, c, Direction::forward, salt++);
  EXPECT_EQ(plan.report().forward.graph_runs, 3) << plan.report();
  for (int run = 0; run < 4; ++run) check_arrays(members, run % 2 == 0 ? second : first, c, Direction::forward, salt++);
  for (int run = 0; run < 4; ++run) check_arrays(members, second, c, Direction::forward, salt++);
  EXPECT_EQ(plan.report().forward.graph_runs, 9) << plan.report();
}

TEST(GroupPlans, GraphsFollowTheArrays) { check_graphs({12, 10, 8}, false); }

TEST(GroupPlans, GraphsOfStoresIntoPeers) { check_graphs({128, 128, 16}, device::lines::supported(128)); }

/// With the caller's streams everything is in their order: nobody waits between the copies and the transform.
TEST(GroupPlans, CallersStreams) {
  const std::vector<int> devices = devices_for(3);
  const TransformCase c{{12, 10, 8}, "slab", "natural", Kind::c2c, Precision::f64, on_gpu()};
  Plan plan = make_plan_over(devices, c);
  const Members members = members_of(plan);
  const WholeArrays whole = whole_arrays(c, Direction::forward, plan.input(0).element, 5);
  std::vector<device::Stream> streams;
  std::vector<void*> handles;
  std::vector<CallArrays> arrays = make_arrays(members, c, Direction::forward, "device", false);
  std::vector<PlacedArray> pinned_in, pinned_out;
  std::vector<const void*> ins;
  std::vector<void*> outs;
  for (std::size_t m = 0; m < devices.size(); ++m) {
    const device::DeviceScope scope(devices[m]);
    streams.push_back(device::make_stream());
    handles.push_back(streams.back().get());
    pinned_in.emplace_back("pinned", devices[m], arrays[m].from_side.bytes());
    pinned_out.emplace_back("pinned", devices[m], arrays[m].to_side.bytes());
    arrays[m].put(whole);
    pinned_in.back().put(arrays[m].host_in.data());
    ins.push_back(arrays[m].in->data());
    outs.push_back(arrays[m].out.data());
  }
  plan.set_streams(handles);
  for (int run = 0; run < 4; ++run) {
    for (std::size_t m = 0; m < devices.size(); ++m) {
      const device::DeviceScope scope(devices[m]);
      device::fill_zero(arrays[m].in->data(), arrays[m].from_side.bytes(), handles[m]);
      device::copy_bytes(arrays[m].in->data(), pinned_in[m].data(), arrays[m].from_side.bytes(), handles[m]);
    }
    plan.forward(ins, outs);
    for (std::size_t m = 0; m < devices.size(); ++m) {
      const device::DeviceScope scope(devices[m]);
      device::copy_bytes(pinned_out[m].data(), arrays[m].out.data(), arrays[m].to_side.bytes(), handles[m]);
      device::synchronize(handles[m]);
    }
    for (std::size_t m = 0; m < devices.size(); ++m) {
      pinned_out[m].get(arrays[m].host_out.data());
      compare_field(arrays[m].host_out, arrays[m].to_side, 0, whole.output[0], whole.points);
    }
  }
}

/// What `work` enqueues on the first stream and on others that are joined to it.
device::Graph captured_on(const std::vector<int>& devices, const std::vector<void*>& streams,
                          const std::function<void()>& work) {
  std::vector<device::Event> events;
  for (const int device : devices) {
    const device::DeviceScope scope(device);
    events.push_back(device::make_event());
  }
  const auto order = [&](std::size_t before, std::size_t after) {
    device::set_device(devices[before]);
    device::record(events[before].get(), streams[before]);
    device::set_device(devices[after]);
    device::wait(streams[after], events[before].get());
    device::set_device(devices.front());
  };
  const device::DeviceScope scope(devices.front());
  return device::captured(streams.front(), [&] {
    for (std::size_t m = 1; m < streams.size(); ++m) order(0, m);
    work();
    for (std::size_t m = 1; m < streams.size(); ++m) order(m, 0);
  });
}

/// The caller's own graph holds calls that have run before; others are refused, and the plan lives on.
TEST(GroupPlans, CallersCaptures) {
  for (const int ranks : {1, 2}) {
    const std::vector<int> devices = devices_for(ranks);
    const TransformCase c{{12, 10, 8}, "slab", "natural", Kind::c2c, Precision::f64, on_gpu()};
    Plan plan = make_plan_over(devices, c);
    const Members members = members_of(plan);
    std::vector<CallArrays> arrays = make_arrays(members, c, Direction::forward, "device", false);
    std::vector<device::Stream> streams;
    std::vector<void*> handles;
    std::vector<const void*> ins;
    std::vector<void*> outs;
    for (std::size_t m = 0; m < devices.size(); ++m) {
      const device::DeviceScope scope(devices[m]);
      streams.push_back(device::make_stream());
      handles.push_back(streams.back().get());
      ins.push_back(arrays[m].in->data());
      outs.push_back(arrays[m].out.data());
    }
    plan.set_streams(handles);
    const auto check = [&](std::uint64_t salt, const std::function<void()>& run) {
      const WholeArrays whole = whole_arrays(c, Direction::forward, plan.input(0).element, salt);
      for (CallArrays& own : arrays) own.put(whole);
      run();
      for (std::size_t m = 0; m < devices.size(); ++m) {
        const device::DeviceScope scope(devices[m]);
        device::synchronize(handles[m]);
        arrays[m].out.get(arrays[m].host_out.data());
        compare_field(arrays[m].host_out, arrays[m].to_side, 0, whole.output[0], whole.points);
      }
    };
    const auto forward = [&] { plan.forward(ins, outs); };
    const auto applied = [&](double factor) {
      return [&, factor] {
        plan.apply(Operator::constant(factor), std::vector<const void*>(outs.begin(), outs.end()), outs);
      };
    };
    const std::string refusal = "takes only calls that have run before";
    expect_refusal(Status::invalid_argument, refusal, [&] { captured_on(devices, handles, forward); });
    check(1, forward);
    const device::Graph graph = captured_on(devices, handles, forward);
    for (const std::uint64_t salt : {2, 3})
      check(salt, [&] {
        const device::DeviceScope scope(devices.front());
        device::launch(graph.get(), handles.front());
        device::synchronize(handles.front());
      });
    expect_refusal(Status::invalid_argument, refusal, [&] { captured_on(devices, handles, applied(2)); });
    for (const std::uint64_t salt : {4, 5, 6, 7}) check(salt, forward);
    EXPECT_GE(plan.report().forward.runs, 5);
  }
}

TEST(GroupPlans, AllocatedArrays) {
  for (const std::string memory : {"host", "registered", "managed", "device", "auto"}) {
    SCOPED_TRACE(memory);
    Options o = on_gpu();
    set_option(o, "memory", memory);
    const std::vector<int> devices = devices_for(2);
    Plan plan(Devices(devices), r2c<double>, Layout::slab({4, 6, 5}, 2), natural_output, o);
    std::vector<Buffer> buffers;
    std::vector<const void*> ins;
    std::vector<void*> outs;
    for (int r = 0; r < 2; ++r) {
      const device::DeviceScope scope(devices[to_size(r)]);
      buffers.push_back(plan.allocate_input(r));
      buffers.push_back(plan.allocate_output(r));
      const std::vector<double> ones(to_size(plan.input(r).count()), 1.0);
      const device::Stream stream = device::make_stream();
      device::copy_bytes(buffers[to_size(2 * r)].data(), ones.data(), plan.input(r).bytes(), stream.get());
      device::synchronize(stream.get());
      ins.push_back(buffers[to_size(2 * r)].data());
      outs.push_back(buffers[to_size(2 * r + 1)].data());
    }
    plan.forward(ins, outs);
    for (int r = 0; r < 2; ++r) {
      LocalArray result(plan.output(r));
      const device::DeviceScope scope(devices[to_size(r)]);
      const device::Stream stream = device::make_stream();
      device::copy_bytes(result.data(), outs[to_size(r)], plan.output(r).bytes(), stream.get());
      device::synchronize(stream.get());
      for_own_elements(plan.output(r), 0, [&](std::int64_t address, std::int64_t number) {
        EXPECT_NEAR(std::abs(result.get(address) - (number == 0 ? 120.0 : 0.0)), 0, 1e-12) << number;
      });
    }
  }
}

TEST(GroupPlans, ReportTellsStepsAndTimes) {
  const std::vector<int> devices = devices_for(2);
  const TransformCase c{{12, 10, 8}, "pencil", "natural", Kind::c2c, Precision::f64, on_gpu("pencil")};
  Plan plan = make_plan_over(devices, c);
  EXPECT_EQ(plan.report().to_text().find(" ms"), std::string::npos) << "times before the first run";
  check_device_plan(members_of(plan), c);
  const std::string report = plan.report().to_text();
  for (const std::string word : {"2 ranks", "GPUs: rank 0", "cuda_peer", "fft c2c", "cufft", " ms", "r = T_comm"})
    EXPECT_NE(report.find(word), std::string::npos) << "no '" << word << "' in\n" << report;
}

}  // namespace
}  // namespace shardfft::test
