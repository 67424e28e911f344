// More than 2^31 elements on a rank and in a message, moved and transformed for real; plans of more. Only where the
// environment has SHARDFFT_TEST_LARGE, and there is memory for it: .ci/run large.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <numbers>

#include "base/aligned.hpp"
#include "base/available_memory.hpp"
#include "shardfft/options.hpp"
#include "shardfft/plan.hpp"
#include "shardfft/redistribution.hpp"
#include "support/world.hpp"

namespace shardfft::test {
namespace {

constexpr std::int64_t giga = std::int64_t{1} << 30;

/// Why the ranks, which need `bytes` each, cannot run it here; empty where they can.
std::string reason_to_skip(int ranks, std::size_t bytes) {
  if (std::getenv("SHARDFFT_TEST_LARGE") == nullptr) return "SHARDFFT_TEST_LARGE is not set";
  if (world().size() != ranks) return "for " + std::to_string(ranks) + " ranks";
  std::int64_t needed = 0;
  for (const std::int64_t mine : world().all_gather(static_cast<std::int64_t>(bytes))) needed += mine;
  const std::int64_t there = world().min(static_cast<std::int64_t>(available_memory()));
  if (needed + giga / 2 < there) return {};
  return std::to_string(needed >> 20) + " MiB needed, " + std::to_string(there >> 20) + " MiB available";
}

/// Two blocks of less than 2^31 bytes, which are more together. On rank 0 they are the columns of one array, on rank 1
/// one lies behind the other.
constexpr std::int64_t rows = 1 << 11, half_bytes = (giga + (1 << 19)) / rows, all_bytes = 2 * rows * half_bytes;
Layout on_rank_0() { return Layout::single({rows, 2 * half_bytes}, 2, 0); }
Layout on_rank_1() {
  return Layout::from_pieces({rows, 2 * half_bytes}, 2, [](int rank) {
    std::vector<Piece> pieces;
    for (std::int64_t half = 0; half < 2 * rank; ++half)
      pieces.push_back(
          {box({0, half * half_bytes}, {rows, (half + 1) * half_bytes}), half * rows * half_bytes, {half_bytes, 1}});
    return pieces;
  });
}

std::uint64_t word_of(std::int64_t number) { return static_cast<std::uint64_t>(number + 1) * 0x9E3779B97F4A7C15ULL; }

class LargeMessages : public testing::TestWithParam<std::string> {};

TEST_P(LargeMessages, Arrive) {
  if (const std::string why = reason_to_skip(2, all_bytes); !why.empty()) GTEST_SKIP() << why;
  Options options;
  options.exchange = GetParam();
  Redistribution planned(MPI_COMM_WORLD, on_rank_0(), on_rank_1(), 1, options);
  if (const std::string why = reason_to_skip(2, all_bytes + planned.workspace_bytes()); !why.empty())
    GTEST_SKIP() << why;
  const AlignedMemory memory = allocate_aligned(all_bytes);
  auto* const words = reinterpret_cast<std::uint64_t*>(memory.get());
  constexpr std::int64_t count = all_bytes / 8, half = half_bytes / 8;
  if (world().rank() == 0) {
    for (std::int64_t i = 0; i < count; ++i) words[i] = word_of(i);
    planned.forward(words, nullptr);
    return;
  }
  planned.forward(nullptr, words);
  std::int64_t wrong = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    const std::int64_t column = i / (rows * half), row = i / half % rows;
    wrong += words[i] == word_of(row * 2 * half + column * half + i % half) ? 0 : 1;
  }
  EXPECT_EQ(wrong, 0) << "words of 8 bytes";
}

INSTANTIATE_TEST_SUITE_P(Strategies, LargeMessages, testing::ValuesIn(exchange_names()),
                         [](const auto& strategy) { return strategy.param; });

/// Of any size: made, or refused by an error that says why, and not by one that says that this library is wrong.
TEST(LargePlans, AreMadeOrRefused) {
  if (const std::string why = reason_to_skip(world().size(), giga); !why.empty()) GTEST_SKIP() << why;
  const std::vector<Shape> shapes{{2 * giga + 11}, {1024 * giga}, {3, 4 * giga}, {1 << 17, 1 << 17, 1 << 17}};
  for (const Shape& shape : shapes)
    for (const std::string& algorithm : algorithm_names())
      for (const Kind kind : {Kind::c2c, Kind::r2c}) {
        Options options;
        options.algorithm = algorithm;
        try {
          const Plan plan(MPI_COMM_WORLD, {kind, Precision::f32}, Layout::slab(shape, world().size()), default_output,
                          options);
          EXPECT_GT(plan.in_place_bytes(), 0u);
        } catch (const Error& e) {
          EXPECT_TRUE(e.code() == Status::invalid_argument || e.code() == Status::unsupported ||
                      e.code() == Status::out_of_memory)
              << algorithm << ": " << e.what();
        }
      }
}

/// Point `j` of eight in line `line`: one number in each line.
float input_at(std::int64_t line, std::int64_t j) { return line % 8 == j ? static_cast<float>(1 + line % 5) : 0.0F; }

/// What becomes of a line by the cosine transform (dct2).
float output_at(std::int64_t line, std::int64_t k) {
  static const std::vector<float> cosines = [] {
    std::vector<float> table;
    for (int j = 0; j < 8; ++j)
      for (int k = 0; k < 8; ++k)
        table.push_back(static_cast<float>(2 * std::cos(std::numbers::pi * (2 * j + 1) * k / 16)));
    return table;
  }();
  return static_cast<float>(1 + line % 5) * cosines[static_cast<std::size_t>(8 * (line % 8) + k)];
}

/// Lines along the last axis, or the first one, whose points are 2^28 numbers apart.
void check_cosines(int axis) {
  constexpr std::int64_t lines = giga / 4 + 5;
  constexpr std::size_t bytes = 8 * lines * sizeof(float);
  Options options;
  options.axes = {axis};
  options.transforms = {AxisTransform::dct2};
  options.norm = Norm::none;
  options.local_fft = "fftw";
  const Shape shape = axis == 1 ? Shape{lines, 8} : Shape{8, lines};
  if (const std::string why = reason_to_skip(1, bytes); !why.empty()) GTEST_SKIP() << why;
  Plan plan(MPI_COMM_WORLD, {Kind::r2r, Precision::f32}, Layout::slab(shape, 1), default_output, options);
  if (const std::string why = reason_to_skip(1, bytes + plan.workspace_bytes()); !why.empty()) GTEST_SKIP() << why;
  const AlignedMemory memory = allocate_aligned(bytes);
  auto* const array = reinterpret_cast<float*>(memory.get());
  const auto at = [axis](std::int64_t line, std::int64_t j) { return axis == 1 ? 8 * line + j : j * lines + line; };
  for (std::int64_t line = 0; line < lines; ++line)
    for (std::int64_t j = 0; j < 8; ++j) array[at(line, j)] = input_at(line, j);
  plan.forward(array, array);
  std::int64_t wrong = 0;
  for (std::int64_t line = 0; line < lines; ++line)
    for (std::int64_t k = 0; k < 8; ++k) wrong += std::abs(array[at(line, k)] - output_at(line, k)) > 1e-5F ? 1 : 0;
  EXPECT_EQ(wrong, 0);
}

TEST(LargeTransforms, OfShortLines) { check_cosines(1); }
TEST(LargeTransforms, OfPointsFarApart) { check_cosines(0); }

}  // namespace
}  // namespace shardfft::test
