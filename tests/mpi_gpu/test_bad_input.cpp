// Bad input of plans of which every process has one GPU: every rank hears of what is wrong on one of them.
#include <gtest/gtest.h>

#include "mpi_gpu/my_device.hpp"
#include "support/device_check.hpp"
#include "support/world.hpp"

namespace shardfft::test {
namespace {

bool last() { return world().rank() == world().size() - 1; }

TEST(GpuBadInput, BadInput) {
  const Layout slab = Layout::slab({4, 6, 5}, world().size());
  const auto make = [&](const Options& o) { Plan(MPI_COMM_WORLD, c2c<double>, slab, default_output, o); };
  Options o = on_gpu();
  // Wrong on one rank only: all of them hear of it.
  if (last()) o.device = 1000;
  expect_error(Status::invalid_argument, "but this host has the GPUs", [&] { make(o); });
  o = on_gpu();
  o.processor = static_cast<Processor>(2);
  expect_error(Status::invalid_argument, "none of: cpu, gpu", [&] { make(o); });
  o = on_gpu("cannon");
  expect_error(Status::invalid_argument, "algorithm 'cannon' is for processor cpu", [&] { make(o); });
  o = on_gpu();
  o.exchange = "shared_window";
  expect_error(Status::invalid_argument, "is for processor cpu", [&] { make(o); });
  o = Options();
  o.exchange = "cuda_peer";
  expect_error(Status::invalid_argument, "is for processor gpu", [&] { make(o); });
  o = Options();
  o.memory = MemoryModel::device;
  expect_error(Status::invalid_argument, "option memory is device, but has no effect with processor = cpu",
               [&] { make(o); });
  if (world().size() == 1) return;
  o = on_gpu();
  if (last()) o.memory = MemoryModel::host;
  expect_error(Status::mismatch, "different values of option memory", [&] { make(o); });
}

TEST(GpuBadInput, ArraysInTheWrongPlace) {
  Options o = on_gpu();
  o.memory = MemoryModel::device;
  Plan plan(MPI_COMM_WORLD, c2c<double>, Layout::slab({8, 6, 5}, world().size()), natural_output, o);
  const PlacedArray array(last() ? "host" : "device", my_device(), plan.input().bytes());
  expect_error(Status::invalid_argument, "lies in plain host memory, but the plan was made with memory=device",
               [&] { plan.forward(array.data(), array.data()); });
}

/// What is given is right everywhere but on the last rank; without check_calls only what others wait for is agreed.
TEST(GpuBadInput, OneRankOfMany) {
  Options o = on_gpu();
  const Layout slab = Layout::slab({8, 6, 5}, world().size());
  o.exchange = last() ? "pigeon" : "auto";
  expect_error(Status::invalid_argument, "unknown exchange 'pigeon'",
               [&] { Plan(MPI_COMM_WORLD, c2c<double>, slab, default_output, o); });
  for (const std::string exchange : {"cuda_peer", "host_staged"}) {
    o = on_gpu();
    o.exchange = exchange;
    o.memory = MemoryModel::host;
    Plan plan(MPI_COMM_WORLD, c2c<double>, slab, natural_output, o);
    const PlacedArray host("host", my_device(), plan.input().bytes()),
        device("device", my_device(), plan.input().bytes());
    std::byte* const given = last() ? device.data() : host.data();
    expect_error(Status::invalid_argument, "lies in device memory, but the plan was made with memory=host",
                 [&] { plan.forward(given, host.data()); });
    expect_error(Status::invalid_argument, "the input is a null pointer",
                 [&] { plan.forward(last() ? nullptr : host.data(), host.data()); });
    expect_error(Status::invalid_argument, "the output is a null pointer",
                 [&] { plan.backward(host.data(), last() ? nullptr : host.data()); });
    plan.forward(host.data(), host.data());
  }
}

TEST(GpuBadInput, StreamsOfOneRank) {
  Plan plan(MPI_COMM_WORLD, c2c<double>, Layout::slab({8, 6, 5}, world().size()), natural_output, on_gpu());
  const std::vector<void*> one{nullptr}, two{nullptr, nullptr}, none;
  expect_error(Status::invalid_argument, "1 of the plan's ranks, but 2 streams were given",
               [&] { plan.set_streams(last() ? two : one); });
  EXPECT_NO_THROW(plan.set_streams(last() ? none : one)) << "both are the plan's own";
}

TEST(GpuBadInput, ArraysAndStreamsOfOtherGpus) {
  if (device::device_count() < 2) GTEST_SKIP() << "one GPU";
  const int other = (my_device() + 1) % device::device_count();
  const Layout slab = Layout::slab({8, 6, 5}, world().size());
  Options o = on_gpu();
  {
    Plan plan(MPI_COMM_WORLD, c2c<double>, slab, natural_output, o);
    const PlacedArray array("device", last() ? other : my_device(), plan.input().bytes());
    expect_error(Status::invalid_argument, "the input lies on GPU", [&] { plan.forward(array.data(), array.data()); });
  }
  const device::DeviceScope scope(last() ? other : my_device());
  const device::Stream stream = device::make_stream();
  o.stream = stream.get();
  expect_error(Status::invalid_argument, "the stream belongs to GPU",
               [&] { Plan(MPI_COMM_WORLD, c2c<double>, slab, default_output, o); });
}

TEST(GpuBadInput, ManagedArraysLargerThanTheDevice) {
  Options o = on_gpu();
  o.memory = MemoryModel::managed;
  const Layout one_owner = zoo_layout("last-owns", {1 << 20, 1 << 20}, world().size());
  expect_error(Status::out_of_memory, "bytes of its GPU (",
               [&] { Plan(MPI_COMM_WORLD, c2c<double>, one_owner, natural_output, o); });
}

}  // namespace
}  // namespace shardfft::test
