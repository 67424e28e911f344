// Plans in place with little memory beside the array: right for any layout, and never more than is promised.
#include <gtest/gtest.h>

#include <numeric>
#include <random>

#include "base/hooks.hpp"
#include "pack/permute.hpp"
#include "support/mpi_counts.hpp"
#include "support/transform_check.hpp"
#include "support/world.hpp"

namespace shardfft::test {
namespace {

Options least(const std::string& exchange = "auto", const std::string& algorithm = "auto") {
  Options o = quick(algorithm);
  o.exchange = exchange;
  o.workspace = Workspace::least;
  o.local_fft = "fftw";
  return o;
}

void expect_bound(const Plan& plan) {
  const double array = static_cast<double>(plan.in_place_bytes());
  EXPECT_LE(static_cast<double>(plan.workspace_bytes()), 0.05 * world().max(array) + (2 << 20));
}

void check(const TransformCase& c) {
  SCOPED_TRACE(c.name());
  Plan plan = make_plan(MPI_COMM_WORLD, c);
  expect_bound(plan);
  for (const Direction direction : {Direction::forward, Direction::backward})
    check_run(plan, c, direction, true, direction == Direction::forward ? 11 : 12);
}

TEST(LeastWorkspace, AlgorithmsAndKinds) {
  for (const char* exchange : {"p2p", "pairwise_xor"})
    for (const char* algorithm : {"slab", "pencil", "brick"})
      for (const Kind kind : {Kind::c2c, Kind::r2c, Kind::c2r})
        for (const Shape& shape : {Shape{8, 8, 8}, Shape{7, 9, 10}, Shape{13, 4, 6}})
          check({shape, "slab", "left", kind, Precision::f64, least(exchange, algorithm)});
}

TEST(LeastWorkspace, NaturalOutputsAndSingle) {
  for (const char* algorithm : {"slab", "pencil"})
    for (const Kind kind : {Kind::c2c, Kind::r2c})
      check({{12, 10, 9}, "slab", "natural", kind, Precision::f32, least("auto", algorithm)});
}

TEST(LeastWorkspace, OneAxisAndBatches) {
  check({{64 * 9}, "slab", "left", Kind::c2c, Precision::f64, least("auto", "six_step")});
  TransformCase batch{{6, 8, 5}, "slab", "left", Kind::r2c, Precision::f64, least("auto", "slab")};
  batch.options.batch = 3;
  check(batch);
}

/// Layouts of every kind, whatever sides and orders in memory they have; what cannot be done is refused.
TEST(LeastWorkspace, RandomLayouts) {
  std::mt19937 random(20261123);
  std::vector<std::string> names;
  for (const NamedLayout& known : zoo({4, 4, 4}, world().size())) names.push_back(known.name);
  int run = 0;
  for (int i = 0; i < 40; ++i) {
    const Shape shape{static_cast<std::int64_t>(random() % 9 + 2), static_cast<std::int64_t>(random() % 9 + 2),
                      static_cast<std::int64_t>(random() % 9 + 2)};
    const TransformCase c{shape,
                          names[random() % names.size()],
                          names[random() % names.size()],
                          random() % 3 == 0 ? Kind::r2c : Kind::c2c,
                          Precision::f64,
                          least(random() % 2 == 0 ? "p2p" : "pairwise_xor")};
    SCOPED_TRACE(c.name());
    try {
      Plan plan = make_plan(MPI_COMM_WORLD, c);
      expect_bound(plan);
      ++run;
      for (const Direction direction : {Direction::forward, Direction::backward})
        check_run(plan, c, direction, true, 40 + static_cast<std::uint64_t>(i));
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), Status::unsupported) << error.what();
      EXPECT_NE(std::string(error.what()).find("workspace = "), std::string::npos) << error.what();
    }
  }
  EXPECT_GT(run, 20);
}

