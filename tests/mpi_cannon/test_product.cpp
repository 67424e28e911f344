// One product by itself: cut messages, traffic, and what it records.
#include <gtest/gtest.h>

#include "cannon/product.hpp"
#include "mpi_cannon/kit.hpp"
#include "support/mpi_counts.hpp"
#include "support/zoo.hpp"

namespace shardfft::test {
namespace {

ProductSetup setup_on(const Shape& shape, int axis, bool global_transpose, Trace* trace) {
  ProductSetup setup;
  setup.comm = world();
  setup.before = Layout::brick(shape, process_grid(world_size(), 3)).with_batch(1);
  setup.after = setup.before;
  setup.axis = axis;
  setup.global_transpose = global_transpose;
  setup.trace = trace;
  return setup;
}

void check_product(const ProductSetup& setup) {
  const Shape shape = setup.before.without_batch().shape();
  const Field field = noise(shape, 1, false);
  const Field expected = transform(field, shape, {setup.axis - 1}, -1);
  const Local<double> side(Side{setup.before.without_batch(), {Precision::f64, true}, 1, rank_of_this()});
  CannonProduct product(setup);
  const AlignedMemory scratch = allocate_aligned(product.scratch_bytes());
  const std::vector<double> in = side.take(field);
  std::vector<double> out = side.room();
  product.run(reinterpret_cast<const std::byte*>(in.data()), reinterpret_cast<std::byte*>(out.data()), scratch.get());
  EXPECT_LT(side.error(out, expected), tolerance<double>(shape));
}

TEST(Product, CutsLongMessages) {
  for (int axis = 1; axis <= 3; ++axis)
    for (const bool transposed : {false, true}) {
      CountLimit limit{11};
      const Installed lowered(limit);
      largest_count() = 0;
      check_product(setup_on({5, 6, 7}, axis, transposed, nullptr));
      EXPECT_LE(largest_count(), limit.most);
    }
}

/// Before anything is computed: what is computed bit by bit would take all memory first.
TEST(Product, MatricesBeyondMemoryAreRefused) {
  const ProductSetup setup = setup_on({std::int64_t{1} << 30, 8, 8}, 1, false, nullptr);
  expect_error(Status::out_of_memory, "the matrix of 1073741824 points", [&] { CannonProduct product(setup); });
}

TEST(Product, RecordsProductsAndMessages) {
  Trace trace;
  const ProductSetup setup = setup_on({8, 8, 8}, 1, false, &trace);
  check_product(setup);
  EXPECT_GT(trace.total(0, Activity::fft), 0);
  if (setup.before.parts(1).size() > 1) {
    // A wait can be shorter than the clock can tell.
    EXPECT_GT(trace.total(0, Activity::exchange) + trace.total(0, Activity::wait), 0);
  }
}

TEST(Product, RecordsWhatThreadsDo) {
  Trace trace;
  ProductSetup setup = setup_on({8, 8, 8}, 1, false, &trace);
  setup.threads = 3;
  check_product(setup);
  EXPECT_GT(trace.total(0, Activity::fft), 0);
}

/// On a mesh p x p x p of even blocks every rank but the aligned ones sends p data and p matrix blocks.
TEST(Product, SendsWhatThePaperSays) {
  if (world_size() != 8) GTEST_SKIP() << "for 8 ranks";
  const ProductSetup setup = setup_on({8, 8, 8}, 3, false, nullptr);
  const CannonProduct product(setup);
  const int j = rank_of_this() / 2 % 2, k = rank_of_this() % 2;
  const int data_blocks = 1 + (j != 0 ? 1 : 0);
  const int matrix_blocks = 1 + (k != 0 ? 1 : 0);
  EXPECT_EQ(product.bytes_sent(), 16 * (64 * data_blocks + 16 * matrix_blocks));
}

}  // namespace
}  // namespace shardfft::test
