// Arrays that change their layout on GPUs of this process.
#include <gtest/gtest.h>

#include "gpu/group_kit.hpp"
#include "support/device_moved.hpp"
#include "support/random_layouts.hpp"

namespace shardfft::test {
namespace {

void check_moved(int ranks, const Layout& from, const Layout& to, std::size_t bytes, const Options& options,
                 const std::string& memory = "device") {
  SCOPED_TRACE(from.describe() + " to " + to.describe() + ", " + std::to_string(bytes) + " bytes, " + options.exchange);
  Redistribution planned(Devices(devices_for(ranks)), from, to, bytes, options);
  check_device_moves(planned, from, to, bytes, options.batch, 0, memory);
}

TEST(GroupRedistribution, RandomLayoutsAndElements) {
  Random random(71);
  const std::size_t sizes[] = {1, 2, 4, 8, 16, 3, 6, 12, 24, 40};
  const std::vector<std::string> exchanges{"auto", "cuda_peer", "cuda_peer_copy", "cuda_peer_store"};
  for (int i = 0; i < 40; ++i) {
    const auto ranks = static_cast<int>(random.integer(1, 4));
    Shape shape;
    for (std::int64_t axes = random.integer(1, 4); axes > 0; --axes) shape.push_back(random.integer(1, 9));
    const Layout from = random_layout(random, shape, ranks), to = random_layout(random, shape, ranks);
    Options options;
    options.exchange = one_of(random, exchanges);
    options.batch = random.integer(1, 3);
    const std::string memory = one_of(random, {"device", "managed", "host"});
    check_moved(ranks, from, to, sizes[random.integer(0, 9)], options, memory);
  }
}

TEST(GroupRedistribution, LargerArraysOfSmallElements) {
  for (const std::size_t bytes : {std::size_t{1}, std::size_t{2}, std::size_t{12}})
    for (const AxisOrder& order : {AxisOrder{0, 1, 2}, AxisOrder{2, 0, 1}})
      check_moved(2, Layout::slab({66, 70, 130}, 2), Layout::slab({66, 70, 130}, 2, 1, order), bytes, {});
}

TEST(GroupRedistribution, SameLayoutsAreCopied) {
  const Layout layout = Layout::slab({8, 6}, 2);
  check_moved(2, layout, layout, 8, {});
}

TEST(GroupRedistribution, ArraysOfItsOwnLieOnTheirGpus) {
  const Layout from = Layout::slab({7, 6}, 2), to = Layout::slab({7, 6}, 2, 1);
  Redistribution planned(Devices(devices_for(2)), from, to, 12);
  for (int m = 0; m < 2; ++m) {
    const Buffer in = planned.allocate_input(m), out = planned.allocate_output(m);
    EXPECT_EQ(in.bytes(), to_size(from.count(m)) * 12);
    EXPECT_EQ(out.bytes(), to_size(to.count(m)) * 12);
    for (const Buffer* buffer : {&in, &out}) EXPECT_EQ(device::describe(buffer->data()).device, planned.device(m));
  }
}

TEST(GroupRedistribution, CallersStreams) {
  const std::vector<int> devices = devices_for(2);
  const Layout from = Layout::slab({16, 12}, 2), to = Layout::slab({16, 12}, 2, 1);
  Redistribution planned(Devices(devices), from, to, 8);
  std::vector<device::Stream> streams;
  std::vector<void*> handles;
  for (const int number : devices) {
    const device::DeviceScope scope(number);
    streams.push_back(device::make_stream());
    handles.push_back(streams.back().get());
  }
  planned.set_streams(handles);
  for (int m = 0; m < 2; ++m) EXPECT_EQ(planned.stream(m), handles[to_size(m)]);
  std::vector<PlacedArray> in, out;
  std::vector<const void*> ins;
  std::vector<void*> outs;
  for (int m = 0; m < 2; ++m) {
    in.emplace_back("device", devices[to_size(m)], to_size(planned.input_count(m)) * 8);
    out.emplace_back("device", devices[to_size(m)], to_size(planned.output_count(m)) * 8);
    in.back().put(encoded_array(from, m, 1, 8).data());
  }
  for (int m = 0; m < 2; ++m) {
    ins.push_back(in[to_size(m)].data());
    outs.push_back(out[to_size(m)].data());
  }
  planned.forward(ins, outs);
  for (int m = 0; m < 2; ++m) {
    const device::DeviceScope scope(devices[to_size(m)]);
    device::synchronize(handles[to_size(m)]);
    const std::vector<std::byte> expected = encoded_array(to, m, 1, 8);
    std::vector<std::byte> got(expected.size());
    out[to_size(m)].get(got.data());
    EXPECT_TRUE(got == expected) << m;
  }
}

TEST(GroupRedistribution, Refusals) {
  const Layout a = Layout::slab({8, 6}, 2), b = Layout::slab({8, 6}, 2, 1);
  const std::vector<int> devices = devices_for(2);
  const auto bad = [](const std::string& words, const std::function<void()>& work) {
    expect_refusal(Status::invalid_argument, words, work);
  };
  bad("GPU -1 does not exist", [&] { Redistribution(Devices{0, -1}, a, b, 8); });
  bad("made for", [&] { Redistribution(Devices{0}, a, b, 8); });
  Options options;
  options.threads = 2;
  bad("option threads", [&] { Redistribution(Devices(devices), a, b, 8, options); });
  options = {};
  options.chunks = 2;
  bad("option chunks has no effect", [&] { Redistribution(Devices(devices), a, b, 8, options); });
  options = {};
  options.exchange = "alltoallv";
  bad("is for processor cpu", [&] { Redistribution(Devices(devices), a, b, 8, options); });
  Redistribution planned(Devices(devices), a, b, 8);
  std::vector<double> x(48);
  bad("has 2 of the ranks, but 1 inputs and 1 outputs", [&] { planned.forward(x, x); });
}

}  // namespace
}  // namespace shardfft::test
