// Transforms of one GPU against the serial reference, each stage by the pass that is meant to run it.
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <set>
#include <vector>

#include "device/line_pass.hpp"
#include "device/vendor_fft.hpp"
#include "device_fft_kit.hpp"

namespace shardfft {
namespace {

TEST(DeviceFft, LinesAcrossOneLoop) { check(forward({{128, 64, 64}}, {{64, 1, 1}}), 128 * 64, "line pass"); }

TEST(DeviceFft, LinesAcrossTwoLoops) {
  check(forward({{128, 32, 32}}, {{3, 128 * 32, 128 * 32}, {32, 1, 1}}), 3 * 128 * 32, "line pass");
}

TEST(DeviceFft, LinesOfOtherSizes) {
  check(forward({{10, 7, 7}}, {{7, 1, 1}}), 70, "cufft");
  check(forward({{100, 21001, 21001}}, {{21001, 1, 1}}), 100 * 21001, "by line pass");
  check(forward({{105, 50, 50}}, {{401, 5250, 5250}, {50, 1, 1}}), 401 * 5250, "by line pass");
}

/// What a spectrum of real numbers has none of: imaginary parts of the first number of a halved line and, if their
/// number is even, of the last one. cuFFT on its own heeds them at some of these lengths, where many lines are one
/// batch.
TEST(DeviceFft, ImaginaryPartsAtTheEndsOfHalvedLinesCountForNothing) {
  constexpr std::int64_t lines = 16384;
  for (const std::int64_t n : {33, 128, 256}) {
    const std::int64_t half = n / 2 + 1;
    FftSpec spec;
    spec.kind = Kind::c2r;
    spec.direction = Direction::backward;
    spec.precision = Precision::f32;
    spec.transform = {{n, 1, 1}};
    spec.batch = {{lines, half, n}};
    spec.effort = Effort::estimate;
    const auto operation = gpu::make_device_fft(spec);
    EXPECT_NE(operation->describe().find("cufft"), std::string::npos) << operation->describe();
    std::vector<std::complex<float>> in(static_cast<std::size_t>(lines * half));
    std::mt19937 random(5);
    std::uniform_real_distribution<float> value(-1, 1);
    for (auto& z : in) z = {value(random), value(random)};
    std::vector<float> results[2];
    for (std::vector<float>& result : results) {
      result.resize(static_cast<std::size_t>(lines * n));
      run_on_copies(*operation, in, result);
      for (std::int64_t line = 0; line < lines; ++line) {
        in[static_cast<std::size_t>(line * half)].imag(0);
        if (n % 2 == 0) in[static_cast<std::size_t>((line + 1) * half - 1)].imag(0);
      }
    }
    float difference = 0;
    for (std::size_t i = 0; i < results[0].size(); ++i)
      difference = std::max(difference, std::abs(results[0][i] - results[1][i]));
    EXPECT_LT(difference, 1e-4F) << n;
  }
}

/// The scale is a pass of its own.
TEST(DeviceFft, StridedLinesOfLargeArraysAreTransposed) {
  check(forward({{521, 4099, 4099}}, {{4099, 1, 1}}), 521 * 4099, "by transposed cufft");
  check(forward({{521, 32, 32}}, {{130, 521 * 32, 521 * 32}, {32, 1, 1}}), 521 * 130 * 32, "by transposed cufft");
  FftSpec turned = forward({{521, 4099, 1}}, {{4099, 1, 521}});
  turned.scale = 0.5;
  check(turned, 521 * 4099, "by transposed cufft, scale");
  turned.direction = Direction::backward;
  check(turned, 521 * 4099, "by transposed cufft, scale");
  FftSpec narrow = forward({{521, 4099, 4099}}, {{4099, 1, 1}});
  narrow.precision = Precision::f32;
  EXPECT_EQ(passes_of(narrow), "cufft");
  EXPECT_EQ(passes_of(forward({{509, 4199, 4199}}, {{4199, 1, 1}})), "cufft") << "short lines";
  EXPECT_EQ(passes_of(forward({{521, 101, 101}}, {{101, 1, 1}})), "cufft") << "small";
}

/// Planes are cut in pieces of 103 and 104 columns.
TEST(DeviceFft, TransposedPiecesOfTwoSizes) {
  constexpr std::int64_t n = 521, columns = 310, planes = 3;
  constexpr std::size_t points = n * columns * planes, bytes = points * sizeof(Complex);
  const FftSpec spec = forward({{n, columns, columns}}, {{planes, n * columns, n * columns}, {columns, 1, 1}});
  std::vector<Complex> in(points), expected(points), got(points);
  std::mt19937 random(3);
  std::uniform_real_distribution<double> value(-1, 1);
  for (Complex& z : in) z = {value(random), value(random)};
  make_local_fft("fftw", spec)->execute(std::vector<Complex>(in).data(), expected.data());
  const gpu::PassPointer pass = gpu::pass_named("transposed cufft").make(spec, {.piece_bytes = 1 << 20});
  EXPECT_LE(pass->scratch_bytes(), std::size_t{1} << 20);
  const device::Memory source = device::make_memory(bytes), target = device::make_memory(bytes),
                       scratch = device::make_memory(pass->scratch_bytes());
  const device::Stream stream = device::make_stream();
  device::copy_bytes(source.get(), in.data(), bytes, stream.get());
  pass->enqueue({static_cast<const std::byte*>(source.get()), static_cast<std::byte*>(target.get()),
                 static_cast<std::byte*>(scratch.get())},
                stream.get());
  device::copy_bytes(got.data(), target.get(), bytes, stream.get());
  device::synchronize(stream.get());
  for (std::size_t i = 0; i < points; ++i) ASSERT_LT(std::abs(got[i] - expected[i]), 1e-11) << "at " << i;
}

/// With the option verify a kernel without sums would be compiled for nothing: it never runs.
TEST(DeviceFft, WithVerifyOnlyKernelsThatSumAreMade) {
  constexpr std::int64_t n = 351, columns = 128, planes = 48;  // a length of no other test
  FftSpec spec = forward({{n, columns, columns}}, {{planes, n * columns, n * columns}, {columns, 1, 1}});
  spec.effort = Effort::estimate;
  const gpu::FftPlan plan = gpu::plan_fft(spec);
  if (!plan.checks_itself()) GTEST_SKIP() << "no compiler of kernels";
  const device::Memory in = device::make_memory(n * columns * planes * sizeof(Complex)),
                       out = device::make_memory(n * columns * planes * sizeof(Complex));
  const device::Stream stream = device::make_stream();
  const gpu::DeviceBuffers arrays{static_cast<const std::byte*>(in.get()), static_cast<std::byte*>(out.get()), nullptr};
  EXPECT_THROW(plan.make(true)->enqueue(0, arrays, stream.get()), Error);
  EXPECT_NO_THROW(plan.make()->enqueue(0, arrays, stream.get()));
  device::synchronize(stream.get());
}

/// Kernels count in 32 bits; cuFFT does not.
TEST(DeviceFft, MoreLinesThanKernelsCountAreLeftToCufft) {
  const auto lines = [](std::int64_t across, std::int64_t outer) {
    return forward({{128, across, across}}, {{outer, 128 * across, 128 * across}, {across, 1, 1}});
  };
  constexpr std::int64_t most = std::int64_t{1} << 30;
  for (const auto& [across, outer] :
       {std::pair{most - 64, std::int64_t{1}}, {most / 64, 64}, {std::int64_t{32}, most / 32}}) {
    EXPECT_EQ(gpu::find_own_pass(lines(across, outer)) != nullptr, device::lines::supported(128));
    EXPECT_EQ(gpu::find_own_pass(lines(across + 64, outer)), nullptr);
    EXPECT_EQ(gpu::find_own_pass(lines(across, outer + 1)), nullptr);
  }
  FftSpec planes = cube(Kind::c2c, 128, 128);
  planes.batch = {{most / 128 + 1, 128 * 128, 128 * 128}};
  planes.transform.erase(planes.transform.begin());
  EXPECT_EQ(gpu::find_own_pass(planes), nullptr);
}

TEST(DeviceFft, LengthsThatAnIntWouldTakeFor128AreLeftToCufft) {
  constexpr std::int64_t huge = (std::int64_t{1} << 32) + 128;
  EXPECT_EQ(gpu::find_own_pass(forward({{huge, 16, 16}}, {{16, 1, 1}})), nullptr);
  EXPECT_EQ(gpu::find_own_pass(forward({{huge, 128, 128}, {128, 1, 1}}, {})), nullptr);
  EXPECT_EQ(gpu::find_own_pass(forward({{128, huge, huge}, {huge, 1, 1}}, {})), nullptr);
}

TEST(DeviceFft, SlowAxesOfLargeArraysAreLinePasses) {
  EXPECT_EQ(passes_of(cube(Kind::c2c, 128, 128), 0.5), "plane pass, line pass");
  EXPECT_EQ(passes_of(cube(Kind::c2c, 128, 256), 0.5), "plane pass, line pass");
  EXPECT_EQ(passes_of(cube(Kind::c2c, 128, 272), 0.5), "cufft, line pass, line pass") << "no kernel for the rows";
  EXPECT_EQ(passes_of(cube(Kind::r2c, 128, 128), 0.5), "plane pass, line pass");
  EXPECT_EQ(passes_of(cube(Kind::c2r, 128, 128), 0.5), "line pass, plane pass");
  FftSpec spent = cube(Kind::c2r, 128, 128);
  spent.preserve_input = false;
  EXPECT_EQ(passes_of(spent, 0.5), "line pass, plane pass");
  FftSpec narrow = cube(Kind::r2c, 128, 128);
  narrow.precision = Precision::f32;
  EXPECT_EQ(passes_of(narrow), "cufft, line pass") << "rows of 65 numbers of 8 bytes";
  EXPECT_EQ(passes_of(cube(Kind::r2c, 128, 256), 0.5), "plane pass, line pass");
  EXPECT_EQ(passes_of(cube(Kind::c2r, 128, 256), 0.5), "line pass, plane pass");
  EXPECT_EQ(passes_of(cube(Kind::r2c, 128, 272), 0.5), "cufft, line pass");
  EXPECT_EQ(passes_of(cube(Kind::c2r, 128, 272), 0.5), "line pass, cufft");
  EXPECT_EQ(passes_of(forward({{128, 128 * 128, 128 * 128}, {128, 1, 1}}, {{128, 128, 128}}), 0.5), "plane pass")
      << "the planes of the first axis and the last one";
  EXPECT_EQ(passes_of(cube(Kind::c2c, 131, 128)), "cufft") << "no kernel for the slowest axis";
  EXPECT_EQ(passes_of(cube(Kind::c2c, 128, 32)), "cufft") << "small";
  EXPECT_EQ(passes_of(forward({{128, 128, 128}, {128, 1, 1}}, {})), "cufft") << "one plane";
}

/// Rows of 137 numbers begin within runs of memory, and 128 is a power of two: cuFFT is fast where one call can do it.
TEST(DeviceFft, LoneAxesThatCufftWouldNeedManyCallsForAreLinePasses) {
  const FftSpec many = forward({{128, 137, 137}}, {{128, 128 * 137, 128 * 137}, {137, 1, 1}});
  EXPECT_EQ(passes_of(many), "line pass");
  EXPECT_EQ(gpu::find_own_pass(many), nullptr) << "beside other axes";
  FftSpec narrow = many;
  narrow.precision = Precision::f32;
  if (device::lines::takes_odd_rows(128)) {
    EXPECT_EQ(passes_of(narrow), "line pass");
  }
  EXPECT_EQ(passes_of(forward({{128, 128 * 137, 128 * 137}}, {{128 * 137, 1, 1}})), "line pass") << "aligned";
  EXPECT_EQ(passes_of(forward({{128, 16385, 16385}}, {{16385, 1, 1}})), "cufft") << "one call";
}

/// cuFFT's transform of contiguous lines that has a work area crosses memory more than once.
TEST(DeviceFft, RowsThatCufftTakesTwiceAreRowPasses) {
  struct Planes {
    std::int64_t count, n;
  };
  for (const auto [count, n] : {Planes{128, 128}, {2, 1344}}) {
    SCOPED_TRACE(n);
    const device::VendorFftSpec vendor{Kind::c2c, Precision::f64, {n}, count * n, {{}, 1, n}, {{}, 1, n}};
    const std::size_t work = device::VendorFft::work_bytes_of(vendor);
    EXPECT_EQ(work, device::VendorFft(vendor).work_bytes());
    const FftSpec rows = forward({{n, 1, 1}}, {{count, n * n, n * n}, {n, n, n}});
    check(rows, count * n * n, work > 0 ? "row pass" : "cufft");
    FftSpec back = rows;
    back.direction = Direction::backward;
    back.preserve_input = true;
    EXPECT_EQ(passes_of(back), work > 0 ? "row pass" : "cufft") << "rows alone do not write their input";
  }
}

/// Of an input that must stay one axis leads away first: c2r over several axes would write over it.
TEST(DeviceFft, KeptInputsOfRealResultsAreNotCopied) {
  EXPECT_EQ(passes_of(cube(Kind::c2r, 10, 16)), "cufft, cufft");
  FftSpec spent = cube(Kind::c2r, 10, 16);
  spent.preserve_input = false;
  EXPECT_EQ(passes_of(spent), "cufft");
}

TEST(DeviceFft, LargeCubes) { check(cube(Kind::c2c, 128, 128), 128 * 128 * 128, "plane pass, line pass"); }
TEST(DeviceFft, LargeBoxes) {
  check(cube(Kind::c2c, 128, 256), 128 * 128 * 256, "plane pass, line pass");
  check(cube(Kind::c2c, 128, 272), 128 * 128 * 272, "line pass, line pass");
}
TEST(DeviceFft, BackwardCubes) {
  FftSpec spec = cube(Kind::c2c, 128, 128);
  spec.direction = Direction::backward;
  check(spec, 128 * 128 * 128, "plane pass, line pass");
}
TEST(DeviceFft, RealCubes) {
  FftSpec there = cube(Kind::r2c, 128, 128), back = cube(Kind::c2r, 128, 128);
  there.scale = back.scale = 0.5;
  check(there, 128 * 128 * 65, "plane pass, line pass");
  check(back, 128 * 128 * 65, "line pass, plane pass");
}
TEST(DeviceFft, ManyRealPlanes) {
  FftSpec there = forward({{128, 128, 65}, {128, 1, 1}}, {{130, 128 * 128, 128 * 65}});
  there.kind = Kind::r2c;
  FftSpec back = back_of(there);
  check(there, 130 * 128 * 65, "plane pass");
  check(back, 130 * 128 * 65, "copy, plane pass");
  back.preserve_input = false;
  check(back, 130 * 128 * 65, "plane pass");
}
TEST(DeviceFft, ManyPlanes) {
  check(forward({{128, 128, 128}, {128, 1, 1}}, {{130, 128 * 128, 128 * 128}}), 130 * 128 * 128, "plane pass");
}

/// Axes of 17 and 19 points have no pass of our own: cuFFT is asked for all axes in one call, and in several. The
/// input of a c2r must stay.
TEST(DeviceFft, TriesCufftInOneCallAndInSeveral) {
  const auto names_of = [](const std::vector<gpu::FftPlan>& plans) {
    std::vector<std::string> names;
    for (const gpu::FftPlan& plan : plans) {
      const std::string text = plan.make()->describe();
      names.push_back(text.substr(text.find(" by ") + 4));
    }
    return names;
  };
  using Names = std::vector<std::string>;
  const std::map<Kind, Names> expected{
      {Kind::c2c, {"cufft", "cufft, cufft", "cufft, cufft", "cufft, 17 calls of cufft, cufft"}},
      {Kind::r2c, {"cufft", "cufft, cufft", "cufft, cufft", "cufft, 10 calls of cufft, cufft"}},
      {Kind::c2r, {"cufft, cufft", "copy, cufft", "cufft, cufft", "cufft, 10 calls of cufft, cufft"}}};
  for (const auto& [kind, tried] : expected) {
    const FftSpec spec = cube(kind, 17, 19);
    const std::vector<gpu::FftPlan> plans = gpu::plans_to_try(spec);
    EXPECT_EQ(names_of(plans), tried) << static_cast<int>(kind);
    for (const gpu::FftPlan& plan : plans) check_plan(*plan.make(), spec, 17 * 128 * 19);
  }
  EXPECT_EQ(gpu::plans_to_try(cube(Kind::c2c, 14, 15)).size(), 1U);  // lengths of our own passes are left to them
}

/// Alternatives to planes and lines need no kernels beside those of planes and lines: a first plan waits for compilers.
TEST(DeviceFft, ATrialAsksForFewKernels) {
  std::size_t asked = 0, plans = 0;
  for (const Kind kind : {Kind::c2c, Kind::r2c, Kind::c2r})
    for (const Shape& n : {Shape{252, 300, 360}, {400, 189, 225}, {270, 512, 150}, {450, 160, 324}, {144, 700, 216}}) {
      FftSpec spec;
      const std::int64_t row = kind == Kind::c2c ? n[2] : n[2] / 2 + 1;
      const std::int64_t in = kind == Kind::c2r ? row : n[2], out = kind == Kind::r2c ? row : n[2];
      spec.kind = kind;
      spec.direction = kind == Kind::c2r ? Direction::backward : Direction::forward;
      spec.transform = {{n[0], n[1] * in, n[1] * out}, {n[1], in, out}, {n[2], 1, 1}};
      spec.preserve_input = false;
      std::set<std::string> kernels;
      for (const gpu::FftPlan& plan : gpu::plans_to_try(spec)) {
        kernels.merge(plan.kernels());
        ++plans;
      }
      asked += kernels.size();
    }
  EXPECT_LE(asked, 30U) << plans << " plans";
}

TEST(DeviceFft, WhateverATrialTakesIsRight) {
  const std::int64_t n = 128, points = n * n * n;
  FftSpec spec;
  spec.transform = {{n, n * n, n * n}, {n, n, n}, {n, 1, 1}};
  spec.scale = 0.25;
  check(spec, static_cast<std::size_t>(points), "", Effort::measure);
}

}  // namespace
}  // namespace shardfft
