// Halos of arrays on GPUs: one a process, or several of one process.
#include <gtest/gtest.h>

#include <numeric>

#include "mpi_halo/kit.hpp"
#include "support/device_check.hpp"

namespace shardfft::test {
namespace {

/// Arrays of all members of this process.
struct PaddedArrays {
  std::vector<PlacedArray> placed;
  std::vector<void*> addresses;

  explicit PaddedArrays(const HaloExchange& halo) {
    for (int m = 0; m < halo.members(); ++m)
      placed.emplace_back("device", halo.device(m), static_cast<std::size_t>(halo.count(m)) * sizeof(double));
    for (PlacedArray& array : placed) addresses.push_back(array.data());
  }
};

void check_on_gpu(HaloExchange& halo, const HaloCase& c) {
  SCOPED_TRACE(c.layout.describe());
  PaddedArrays arrays(halo);
  for (int run = 0; run < 2; ++run) {
    for (int m = 0; m < halo.members(); ++m)
      arrays.placed[static_cast<std::size_t>(m)].put(padded(c, halo, true, m).data());
    halo.update(arrays.addresses);
    for (int m = 0; m < halo.members(); ++m) {
      PlacedArray& array = arrays.placed[static_cast<std::size_t>(m)];
      std::vector<double> got(static_cast<std::size_t>(halo.count(m)));
      array.get(got.data());
      EXPECT_TRUE(got == padded(c, halo, false, m)) << "member " << m;
      EXPECT_TRUE(array.guard_is_whole());
    }
  }
}

TEST(GpuHalo, RandomLayoutsAndWidths) {
  Random random(seed());
  for (int i = 0; i < 20; ++i) {
    const HaloCase c = random_case(random, world().size());
    Options options;
    options.processor = Processor::gpu;
    options.batch = c.fields;
    HaloExchange halo(MPI_COMM_WORLD, c.layout, c.widths, element_type<double>, options, c.corners);
    check_on_gpu(halo, c);
    Options plain;
    plain.batch = c.fields;
    HaloExchange on_cpu(MPI_COMM_WORLD, c.layout, c.widths, element_type<double>, plain, c.corners);
    PaddedArrays arrays(halo);
    for (int run = 0; run < 2; ++run) {
      std::vector<double> x = padded(c, halo, false), got(x.size());
      arrays.placed[0].put(x.data());
      halo.add_back(arrays.addresses[0]);
      on_cpu.add_back(x);
      arrays.placed[0].get(got.data());
      EXPECT_TRUE(got == x) << "add_back";
      EXPECT_TRUE(arrays.placed[0].guard_is_whole());
    }
  }
}

TEST(GpuHalo, DevicesOfOneProcess) {
  const HaloCase c{Layout::brick({5, 4, 3}, 4), {{1, 2, true}, {0, 1, false}, {2, 2, true}}};
  HaloExchange halo(Devices{0, 0, 0, 0}, c.layout, c.widths, element_type<double>);
  check_on_gpu(halo, c);
  // Each number of ones becomes the number of its copies, and with them all are as many as before.
  PaddedArrays arrays(halo);
  double sum = 0, all = 0;
  for (int m = 0; m < 4; ++m) {
    const std::vector<double> ones(static_cast<std::size_t>(halo.count(m)), 1);
    arrays.placed[static_cast<std::size_t>(m)].put(ones.data());
    all += static_cast<double>(ones.size());
  }
  halo.add_back(arrays.addresses);
  for (int m = 0; m < 4; ++m) {
    std::vector<double> got(static_cast<std::size_t>(halo.count(m)));
    arrays.placed[static_cast<std::size_t>(m)].get(got.data());
    sum += std::accumulate(got.begin(), got.end(), 0.0);
  }
  EXPECT_EQ(sum, all);
  expect_error(Status::invalid_argument, "4 of the ranks, but 1 inputs",
               [&] { halo.add_back(arrays.addresses.front()); });
}

TEST(GpuHalo, RefusesMemoryOfTheHost) {
  Options options;
  options.processor = Processor::gpu;
  const Layout layout = Layout::slab({8, 6}, world().size());
  HaloExchange halo(MPI_COMM_WORLD, layout, {{1, 1}, {1, 1}}, element_type<double>, options);
  std::vector<double> x(static_cast<std::size_t>(halo.count()));
  expect_error(Status::invalid_argument, "memory", [&] { halo.update(x); });
  options.memory = MemoryModel::host;
  expect_error(Status::invalid_argument, "memory must be device", [&] {
    HaloExchange(MPI_COMM_WORLD, layout, {{1, 1}, {1, 1}}, element_type<double>, options);
  });
}

}  // namespace
}  // namespace shardfft::test