/// Arrays that go in many rounds, in equal and unequal parts.
TEST(LeastWorkspace, ManyRounds) {
  for (const char* exchange : {"p2p", "pairwise_xor"})
    for (const Shape& shape : {Shape{64, 64, 64}, Shape{67, 61, 50}})
      check({shape, "slab", "left", Kind::c2c, Precision::f64, least(exchange, "slab")});
  if (world().size() == 1) return;
  Plan plan(MPI_COMM_WORLD, c2c<double>, Layout::slab({128, 128, 64}, world().size()), default_output,
            least("p2p", "slab"));
  EXPECT_NE(plan.report().to_text().find(" rounds of p2p"), std::string::npos) << plan.report();
  const auto array = static_cast<double>(plan.in_place_bytes());
  EXPECT_LE(static_cast<double>(plan.workspace_bytes()), 0.05 * array + (1.5 * (1 << 20)));
  Plan swaps(MPI_COMM_WORLD, c2c<double>, Layout::slab({24, 24, 64}, world().size()), default_output,
             least("pairwise_xor", "slab"));
  if (24 % world().size() == 0) {
    EXPECT_NE(swaps.report().to_text().find("swapped by pairwise_xor"), std::string::npos) << swaps.report();
  }
}

/// In the place of messages beyond an int.
TEST(LeastWorkspace, SmallCountLimit) {
  CountLimit limit{7};
  const Installed lowered(limit);
  largest_count() = 0;
  for (const char* exchange : {"p2p", "pairwise_xor"})
    check({{7, 9, 10}, "slab", "left", Kind::c2c, Precision::f64, least(exchange, "slab")});
  EXPECT_LE(largest_count(), limit.most);
  EXPECT_EQ(largest_count() > 0, world().size() > 1);
}

TEST(LeastWorkspace, Refusals) {
  const TransformCase c{{8, 6, 4}, "slab", "left", Kind::c2c, Precision::f64, least()};
  Plan plan = make_plan(MPI_COMM_WORLD, c);
  std::vector<std::complex<double>> in(plan.in_place_bytes() / 16 + 1), out(in.size());
  expect_error(Status::invalid_argument, "must be the same pointer", [&] { plan.forward(in.data(), out.data()); });
  const auto expect = [&](const std::string& words, const auto& spoil) {
    TransformCase bad = c;
    spoil(bad.options);
    expect_error(Status::invalid_argument, words, [&] { make_plan(MPI_COMM_WORLD, bad); });
  };
  expect("exchange auto, p2p or pairwise_xor, not ring", [](Options& o) { o.exchange = "ring"; });
  expect("chunks is 2", [](Options& o) { o.chunks = 2; });
  expect("does not work with algorithm cannon_hybrid", [](Options& o) { o.algorithm = "cannon_hybrid"; });
  const TransformCase promoted{{64}, "slab", "left", Kind::r2c, Precision::f64, least("auto", "six_step")};
  if (world().size() > 1)
    expect_error(Status::unsupported, "workspace = fast", [&] { make_plan(MPI_COMM_WORLD, promoted); });
}

TEST(Permute, FollowsEveryCycle) {
  std::mt19937 random(7);
  for (const std::int64_t n : {1, 2, 7, 64, 1000}) {
    std::vector<std::int64_t> place(static_cast<std::size_t>(n));
    std::iota(place.begin(), place.end(), 0);
    std::shuffle(place.begin(), place.end(), random);
    std::vector<double> array(static_cast<std::size_t>(3 * n));
    std::iota(array.begin(), array.end(), 0);
    const std::vector<double> before = array;
    const Units units{n, 24, [&](std::int64_t i) { return place[static_cast<std::size_t>(i)]; }};
    std::vector<std::byte> scratch(permute_bytes(n, 24));
    gather_in_place(reinterpret_cast<std::byte*>(array.data()), units, scratch.data());
    for (std::int64_t i = 0; i < n; ++i)
      for (std::int64_t j = 0; j < 3; ++j)
        ASSERT_EQ(array[static_cast<std::size_t>(3 * i + j)], before[static_cast<std::size_t>(3 * units.place(i) + j)]);
    scatter_in_place(reinterpret_cast<std::byte*>(array.data()), units, scratch.data());
    EXPECT_EQ(array, before);
  }
}

}  // namespace
}  // namespace shardfft::test
