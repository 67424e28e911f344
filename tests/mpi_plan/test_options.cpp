// Transforms with every option: exchanges, local FFTs, normalisations, batches, threads, memory orders, alignment.
#include <gtest/gtest.h>

#include "support/transform_check.hpp"
#include "support/world.hpp"

namespace shardfft::test {
namespace {

/// The same few transforms, chosen to have uneven and empty messages, for whatever `change` sets.
void check_some(const std::function<void(Options&)>& change) {
  std::vector<TransformCase> cases{
      {{7, 6, 10}, "slab", "left", Kind::c2c, Precision::f64, quick("slab")},
      {{6, 7, 9}, "pencil", "natural", Kind::r2c, Precision::f64, quick("pencil")},
      {{8, 5, 6}, "brick", "natural", Kind::c2r, Precision::f32, quick("brick")},
      {{3, 9, 2}, "mosaic", "uneven", Kind::c2c, Precision::f32, quick()},
      {{64, 36}, "cyclic", "natural", Kind::c2c, Precision::f64, quick("cyclic")},
      {{36}, "slab", "natural", Kind::r2c, Precision::f64, quick("six_step")},
  };
  for (TransformCase& c : cases) {
    change(c.options);
    check_case(c);
  }
}

class WithExchange : public testing::TestWithParam<std::string> {};

TEST_P(WithExchange, AllAlgorithms) {
  check_some([&](Options& o) { o.exchange = GetParam(); });
}

TEST_P(WithExchange, PretendedHosts) {
  for (const int ranks : {1, 2, 3})
    check_case({{7, 6, 10}, "brick", "natural", Kind::c2c, Precision::f64, [&] {
                  Options o = quick("pencil");
                  o.exchange = GetParam();
                  o.fake_ranks_per_host = ranks;
                  return o;
                }()});
}

TEST_P(WithExchange, MoreRanksThanPlanes) {
  Options o = quick("slab");
  o.exchange = GetParam();
  check_case({{2, 3, 4}, "slab", "natural", Kind::r2c, Precision::f64, o});
  check_case({{2, 2, 2}, "last-owns", "slab", Kind::c2c, Precision::f64, o});
  // Between two buffers of the workspace, both of no bytes and so at one address on the ranks that own nothing.
  o.algorithm = "brick";
  check_case({{8, 1, 2}, "turned-cyclic", "natural", Kind::c2r, Precision::f64, o});
}

INSTANTIATE_TEST_SUITE_P(Exchanges, WithExchange, testing::ValuesIn(exchange_names()),
                         [](const auto& exchange) { return exchange.param; });

class WithLocalFft : public testing::TestWithParam<std::string> {};

TEST_P(WithLocalFft, AllAlgorithms) {
  check_some([&](Options& o) { o.local_fft = GetParam(); });
}

INSTANTIATE_TEST_SUITE_P(LocalFfts, WithLocalFft, testing::ValuesIn(local_fft_names()),
                         [](const auto& local) { return local.param; });

TEST(PlanOptions, Norms) {
  for (const Norm norm : {Norm::backward, Norm::ortho, Norm::forward, Norm::none})
    for (const Kind kind : fourier_kinds) {
      Options o = quick();
      o.norm = norm;
      check_case({{4, 3, 5}, "slab", "left", kind, Precision::f64, o});
      o.axes = {2, 0};
      check_case({{4, 3, 5}, "brick", "natural", kind, Precision::f64, o});
      o.axes = {};
      check_case({{12}, "slab", "natural", kind, Precision::f64, o});
    }
}

TEST(PlanOptions, Batch) {
  check_some([](Options& o) { o.batch = 3; });
}

TEST(PlanOptions, Threads) {
  check_some([](Options& o) { o.threads = 2; });
  Options o = quick("slab");
  o.threads = 2;
  check_case({{24, 20, 32}, "slab", "left", Kind::c2c, Precision::f64, o});
}

TEST(PlanOptions, Chunks) {
  check_some([](Options& o) { o.chunks = 3; });
}

TEST(PlanOptions, PlannedInPlace) {
  check_some([](Options& o) { o.in_place = true; });
}

TEST(PlanOptions, MeasuredPlans) {
  Options o;
  check_case({{16, 12, 10}, "slab", "left", Kind::c2c, Precision::f64, o});
  check_case({{16, 12, 10}, "slab", "left", Kind::r2c, Precision::f32, o});
}

/// Any pointer is correct, aligned for vector units or not.
TEST(PlanOptions, UnalignedArrays) {
  for (const Kind kind : fourier_kinds)
    for (const Precision precision : {Precision::f64, Precision::f32}) {
      TransformCase c{{8, 6, 4}, "slab", "left", kind, precision, quick()};
      c.shift = 1;
      check_case(c);
    }
}

TEST(PlanOptions, GridOfPencils) {
  const int ranks = world().size();
  for (int p1 = 1; p1 <= ranks; ++p1) {
    if (ranks % p1 != 0) continue;
    Options o = quick("pencil");
    o.grid = {p1, ranks / p1};
    check_case({{6, 8, 5}, "slab", "left", Kind::c2c, Precision::f64, o});
    check_case({{6, 8, 5}, "brick", "natural", Kind::r2c, Precision::f64, o});
    o.algorithm = "auto";
    const TransformCase chosen{{6, 8, 5}, "slab", "left", Kind::c2c, Precision::f64, o};
    EXPECT_EQ(make_plan(MPI_COMM_WORLD, chosen).report().algorithm, "pencil");
  }
}

/// Every order of the axes in memory, at both ends.
TEST(PlanOptions, MemoryOrders) {
  const int ranks = world().size();
  AxisOrder order{0, 1, 2};
  std::size_t turn = 0;
  do {
    const Kind kind = fourier_kinds[turn++ % 3];
    SCOPED_TRACE(std::to_string(order[0]) + std::to_string(order[1]) + std::to_string(order[2]));
    const TransformCase c{{5, 6, 8}, "", "", kind, Precision::f64, quick()};
    const Shape half{5, 6, 5};
    const Shape& in = kind == Kind::c2r ? half : c.shape;
    const Shape& out = kind == Kind::r2c ? half : c.shape;
    const AxisOrder other(order.rbegin(), order.rend());
    Plan plan(MPI_COMM_WORLD, {kind, Precision::f64}, Layout::slab(in, ranks, 0, order),
              Layout::slab(out, ranks, 1, other), c.options);
    EXPECT_EQ(plan.input().layout.order(), order);
    EXPECT_EQ(plan.output().layout.order(), other);
    check_plan(plan, c);
  } while (std::next_permutation(order.begin(), order.end()));
}

/// The caller checks by itself: repeated calls without an agreement in between.
TEST(PlanOptions, UncheckedCalls) {
  for (const Kind kind : fourier_kinds) {
    TransformCase c{{8, 6, 10}, "slab", "natural", kind, Precision::f64, quick()};
    c.options.check_calls = false;
    SCOPED_TRACE(c.name());
    Plan plan = make_plan(MPI_COMM_WORLD, c);
    for (std::uint64_t i = 0; i < 8; ++i)
      check_run(plan, c, i % 3 == 2 ? Direction::backward : Direction::forward, i % 4 == 1, 10 + i);
  }
}

/// What one rank's own local FFT is, is its own business.
TEST(PlanOptions, LocalFftMayDifferBetweenRanks) {
  TransformCase c{{6, 4, 10}, "slab", "left", Kind::c2c, Precision::f64, quick()};
  if (world().rank() % 2 == 1) c.options.local_fft = "reference";
  check_case(c);
}

}  // namespace
}  // namespace shardfft::test
