// Reshapes cut in chunks, beside the transforms at their ends.
#include <gtest/gtest.h>

#include <limits>
#include <regex>

#include "device/plane_pass.hpp"
#include "gpu/group_kit.hpp"
#include "gpu/move/exchange.hpp"
#include "gpu/plan/device_target.hpp"
#include "support/device_flips.hpp"
#include "support/fewer_buffers.hpp"
#include "support/smaller_gpus.hpp"

namespace shardfft::test {
namespace {

std::string told(const TransformCase& c, int ranks) { return make_plan_over(devices_for(ranks), c).report().to_text(); }

TransformCase chunked(const Shape& shape, const std::string& input, const std::string& output, Kind kind, int chunks) {
  Options options = on_gpu();
  options.chunks = chunks;
  return {shape, input, output, kind, Precision::f64, options};
}

/// Extents that chunks do not divide; in place and out of place.
TEST(DevicePipeline, IsRightForLayoutsOfAllKinds) {
  std::size_t turn = 0;
  for (const std::string input : {"slab", "last-slab", "pencil", "brick", "turned-brick"})
    for (const std::string output : {"left", "natural", "brick"})
      for (const Kind kind : kinds) {
        const int ranks = static_cast<int>(2 + turn % 3), chunks = static_cast<int>(2 + turn % 4);
        SCOPED_TRACE(input + " to " + output + ", " + std::to_string(ranks) + " ranks");
        check_case_on(ranks, chunked({8, 13, 12}, input, output, kind, chunks));
        ++turn;
      }
}

/// Lines that have kernels, in equal and unequal shares: the passes at the ends have what does not travel in its place.
TEST(DevicePipeline, IsRightWherePassesMoveTheOwnPart) {
  std::size_t turn = 0;
  for (const std::string input : {"slab", "slab along 1", "slab along 2", "brick"})
    for (const std::string output : {"left", "natural"})
      for (const Shape& shape : {Shape{128, 12, 32}, Shape{16, 128, 32}, Shape{12, 34, 128}}) {
        const int ranks = static_cast<int>(2 + turn % 3);
        SCOPED_TRACE(input + " to " + output + ", " + std::to_string(ranks) + " ranks");
        TransformCase c = chunked(shape, input, output, Kind::c2c, static_cast<int>(2 + turn % 2));
        c.precision = turn % 2 == 0 ? Precision::f64 : Precision::f32;
        check_case_on(ranks, c);
        ++turn;
      }
}

/// What is sent leaves from the input, in pieces of both ends; or from it as a whole, where shares differ.
TEST(DevicePipeline, IsRightInPlace) {
  for (const Kind kind : kinds)
    for (const int ranks : {2, 3, 4})
      for (const Shape& shape : {Shape{128, 128, 8}, Shape{64, 128, 6}}) {
        SCOPED_TRACE(std::to_string(ranks) + " ranks");
        TransformCase c = chunked(shape, "slab", "left", kind, ranks == 2 ? 4 : 3);
        c.precision = ranks == 3 ? Precision::f32 : Precision::f64;
        c.options.in_place = true;
        for (const bool verify : {false, true}) {
          c.options.verify = verify;
          check_case_on(ranks, c);
        }
      }
}

/// Half spectra that are larger than the field, in several reshapes, in the array of both.
TEST(DevicePipeline, IsRightInPlaceOfLargerSpectra) {
  for (const char* input : {"slab", "slab along 1", "brick", "last-slab"})
    for (const char* output : {"left", "natural"})
      for (const Shape& shape : {Shape{64, 64, 62}, Shape{128, 64, 32}})
        for (const int ranks : {2, 4}) {
          SCOPED_TRACE(std::string(input) + " to " + output + ", " + std::to_string(ranks) + " ranks");
          TransformCase c = chunked(shape, input, output, Kind::c2r, 3);
          c.precision = shape[0] == 128 ? Precision::f32 : Precision::f64;
          c.options.in_place = true;
          check_case_on(ranks, c);
        }
}

TEST(DevicePipeline, MovesTheOwnPartByPasses) {
  const std::string text = told(chunked({128, 12, 32}, "slab along 1", "left", Kind::c2c, 2), 2);
  EXPECT_NE(text.find("leaves the own part in place"), std::string::npos) << text;
  const std::string bricks = told(chunked({16, 128, 32}, "slab along 2", "left", Kind::c2c, 2), 2);
  EXPECT_NE(bricks.find("takes the own part from its place"), std::string::npos) << bricks;
}

/// Whether a pipeline of so many chunks cuts both transforms, along these axes.
bool cuts_both_ends(const std::string& text, int chunks, int sender, int receiver) {
  const std::regex words(std::to_string(chunks) + " chunks, [0-9]+(:[0-9]+)* along axis " + std::to_string(sender) +
                         " at the sender and [0-9]+(:[0-9]+)* along axis " + std::to_string(receiver));
  return std::regex_search(text, words);
}

/// Where planes are one pass, no axis serves both ends. Beside all messages but the first and the last one something is
/// transformed, in both directions.
TEST(DevicePipeline, CutsBothEndsOfSlabs) {
  if (!device::lines::planes_supported(128, 128, Precision::f64, false)) GTEST_SKIP() << "no plane kernels";
  const std::string text = told(chunked({2048, 128, 128}, "slab", "left", Kind::c2c, 4), 2);
  EXPECT_TRUE(cuts_both_ends(text, 4, 0, 1) && cuts_both_ends(text, 4, 1, 0)) << text;
  EXPECT_NE(text.find(":1 along axis"), std::string::npos) << "in sizes of the estimate: " << text;
  // Every other row begins within 16 bytes.
  TransformCase odd = chunked({384, 20, 17}, "slab", "left", Kind::c2c, 6);
  odd.precision = Precision::f32;
  const std::string pairs = told(odd, 2);
  EXPECT_TRUE(cuts_both_ends(pairs, 6, 0, 1)) << pairs;
}

/// The spectrum that a plan makes of numbers which tell their places, on all its GPUs; and how far the way back leads
/// from these numbers, at most.
template <class T>
std::pair<std::vector<std::vector<T>>, double> spectrum_and_way_back_of(const TransformCase& c, int ranks) {
  Plan plan = make_plan_over(devices_for(ranks), c);
  std::vector<std::vector<T>> fields, spectra;
  std::vector<PlacedArray> in, out;
  std::vector<void*> from, to;
  for (int r = 0; r < ranks; ++r) {
    const std::size_t bytes = plan.input(r).bytes();
    std::vector<T>& field = fields.emplace_back(bytes / sizeof(T));
    for (std::size_t i = 0; i < field.size(); ++i) field[i] = static_cast<T>((i * 7919 + to_size(r)) % 1013) / 1013;
    from.push_back(in.emplace_back("device", devices_for(ranks)[to_size(r)], bytes).data());
    to.push_back(out.emplace_back("device", devices_for(ranks)[to_size(r)], plan.output(r).bytes()).data());
    in.back().put(field.data());
    const std::vector<T> nothing(plan.output(r).bytes() / sizeof(T), std::numeric_limits<T>::quiet_NaN());
    out.back().put(nothing.data());
  }
  plan.forward(from, to);
  for (int r = 0; r < ranks; ++r) out[to_size(r)].get(spectra.emplace_back(plan.output(r).bytes() / sizeof(T)).data());
  plan.backward(to, from);
  double most = 0;
  for (int r = 0; r < ranks; ++r) {
    std::vector<T> back(fields[to_size(r)].size());
    in[to_size(r)].get(back.data());
    for (std::size_t i = 0; i < back.size(); ++i)
      most = std::max(most, static_cast<double>(std::abs(back[i] - fields[to_size(r)][i])));
  }
  return {spectra, most};
}
constexpr auto spectrum_and_way_back = spectrum_and_way_back_of<float>;

/// Rows that would begin within sectors are padded between the passes, so that these words are told, and dense for the
/// user. Messages through the host pad nothing.
template <class T>
void check_padded(TransformCase c, int ranks, const std::vector<std::string>& words) {
  SCOPED_TRACE(c.name());
  c.precision = sizeof(T) == sizeof(double) ? Precision::f64 : Precision::f32;
  const double least = c.precision == Precision::f64 ? 1e-14 : 1e-6;
  const std::string text = told(c, ranks);
  for (const std::string& word : words) EXPECT_NE(text.find(word), std::string::npos) << text;
  const auto [spectra, away] = spectrum_and_way_back_of<T>(c, ranks);
  EXPECT_LE(away, 10 * least);
  c.options.exchange = "host_staged";
  const auto dense = spectrum_and_way_back_of<T>(c, ranks).first;
  const double largest = *std::max_element(dense[0].begin(), dense[0].end());  // of the mean, which it holds
  for (std::size_t r = 0; r < spectra.size(); ++r)
    for (std::size_t i = 0; i < spectra[r].size(); ++i)
      ASSERT_NEAR(spectra[r][i], dense[r][i], least * largest) << "rank " << r << ", number " << i;
}

std::string planes(const std::string& kind, const TransformCase& c) {
  return "fft " + kind + " " + std::to_string(c.shape[1]) + " " + std::to_string(c.shape[2]) + " by plane pass";
}

/// On two ranks the lines' points are whole bundles apart, so that stores begin where bundles of memory do.
TEST(DevicePipeline, PadsHalfSpectraBetweenPasses) {
  if (!device::lines::planes_supported(128, 128, Precision::f32, true)) GTEST_SKIP() << "no plane kernels";
  const SmallerGpus smaller;
  for (const int ranks : {2, 3})
    for (const bool verify : {false, true}) {
      TransformCase c = chunked(fitting({128 * ranks, 128, 128}, {64 * ranks, 64, 32}), "slab", "left", Kind::r2c, 1);
      c.options.verify = verify;
      const std::vector<std::string> words{planes("r2c", c), planes("c2r", c), "line pass (stores into the peers)"};
      check_padded<float>(c, ranks, words);
      if (ranks == 2) check_padded<double>(c, ranks, words);
    }
}

/// No pass of planes takes rows of an odd number of 8 bytes.
TEST(DevicePipeline, PadsComplexRowsThatBeginWithinUnits) {
  if (!device::lines::planes_supported(128, 375, Precision::f32, false)) GTEST_SKIP() << "no plane kernels";
  const SmallerGpus smaller;
  const auto check = [](int ranks, bool verify) {
    TransformCase c = chunked(fitting({132 * ranks, 128, 375}, {32 * ranks, 64, 195}), "slab", "left", Kind::c2c, 0);
    c.options.verify = verify;
    check_padded<float>(c, ranks, {planes("c2c", c)});
  };
  check(2, false);
  check(3, true);
  TransformCase small = chunked(fitting({128, 128, 375}, {40, 64, 195}), "slab", "left", Kind::c2c, 0);
  small.precision = Precision::f32;
  EXPECT_EQ(told(small, 2).find("plane pass"), std::string::npos) << "small arrays are not padded: " << told(small, 2);
}

/// In chunks, which must be large enough for planes.
TEST(DevicePipeline, CutsBothEndsOfPaddedSpectra) {
  if (!device::lines::planes_supported(128, 128, Precision::f32, true)) GTEST_SKIP() << "no plane kernels";
  const SmallerGpus smaller;
  TransformCase c = chunked(fitting({1056, 128, 128}, {528, 64, 32}), "slab", "left", Kind::r2c, 4);
  c.precision = Precision::f32;
  EXPECT_TRUE(cuts_both_ends(told(c, 2), 4, 0, 1)) << told(c, 2);
  EXPECT_EQ(told(c, 2).find(", 0 copies by engines"), std::string::npos) << "short rows one by one: " << told(c, 2);
  EXPECT_LE(spectrum_and_way_back(c, 2).second, 1e-5);
}

double arrays_of_workspace(const TransformCase& c, int ranks) {
  const Plan plan = make_plan_over(devices_for(ranks), c);
  return static_cast<double>(plan.workspace_bytes()) / static_cast<double>(array_bytes(plan));
}

/// What is sent lies in the output: forward as far as that is not written before it has left, backward all of it.
TEST(DevicePipeline, SendsFromTheOutput) {
  if (!device::lines::planes_supported(128, 128, Precision::f32, true)) GTEST_SKIP() << "no plane kernels";
  const SmallerGpus smaller;
  for (const int ranks : {2, 3}) {
    SCOPED_TRACE(std::to_string(ranks) + " ranks");
    TransformCase c = chunked(fitting({ranks * 512, 128, 128}, {ranks * 256, 64, 32}), "slab", "left", Kind::r2c, 1);
    c.precision = Precision::f32;
    const auto uncut = spectrum_and_way_back(c, ranks).first;
    c.options.chunks = 4;
    // Of padded arrays: a receive buffer, and half of one; three ranks have shares of y that differ.
    const std::int64_t row = c.shape.back() / 2 + 1;
    const double padded =
        static_cast<double>(device::lines::whole_bundles(row, c.precision)) / static_cast<double>(row);
    EXPECT_LE(arrays_of_workspace(c, ranks), (ranks == 2 ? 1.52 : 2.04) * padded) << told(c, ranks);
    const auto [spectra, away] = spectrum_and_way_back(c, ranks);
    EXPECT_LE(away, 1e-5);
    float largest = 0, difference = 0;
    for (std::size_t r = 0; r < spectra.size(); ++r)
      for (std::size_t i = 0; i < spectra[r].size(); ++i) {
        largest = std::max(largest, std::abs(uncut[r][i]));
        difference = std::max(difference, std::abs(spectra[r][i] - uncut[r][i]));
      }
    EXPECT_LE(difference, 1e-6F * largest);
  }
}

/// All that is sent lies in the output where planes in padded rows leave in whole pieces and in parts: others lie where
/// the first ones have left.
TEST(DevicePipeline, SpreadsWhatItSendsInTheOutput) {
  if (!device::lines::planes_supported(128, 540, Precision::f64, true)) GTEST_SKIP() << "no plane kernels";
  const SmallerGpus smaller;
  const TransformCase c = chunked(fitting({600, 128, 540}, {150, 64, 270}), "slab", "left", Kind::r2c, 9);
  EXPECT_LE(arrays_of_workspace(c, 2), 1.05) << told(c, 2);
  EXPECT_LE(spectrum_and_way_back_of<double>(c, 2).second, 1e-13)
      << "where something was written over what had not left";
}

/// Where two axes are cut, the ranks of another group have the same runs of lines.
TEST(DevicePipeline, SpreadsPlanesOfSeveralGroups) {
  if (!device::lines::planes_supported(128, 540, Precision::f64, true)) GTEST_SKIP() << "no plane kernels";
  const SmallerGpus smaller;
  TransformCase c = chunked(fitting({2, 600, 128, 540}, {2, 150, 64, 270}), "pencil", "left", Kind::r2c, 9);
  c.options.axes = {1, 2, 3};
  EXPECT_LE(arrays_of_workspace(c, 4), 1.1) << told(c, 4);
  EXPECT_LE(spectrum_and_way_back_of<double>(c, 4).second, 1e-13);
}

/// What lies behind padded rows is in no sum of bits.
TEST(DevicePipeline, FindsFlipsInPaddedSpectra) {
  if (!device::lines::planes_checkable(128, 128)) GTEST_SKIP() << "no compiler of kernels here";
  const SmallerGpus smaller;
  TransformCase c = chunked(fitting({1056, 128, 128}, {528, 64, 32}), "slab", "left", Kind::r2c, 4);
  c.precision = Precision::f32;
  c.options.verify = true;
  Plan plan = make_plan_over(devices_for(2), c);
  const PlanReport report = plan.report();
  EXPECT_NE(report.forward.steps.front().text.find(planes("r2c", c)), std::string::npos) << report;
  VerifiedCall run(plan, c);
  EXPECT_TRUE(run.check_flip(DeviceFlip::Where{0, Moment::between, 1, 0.4, sizeof(float), 0}, Moment::between));
}

/// Planes are one pass over memory, chunk by chunk, where chunks are large enough to be worth one.
TEST(DevicePipeline, KeepsPlanesTogether) {
  const Shape shape{1024, 128, 64};
  for (const Kind kind : {Kind::c2c, Kind::r2c}) {
    if (!device::lines::planes_supported(128, 64, Precision::f64, kind != Kind::c2c))
      GTEST_SKIP() << "no plane kernels";
    TransformCase c = chunked(shape, "slab", "left", kind, 2);
    c.options.exchange = "cuda_peer_copy";  // nothing is stored
    c.options.effort = Effort::estimate;
    const std::string text = told(c, 2);
    EXPECT_NE(text.find("128 64 by plane pass (leaves the own part in place)"), std::string::npos) << text;
    c.options.chunks = 8;
    EXPECT_EQ(told(c, 2).find("plane pass"), std::string::npos) << "chunks too small for planes";
  }
}

/// 63 and 62 of the 125 points of a column, which end between those of a thread.
TEST(DevicePipeline, LeavesOwnPartsOfAnySizeInPlace) {
  if (!device::lines::planes_supported(125, 64, Precision::f32, true)) GTEST_SKIP() << "no plane kernels";
  const SmallerGpus smaller;
  TransformCase c = chunked(fitting({1100, 125, 64}, {140, 125, 32}), "slab", "left", Kind::r2c, 2);
  c.precision = Precision::f32;
  c.options.exchange = "cuda_peer_copy";
  c.options.effort = Effort::estimate;
  const std::string text = told(c, 2);
  EXPECT_NE(text.find(planes("r2c", c) + " (leaves the own part in place)"), std::string::npos) << text;
  check_case_on(2, c);
}

TEST(DevicePipeline, TakesPencilsAndBricks) {
  const std::string pencils = told(chunked({32, 32, 32}, "last-slab", "left", Kind::c2c, 2), 2);
  EXPECT_NE(pencils.find("pipeline of 2 chunks"), std::string::npos) << pencils;
  const std::string bricks = told(chunked({8, 16, 16}, "brick", "natural", Kind::r2c, 2), 4);
  EXPECT_NE(bricks.find("pipeline of 2 chunks"), std::string::npos) << bricks;
}

TEST(DevicePipeline, TellsWhatItsTransformsTake) {
  const auto bytes = [](int chunks) {
    const Plan plan = make_plan_over(devices_for(2), chunked({32, 32, 32}, "last-slab", "left", Kind::c2c, chunks));
    return plan.report().library_bytes;
  };
  EXPECT_GE(bytes(2), bytes(1));
}

TEST(DevicePipeline, CutsNothingWhereItIsToldOrTooLittleIsSent) {
  for (const int chunks : {0, 1})
    EXPECT_EQ(told(chunked({32, 32, 32}, "last-slab", "left", Kind::c2c, chunks), 2).find("pipeline"),
              std::string::npos);
}

TEST(DevicePipeline, CutsMoreWhereMoreIsSent) {
  EXPECT_EQ(gpu::automatic_chunks(0), 1);
  int before = 1;
  for (std::size_t bytes = std::size_t{1} << 20; bytes < std::size_t{1} << 40; bytes *= 2) {
    const int chunks = gpu::automatic_chunks(bytes);
    EXPECT_GE(chunks, before);
    before = chunks;
  }
  EXPECT_GT(before, 1);
}

/// Slices of other exchanges than those that write into peers' memory are not cut.
TEST(DevicePipeline, OnlyExchangesThatMoveSlicesAreCut) {
  EXPECT_TRUE(gpu::cuts_in_slices("cuda_peer"));
  EXPECT_FALSE(gpu::cuts_in_slices("host_staged"));
}

/// Passes store instead of no exchange that says how it writes.
TEST(DevicePipeline, OnlyOneExchangeLeavesOpenHowItWrites) {
  EXPECT_TRUE(gpu::leaves_way_open("cuda_peer"));
  for (const char* name : {"cuda_peer_copy", "cuda_peer_store", "host_staged"})
    EXPECT_FALSE(gpu::leaves_way_open(name)) << name;
}

}  // namespace
}  // namespace shardfft::test
