// Kernels for SIMD batches of lines, each that this processor can run: all lengths, complex and real lines that lie in
// any way, more and fewer of them than lanes.
#include <array>
#include <complex>
#include <numbers>
#include <random>

#include "base/aligned.hpp"
#include "fft_cases.hpp"
#include "local/backend.hpp"
#include "local/lanes.hpp"
#include "local/lanes_tables.hpp"
#include "support/serial_dft.hpp"

namespace shardfft::test {
namespace {

void expect_right(const FftSpec& spec) {
  const std::int64_t reals = std::max(input_reals(spec), output_reals(spec));
  TestArray in(spec.precision, reals), wanted(spec.precision, reals);
  in.fill_random(7);
  make_local_fft("reference", spec)->execute(in.data(), wanted.data());
  const std::vector<bool> flags = written(spec);
  for (const lanes::Kernels& kernels : lanes::all_kernels()) {
    SCOPED_TRACE(describe(std::to_string(kernels.vector_bytes) + " bytes", spec));
    TestArray got(spec.precision, reals);
    const auto fft = make_lanes(spec, kernels);
    if (spec.in_place) got.copy_from(in);
    fft->execute(spec.in_place ? got.data() : in.data(), got.data());
    expect_same(got, wanted, flags, tolerance(spec), "lanes");
    for (std::size_t i = 0; i < flags.size() && !spec.in_place; ++i)
      if (!flags[i]) {
        EXPECT_EQ(got.get(static_cast<std::int64_t>(i)), 0) << "written where nothing belongs: " << i;
      }
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

/// In both directions, of a real transform the usual ones.
void expect_right_anywhere(bool real, std::int64_t n, std::int64_t count, Precision precision) {
  for (const Direction direction : {Direction::forward, Direction::backward})
    for (const int places : {0, 1, 2, 3}) {
      FftSpec spec = spec_of(n, count, (places & 1) != 0, (places & 2) != 0);
      if (real) spec.kind = direction == Direction::forward ? Kind::r2c : Kind::c2r;
      spec.precision = precision;
      spec.direction = direction;
      spec.scale = 0.75;
      expect_right(spec);
    }
}

TEST(Lanes, AllLengths) {
  for (std::int64_t n = 2; n <= 144; ++n) {
    const bool real = n % 2 == 0;
    const Precision precision = n / 2 % 2 == 0 ? Precision::f64 : Precision::f32;
    expect_right_anywhere(false, n, real ? 19 : 9, precision);
    expect_right_anywhere(true, n, real ? 17 : 35, precision);
  }
  for (std::int64_t n = 145; n <= 201; ++n)
    for (const Kind kind : {Kind::c2c, Kind::r2c}) {
      FftSpec spec = spec_of(n, 5, n % 2 == 0, n % 4 < 2);
      spec.kind = kind;
      spec.precision = n % 3 == 0 ? Precision::f32 : Precision::f64;
      expect_right(spec);
    }
}

TEST(Lanes, LongLines) {
  // By passes, two of them by definition; a prime next to a number that has passes, and one that is not; a large
  // factor, of an odd length too.
  for (const std::int64_t n : {512, 630, 945, 1001, 551, 257, 383, 514, 201, 469})
    for (const Kind kind : {Kind::c2c, Kind::r2c, Kind::c2r})
      for (const bool beside : {false, true}) {
        FftSpec spec = spec_of(n, 9, beside, beside);
        spec.kind = kind;
        if (kind == Kind::c2r) spec.direction = Direction::backward;
        expect_right(spec);
      }
}

TEST(Lanes, AnyNumberOfLines) {
  for (const Precision precision : {Precision::f64, Precision::f32}) {
    for (std::int64_t count = 1; count <= 35; ++count) expect_right_anywhere(false, 30, count, precision);
    for (std::int64_t count = 1; count <= 67; count += 3) expect_right_anywhere(true, 31, count, precision);
  }
}

/// Few lines, or lines beyond the cache, are left to FFTW where there is one: without it they would take n^2
/// operations.
TEST(Lanes, FewLongLines) {
  const Backend& lanes = find_backend("lanes");
  for (const std::int64_t n : {100000, 99991, 1 << 20})
    for (const std::int64_t count : {1, 2, 40}) {
      const FftSpec spec = spec_of(n, count, false, false);
      EXPECT_EQ(lanes.takes(spec), fallback_backend().complete) << describe("lanes", spec);
    }
  // By passes; by a convolution.
  for (const std::int64_t n : {20000, 67 * 260}) {
    FftSpec spec;
    spec.transform = {{n, 2, 2}};
    spec.batch = {{2, 1, 1}};
    TestArray in(spec.precision, 4 * n), got(spec.precision, 4 * n), wanted(spec.precision, 4 * n);
    in.fill_random(5);
    for (std::int64_t line = 0; line < 2; ++line) {
      std::vector<Value> values;
      for (std::int64_t k = 0; k < n; ++k) values.emplace_back(in.get(4 * k + 2 * line), in.get(4 * k + 2 * line + 1));
      serial_dft(values, {n}, 0, -1);
      for (std::int64_t k = 0; k < n; ++k) {
        wanted.set(4 * k + 2 * line, values[static_cast<std::size_t>(k)].real());
        wanted.set(4 * k + 2 * line + 1, values[static_cast<std::size_t>(k)].imag());
      }
    }
    for (const lanes::Kernels& kernels : lanes::all_kernels()) {
      make_lanes(spec, kernels)->execute(in.data(), got.data());
      expect_same(got, wanted, written(spec), tolerance(spec), "lanes");
    }
  }
}

TEST(Lanes, InPlace) {
  for (const std::int64_t n : {8, 16, 17, 46, 60})
    for (const bool beside : {false, true}) {
      FftSpec spec = spec_of(n, 21, beside, beside);
      spec.in_place = true;
      expect_right(spec);
    }
}

TEST(Lanes, RealLinesInPlace) {
  for (const std::int64_t n : {8, 15, 17, 46})
    for (const Kind kind : {Kind::r2c, Kind::c2r}) {
      FftSpec spec;
      spec.kind = kind;
      spec.direction = kind == Kind::r2c ? Direction::forward : Direction::backward;
      spec.transform = {{n, 1, 1}};
      const std::int64_t points = n / 2 + 2;
      spec.batch = {{37, kind == Kind::r2c ? 2 * points : points, kind == Kind::r2c ? points : 2 * points}};
      spec.in_place = true;
      expect_right(spec);
    }
}

/// Rows of lines that do not fill a SIMD batch: the first lines of a row join the last ones of the row before.
TEST(Lanes, RowsOfLines) {
  for (const Precision precision : {Precision::f64, Precision::f32})
    for (const Kind kind : {Kind::c2c, Kind::r2c, Kind::c2r})
      for (const std::int64_t row : {1, 3, 5, 7, 14, 17, 32})
        for (const bool beside_in : {false, true})
          for (const bool beside_out : {false, true}) {
            const std::int64_t n = 30, rows = 9, wide = row + 2, apart = (n + 3) * wide;
            FftSpec spec = spec_of(n, row, beside_in, beside_out);
            spec.kind = kind;
            spec.precision = precision;
            if (kind == Kind::c2r) spec.direction = Direction::backward;
            spec.transform.front().from = beside_in ? wide : 1;
            spec.transform.front().to = beside_out ? wide : 1;
            const Loop outer{rows, apart, apart};
            // In either order of the loops.
            spec.batch.insert(row % 2 == 0 ? spec.batch.begin() : spec.batch.end(), outer);
            expect_right(spec);
            if (kind == Kind::c2c && beside_in == beside_out) {
              spec.in_place = true;
              expect_right(spec);
            }
          }
}

TEST(Lanes, PointsAndLinesApart) {
  for (const Kind kind : {Kind::c2c, Kind::r2c}) {
    FftSpec spec;
    spec.kind = kind;
    spec.transform = {{12, 3, 2}};
    spec.batch = {{11, 40, 30}};
    expect_right(spec);
  }
}

TEST(Lanes, FewerInstructionsCanBeAskedFor) {
  const std::vector<lanes::Kernels> all{
      {64, 32, nullptr, nullptr}, {32, 16, nullptr, nullptr}, {16, 16, nullptr, nullptr}};
  EXPECT_EQ(lanes::no_longer_than(all, "avx512").size(), 3u);
  EXPECT_EQ(lanes::no_longer_than(all, "avx2").front().vector_bytes, 32);
  EXPECT_EQ(lanes::no_longer_than(all, "baseline").front().vector_bytes, 16);
  EXPECT_THROW(lanes::no_longer_than(all, "avx"), Error);
}

/// Solvers subtract large means: beside one, a spectrum has to be as exact as without it. Lines that are constant but
/// for their first point, of lengths with passes, by Rader and by Bluestein.
TEST(Lanes, MeansDoNotRoundOtherFrequencies) {
  for (const std::int64_t n : {96, 101, 257, 514, 1028, 2062}) {
    const FftSpec spec = spec_of(n, 8, true, true);
    const std::int64_t wide = spec.batch.front().count + 3;
    for (const lanes::Kernels& kernels : lanes::all_kernels()) {
      TestArray in(spec.precision, 2 * n * wide), got(spec.precision, 2 * n * wide);
      for (std::int64_t i = 0; i < 2 * n * wide; ++i) in.set(i, i < 2 * wide ? 1.7 : 0.7);
      make_lanes(spec, kernels)->execute(in.data(), got.data());
      for (std::int64_t k = 1; k < n; ++k)
        ASSERT_NEAR(got.get(2 * k * wide), 1, 1e-14) << n << ", " << k << ", " << kernels.vector_bytes << " bytes";
    }
  }
}

TEST(Lanes, TakesWhatItsScratchHolds) {
  const Backend& lanes = find_backend("lanes");
  FftSpec spec = spec_of(257, 64, true, true);
  EXPECT_TRUE(lanes.takes(spec));
  spec.batch.front().count = 1;
  EXPECT_EQ(lanes.takes(spec), fallback_backend().complete) << "one line is no work for lanes, if FFTW can have it";
  spec = spec_of(std::int64_t{1} << 40, 64, true, true);
  EXPECT_FALSE(lanes.takes(spec));
}

using Exact = std::complex<long double>;

/// A forward transform, by definition for each prime factor; line by line faster than the reference, and not rounded.
std::vector<Exact> exact(const std::vector<Exact>& x) {
  const std::size_t n = x.size();
  std::size_t p = 2;
  while (n > 1 && n % p != 0) ++p;
  if (n == 1) return x;
  std::vector<std::vector<Exact>> parts(p);
  for (std::size_t j = 0; j < n; ++j) parts[j % p].push_back(x[j]);
  for (std::vector<Exact>& part : parts) part = exact(part);
  std::vector<Exact> roots(n), result(n);
  for (std::size_t k = 0; k < n; ++k)
    roots[k] = std::polar(1.0L, -2 * std::numbers::pi_v<long double> * static_cast<long double>(k) / n);
  for (std::size_t k = 0; k < n; ++k)
    for (std::size_t r = 0; r < p; ++r) {
      const Exact a = parts[r][k % (n / p)], w = roots[r * k % n];  // not operator*, which checks for NaN
      result[k] += Exact(a.real() * w.real() - a.imag() * w.imag(), a.real() * w.imag() + a.imag() * w.real());
    }
  return result;
}

/// The root mean square of what complex results, one line behind the other, differ from `wanted`.
double error_of(const LocalFft& fft, TestArray& in, const std::vector<Exact>& wanted, Precision precision) {
  TestArray out(precision, 2 * static_cast<std::int64_t>(wanted.size()));
  fft.execute(in.data(), out.data());
  long double sum = 0;
  for (std::size_t k = 0; k < wanted.size(); ++k) {
    const auto at = static_cast<std::int64_t>(2 * k);
    sum += std::norm(Exact(out.get(at), out.get(at + 1)) - wanted[k]);
  }
  return static_cast<double>(std::sqrt(sum / static_cast<long double>(wanted.size())));
}

/// What lines of a spec, one behind the other, become.
std::vector<Exact> exact_lines(const FftSpec& spec, TestArray& in) {
  const std::int64_t n = spec.transform.front().count;
  const bool real = spec.kind == Kind::r2c;
  std::vector<Exact> all;
  for (std::int64_t first = 0; first < spec.batch.front().count * n; first += n) {
    std::vector<Exact> line;
    for (std::int64_t k = first; k < first + n; ++k)
      line.push_back(real ? Exact(in.get(k)) : Exact(in.get(2 * k), in.get(2 * k + 1)));
    line = exact(line);
    all.insert(all.end(), line.begin(), real ? line.begin() + n / 2 + 1 : line.end());
  }
  return all;
}

/// At lengths up to 64 and drawn ones: products of small primes, primes of both ways, any.
TEST(Lanes, ErrorsAreThoseOfFftw) {
  const std::vector<std::string> names = tested_backends();
  if (std::find(names.begin(), names.end(), "fftw") == names.end()) GTEST_SKIP() << "built without FFTW";
  std::vector<std::int64_t> lengths{17,  29,  37,  43,  51,   53,   61,   68,   106,
                                    316, 318, 323, 632, 1009, 1021, 1153, 2039, 2048};
  for (std::int64_t n = 2; n <= 64; n += n % 2 == 0 ? 1 : 3) lengths.push_back(n);
  std::mt19937 random(2811);
  while (lengths.size() < 61) {
    const std::int64_t n = std::uniform_int_distribution<std::int64_t>(65, 2048)(random);
    if (lengths.size() % 3 == 0 || lanes::way_of(n, 16) == lanes::Way::passes) lengths.push_back(n);
  }
  for (const std::int64_t n : lengths)
    for (const Kind kind : {Kind::c2c, Kind::r2c})
      for (const Precision precision : {Precision::f64, Precision::f32}) {
        FftSpec spec;
        spec.kind = kind;
        spec.precision = precision;
        spec.transform = {{n, 1, 1}};
        spec.batch = {{std::max<std::int64_t>(2, 2000 / n), n, kind == Kind::r2c ? n / 2 + 1 : n}};
        spec.effort = Effort::estimate;
        TestArray in(precision, input_reals(spec));
        in.fill_random(static_cast<unsigned>(n));
        const std::vector<Exact> wanted = exact_lines(spec, in);
        const double theirs = error_of(*make_local_fft("fftw", spec), in, wanted, precision);
        for (const lanes::Kernels& kernels : lanes::all_kernels())
          EXPECT_LE(error_of(*make_lanes(spec, kernels), in, wanted, precision), 1.5 * theirs)
              << describe(std::to_string(kernels.vector_bytes) + " bytes", spec);
      }
}

/// Rows that are nowhere: it counts their lines.
struct CountedRows : ReadAhead {
  static constexpr int row_lines = 16;
  std::array<char, (row_lines + 1) * line_bytes> row{};
  int rows = 0;

  CountedRows() {
    next = [](ReadAhead& self) {
      auto& mine = static_cast<CountedRows&>(self);
      mine.at = mine.row.data();
      mine.end = mine.at + row_lines * line_bytes;
      ++mine.rows;
      return true;
    };
  }
  std::int64_t lines() const { return rows * row_lines - (end - at) / line_bytes; }
};

/// As many lines of cache as the data has, on whatever way, so that what is read next has come when it is needed.
TEST(Lanes, ReadsAheadAsMuchAsItTransforms) {
  for (const std::int64_t n : {32, 60, 64, 97, 240}) {
    for (const bool beside : {false, true}) {
      const FftSpec spec = spec_of(n, 32, beside, beside);
      TestArray in(spec.precision, input_reals(spec)), got(spec.precision, output_reals(spec)),
          alone(spec.precision, output_reals(spec));
      in.fill_random(3);
      for (const lanes::Kernels& kernels : lanes::all_kernels()) {
        SCOPED_TRACE(describe(std::to_string(kernels.vector_bytes) + " bytes", spec));
        const auto fft = make_lanes(spec, kernels);
        std::vector<std::byte> scratch(fft->scratch_bytes() + cache_line);
        std::byte* const begin =
            scratch.data() + (cache_line - reinterpret_cast<std::uintptr_t>(scratch.data()) % cache_line) % cache_line;
        CountedRows ahead;
        fft->execute(in.data(), got.data(), begin, ahead);
        const std::int64_t lines = n * 32 * 16 / ReadAhead::line_bytes;
        EXPECT_GE(ahead.lines(), lines * 8 / 10);
        EXPECT_LE(ahead.lines(), lines * 3 / 2);
        fft->execute(in.data(), alone.data(), begin);
        expect_same(got, alone, written(spec), 0, "beside reading ahead");
      }
    }
  }
}

}  // namespace
}  // namespace shardfft::test
