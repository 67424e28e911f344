// Plans with chunks against the definition of the transform: every exchange, algorithm and number of chunks.
#include <gtest/gtest.h>

#include "support/transform_check.hpp"
#include "support/world.hpp"

namespace shardfft::test {
namespace {

const std::vector<Kind> kinds{Kind::c2c, Kind::r2c, Kind::c2r};

Options chunked(const std::string& algorithm, const std::string& exchange, int chunks, std::int64_t batch = 1) {
  Options o = quick(algorithm);
  o.exchange = exchange;
  o.chunks = chunks;
  o.batch = batch;
  return o;
}

struct Variety {
  std::string algorithm;
  Shape shape;
  std::vector<std::string> inputs;
};

const std::vector<Variety> varieties{
    {"slab", {8, 6, 9}, {"slab", "uneven", "last-slab"}},
    {"pencil", {8, 6, 9}, {"pencil", "mosaic", "first-owns"}},
    {"brick", {8, 6, 9}, {"brick", "turned-brick", "column-major"}},
    {"six_step", {72}, {"slab", "uneven", "cyclic"}},
    {"cyclic", {6, 144}, {"cyclic", "slab", "mosaic"}},
    {"cannon_hybrid", {8, 6, 9}, {"slab", "brick", "uneven"}},
};

/// Kinds, batches, inputs and outputs take turns under every exchange, algorithm and number of chunks.
TEST(ChunkedPlans, AllExchangesAlgorithmsAndChunks) {
  const std::vector<std::string> outputs{"left", "natural", "uneven", "left", "cyclic"};
  std::size_t turn = 0;
  for (const std::string& exchange : exchange_names())
    for (const Variety& v : varieties) {
      ++turn;  // or each number of chunks would always meet the same kind
      for (const int chunks : {2, 3, 7}) {
        const std::int64_t batch = turn % 2 == 0 ? 1 : 3;
        const Kind kind = kinds[turn % 3];
        check_case({v.shape, v.inputs[turn / 2 % 3], outputs[turn % 5], kind,
                    turn % 4 == 3 ? Precision::f32 : Precision::f64, chunked(v.algorithm, exchange, chunks, batch)});
        ++turn;
      }
    }
}

TEST(ChunkedPlans, KindsAndBatches) {
  for (const Kind kind : kinds)
    for (const std::int64_t batch : {1, 3, 8})
      for (const std::string algorithm : {"slab", "pencil"})
        check_case({{7, 5, 6}, "slab", "natural", kind, Precision::f64, chunked(algorithm, "p2p", 3, batch)});
}

/// Each exchange keeps what it has under way apart, run after run.
TEST(ChunkedPlans, RepeatedRuns) {
  for (const std::string& exchange : exchange_names()) {
    const TransformCase c{{6, 7, 8}, "pencil", "natural", Kind::c2c, Precision::f64, chunked("pencil", exchange, 3)};
    SCOPED_TRACE(c.name());
    Plan plan = make_plan(MPI_COMM_WORLD, c);
    for (const std::uint64_t salt : {1U, 2U, 3U}) check_plan(plan, c, salt);
  }
}

/// Leaders, members and peers across hosts all have several exchanges under way.
TEST(ChunkedPlans, SeveralHosts) {
  for (const std::string exchange : {"hierarchical", "p2p_alltoall", "shared_window"})
    for (const int ranks_per_host : {1, 2, 3}) {
      Options options = chunked("pencil", exchange, 4);
      options.fake_ranks_per_host = ranks_per_host;
      check_case({{9, 8, 6}, "brick", "natural", Kind::r2c, Precision::f64, options});
    }
}

TEST(ChunkedPlans, MoreRanksThanPlanes) {
  for (const Kind kind : kinds)
    for (const std::string algorithm : {"slab", "pencil", "brick"}) {
      check_case({{2, 3, 5}, "slab", "natural", kind, Precision::f64, chunked(algorithm, "alltoallv", 7)});
      check_case({{1, 4, 2}, "last-owns", "left", kind, Precision::f64, chunked(algorithm, "p2p_pipelined", 2, 3)});
    }
}

TEST(ChunkedPlans, OtherDimensionsAndSubsetsOfAxes) {
  check_case({{12, 10}, "slab", "left", Kind::r2c, Precision::f64, chunked("slab", "ring", 4)});
  check_case({{4, 5, 3, 6}, "brick", "natural", Kind::c2c, Precision::f64, chunked("pencil", "alltoallw", 2)});
  for (const std::vector<int>& axes : {std::vector<int>{0}, {2, 0}, {1, 2}}) {
    Options options = chunked("auto", "p2p", 3);
    options.axes = axes;
    for (const std::string input : {"slab", "brick", "cyclic"})
      check_case({{6, 5, 8}, input, "natural", Kind::c2c, Precision::f64, options});
  }
}

/// Products have rounds of their own; what reshapes there are beside transforms can be cut.
TEST(ChunkedPlans, MatrixProducts) {
  for (const std::string algorithm : {"cannon", "cannon_transposed"})
    for (const Kind kind : kinds)
      check_case({{8, 6, 9}, "uneven", "natural", kind, Precision::f64, chunked(algorithm, "p2p", 3, 2)});
}

TEST(ChunkedPlans, ThreadsAndPlansForEqualBuffers) {
  for (const std::string exchange : {"alltoallv", "ring"}) {
    Options threads = chunked("pencil", exchange, 3);
    threads.threads = 2;
    check_case({{16, 12, 10}, "slab", "left", Kind::r2c, Precision::f64, threads});
  }
  for (const std::string algorithm : {"slab", "pencil"}) {
    Options in_place = chunked(algorithm, "alltoallv", 4);
    in_place.in_place = true;
    check_case({{8, 9, 10}, "slab", "natural", Kind::c2c, Precision::f64, in_place});
  }
}

/// Large enough for bundles and for several blocks a chunk. The definition would take too long here, so the plan
/// without chunks, which is tested against it, stands in.
TEST(ChunkedPlans, LargeArraysEqualThoseOfOneChunk) {
  const TransformCase whole{{64, 96, 160}, "slab", "left", Kind::c2c, Precision::f64, chunked("slab", "p2p", 1)};
  TransformCase cut = whole;
  cut.options.chunks = 2;
  cut.options.threads = 2;
  Plan one = make_plan(MPI_COMM_WORLD, whole);
  Plan two = make_plan(MPI_COMM_WORLD, cut);
  for (const Direction direction : {Direction::forward, Direction::backward}) {
    const bool forward = direction == Direction::forward;
    const Side& from = forward ? one.input() : one.output();
    const Side& to = forward ? one.output() : one.input();
    LocalArray in(from);
    for (std::int64_t i = 0; i < from.count(); ++i)
      in.set(i, {noise(5, static_cast<std::uint64_t>(i), 0), noise(5, static_cast<std::uint64_t>(i), 1)});
    LocalArray expected(to);
    LocalArray got(to);
    forward ? one.forward(in.data(), expected.data()) : one.backward(in.data(), expected.data());
    forward ? two.forward(in.data(), got.data()) : two.backward(in.data(), got.data());
    double error = 0;
    double energy = 0;
    for (std::int64_t i = 0; i < to.count(); ++i) {
      error += std::norm(got.get(i) - expected.get(i));
      energy += std::norm(expected.get(i));
    }
    EXPECT_LE(std::sqrt(error), 1e-14 * std::sqrt(energy));
  }
}

/// The report names the axis and the number of chunks, and where chunks change nothing.
TEST(ChunkedPlans, Report) {
  const auto report = [](const std::string& algorithm, const std::string& exchange, int chunks, std::int64_t batch) {
    return make_plan(
               MPI_COMM_WORLD,
               {{8, 6, 9}, "slab", "left", Kind::c2c, Precision::f64, chunked(algorithm, exchange, chunks, batch)})
        .report()
        .to_text();
  };
  const auto says = [](const std::string& text, const std::string& words) {
    return text.find(words) != std::string::npos;
  };
  const std::string one = report("slab", "p2p", 1, 3);
  EXPECT_FALSE(says(one, "1 chunk")) << one;
  EXPECT_TRUE(says(one, "chunks=1;")) << one;
  if (world().size() == 1) return;
  const std::string fields = report("slab", "p2p", 3, 3);
  EXPECT_TRUE(says(fields, "pipeline of 3 chunks along the batch at both ends: fft c2c")) << fields;
  EXPECT_TRUE(says(fields, "reshape by p2p in a group of")) << fields;
  if (world().size() <= 4) {
    const std::string planes = report("slab", "p2p", 2, 1);
    EXPECT_TRUE(says(planes, "pipeline of 2 chunks, 1 along axis 0 at the sender and 1 along axis 1 at the receiver"))
        << planes;
    // Backward.
    EXPECT_TRUE(says(planes, "pipeline of 2 chunks, 1 along axis 1 at the sender and 1 along axis 0 at the receiver"))
        << planes;
  }
  const std::string products = report("cannon", "p2p", 2, 1);
  EXPECT_TRUE(says(products, "(not cut in chunks: its rounds overlap as they are)")) << products;
  const std::string window = report("slab", "shared_window", 3, 1);
  EXPECT_TRUE(says(window, "(not cut in chunks: shared memory has its own overlap)")) << window;
}

}  // namespace
}  // namespace shardfft::test
