// How much memory plans take beside input and output, and what they do where there is less.
#include <cstdio>

#include "gpu/group_kit.hpp"
#include "support/fewer_buffers.hpp"
#include "support/seed.hpp"
#include "support/smaller_gpus.hpp"

namespace shardfft::test {
namespace {

constexpr std::size_t gibibyte = std::size_t{1} << 30;
const Shape cube{1440, 1440, 1440}, uneven{250, 225, 273};

double arrays_of_workspace(int ranks, const TransformCase& c) {
  const Plan plan = make_plan_over(devices_for(ranks), c);
  return static_cast<double>(plan.workspace_bytes()) / static_cast<double>(array_bytes(plan));
}

std::vector<TransformCase> cases_of(const Shape& shape, Kind kind) {
  std::vector<TransformCase> cases;
  for (const char* output : {"left", "natural"}) {
    const auto add = [&](const char* input, const char* algorithm, const char* exchange, bool verify) {
      cases.push_back({shape, input, output, kind, Precision::f64, on_gpu(algorithm)});
      cases.back().options.exchange = exchange;
      cases.back().options.verify = verify;
    };
    add("slab", "slab", "auto", false);
    add("slab", "slab", "auto", shape == cube);
    add("slab", "slab", "cuda_peer_copy", false);
    add("slab", "pencil", "auto", false);
    add("brick", "pencil", "auto", false);
  }
  return cases;
}

/// With equal shares, and lines that are not padded inside.
TEST(Workspace, OneArrayOfComplexNumbers) {
  const ChangedFacts plenty(of_memory(900 * gibibyte));
  for (TransformCase c : cases_of(cube, Kind::c2c))
    for (const int ranks : {2, 4})
      for (const bool in_place : {false, true}) {
        if (in_place && c.input == "brick") continue;  // whose first step leads to the result
        c.options.in_place = in_place;
        EXPECT_LE(arrays_of_workspace(ranks, c), 1.001) << ranks << " ranks, " << c.name() << ", " << in_place;
      }
}

/// Lengths without kernels, which take a piece beside it to be transposed in; shares that end between the points of a
/// thread, shares that differ.
TEST(Workspace, OneArrayOfComplexSlabsOfAnyLengths) {
  const ChangedFacts plenty(of_memory(900 * gibibyte));
  for (const Shape& shape : {Shape{1000, 1000, 1000}, Shape{810, 1050, 1080}, Shape{789, 403, 566}})
    for (const int ranks : {2, 4}) {
      const TransformCase c{shape, "slab", "left", Kind::c2c, Precision::f64, on_gpu("slab")};
      const Plan plan = make_plan_over(devices_for(ranks), c);
      const std::size_t array = array_bytes(plan), transposed = shape[2] == 566 ? gibibyte / 4 : 0;
      EXPECT_LE(plan.workspace_bytes(), array + array / 100 + transposed) << ranks << " ranks, " << c.name();
    }
  TransformCase uneven{{810, 1050, 1080}, "slab", "left", Kind::c2c, Precision::f64, on_gpu("slab")};
  uneven.options.in_place = true;
  EXPECT_LE(arrays_of_workspace(4, uneven), 1.01);
}

/// Shares that differ, of which some steps have more than the output holds: other steps lie there all the same.
TEST(Workspace, OneArrayOfComplexPencilsOfUnequalShares) {
  const ChangedFacts plenty(of_memory(900 * gibibyte));
  for (const bool bricks : {false, true}) {
    TransformCase c{{1440, 343, 512}, "slab along 1", "natural", Kind::c2c, Precision::f32, on_gpu("pencil")};
    if (bricks) c = {{1024, 768, 768}, "brick", "natural", Kind::c2c, Precision::f64, on_gpu("slab")};
    c.options.chunks = bricks ? 1 : 0;
    EXPECT_LE(arrays_of_workspace(bricks ? 3 : 4, c), 1.01) << c.name();
  }
}

TEST(Workspace, NoneBesideAnInputThatMayBeOverwritten) {
  TransformCase c{{20, 18, 16}, "slab", "left", Kind::c2r, Precision::f64, on_gpu("slab")};
  const Plan keeps = make_plan_over(devices_for(1), c);
  EXPECT_GE(keeps.workspace_bytes(), keeps.input().bytes());
  c.options.overwrite_input = true;
  for (const bool verify : {false, true}) {
    c.options.verify = verify;
    Plan plan = make_plan_over(devices_for(1), c);
    EXPECT_LT(plan.workspace_bytes(), plan.input().bytes());
    check_device_plan(members_of(plan), c, "device");
  }
}

/// What lies between the steps of a c2r is larger than its result, but not than its input.
TEST(Workspace, AnInputThatMayBeOverwrittenHoldsOneOfTwoArrays) {
  const ChangedFacts plenty(of_memory(900 * gibibyte));
  for (const char* algorithm : {"slab", "pencil"}) {
    TransformCase c{{512, 512, 512}, "slab", "natural", Kind::c2r, Precision::f64, on_gpu(algorithm)};
    c.options.overwrite_input = true;
    EXPECT_LE(arrays_of_workspace(4, c), 1.02) << c.name();
    c.shape = {24, 18, 20};
    for (const int ranks : {2, 3, 4}) {
      c.options.verify = ranks == 3;
      check_case_on(ranks, c);
    }
  }
}

/// Padded rows are larger than the arrays of users. What is sent lies in the spectrum, as far as it has left before
/// that is written. In place nothing is padded.
TEST(Workspace, OfRealSlabs) {
  const ChangedFacts plenty(of_memory(900 * gibibyte));
  for (const Shape& shape : {cube, Shape{1000, 1000, 1000}})
    for (const int ranks : {2, 4}) {
      TransformCase c{shape, "slab", "left", Kind::r2c, Precision::f64, on_gpu("slab")};
      const double most = ranks == 2 || shape == cube ? 1.06 : 1.55;
      EXPECT_LE(arrays_of_workspace(ranks, c), most) << ranks << " ranks, " << c.name();
      c.options.in_place = true;
      EXPECT_LE(arrays_of_workspace(ranks, c), 1.001) << ranks << " ranks in place, " << c.name();
    }
}

/// Lengths that have kernels, of arrays that are cut in several chunks.
Shape drawn_shape(Random& random) {
  const std::vector<std::int64_t> lengths{768, 800, 864, 900, 960, 1000, 1024, 1080, 1152, 1200, 1280, 1440};
  const auto length = [&] { return lengths[static_cast<std::size_t>(random.integer(0, 11))]; };
  return {length(), length(), length()};
}

/// One array, two pieces of a reshape, and what ranks differ by. Two arrays if a step is not cut.
double most_arrays(const PlanReport& report) {
  int least = 16;
  for (const auto* program : {&report.forward, &report.backward})
    for (const PlanReport::Step& step : program->steps) {
      int chunks = 0;
      if (std::sscanf(step.text.c_str(), "pipeline of %d chunks", &chunks) != 1) return 2.01;
      least = std::min(least, chunks);
    }
  return 1.02 + 2.0 / least;
}

/// Spectra are larger than the real arrays, so one of those between the steps ends in the workspace.
TEST(Workspace, OneArrayAndTwoPiecesOfRealNumbers) {
  const ChangedFacts plenty(of_memory(900 * gibibyte));
  Random random(60);
  for (int turn = 0; turn < 4; ++turn) {
    const Shape shape = turn == 0 ? cube : drawn_shape(random);
    for (const Kind kind : {Kind::r2c, Kind::c2r})
      for (const char* input : {"slab", "pencil"})
        for (const char* output : {"natural", "left"})
          for (const int ranks : {2, 4}) {
            if (input == std::string("slab") && output == std::string("left")) continue;  // OfRealSlabs
            TransformCase c{shape, input, output, kind, Precision::f64, on_gpu()};
            const double most = turn == 0 ? 1.26 : most_arrays(make_plan_over(devices_for(ranks), c).report());
            EXPECT_LE(arrays_of_workspace(ranks, c), most) << ranks << " ranks, " << c.name();
            if (turn > 0 || (ranks == 4 && input != std::string("slab"))) continue;  // three reshapes take two arrays
            c.options.in_place = true;
            EXPECT_LE(arrays_of_workspace(ranks, c), most) << ranks << " ranks in place, " << c.name();
          }
  }
}

/// Both parts of such arrays, and pieces that are written where others have been read: by the next task, or, in place,
/// by the same one.
TEST(Workspace, ArraysThatAreDividedAreRight) {
  const SmallerGpus smaller;
  struct Row {
    int ranks;
    Shape shape;
    const char *input, *output, *algorithm;
    Kind kind;
    Precision precision;
    int chunks;
    bool in_place = false;
  };
  for (const Row& row : {Row{4, {128, 96, 64}, "brick", "natural", "pencil", Kind::r2c, Precision::f64, 8},
                         {4, {128, 64, 128}, "pencil", "natural", "pencil", Kind::c2r, Precision::f32, 7},
                         {4, {128, 96, 64}, "pencil", "left", "pencil", Kind::r2c, Precision::f64, 8},
                         {2, {128, 128, 128}, "slab", "natural", "slab", Kind::c2r, Precision::f64, 8},
                         {2, {128, 128, 128}, "brick", "natural", "pencil", Kind::r2c, Precision::f64, 8, true},
                         {4, {128, 96, 64}, "pencil", "left", "pencil", Kind::r2c, Precision::f32, 8, true}}) {
    TransformCase c{row.shape, row.input, row.output, row.kind, row.precision, on_gpu(row.algorithm)};
    c.options.exchange = "cuda_peer_copy";
    c.options.chunks = row.chunks;
    c.options.in_place = row.in_place;
    EXPECT_LE(arrays_of_workspace(row.ranks, c), 1.5) << row.ranks << " ranks, " << c.name();
    check_case_on(row.ranks, c);
  }
}

/// 1440^3 complex doubles on two GPUs of 80 GB: 24 GB each an array.
TEST(Workspace, LargeCubesFitTwoGpus) {
  const ChangedFacts h100(of_memory(std::size_t{80} * 1000 * 1000 * 1000));
  for (const bool in_place : {false, true}) {
    TransformCase c{cube, "slab", "left", Kind::c2c, Precision::f64, on_gpu("slab")};
    c.options.in_place = in_place;
    const Plan plan = make_plan_over(devices_for(2), c);
    EXPECT_EQ(buffers_of(plan.report()), "fast");
    EXPECT_LE(plan.workspace_bytes(), std::size_t{23900} * 1000 * 1000);
  }
}

/// No plan that a GPU has room for with one array beside input and output is refused.
TEST(Workspace, FewerBuffersWhereThereIsNoMemory) {
  const auto check = [](const TransformCase& c, int ranks) {
    SCOPED_TRACE(std::to_string(ranks) + " ranks, " + c.name());
    std::size_t array = 0;
    {
      const ChangedFacts plenty(of_memory(900 * gibibyte));
      array = array_bytes(make_plan_over(devices_for(ranks), c));
    }
    const ChangedFacts little(of_memory(3 * array + array / 8));
    const Plan plan = make_plan_over(devices_for(ranks), c);
    EXPECT_LE(plan.workspace_bytes(), array + array / 7) << plan.report();  // input and output are smaller than two
  };
  for (const TransformCase& c : cases_of(cube, Kind::r2c)) check(c, 2);
  for (const Kind kind : kinds) check(cases_of(uneven, kind).front(), 4);
  check(cases_of(uneven, Kind::c2r).back(), 4);
}

/// Bricks in place: with one array between the steps some of these wait for each other, with two none does.
TEST(Workspace, BricksInPlaceWhereThereIsNoMemory) {
  TransformCase c{cube, "brick", "natural", Kind::c2c, Precision::f64, on_gpu("pencil")};
  c.options.in_place = true;
  const std::size_t array = 12 * gibibyte;  // 11.12
  for (const bool verify : {false, true}) {
    c.options.verify = verify;
    const ChangedFacts little(of_memory(2 * array));
    const PlanReport report = make_plan_over(devices_for(4), c).report();
    EXPECT_EQ(buffers_of(report), "few buffers") << report;
    EXPECT_LE(report.workspace_bytes, array);
  }
}

TEST(Workspace, EveryWayIsRight) {
  bool few = false;
  const auto check = [&few](int ranks, TransformCase c, bool in_place) {
    c.options.in_place = in_place;
    few |= check_ways([&] { return make_plan_over(devices_for(ranks), c); }, c);
  };
  const TransformCase lines{{128, 128, 16}, "slab", "left", Kind::c2c, Precision::f64, on_gpu("slab")};
  TransformCase natural = lines, real = lines;
  natural.output = "natural";
  real.kind = Kind::r2c;
  for (const bool in_place : {false, true}) {
    TransformCase bricks = real;
    bricks.shape = {32, 64, 126};
    bricks.input = "brick";
    bricks.options.algorithm = "pencil";
    for (const int ranks : {2, 4}) check(ranks, lines, in_place);
    natural.options.verify = in_place;
    check(2, natural, in_place);
    check(4, real, in_place);
    check(2, bricks, in_place);
    bricks.options.verify = in_place;
    bricks.kind = Kind::c2c;
    bricks.output = "natural";
    check(4, bricks, in_place);
  }
  const SmallerGpus smaller;
  real.shape = {256, 64, 32};  // padded between its passes, if there is memory
  check(2, real, false);
  EXPECT_TRUE(few);
}

/// Arrays between steps alternate with the result, which is the input, too.
TEST(Workspace, PiecesInPlace) {
  for (const Kind kind : kinds)
    for (const char* algorithm : {"slab", "pencil"})
      for (const char* input : {"slab", "brick"})
        for (const bool verify : {false, true}) {
          TransformCase c{{24, 18, 20}, input, "natural", kind, Precision::f64, on_gpu(algorithm)};
          c.options.exchange = "cuda_peer_copy";
          c.options.chunks = verify ? 2 : 3;
          c.options.verify = verify;
          c.options.in_place = true;
          for (const int ranks : {2, 3}) check_case_on(ranks, c);
        }
}

}  // namespace
}  // namespace shardfft::test
