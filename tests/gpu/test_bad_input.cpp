// Bad input of plans whose ranks are GPUs of this process.
#include "gpu/group_kit.hpp"

namespace shardfft::test {
namespace {

TEST(GroupBadInput, BadInput) {
  const Layout slab = Layout::slab({4, 6, 5}, 2);
  const auto make = [&](const std::vector<int>& devices, const Options& o) {
    Plan(Devices(devices), c2c<double>, slab, default_output, o);
  };
  Options o = on_gpu();
  expect_refusal(Status::invalid_argument, "one GPU at least", [&] { make({}, o); });
  expect_refusal(Status::invalid_argument, "2 ranks", [&] { make({0}, o); });
  expect_refusal(Status::invalid_argument, "but this host has", [&] { make({0, 1000}, o); });
  expect_refusal(Status::invalid_argument, "GPU -1", [&] { make({0, -1}, o); });
  o.memory = static_cast<MemoryModel>(17);
  expect_refusal(Status::invalid_argument, "none of: auto, host", [&] { make({0, 0}, o); });
  o = on_gpu("cannon");
  expect_refusal(Status::invalid_argument, "algorithm 'cannon' is for processor cpu", [&] { make({0, 0}, o); });
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

TEST(GroupBadInput, ArraysInTheWrongPlace) {
  const std::vector<int> devices = devices_for(2);
  for (const std::string memory : {"host", "registered", "managed", "device"}) {
    Options o = on_gpu();
    set_option(o, "memory", memory);
    Plan plan(Devices(devices), c2c<double>, Layout::slab({4, 6, 5}, 2), default_output, o);
    const std::string wrong = memory == "device" ? "host" : "device";
    const PlacedArray a(wrong, devices[0], plan.input(0).bytes()), b(wrong, devices[1], plan.input(1).bytes());
    const std::vector<const void*> ins{a.data(), b.data()};
    const std::vector<void*> outs{a.data(), b.data()};
    expect_refusal(Status::invalid_argument, "memory=" + memory, [&] { plan.forward(ins, outs); });
    expect_refusal(Status::invalid_argument, "null pointer", [&] {
      plan.forward(std::vector<const void*>{nullptr, nullptr}, outs);
    });
    expect_refusal(Status::invalid_argument, "has 2 of the plan's ranks, but 1 inputs",
                   [&] { plan.forward(std::vector<const void*>{a.data()}, outs); });
  }
  if (devices[0] == devices[1]) return;
  Plan plan(Devices(devices), c2c<double>, Layout::slab({4, 6, 5}, 2), default_output, on_gpu());
  const PlacedArray a("device", devices[0], plan.input(0).bytes());
  const std::vector<const void*> ins{a.data(), a.data()};
  const std::vector<void*> outs{a.data(), a.data()};
  expect_refusal(Status::invalid_argument, "lies on GPU 0, but rank 1 runs on GPU 1", [&] { plan.forward(ins, outs); });
}

TEST(GroupBadInput, StreamsOfOtherGpus) {
  const std::vector<int> devices = devices_for(2);
  if (devices[0] == devices[1]) GTEST_SKIP() << "one GPU";
  Plan plan(Devices(devices), c2c<double>, Layout::slab({4, 6, 5}, 2), default_output, on_gpu());
  const device::DeviceScope scope(devices[0]);
  const device::Stream stream = device::make_stream();
  expect_refusal(Status::invalid_argument, "the stream belongs to GPU 0, but rank 1 runs on GPU 1", [&] {
    plan.set_streams(std::vector<void*>{stream.get(), stream.get()});
  });
  expect_refusal(Status::invalid_argument, "1 streams", [&] { plan.set_streams(std::vector<void*>{stream.get()}); });
}

/// Any address will do, that of a byte too.
TEST(GroupBadInput, OddAddressesAreCopied) {
  for (const std::string memory : {"host", "device", "managed", "auto"}) {
    Options o = on_gpu();
    set_option(o, "memory", memory);
    const std::vector<int> devices = devices_for(2);
    Plan plan(Devices(devices), c2c<double>, Layout::slab({2, 2, 2}, 2), natural_output, o);
    std::vector<PlacedArray> arrays;
    std::vector<void*> outs;
    std::vector<const void*> ins;
    std::vector<std::complex<double>> values(4, 0.0);
    for (int r = 0; r < 2; ++r) {
      arrays.emplace_back(memory, devices[to_size(r)], 64, 1);
      values[0] = r == 0 ? 1.0 : 0.0;  // a one at the origin
      arrays.back().put(values.data());
      outs.push_back(arrays.back().data());
      ins.push_back(arrays.back().data());
    }
    plan.forward(ins, outs);
    for (const PlacedArray& array : arrays) {
      array.get(values.data());
      for (const std::complex<double>& value : values) EXPECT_EQ(value, 1.0) << memory;
      EXPECT_TRUE(array.guard_is_whole());
    }
  }
}

TEST(GroupBadInput, ManagedArraysLargerThanTheDevice) {
  Options o = on_gpu();
  o.memory = MemoryModel::managed;
  expect_refusal(Status::out_of_memory, "bytes of its GPU (", [&] {
    Plan(Devices{0}, c2c<double>, Layout::slab({1 << 20, 1 << 20, 1}, 1), default_output, o);
  });
}

}  // namespace
}  // namespace shardfft::test
