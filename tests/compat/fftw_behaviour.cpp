// What plans do beside transforming, and what is refused: on every rank, with the reason.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>

#include "fftw_library.hpp"

namespace shardfft::test {
namespace {

using Size = std::ptrdiff_t;

class FftwBehaviour : public testing::Test {
 protected:
  const Libraries libraries{true};
  const FftwLibrary& ours = libraries.ours;
  std::vector<double> in = std::vector<double>(2 * 16 * 16 * 16, 0.5), out = in;

  fftw_plan plan(MPI_Comm comm, Size n, unsigned flags = FFTW_ESTIMATE, int sign = FFTW_FORWARD) {
    return ours.call<fftw_plan>("mpi_plan_dft_3d", n, n, n, in.data(), out.data(), comm, sign, flags);
  }
  void expect_refused(fftw_plan plan, const std::string& why) {
    EXPECT_EQ(plan, nullptr) << why;
    EXPECT_NE(last_error().find(why), std::string::npos) << "'" << last_error() << "' does not say: " << why;
  }
};

TEST_F(FftwBehaviour, PlansTellWhatTheyAre) {
  fftw_plan made = plan(MPI_COMM_WORLD, 8);
  ASSERT_NE(made, nullptr) << last_error();
  EXPECT_EQ(last_error(), "");
  char* const text = fftw_sprint_plan(made);
  EXPECT_EQ(std::string(text), "(shardfft-c2c-8x8x8-ranks" + std::to_string(ranks()) + ")");
  std::free(text);
  double add = 0, multiply = 0, both = 0;
  fftw_flops(made, &add, &multiply, &both);
  // FFTW's own MPI library, which this program has begun too, asks all ranks only for plans of its own.
  EXPECT_EQ(add + multiply + 2 * both, 5.0 * 512 * 9);
  EXPECT_EQ(fftw_cost(made), 5.0 * 512 * 9);
  EXPECT_GT(fftw_estimate_cost(made), 0);
  fftw_destroy_plan(made);
  fftw_destroy_plan(nullptr);
}

TEST_F(FftwBehaviour, OtherArraysAndThePlannedOnes) {
  fftw_plan made = plan(MPI_COMM_WORLD, 8);
  ASSERT_NE(made, nullptr) << last_error();
  std::vector<double> other_in(in.size(), 0.25), other_out(in.size());
  ours.call<void>("mpi_execute_dft", made, other_in.data(), other_out.data());
  ours.call<void>("mpi_execute_dft", made, other_in.data(), other_in.data());  // in place, though planned for two
  fftw_execute(made);
  const bool first = rank() == 0;
  EXPECT_NEAR(out[0], first ? 512 * 0.5 : 0, 1e-12);
  EXPECT_NEAR(other_out[1], first ? 512 * 0.25 : 0, 1e-12);
  EXPECT_NEAR(other_in[1], first ? 512 * 0.25 : 0, 1e-12);
  fftw_destroy_plan(made);
}

TEST_F(FftwBehaviour, OtherArraysOfRealTransforms) {
  const auto real_plan = [&](const char* name) {
    return ours.call<fftw_plan>(name, Size{8}, Size{8}, Size{8}, in.data(), out.data(), MPI_COMM_WORLD, FFTW_ESTIMATE);
  };
  const fftw_plan forward = real_plan("mpi_plan_dft_r2c_3d"), backward = real_plan("mpi_plan_dft_c2r_3d");
  const fftw_plan lines = ours.call<fftw_plan>("mpi_plan_r2r_2d", Size{8}, Size{8}, in.data(), out.data(),
                                               MPI_COMM_WORLD, FFTW_REDFT10, FFTW_DHT, FFTW_ESTIMATE);
  ASSERT_TRUE(forward && backward && lines) << last_error();
  std::vector<double> real(in.size(), 0.25), half(in.size()), again(in.size()), sums(in.size());
  ours.call<void>("mpi_execute_dft_r2c", forward, real.data(), half.data());
  ours.call<void>("mpi_execute_dft_c2r", backward, half.data(), again.data());
  ours.call<void>("mpi_execute_r2r", lines, real.data(), sums.data());
  EXPECT_NEAR(half[0], rank() == 0 ? 512 * 0.25 : 0, 1e-12);
  EXPECT_NEAR(again[0], 512 * 0.25, 1e-12);
  EXPECT_NEAR(sums[0], rank() == 0 ? 2 * 64 * 0.25 : 0, 1e-12);
  for (const fftw_plan made : {forward, backward, lines}) fftw_destroy_plan(made);
}

/// Where both sides are bricks, lines are made whole in between by blocks of another size.
TEST_F(FftwBehaviour, RealLinesOfBricksStayWithinTheirArrays) {
  constexpr double behind = -7;
  for (const std::vector<fftw_mpi_ddim>& dims :
       {std::vector<fftw_mpi_ddim>{{5, 3, 3}, {5, 3, 3}}, std::vector<fftw_mpi_ddim>{{4, 2, 2}, {4, 2, 2}, {2, 2, 2}},
        std::vector<fftw_mpi_ddim>{{5, 5, 3}, {6, 3, 3}, {4, 2, 4}}}) {
    const int axes = static_cast<int>(dims.size());
    const std::vector<int> kinds(dims.size(), FFTW_DHT);
    Sizes numbers(4 * dims.size());
    Size* const n = numbers.data();
    for (const Size howmany : {Size{1}, Size{3}}) {
      const auto size =
          static_cast<std::size_t>(ours.call<Size>("mpi_local_size_guru", axes, dims.data(), howmany, MPI_COMM_WORLD, n,
                                                   n + axes, n + 2 * axes, n + 3 * axes, FFTW_FORWARD, 0u));
      std::vector<double> from(size + 256, behind), to(size + 256, behind);
      const auto made = ours.call<fftw_plan>("mpi_plan_guru_r2r", axes, dims.data(), howmany, from.data(), to.data(),
                                             MPI_COMM_WORLD, kinds.data(), FFTW_ESTIMATE);
      if (!made && ranks() < 4) continue;  // there are more blocks than ranks
      ASSERT_NE(made, nullptr) << last_error();
      fftw_execute(made);
      fftw_destroy_plan(made);
      for (const auto& array : {from, to}) EXPECT_EQ(std::count(array.end() - 256, array.end(), behind), 256);
    }
  }
}

/// Inside they may share what they are made of.
TEST_F(FftwBehaviour, BothDirectionsOutliveEachOther) {
  const fftw_plan first = plan(MPI_COMM_WORLD, 8), back = plan(MPI_COMM_WORLD, 8, FFTW_ESTIMATE, FFTW_BACKWARD);
  ASSERT_TRUE(first && back) << last_error();
  fftw_execute(first);
  const double sum = out[0];
  fftw_destroy_plan(first);
  fftw_execute(back);
  EXPECT_NEAR(sum, rank() == 0 ? 512 * 0.5 : 0, 1e-12);
  EXPECT_NEAR(out[0], sum, 1e-12);
  const fftw_plan again = plan(MPI_COMM_WORLD, 8);
  fftw_destroy_plan(back);
  std::fill(out.begin(), out.end(), -1.0);
  fftw_execute(again);
  EXPECT_NEAR(out[0], sum, 1e-12);
  fftw_destroy_plan(again);
}

TEST_F(FftwBehaviour, CopiesOutliveTheirPlans) {
  auto* const copy = reinterpret_cast<fftw_plan (*)(fftw_plan)>(dlsym(RTLD_DEFAULT, "fftw_copy_plan"));
  if (!copy) GTEST_SKIP() << "this FFTW has no fftw_copy_plan (3.3.11 and newer)";
  fftw_plan made = plan(MPI_COMM_WORLD, 8);
  ASSERT_NE(made, nullptr) << last_error();
  fftw_plan other = copy(made);
  fftw_destroy_plan(made);
  fftw_execute(other);
  EXPECT_NEAR(out[0], rank() == 0 ? 512 * 0.5 : 0, 1e-12);
  fftw_destroy_plan(other);
}

TEST_F(FftwBehaviour, CleaningUpHurtsNoPlan) {
  const Size n[] = {6, 10};
  const int kinds[] = {FFTW_REDFT10, FFTW_DHT};
  fftw_plan complex = plan(MPI_COMM_WORLD, 13);
  fftw_plan real =
      ours.call<fftw_plan>("mpi_plan_r2r", 2, &n[0], in.data(), out.data(), MPI_COMM_WORLD, &kinds[0], FFTW_ESTIMATE);
  ASSERT_TRUE(complex && real) << last_error();
  ours.call<void>("mpi_cleanup");
  fftw_cleanup();
  fftw_execute(real);
  fftw_execute(complex);
  EXPECT_NEAR(out[0], rank() == 0 ? 13 * 13 * 13 * 0.5 : 0, 1e-9);
  fftw_destroy_plan(real);
  fftw_destroy_plan(complex);
  fftw_plan again = plan(MPI_COMM_WORLD, 8);
  EXPECT_NE(again, nullptr) << last_error();
  fftw_destroy_plan(again);
}

TEST_F(FftwBehaviour, ManyPlansGiveTheirCommunicatorsBack) {
  for (int i = 0; i < 40; ++i) {
    fftw_plan made = plan(MPI_COMM_WORLD, 4);
    ASSERT_NE(made, nullptr) << last_error();
    fftw_destroy_plan(made);
  }
}

TEST_F(FftwBehaviour, WisdomTravels) {
  fftw_forget_wisdom();
  std::vector<double> line(2 * 480);
  auto* const numbers = reinterpret_cast<fftw_complex*>(line.data());
  if (rank() == ranks() - 1) fftw_destroy_plan(fftw_plan_dft_1d(480, numbers, numbers, FFTW_FORWARD, FFTW_MEASURE));
  const auto knows = [&] {
    fftw_plan known = fftw_plan_dft_1d(480, numbers, numbers, FFTW_FORWARD, FFTW_MEASURE | FFTW_WISDOM_ONLY);
    if (known) fftw_destroy_plan(known);
    return known != nullptr;
  };
  EXPECT_EQ(knows(), rank() == ranks() - 1);
  ours.call<void>("mpi_gather_wisdom", MPI_COMM_WORLD);
  EXPECT_EQ(knows(), rank() == 0 || rank() == ranks() - 1);
  ours.call<void>("mpi_broadcast_wisdom", MPI_COMM_WORLD);
  EXPECT_TRUE(knows());
}

TEST_F(FftwBehaviour, BadArguments) {
  expect_refused(plan(MPI_COMM_WORLD, 0), "extents must be positive");
  expect_refused(plan(MPI_COMM_WORLD, -4), "extents must be positive");
  expect_refused(plan(MPI_COMM_WORLD, 8, FFTW_ESTIMATE, 3), "the sign is 3");
  expect_refused(plan(MPI_COMM_NULL, 8), "MPI_COMM_NULL");
  expect_refused(plan(MPI_COMM_WORLD, 8, FFTW_WISDOM_ONLY), "FFTW_WISDOM_ONLY");
  expect_refused(plan(MPI_COMM_WORLD, 8, FFTW_ESTIMATE | FFTW_MPI_SCRAMBLED_OUT), "FFTW_MPI_SCRAMBLED");
  const Size n[] = {5, 4, 4, 4, 4};
  expect_refused(ours.call<fftw_plan>("mpi_plan_dft", 5, &n[0], in.data(), out.data(), MPI_COMM_WORLD, FFTW_FORWARD,
                                      FFTW_ESTIMATE),
                 "5 axes");
  expect_refused(ours.call<fftw_plan>("mpi_plan_dft", 0, &n[0], in.data(), out.data(), MPI_COMM_WORLD, FFTW_FORWARD,
                                      FFTW_ESTIMATE),
                 "one axis at least");
  expect_refused(
      ours.call<fftw_plan>("mpi_plan_dft_r2c", 1, &n[0], in.data(), out.data(), MPI_COMM_WORLD, FFTW_ESTIMATE),
      "real transforms of one axis");
  const Size one[] = {1, 4};
  const int kinds[] = {FFTW_REDFT00, 11};
  expect_refused(
      ours.call<fftw_plan>("mpi_plan_r2r", 2, &one[0], in.data(), out.data(), MPI_COMM_WORLD, &kinds[0], FFTW_ESTIMATE),
      "FFTW_REDFT00");
  expect_refused(
      ours.call<fftw_plan>("mpi_plan_r2r", 1, &one[1], in.data(), out.data(), MPI_COMM_WORLD, &kinds[1], FFTW_ESTIMATE),
      "11 is not an r2r kind");
  if (ranks() < 5)
    expect_refused(ours.call<fftw_plan>("mpi_plan_many_dft", 2, &n[0], Size{1}, Size{1}, Size{1}, in.data(), out.data(),
                                        MPI_COMM_WORLD, FFTW_FORWARD, FFTW_ESTIMATE),
                   "the blocks are too short");
}

TEST_F(FftwBehaviour, RanksThatDisagree) {
  if (ranks() == 1) GTEST_SKIP() << "one rank agrees with itself";
  const bool other = rank() == ranks() - 1;
  expect_refused(plan(MPI_COMM_WORLD, other ? 6 : 8), "the ranks gave different arguments");
  expect_refused(plan(MPI_COMM_WORLD, other ? -1 : 8), other ? "extents must be positive" : "another rank refused");
  expect_refused(ours.call<fftw_plan>("mpi_plan_dft_3d", Size{8}, Size{8}, Size{8}, in.data(),
                                      other ? in.data() : out.data(), MPI_COMM_WORLD, FFTW_FORWARD, FFTW_ESTIMATE),
                 "on some ranks input and output are one array");
}

TEST_F(FftwBehaviour, OptionsOfTheLibrary) {
  setenv("SHARDFFT_FFTW_OPTIONS", "exchange=p2p local_fft=fftw", 1);
  fftw_plan made = plan(MPI_COMM_WORLD, 8);
  EXPECT_NE(made, nullptr) << last_error();
  fftw_destroy_plan(made);
  setenv("SHARDFFT_FFTW_OPTIONS", "exchang=p2p", 1);
  for (const bool is_first : {true, false}) {
    testing::internal::CaptureStderr();
    expect_refused(plan(MPI_COMM_WORLD, 8), "SHARDFFT_FFTW_OPTIONS: unknown option 'exchang'");
    const std::string said = testing::internal::GetCapturedStderr();
    EXPECT_EQ(said.find("unknown option 'exchang'") != std::string::npos, is_first && rank() == 0) << said;
  }
  setenv("SHARDFFT_FFTW_OPTIONS", "exchange=pigeons", 1);
  expect_refused(plan(MPI_COMM_WORLD, 8), "pigeons");
  setenv("SHARDFFT_FFTW_OPTIONS", "exchange", 1);
  expect_refused(plan(MPI_COMM_WORLD, 8), "NAME=VALUE");
  if (rank() > 0) unsetenv("SHARDFFT_FFTW_OPTIONS");
  expect_refused(plan(MPI_COMM_WORLD, 8), rank() == 0 ? "NAME=VALUE" : "another rank refused");
  unsetenv("SHARDFFT_FFTW_OPTIONS");
}

/// The situation and the bound of PETSc's ex144: a real field that is nearly constant comes back.
TEST_F(FftwBehaviour, NearlyConstantFieldsComeBack) {
  constexpr Size n = 2056, padded = 2 * (n / 2 + 1);
  Size rows = 0, first = 0;
  const auto room = ours.call<Size>("mpi_local_size_2d", n, n / 2 + 1, MPI_COMM_WORLD, &rows, &first);
  std::vector<double> x(static_cast<std::size_t>(2 * room)), spectrum(x.size()), back(x.size());
  const auto field = [&](Size row, Size column) {
    return row + first < 2 && column < 2 ? static_cast<double>(row + first) - 0.25 * static_cast<double>(column) : 0.5;
  };
  for (Size row = 0; row < rows; ++row)
    for (Size column = 0; column < n; ++column) x[static_cast<std::size_t>(row * padded + column)] = field(row, column);
  const auto forward =
      ours.call<fftw_plan>("mpi_plan_dft_r2c_2d", n, n, x.data(), spectrum.data(), MPI_COMM_WORLD, FFTW_ESTIMATE);
  const auto backward =
      ours.call<fftw_plan>("mpi_plan_dft_c2r_2d", n, n, spectrum.data(), back.data(), MPI_COMM_WORLD, FFTW_ESTIMATE);
  ASSERT_TRUE(forward && backward) << last_error();
  fftw_execute(forward);
  fftw_execute(backward);
  double difference = 0;
  for (Size row = 0; row < rows; ++row)
    for (Size column = 0; column < n; ++column)
      difference += std::abs(back[static_cast<std::size_t>(row * padded + column)] / (n * n) - field(row, column));
  MPI_Allreduce(MPI_IN_PLACE, &difference, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  EXPECT_LT(difference, 1e-10);
  fftw_destroy_plan(forward);
  fftw_destroy_plan(backward);
}

TEST_F(FftwBehaviour, RanksWithoutDataMayHaveNoArrays) {
  const bool has_data = rank() < 2;
  fftw_plan made = ours.call<fftw_plan>("mpi_plan_dft_2d", Size{2}, Size{3}, has_data ? in.data() : nullptr,
                                        has_data ? out.data() : nullptr, MPI_COMM_WORLD, FFTW_FORWARD, FFTW_ESTIMATE);
  ASSERT_NE(made, nullptr) << last_error();
  fftw_execute(made);
  EXPECT_NEAR(out[0], rank() == 0 ? 3 : rank() == 1 && ranks() > 1 ? 0 : 0.5, 1e-12);
  fftw_destroy_plan(made);
}

TEST(FftwLongDouble, IsRefused) {
  void* const handle = dlopen(SHARDFFT_FFTW_MPI, RTLD_NOW | RTLD_LOCAL);
  auto* const plan = reinterpret_cast<decltype(&fftwl_mpi_plan_dft_2d)>(dlsym(handle, "fftwl_mpi_plan_dft_2d"));
  fftwl_complex numbers[16];
  EXPECT_EQ(plan(4, 4, numbers, numbers, MPI_COMM_WORLD, FFTW_FORWARD, FFTW_ESTIMATE), nullptr);
  EXPECT_NE(last_error().find("long double"), std::string::npos) << last_error();
}

}  // namespace
}  // namespace shardfft::test
