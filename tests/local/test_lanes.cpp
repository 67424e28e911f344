// Kernels for lines in lanes, each that this processor can run: all lengths, lines that lie in any way, more and fewer
// of them than lanes.
#include "fft_cases.hpp"
#include "local/lanes.hpp"

namespace shardfft::test {
namespace {

void expect_right(const FftSpec& spec, const lanes::Kernels& kernels) {
  TestArray in(spec.precision, input_reals(spec)), wanted(spec.precision, output_reals(spec)),
      got(spec.precision, output_reals(spec));
  in.fill_random(7);
  make_local_fft("reference", spec)->execute(in.data(), wanted.data());
  const auto fft = make_lanes(spec, kernels);
  if (spec.in_place) {
    got.copy_from(in);
    fft->execute(got.data(), got.data());
  } else {
    fft->execute(in.data(), got.data());
  }
  SCOPED_TRACE(describe(std::to_string(kernels.vector_bytes) + " bytes", spec));
  const std::vector<bool> flags = written(spec);
  expect_same(got, wanted, flags, tolerance(spec), "lanes");
  if (spec.in_place) return;
  for (std::size_t i = 0; i < flags.size(); ++i)
    if (!flags[i]) {
      EXPECT_EQ(got.get(static_cast<std::int64_t>(i)), 0) << "written where nothing belongs: " << i;
    }
}

/// `count` lines of n points that lie side by side, or one behind the other, three points apart.
FftSpec spec_of(std::int64_t n, std::int64_t count, bool beside_in, bool beside_out) {
  FftSpec spec;
  const std::int64_t wide = count + 3, lengthy = n + 3;
  spec.transform = {{n, beside_in ? wide : 1, beside_out ? wide : 1}};
  spec.batch = {{count, beside_in ? 1 : lengthy, beside_out ? 1 : lengthy}};
  return spec;
}

void expect_right_anywhere(std::int64_t n, std::int64_t count, Precision precision) {
  for (const lanes::Kernels& kernels : lanes::all_kernels())
    for (const Direction direction : {Direction::forward, Direction::backward})
      for (const int places : {0, 1, 2, 3}) {
        FftSpec spec = spec_of(n, count, (places & 1) != 0, (places & 2) != 0);
        spec.precision = precision;
        spec.direction = direction;
        spec.scale = 0.75;
        expect_right(spec, kernels);
      }
}

bool is_taken(std::int64_t n) {
  for (const std::int64_t p : {2, 3, 5, 7})
    while (n % p == 0) n /= p;
  return n == 1;
}

TEST(Lanes, AllLengths) {
  for (std::int64_t n = 2; n <= 144; ++n)
    if (is_taken(n)) expect_right_anywhere(n, 19, n % 2 == 0 ? Precision::f64 : Precision::f32);
}

TEST(Lanes, LongLines) {
  for (const std::int64_t n : {240, 343, 512, 630, 1024}) expect_right_anywhere(n, 9, Precision::f64);
}

TEST(Lanes, AnyNumberOfLines) {
  for (std::int64_t count = 1; count <= 35; ++count) {
    expect_right_anywhere(30, count, Precision::f64);
    expect_right_anywhere(30, count, Precision::f32);
  }
}

TEST(Lanes, InPlace) {
  for (const lanes::Kernels& kernels : lanes::all_kernels())
    for (const std::int64_t n : {8, 16, 60})
      for (const bool beside : {false, true}) {
        FftSpec spec = spec_of(n, 21, beside, beside);
        spec.in_place = true;
        expect_right(spec, kernels);
      }
}

TEST(Lanes, PointsAndLinesApart) {
  for (const lanes::Kernels& kernels : lanes::all_kernels()) {
    FftSpec spec;
    spec.transform = {{12, 3, 2}};
    spec.batch = {{11, 40, 30}};
    expect_right(spec, kernels);
  }
}

}  // namespace
}  // namespace shardfft::test
