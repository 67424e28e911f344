// Arrays that change their layout where every process has one GPU.
#include <gtest/gtest.h>

#include "support/device_moved.hpp"
#include "support/random_layouts.hpp"
#include "support/world.hpp"

namespace shardfft::test {
namespace {

Options moved_on_gpu(const std::string& exchange = "auto") {
  Options options;
  options.processor = Processor::gpu;
  options.exchange = exchange;
  return options;
}

void check_moved(const Layout& from, const Layout& to, std::size_t bytes, const Options& options,
                 const std::string& memory) {
  SCOPED_TRACE(from.describe() + " to " + to.describe() + ", " + std::to_string(bytes) + " bytes, " + options.exchange);
  Redistribution planned(MPI_COMM_WORLD, from, to, bytes, options);
  check_device_moves(planned, from, to, bytes, options.batch, world().rank(), memory);
}

/// Those that this machine and its MPI library can do.
std::vector<std::string> usable_exchanges() {
  std::vector<std::string> usable{"auto"};
  // Of another order in memory: one rank alone would take any name where nothing changes.
  const Layout a = Layout::slab({8, 6}, world().size()), b = Layout::slab({8, 6}, world().size(), 1, {1, 0});
  for (const std::string& name : device_exchange_names()) try {
      Redistribution(MPI_COMM_WORLD, a, b, 8, moved_on_gpu(name));
      usable.push_back(name);
    } catch (const Error& e) {
      EXPECT_EQ(e.code(), Status::unsupported) << name << ": " << e.what();
    }
  return usable;
}

TEST(GpuRedistribution, RandomLayoutsElementsAndExchanges) {
  Random random(72);
  const std::vector<std::string> exchanges = usable_exchanges();
  EXPECT_NE(std::find(exchanges.begin(), exchanges.end(), "host_staged"), exchanges.end());
  const std::size_t sizes[] = {1, 2, 4, 8, 16, 3, 6, 12, 24, 40};
  for (std::size_t i = 0; i < 6 * exchanges.size(); ++i) {
    Shape shape;
    for (std::int64_t axes = random.integer(1, 4); axes > 0; --axes) shape.push_back(random.integer(1, 9));
    const Layout from = random_layout(random, shape, world().size()), to = random_layout(random, shape, world().size());
    Options options = moved_on_gpu(exchanges[i % exchanges.size()]);
    options.batch = random.integer(1, 3);
    check_moved(from, to, sizes[random.integer(0, 9)], options, one_of(random, {"device", "managed", "host"}));
  }
}

TEST(GpuRedistribution, RefusalsOnAllRanks) {
  const int ranks = world().size();
  const Layout a = Layout::slab({8, 6}, ranks), b = Layout::slab({8, 6}, ranks, 1);
  Redistribution planned(MPI_COMM_WORLD, a, b, 8, moved_on_gpu());
  std::vector<double> x(48), y(48);
  const bool mine = world().rank() == ranks - 1;
  expect_error(Status::invalid_argument, "null pointer", [&] {
    planned.forward(mine ? static_cast<const void*>(nullptr) : x.data(), static_cast<void*>(y.data()));
  });
  check_device_moves(planned, a, b, 8, 1, world().rank());
}

}  // namespace
}  // namespace shardfft::test
