// Transforms of whole arrays against their definition: sizes, kinds, precisions, layouts, algorithms.
#include <gtest/gtest.h>

#include "support/transform_check.hpp"
#include "support/world.hpp"

namespace shardfft::test {
namespace {

TEST(Transforms, AllSizesKindsAndPrecisions) {
  for (const Shape& shape : {Shape{1, 1, 1}, Shape{2, 3, 5}, Shape{7, 11, 13}, Shape{16, 16, 16}, Shape{31, 1, 17}})
    for (const Kind kind : fourier_kinds)
      for (const Precision precision : {Precision::f64, Precision::f32})
        check_case({shape, "slab", "left", kind, precision, quick()});
}

/// Every algorithm from every kind of input; the outputs take turns.
TEST(Transforms, AllAlgorithmsAndInputs) {
  const std::vector<std::string> outputs{"left", "natural", "brick", "left", "uneven", "cyclic"};
  std::size_t turn = 0;
  for (const std::string algorithm : {"slab", "pencil", "brick", "cyclic"})
    for (const NamedLayout& input : zoo({4, 4, 4}, world().size())) {
      const Kind kind = fourier_kinds[turn % 3];
      const Precision precision = turn % 4 == 3 ? Precision::f32 : Precision::f64;
      check_case({{8, 6, 9}, input.name, outputs[turn % outputs.size()], kind, precision, quick(algorithm)});
      ++turn;
    }
}

TEST(Transforms, LargerArrays) {
  const Shape shape{64, 60, 54};
  check_case({shape, "slab", "left", Kind::c2c, Precision::f64, quick("slab")});
  check_case({shape, "pencil", "natural", Kind::r2c, Precision::f64, quick("pencil")});
  check_case({shape, "brick", "natural", Kind::c2c, Precision::f32, quick("brick")});
}

/// More than 24 MiB a rank leave past the cache, from and to rows that begin anywhere.
TEST(Transforms, ResultsThatArePutPastTheCache) {
  const std::int64_t ranks = world().size();
  if (ranks > 2) GTEST_SKIP() << "large whole arrays on every rank, and nothing that two ranks do not do";
  TransformCase large{{40 * ranks, 27, 35}, "slab", "natural", Kind::c2c, Precision::f64, quick("slab")};
  large.options.batch = 45;  // many small fields: the reference takes time by the length of the axes
  SCOPED_TRACE(large.name());
  Plan plan = make_plan(MPI_COMM_WORLD, large);
  EXPECT_GT(plan.output().bytes(), std::size_t{24} << 20);
  EXPECT_NE(plan.report().to_text().find("past the cache"), std::string::npos) << plan.report();
  for (const Direction direction : {Direction::forward, Direction::backward})
    check_run(plan, large, direction, false, 7);
}

TEST(Transforms, MoreRanksThanPlanes) {
  for (const Kind kind : fourier_kinds)
    for (const std::string algorithm : {"auto", "slab", "pencil"})
      check_case({{2, 3, 5}, "slab", algorithm == "slab" ? "natural" : "left", kind, Precision::f64, quick(algorithm)});
  check_case({{2, 2, 3}, "last-slab", "left", Kind::c2c, Precision::f64, quick()});
  check_case({{1, 1, 6}, "cyclic", "natural", Kind::r2c, Precision::f64, quick()});
}

TEST(Transforms, TwoDimensions) {
  for (const Kind kind : fourier_kinds) {
    check_case({{12, 10}, "slab", "left", kind, Precision::f64, quick()});
    check_case({{7, 9}, "last-slab", "natural", kind, Precision::f32, quick()});
    check_case({{5, 16}, "mosaic", "brick", kind, Precision::f64, quick("pencil")});
  }
  check_case({{64, 36}, "cyclic", "natural", Kind::c2c, Precision::f64, quick("cyclic")});
}

TEST(Transforms, FourDimensions) {
  for (const Kind kind : fourier_kinds)
    for (const std::string algorithm : {"auto", "slab", "pencil", "brick"})
      check_case({{4, 5, 3, 6},
                  kind == Kind::c2c ? "brick" : "slab",
                  kind == Kind::r2c ? "natural" : "left",
                  kind,
                  Precision::f64,
                  quick(algorithm)});
  check_case({{4, 4, 8, 4}, "cyclic", "natural", Kind::c2c, Precision::f64, quick("cyclic")});
}

/// Sizes that ranks squared divide, so that one exchange is enough.
TEST(Transforms, CyclicWithOneExchange) {
  for (const std::string output : {"left", "natural", "slab"})
    check_case({{64, 36, 16}, "cyclic", output, Kind::c2c, Precision::f64, quick("cyclic")});
  check_case({{16, 36, 64}, "turned-cyclic", "left", Kind::c2c, Precision::f32, quick("cyclic")});
  check_case({{16, 64, 3}, "slab", "natural", Kind::c2c, Precision::f64, quick("cyclic")});
}

TEST(Transforms, SubsetsOfAxes) {
  const std::vector<std::vector<int>> subsets{{0}, {1}, {2}, {0, 1}, {1, 0}, {2, 0}, {1, 2}, {2, 1, 0}};
  std::size_t turn = 0;
  for (const auto& axes : subsets)
    for (const std::string algorithm : {"auto", "slab", "pencil"}) {
      Options options = quick(algorithm);
      options.axes = axes;
      check_case({{6, 5, 8},
                  turn % 2 == 0 ? "slab" : "brick",
                  turn % 3 == 0 ? "natural" : "left",
                  fourier_kinds[turn % 3],
                  Precision::f64,
                  options});
      ++turn;
    }
  Options middle = quick();
  middle.axes = {1, 2};
  check_case({{3, 4, 5, 6}, "slab", "left", Kind::r2c, Precision::f64, middle});
}

TEST(Transforms, ArbitraryLayoutToArbitraryLayout) {
  const auto layouts = zoo({4, 4, 4}, world().size());
  for (std::size_t i = 0; i < layouts.size(); ++i)
    check_case({{7, 8, 6},
                layouts[i].name,
                layouts[(5 * i + 3) % layouts.size()].name,
                fourier_kinds[i % 3],
                Precision::f64,
                quick()});
}

}  // namespace
}  // namespace shardfft::test
