// Cosine and sine transforms: literal values, every backend against the definition, what is refused.
#include "fft_cases.hpp"
#include "local/backend.hpp"
#include "local/cosine_matrix.hpp"

namespace shardfft::test {
namespace {

constexpr AxisTransform types[] = {AxisTransform::dct1, AxisTransform::dct2, AxisTransform::dct3, AxisTransform::dct4,
                                   AxisTransform::dst1, AxisTransform::dst2, AxisTransform::dst3, AxisTransform::dst4};

FftSpec cosine_spec(const std::vector<AxisTransform>& along, const std::vector<std::int64_t>& shape,
                    std::int64_t batch = 1) {
  FftSpec spec = dense_spec(Kind::r2r, shape, batch);
  spec.types = along;
  return spec;
}

/// scipy.fft.dct and dst of [1, 2, 3].
TEST(Cosines, LiteralValues) {
  const double h = std::sqrt(0.5), r = std::sqrt(3.0);
  const std::vector<std::vector<double>> expected{
      {8, -2, 0},
      {12, -2 * r, 0},
      {1 + 2 * (r + 1.5), 1 - 6, 1 + 2 * (1.5 - r)},
      {2 * (std::cos(M_PI / 12) + 2 * h + 3 * std::sin(M_PI / 12)), 2 * (h - 2 * h - 3 * h),
       2 * (std::sin(M_PI / 12) - 2 * h + 3 * std::cos(M_PI / 12))},
      {4 + 8 * h, -4, 8 * h - 4},
      {8, -2 * r, 4},
      {1 + 2 * r + 3, 2 - 3, 1 - 2 * r + 3},
      {2 * (std::sin(M_PI / 12) + 2 * h + 3 * std::cos(M_PI / 12)), 2 * (h + 2 * h - 3 * h),
       2 * (std::cos(M_PI / 12) - 2 * h + 3 * std::sin(M_PI / 12))}};
  const std::vector<double> in{1, 2, 3};
  for (const std::string& backend : local_fft_names())
    for (std::size_t t = 0; t < std::size(types); ++t) {
      std::vector<double> out(3);
      make_local_fft(backend, cosine_spec({types[t]}, {3}))->execute(in.data(), out.data());
      for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(out[i], expected[t][i], 1e-13) << backend << " " << t << " " << i;
    }
}

TEST(Cosines, LinesOfManySizes) {
  for (const AxisTransform type : types)
    for (const std::int64_t n : {1, 2, 3, 4, 5, 8, 13, 31, 60, 97}) {
      if (n == 1 && type == AxisTransform::dct1) continue;
      FftSpec spec = cosine_spec({type}, {n}, 3);
      check_everywhere(spec);
      spec.scale = 0.375;
      check_everywhere(spec);
    }
}

TEST(Cosines, MixedVolumes) {
  const std::vector<std::vector<AxisTransform>> mixes{{AxisTransform::dct1, AxisTransform::dst2, AxisTransform::dct4},
                                                      {AxisTransform::dst3, AxisTransform::dst3, AxisTransform::dct2},
                                                      {AxisTransform::dst4, AxisTransform::dct3, AxisTransform::dst1}};
  for (const auto& mix : mixes) {
    check_everywhere(cosine_spec(mix, {4, 5, 6}, 3));
    FftSpec spec = cosine_spec(mix, {4, 1, 3});
    check_everywhere(spec);
    spec.in_place = true;
    check_everywhere(spec);
  }
}

/// The parts of complex numbers are two fields one number apart.
TEST(Cosines, PartsOfComplexNumbersInPlace) {
  FftSpec spec = cosine_spec({AxisTransform::dct2}, {6});
  spec.transform = {{6, 10, 10}};
  spec.batch = {{5, 2, 2}, {2, 1, 1}};
  check_everywhere(spec);
  spec.in_place = true;
  check_everywhere(spec);
  spec.transform = {{6, 10, 2}};
  spec.batch = {{5, 2, 12}, {2, 1, 1}};
  check_everywhere(spec);
}

TEST(Cosines, InversesAreOfTheInverseType) {
  const AxisTransform inverse[] = {AxisTransform::dct1, AxisTransform::dct3, AxisTransform::dct2, AxisTransform::dct4,
                                   AxisTransform::dst1, AxisTransform::dst3, AxisTransform::dst2, AxisTransform::dst4};
  const std::int64_t n = 5;
  for (std::size_t t = 0; t < std::size(types); ++t) {
    const double factor = types[t] == AxisTransform::dct1   ? 2 * (n - 1)
                          : types[t] == AxisTransform::dst1 ? 2 * (n + 1)
                                                            : 2 * n;
    const auto there = cosine_matrix(types[t], n), back = cosine_matrix(inverse[t], n);
    for (std::int64_t i = 0; i < n; ++i)
      for (std::int64_t k = 0; k < n; ++k) {
        long double sum = 0;
        for (std::int64_t j = 0; j < n; ++j)
          sum += back[static_cast<std::size_t>(i * n + j)] * there[static_cast<std::size_t>(j * n + k)];
        EXPECT_NEAR(static_cast<double>(sum), i == k ? factor : 0, 1e-15) << t;
      }
  }
}

/// A library without cosines whose Fourier transforms are all its own, as in builds without FFTW.
Backend lanes_alone() {
  Backend lanes = find_backend("lanes");
  lanes.takes = {};
  return lanes;
}

/// Without FFTW, all types are made of Fourier transforms: as exact as FFTW's, lines side by side or not.
TEST(Cosines, OfFourierTransforms) {
  std::mt19937 random(61);
  std::vector<std::int64_t> lengths{1, 2, 3, 4, 6, 7, 64, 97};
  for (int drawn = 0; drawn < 3; ++drawn)
    lengths.push_back(std::uniform_int_distribution<std::int64_t>(101, 250)(random));
  for (const AxisTransform type : types)
    for (const std::int64_t n : lengths)
      for (const bool beside : {false, true})
        for (const Precision precision : {Precision::f64, Precision::f32}) {
          if (n == 1 && type == AxisTransform::dct1) continue;
          FftSpec spec = cosine_spec({type}, {n}, 5);
          if (beside) spec.transform = {{n, 5, 5}}, spec.batch = {{5, 1, 1}};
          spec.precision = precision;
          spec.scale = 0.375;
          spec.in_place = beside;
          TestArray in(precision, 5 * n), out(precision, 5 * n), expected(precision, 5 * n);
          in.fill_random(1);
          out.copy_from(in);
          make_local_fft("reference", spec)->execute(in.data(), expected.data());
          make_local_fft(lanes_alone(), spec)->execute(beside ? out.data() : in.data(), out.data());
          SCOPED_TRACE(describe("lanes alone, type " + std::to_string(static_cast<int>(type)), spec));
          expect_same(out, expected, written(spec), tolerance(spec), "output");
          if (::testing::Test::HasFailure()) return;
        }
}

/// A line has the same bits in rows and in columns, beside an infinite line or not.
TEST(Cosines, LinesAreAlone) {
  constexpr std::int64_t n = 45, lines = 21, spoilt = 4;
  const auto result = [&](AxisTransform type, bool beside, double bad) {
    FftSpec spec = cosine_spec({type}, {n}, lines);
    if (beside) spec.transform = {{n, lines, 1}}, spec.batch = {{lines, 1, n}};
    std::vector<double> in(n * lines), out(n * lines);
    std::mt19937 random(2);
    for (std::int64_t l = 0; l < lines; ++l)
      for (std::int64_t k = 0; k < n; ++k)
        in[static_cast<std::size_t>(l * spec.batch[0].from + k * spec.transform[0].from)] =
            std::uniform_real_distribution<double>(-1, 1)(random) + (l == spoilt ? bad : 0);
    make_local_fft(lanes_alone(), spec)->execute(in.data(), out.data());
    out.erase(out.begin() + spoilt * n, out.begin() + (spoilt + 1) * n);
    return out;
  };
  for (const AxisTransform type : types) {
    const std::vector<double> wanted = result(type, false, 0);
    EXPECT_EQ(result(type, true, 0), wanted);
    EXPECT_EQ(result(type, false, HUGE_VAL), wanted);
    EXPECT_EQ(result(type, true, HUGE_VAL), wanted);
  }
}

TEST(Cosines, RefusesWhatHasNoMeaning) {
  EXPECT_THROW(make_local_fft("fftw", cosine_spec({AxisTransform::dct1}, {1})), Error);
  EXPECT_THROW(make_local_fft("fftw", cosine_spec({AxisTransform::fft}, {4})), Error);
  EXPECT_THROW(make_local_fft("fftw", cosine_spec({}, {4})), Error);
}

}  // namespace
}  // namespace shardfft::test
