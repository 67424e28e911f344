// Local sizes and starts are FFTW's, and at least as much is to be allocated.
#include <gtest/gtest.h>

#include <array>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>

#include "fftw_library.hpp"

namespace shardfft::test {
namespace {

const std::vector<Sizes> shapes{{1, 1},    {7, 1},     {1, 9},       {8, 8},       {13, 5},        {5, 13},
                                {3, 2, 7}, {16, 9, 4}, {2, 3, 1, 5}, {6, 6, 6, 6}, {4, 3, 2, 3, 2}};

std::string name(const Sizes& n) {
  std::string text;
  for (const auto extent : n) text += (text.empty() ? "" : "x") + std::to_string(extent);
  return text;
}

std::array<std::ptrdiff_t, 5> transposed(const FftwLibrary& of, const Sizes& n, std::ptrdiff_t howmany,
                                         std::ptrdiff_t block0, std::ptrdiff_t block1) {
  std::array<std::ptrdiff_t, 5> answer{};
  answer[4] = of.call<std::ptrdiff_t>("mpi_local_size_many_transposed", static_cast<int>(n.size()), n.data(), howmany,
                                      block0, block1, MPI_COMM_WORLD, &answer[0], &answer[1], &answer[2], &answer[3]);
  return answer;
}

std::array<std::ptrdiff_t, 5> line(const FftwLibrary& of, std::ptrdiff_t n, std::ptrdiff_t howmany, int sign,
                                   unsigned flags) {
  std::array<std::ptrdiff_t, 5> answer{};
  answer[4] = of.call<std::ptrdiff_t>("mpi_local_size_many_1d", n, howmany, MPI_COMM_WORLD, sign, flags, &answer[0],
                                      &answer[1], &answer[2], &answer[3]);
  return answer;
}

void expect_same(const std::array<std::ptrdiff_t, 5>& ours, const std::array<std::ptrdiff_t, 5>& fftw,
                 const std::string& what) {
  for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(ours[i], fftw[i]) << what << ", number " << i;
  EXPECT_GE(ours[4], fftw[4]) << what;
}

TEST(FftwSizes, OfSeveralAxes) {
  for (const bool is_double : {true, false}) {
    const Libraries libraries(is_double);
    for (const Sizes& n : shapes)
      for (const std::ptrdiff_t howmany : {1, 3, 7})
        for (const std::ptrdiff_t block0 : {std::ptrdiff_t{0}, (n[0] + ranks() - 1) / ranks() + 1, n[0]})
          for (const std::ptrdiff_t block1 : {std::ptrdiff_t{0}, (n[1] + ranks() - 1) / ranks() + 1, n[1]})
            expect_same(transposed(libraries.ours, n, howmany, block0, block1),
                        transposed(libraries.fftw, n, howmany, block0, block1),
                        name(n) + " howmany " + std::to_string(howmany) + " blocks " + std::to_string(block0) + " " +
                            std::to_string(block1));
  }
}

TEST(FftwSizes, OfLines) {
  const Libraries libraries(true);
  for (std::ptrdiff_t n = 1; n <= 130; ++n)
    for (const std::ptrdiff_t howmany : {1, 2, 5})
      for (const int sign : {FFTW_FORWARD, FFTW_BACKWARD})
        for (const unsigned flags :
             {0u, FFTW_MPI_SCRAMBLED_IN, FFTW_MPI_SCRAMBLED_OUT, FFTW_MPI_SCRAMBLED_IN | FFTW_MPI_SCRAMBLED_OUT})
          expect_same(line(libraries.ours, n, howmany, sign, flags), line(libraries.fftw, n, howmany, sign, flags),
                      std::to_string(n) + " howmany " + std::to_string(howmany) + " sign " + std::to_string(sign) +
                          " flags " + std::to_string(flags));
}

TEST(FftwSizes, OfTheShortFunctions) {
  const Libraries libraries(true);
  const MPI_Comm world = MPI_COMM_WORLD;
  const auto all = [&](const FftwLibrary& of) {
    std::array<std::array<std::ptrdiff_t, 5>, 6> a{};
    const std::ptrdiff_t n0 = 10, n1 = 7, n2 = 5, n[] = {10, 7, 5};
    using Size = std::ptrdiff_t;
    a[0][4] = of.call<Size>("mpi_local_size_2d", n0, n1, world, &a[0][0], &a[0][1]);
    a[1][4] = of.call<Size>("mpi_local_size_2d_transposed", n0, n1, world, &a[1][0], &a[1][1], &a[1][2], &a[1][3]);
    a[2][4] = of.call<Size>("mpi_local_size_3d", n0, n1, n2, world, &a[2][0], &a[2][1]);
    a[3][4] = of.call<Size>("mpi_local_size_3d_transposed", n0, n1, n2, world, &a[3][0], &a[3][1], &a[3][2], &a[3][3]);
    a[4][4] = of.call<Size>("mpi_local_size", 3, &n[0], world, &a[4][0], &a[4][1]);
    a[5][4] = of.call<Size>("mpi_local_size_1d_f03", n0, MPI_Comm_c2f(world), FFTW_FORWARD, 0u, &a[5][0], &a[5][1],
                            &a[5][2], &a[5][3]);
    return a;
  };
  const auto ours = all(libraries.ours), fftw = all(libraries.fftw);
  for (std::size_t i = 0; i < ours.size(); ++i) expect_same(ours[i], fftw[i], "function " + std::to_string(i));
}

/// What follows each match of a pattern in a header of FFTW's.
std::set<std::string> names_in(const std::string& header, const std::string& pattern) {
  std::ostringstream text;
  text << std::ifstream(std::string(FFTW_HEADERS) + "/" + header).rdbuf();
  const std::string words = text.str();
  const std::regex name(pattern);
  std::set<std::string> found;
  for (std::sregex_iterator match(words.begin(), words.end(), name), end; match != end; ++match)
    found.insert((*match)[1].str());
  return found;
}

TEST(FftwSizes, EveryFunctionOfTheHeadersIsThere) {
  void* const ours = dlopen(SHARDFFT_FFTW_MPI, RTLD_NOW | RTLD_LOCAL);
  std::set<std::string> wanted;
  for (const std::string& name : names_in("fftw3-mpi.h", R"(XM\((\w+)\)[\s\\]*\()"))
    for (const char* const prefix : {"fftw_mpi_", "fftwf_mpi_", "fftwl_mpi_"}) wanted.insert(prefix + name);
  EXPECT_GT(wanted.size(), 100u);
  for (const char* const header : {"fftw3-mpi.f03", "fftw3l-mpi.f03"})
    wanted.merge(names_in(header, R"(name='(fftw\w+)')"));
  EXPECT_TRUE(wanted.contains("fftwf_mpi_plan_many_dft_r2c_f03"));
  for (const std::string& name : wanted) EXPECT_NE(dlsym(ours, name.c_str()), nullptr) << name;
}

}  // namespace
}  // namespace shardfft::test
