// Cosine and sine transforms along some axes of a plan, mixed with Fourier transforms, against their definition.
#include <gtest/gtest.h>

#include "support/case_sweeps.hpp"
#include "support/refused_plan.hpp"
#include "support/transform_check.hpp"
#include "support/world.hpp"

namespace shardfft::test {
namespace {

using enum AxisTransform;
using Types = std::vector<AxisTransform>;

TEST(Cosines, EveryTypeOfRealAndComplexArrays) {
  for (const AxisTransform type : {dct1, dct2, dct3, dct4, dst1, dst2, dst3, dst4})
    for (const Precision precision : {Precision::f64, Precision::f32}) {
      check_case({{5, 7, 4}, "slab", "left", Kind::r2r, precision, quick_with({type, type, type})});
      check_case({{5, 7, 4}, "slab", "natural", Kind::c2c, precision, quick_with({type, type, type})});
    }
}

TEST(Cosines, MixedWithFourierAxes) {
  sweep_mixed_cosines(quick_with, [](std::size_t /*turn*/, const TransformCase& c) { check_case(c); });
}

TEST(Cosines, AllInputs) {
  std::size_t turn = 0;
  for (const NamedLayout& input : zoo({4, 4, 4}, world().size())) {
    const Types types = turn % 2 == 0 ? Types{dct2, dst2, dct1} : Types{fft, fft, dct1};
    const Kind kind = turn % 2 == 0 ? Kind::r2r : turn % 4 == 1 ? Kind::r2c : Kind::c2r;
    check_case({{8, 6, 9}, input.name, turn % 3 == 0 ? "natural" : "brick", kind, Precision::f64, quick_with(types)});
    ++turn;
  }
}

TEST(Cosines, SomeAxesInAnyOrder) {
  Options options = quick_with({dct2, fft});
  options.axes = {2, 0};
  check_case({{6, 5, 8}, "slab", "left", Kind::r2c, Precision::f64, options});
  options.axes = {0, 2};
  check_case({{6, 5, 8}, "brick", "natural", Kind::c2r, Precision::f64, options});
  options = quick_with({dst4});
  options.axes = {1};
  check_case({{6, 5, 8}, "slab", "left", Kind::r2r, Precision::f32, options});
  check_case({{7, 9}, "slab", "natural", Kind::r2c, Precision::f64, quick_with({dct1, fft})});
  check_case({{3, 4, 5, 6}, "slab", "left", Kind::c2c, Precision::f64, quick_with({fft, dct2, fft, dst1})});
}

TEST(Cosines, NormsThreadsChunksExchangesLibraries) {
  const Types types{fft, dct2, dct1};
  for (const Norm norm : {Norm::ortho, Norm::forward, Norm::none}) {
    Options options = quick_with(types);
    options.norm = norm;
    check_case({{6, 7, 5}, "slab", "left", Kind::r2c, Precision::f64, options});
  }
  for (const std::string exchange : {"shared_window", "p2p", "alltoallw"})
    for (const int chunks : {1, 3}) {
      Options options = quick_with(types, "slab");
      options.exchange = exchange;
      options.chunks = chunks;
      options.threads = chunks == 1 ? 2 : 1;
      check_case({{12, 10, 8}, "slab", "natural", Kind::c2c, Precision::f64, options});
    }
  for (const std::string& name : local_fft_names()) {
    Options options = quick_with(types);
    options.local_fft = name;
    check_case({{6, 7, 5}, "slab", "left", Kind::r2c, Precision::f64, options});
  }
}

/// Lines beyond a core's cache run in bundles.
TEST(Cosines, LargerArrays) {
  check_case({{64, 60, 54}, "slab", "left", Kind::r2r, Precision::f64, quick_with({dct2, dst1, dct4})});
  check_case({{64, 60, 54}, "slab", "natural", Kind::r2c, Precision::f64, quick_with({fft, fft, dct1})});
  check_case({{64, 60, 54}, "slab", "natural", Kind::c2c, Precision::f32, quick_with({dct3, fft, dct1}, "pencil")});
}

TEST(Cosines, ReportNamesTransforms) {
  Options options = quick_with({fft, fft, dct1});
  const Plan plan(MPI_COMM_WORLD, r2c<double>, Layout::slab({9, 11, 8}, world().size()), natural_output, options);
  const std::string text = plan.report().to_text();
  EXPECT_NE(text.find("r2r dct1 8"), std::string::npos) << text;
  EXPECT_EQ(plan.output().halved_axis(), 1);
  EXPECT_EQ(plan.output().frequencies(1)[3], 3.0 / 11);
  EXPECT_THROW(plan.output().frequencies(2), Error);
}

TEST(Cosines, RefusalsSayWhatIsExpected) {
  const Status invalid = Status::invalid_argument;
  expect_refused(invalid, "cosine and sine transforms only", r2r<double>, {4, 4}, quick_with({fft, dct1}));
  expect_refused(invalid, "one of dct1 to dst4 for each axis", r2r<double>, {4, 4}, quick());
  expect_refused(invalid, "r2r keeps arrays real", r2c<double>, {4, 4}, quick_with({dct2, dct2}));
  expect_refused(invalid, "one for each of the 2 axes", c2c<double>, {4, 4}, quick_with({dct2}));
  expect_refused(invalid, "axis 1 has 1 point; dct1 needs 2", r2r<double>, {4, 1}, quick_with({dct2, dct1}));
  for (const std::string name : {"cannon", "cannon_transposed", "cannon_hybrid"})
    expect_refused(Status::unsupported, "Fourier transforms of all modes only", c2c<double>, {4, 4},
                   quick_with({fft, dct2}, name));
  if (world().size() == 1) return;
  for (const std::string name : {"auto", "six_step", "cyclic"})
    expect_refused(Status::unsupported, "two axes and more", r2r<double>, {64}, quick_with({dct2}, name));
}

}  // namespace
}  // namespace shardfft::test
