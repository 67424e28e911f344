// Transforms known by hand: they fix signs, scales and the half spectrum's edges, which round trips do not see.
#include <dlfcn.h>

#include <cstdlib>
#include <filesystem>
#include <set>

#include "fft_cases.hpp"
#include "local/backend.hpp"
#include "local/lanes.hpp"
#include "local/processor_rule.hpp"

namespace shardfft::test {
namespace {

using Complex = std::complex<double>;
using Line = std::vector<Complex>;

FftSpec line_spec(Kind kind, std::int64_t n, Direction direction, double scale = 1) {
  FftSpec spec = dense_spec(kind, {n});
  spec.direction = direction;
  spec.scale = scale;
  return spec;
}

/// Runs a 1-D double transform on complex, or real parts of, numbers.
Line run(const std::string& backend, const FftSpec& spec, const Line& input) {
  TestArray in(spec.precision, input_reals(spec)), out(spec.precision, output_reals(spec));
  for (std::size_t i = 0; i < input.size(); ++i) {
    const auto at = static_cast<std::int64_t>(i);
    if (spec.kind == Kind::r2c) {
      in.set(at, input[i].real());
    } else {
      in.set(2 * at, input[i].real());
      in.set(2 * at + 1, input[i].imag());
    }
  }
  make_local_fft(backend, spec)->execute(in.data(), out.data());
  Line result;
  if (spec.kind == Kind::c2r)
    for (std::int64_t i = 0; i < out.reals(); ++i) result.emplace_back(out.get(i));
  else
    for (std::int64_t i = 0; i < out.reals(); i += 2) result.emplace_back(out.get(i), out.get(i + 1));
  return result;
}

void expect_line(const Line& got, const Line& expected) {
  ASSERT_EQ(got.size(), expected.size());
  for (std::size_t i = 0; i < got.size(); ++i) EXPECT_NEAR(std::abs(got[i] - expected[i]), 0, 1e-13) << i << got[i];
}

class LiteralValues : public ::testing::TestWithParam<std::string> {};

TEST_P(LiteralValues, ForwardOfAnImpulseAtOneTurnsClockwise) {
  const Line impulse = {0, 1, 0, 0};
  expect_line(run(GetParam(), line_spec(Kind::c2c, 4, Direction::forward), impulse), {1, {0, -1}, -1, {0, 1}});
  expect_line(run(GetParam(), line_spec(Kind::c2c, 4, Direction::backward), impulse), {1, {0, 1}, -1, {0, -1}});
}

TEST_P(LiteralValues, FourComplexPoints) {
  const Line x = {{1, 1}, {2, -1}, {3, 0}, {4, 2}};
  expect_line(run(GetParam(), line_spec(Kind::c2c, 4, Direction::forward), x), {{10, 2}, {-5, 3}, {-2, 0}, {1, -1}});
  expect_line(run(GetParam(), line_spec(Kind::c2c, 4, Direction::backward, 0.25), x),
              {{2.5, 0.5}, {0.25, -0.25}, {-0.5, 0}, {-1.25, 0.75}});
}

TEST_P(LiteralValues, FourRealPoints) {
  const Line x = {1, 2, 3, 4};
  expect_line(run(GetParam(), line_spec(Kind::r2c, 4, Direction::forward), x), {10, {-2, 2}, -2});
  expect_line(run(GetParam(), line_spec(Kind::r2c, 4, Direction::backward), x), {10, {-2, -2}, -2});
  expect_line(run(GetParam(), line_spec(Kind::c2r, 4, Direction::backward, 0.25), {10, {-2, 2}, -2}), x);
  expect_line(run(GetParam(), line_spec(Kind::c2r, 4, Direction::forward, 0.25), {10, {-2, -2}, -2}), x);
}

TEST_P(LiteralValues, ThreeRealPointsHaveNoMiddleMode) {
  const double h = std::sqrt(3.0) / 2;
  expect_line(run(GetParam(), line_spec(Kind::r2c, 3, Direction::forward), {1, 2, 4}), {7, {-2, 2 * h}});
  expect_line(run(GetParam(), line_spec(Kind::c2r, 3, Direction::backward, 1.0 / 3), {7, {-2, 2 * h}}), {1, 2, 4});
}

TEST_P(LiteralValues, ImaginaryPartsOfTheEdgeModesAreIgnored) {
  const Line edges = {{10, 5}, {-2, 2}, {-2, -7}};
  expect_line(run(GetParam(), line_spec(Kind::c2r, 4, Direction::backward, 0.25), edges), {1, 2, 3, 4});
  expect_line(run(GetParam(), line_spec(Kind::c2r, 1, Direction::backward, 2), {{3, 9}}), {6});
}

TEST_P(LiteralValues, OneAndTwoPoints) {
  expect_line(run(GetParam(), line_spec(Kind::c2c, 1, Direction::forward, 2), {{3, -4}}), {{6, -8}});
  expect_line(run(GetParam(), line_spec(Kind::r2c, 1, Direction::forward, 2), {3}), {6});
  expect_line(run(GetParam(), line_spec(Kind::c2c, 2, Direction::forward), {{1, 2}, {3, 5}}), {{4, 7}, {-2, -3}});
  expect_line(run(GetParam(), line_spec(Kind::r2c, 2, Direction::forward), {5, 3}), {8, 2});
}

TEST_P(LiteralValues, NoPointsTouchNothing) {
  for (const Kind kind : {Kind::c2c, Kind::r2c, Kind::c2r}) {
    FftSpec spec = line_spec(kind, 0, Direction::forward);
    EXPECT_NO_THROW(make_local_fft(GetParam(), spec)->execute(nullptr, nullptr));
    spec = dense_spec(kind, {4});
    spec.batch = {{0, 4, 4}, {3, 1, 1}};
    EXPECT_NO_THROW(make_local_fft(GetParam(), spec)->execute(nullptr, nullptr));
  }
}

INSTANTIATE_TEST_SUITE_P(Backends, LiteralValues, ::testing::ValuesIn(local_fft_names()),
                         [](const auto& info) { return info.param; });

TEST(Registry, AutoIsTheOneExpectedOnThisProcessor) {
  const std::vector<Backend> all = candidates("auto");
  std::set<std::string> names;
  for (const Backend& backend : all) names.insert(backend.name);
  EXPECT_EQ(names.count("reference"), 0u) << "the oracle is no choice";
  EXPECT_EQ(names.size(), local_fft_names().size() - 1);
  EXPECT_EQ(local_fft_version("auto"), all.front().version());
  EXPECT_EQ(all.front().name, expected_fastest({names.begin(), names.end()}, processor_fact("vendor_id"),
                                               lanes::all_kernels().front().vector_bytes));
  const std::vector<Backend> pinned = candidates("reference");
  ASSERT_EQ(pinned.size(), 1u);
  EXPECT_EQ(pinned[0].name, "reference");
}

TEST(Registry, TheProcessorSaysWhichIsExpected) {
  const std::vector<std::string> all = {"mkl", "lanes", "fftw"}, without_mkl = {"lanes", "fftw"};
  for (const int bytes : {16, 32, 64}) {
    EXPECT_EQ(expected_fastest(all, "GenuineIntel", bytes), "mkl");
    const char* const expected = bytes == 64 ? "lanes" : "fftw";
    EXPECT_EQ(expected_fastest(without_mkl, "GenuineIntel", bytes), expected);
    EXPECT_EQ(expected_fastest(all, "AuthenticAMD", bytes), expected);
    EXPECT_EQ(expected_fastest(all, "", bytes), expected);
  }
  EXPECT_EQ(expected_fastest({"mkl"}, "AuthenticAMD", 64), "mkl");
}

TEST(Registry, UnknownNamesAreRefusedWithTheKnownOnes) {
  try {
    make_local_fft("fftx", dense_spec(Kind::c2c, {4}));
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Status::invalid_argument);
    EXPECT_NE(std::string(error.what()).find("fftw"), std::string::npos);
  }
}

TEST(Registry, FftwIsNotOneMklInDisguise) {
  // libmkl_intel_lp64 exports FFTW's functions; linked before FFTW it would take them over.
  EXPECT_EQ(local_fft_version("fftw").rfind("fftw-3", 0), 0u) << local_fft_version("fftw");
  if (local_fft_names().front() == "mkl") {
    EXPECT_EQ(local_fft_version("mkl").rfind("oneMKL 20", 0), 0u);
  }
}

/// Run by the next test, where /proc is empty or the working folder is gone.
TEST(Registry, DISABLED_WhereOneMklEndsProcesses) {
  if (std::getenv("SHARDFFT_TEST_FOLDER_IS_GONE") != nullptr) {
    const std::filesystem::path gone = std::filesystem::temp_directory_path() / ("gone-" + std::to_string(getpid()));
    std::filesystem::create_directory(gone);
    std::filesystem::current_path(gone);
    std::filesystem::remove(gone);
  }
  for (const std::string& name : local_fft_names()) {
    const FftSpec spec = dense_spec(Kind::c2c, {4});
    std::vector<std::complex<double>> in{1, 0, 0, 0}, out(4);
    if (name == "mkl") {
      EXPECT_THROW(make_local_fft(name, spec), Error);
      EXPECT_EQ(local_fft_version(name).rfind("oneMKL 20", 0), 0u);
    } else {
      make_local_fft(name, spec)->execute(in.data(), out.data());
      EXPECT_EQ(out[3], 1.0) << name << ' ' << local_fft_version(name);
    }
  }
}

TEST(Registry, NoLibraryEndsTheProcess) {
  const std::string program = std::filesystem::read_symlink("/proc/self/exe").string();
  const std::string run =
      "'" + program + "' --gtest_also_run_disabled_tests --gtest_filter='*WhereOneMklEndsProcesses'";
  const std::string empty = "unshare -m sh -c 'mount -t tmpfs none /proc && exec \"$@\"' sh ";
  EXPECT_EQ(std::system(("SHARDFFT_TEST_FOLDER_IS_GONE=1 " + run).c_str()), 0);
  if (std::system((empty + "true 2> /dev/null").c_str()) != 0) GTEST_SKIP() << "this user cannot empty /proc";
  EXPECT_EQ(std::system((empty + run).c_str()), 0);
}

TEST(Registry, FftwFunctionsOfBothPrecisionsComeFromFftw) {
  for (const char* function :
       {"fftw_plan_guru64_dft", "fftwf_plan_guru64_dft", "fftw_execute_dft_r2c", "fftwf_execute_dft_c2r"}) {
    void* const address = dlsym(RTLD_DEFAULT, function);
    if (address == nullptr) continue;  // linked statically
    Dl_info info;
    ASSERT_NE(dladdr(address, &info), 0);
    EXPECT_EQ(std::string(info.dli_fname).find("mkl"), std::string::npos) << function << " is in " << info.dli_fname;
  }
}

TEST(Specs, NonsenseIsRefused) {
  FftSpec spec = dense_spec(Kind::c2c, {4});
  spec.threads = 0;
  EXPECT_THROW(make_local_fft("auto", spec), Error);
  spec = dense_spec(Kind::c2c, {4});
  spec.transform[0].to = 0;
  EXPECT_THROW(make_local_fft("auto", spec), Error);
  spec = dense_spec(Kind::c2c, {-4});
  EXPECT_THROW(make_local_fft("auto", spec), Error);
  spec = FftSpec{};
  spec.kind = Kind::r2c;
  EXPECT_THROW(make_local_fft("auto", spec), Error);
}

}  // namespace
}  // namespace shardfft::test
