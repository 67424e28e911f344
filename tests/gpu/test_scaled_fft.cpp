// Transforms of one GPU that scale their results: by the way, or in a kernel of its own.
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "device/vendor_fft.hpp"
#include "device_fft_kit.hpp"
#include "support/smaller_gpus.hpp"

namespace shardfft {
namespace {

/// A copy that protects the input scales too.
TEST(ScaledFft, CopiesScale) {
  FftSpec rows = forward({{30, 1, 1}}, {{7, 30, 16}});
  rows.kind = Kind::r2c;
  rows = back_of(rows);
  EXPECT_EQ(passes_of(rows, 0.5), "copy, cufft");
  rows.scale = 0.5;
  check(rows, 7 * 30, "copy, cufft");
}

TEST(ScaledFft, CufftScalesItsResults) {
  FftSpec spec = cube(Kind::c2c, 17, 19);
  spec.scale = 0.5;
  const std::vector<gpu::FftPlan> plans = gpu::plans_to_try(spec);
  ASSERT_EQ(plans.back().text(), "scaled cufft 17 128 19");
  if (device::VendorFft::takes_scale(spec.kind, spec.precision)) check_plan(*plans.back().make(), spec, 17 * 128 * 19);
}

/// The kernel that prepares half a spectrum for cuFFT scales it: also planes with strides, whose ends no real array
/// has.
TEST(ScaledFft, HalvesAreScaledBeforeCufft) {
  for (const std::int64_t row : {19, 16})
    for (const bool kept : {false, true}) {
      FftSpec spec = cube(Kind::c2r, 6, row);
      spec.scale = 0.5;
      spec.preserve_input = kept;
      check(spec, static_cast<std::size_t>(6 * 128 * row), kept ? "cufft, scale, cufft" : "scale, cufft");
      spec.transform.erase(spec.transform.begin());
      spec.batch = {{5, 128 * (row / 2 + 1) + 3, 128 * row + 4}};
      check(spec, static_cast<std::size_t>(5 * (128 * row + 4)), kept ? "copy, cufft" : "scale, cufft");
    }
}

/// c2r of lines alone takes any ends of lines, if cuFFT loads them with a function of ours.
TEST(ScaledFft, CufftLoadsHalvesScaled) {
  for (const std::int64_t row : {19, 16}) {
    FftSpec spec = cube(Kind::c2r, 6, row);
    spec.scale = 0.5;
    const std::vector<gpu::FftPlan> plans = gpu::plans_to_try(spec);
    ASSERT_EQ(plans.back().text(), "cufft 6 128 + scaled cufft " + std::to_string(row));
    if (device::VendorFft::takes_scale(spec.kind, spec.precision))
      check_plan(*plans.back().make(), spec, static_cast<std::size_t>(6 * 128 * row));
  }
}

/// A plan lets cuFFT scale transforms that are worth it, or if it takes its time; its way tells another plan so.
TEST(ScaledFft, PatientPlansTryCufftThatScales) {
  const test::SmallerGpus smaller;
  given_gpu_defaults.elements_worth_linking = 1000;
  FftSpec spec = forward({{16, 18, 18}, {18, 1, 1}}, {});
  const auto made = [&](Effort effort, const std::string& chosen) {
    spec.effort = effort;
    std::string texts = chosen;
    Choice told;
    gpu::make_device_fft(spec, false, &texts, &told);
    return std::pair(texts, told.why);
  };
  EXPECT_EQ(made(Effort::patient, {}), std::pair(std::string(), std::string())) << "nothing scales";
  spec.scale = 0.5;
  EXPECT_EQ(made(Effort::measure, {}).second, "");
  if (!device::VendorFft::takes_scale(spec.kind, spec.precision)) GTEST_SKIP() << "this cuFFT does not scale";
  const auto [way, why] = made(Effort::patient, {});
  EXPECT_NE(why.find("scaled cufft 16 18"), std::string::npos) << why;
  EXPECT_NE(why.find("cufft 16 18 + scale 16 18"), std::string::npos) << why;
  EXPECT_EQ(made(Effort::patient, way).first, way);
  spec.effort = Effort::estimate;
  std::string scaled = "scaled cufft 16 18";
  const auto fft = gpu::make_device_fft(spec, false, &scaled);
  EXPECT_EQ(fft->describe().find("scale"), std::string::npos) << fft->describe();
  check_plan(*fft, spec, 16 * 18);
}

/// A plan does without it, also one whose way was found with another cuFFT.
TEST(ScaledFft, CufftScalesNoResultsOfSomeLengths) {
  const test::SmallerGpus smaller;
  given_gpu_defaults.elements_worth_linking = 1;
  constexpr std::int64_t n = 2 * 2663;
  FftSpec spec = forward({{n, 1, 1}}, {{3, n, n}});
  spec.scale = 0.5;
  for (const Effort effort : {Effort::estimate, Effort::measure})
    for (const char* way : {"", "scaled cufft 5326"}) {
      spec.effort = effort;
      std::string chosen = way;
      const auto fft = gpu::make_device_fft(spec, false, &chosen);
      if (SHARDFFT_ON_STANDIN) {
        EXPECT_EQ(chosen, "cufft 5326 + scale 5326");
      }
      check_plan(*fft, spec, 3 * n);
    }
}

}  // namespace
}  // namespace shardfft
