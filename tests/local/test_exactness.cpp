// What `auto` takes has rms errors of at most 4 eps against long double, for random lines of every class of lengths, on
// any processor. SHARDFFT_TEST_ALL_LENGTHS in the environment takes all lengths of 2 to 4096 and larger ones; with a
// number, those from there on, and with two, 2-500, those between. SHARDFFT_TEST_ERRORS names a file for the errors.
#include <algorithm>
#include <complex>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <memory>
#include <numbers>
#include <numeric>
#include <random>

#include "fft_cases.hpp"
#include "local/backend.hpp"
#include "local/exact_lengths.hpp"
#include "local/lanes.hpp"

namespace shardfft::test {
namespace {

using Exact = std::complex<long double>;
using ExactLine = std::vector<Exact>;

Exact product(const Exact& a, const Exact& b) {  // not operator*, which checks every product for NaN
  return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}

/// exp(-2 pi i k / n).
Exact root(std::int64_t k, std::int64_t n) {
  const long double angle =
      2 * std::numbers::pi_v<long double> * static_cast<long double>(k) / static_cast<long double>(n);
  return {std::cos(angle), -std::sin(angle)};
}

/// Recursive by the smallest prime factors; the largest one, which comes last, is a convolution (Bluestein) if it is
/// large.
class ExactDft {
 public:
  explicit ExactDft(std::int64_t n) : n_(n) {
    for (std::int64_t k = 0; k < n; ++k) roots_.push_back(root(k, n));
    std::int64_t last = n, p = 2;
    for (; p * p <= last; ++p)
      while (last % p == 0 && last > p) last /= p;
    if (last < 50) return;
    std::int64_t size = 1;
    while (size < 2 * last) size *= 2;
    circle_ = std::make_unique<ExactDft>(size);
    ExactLine line(static_cast<std::size_t>(size));
    for (std::int64_t j = 0; j < last; ++j) {
      chirp_.push_back(root(j * j % (2 * last), 2 * last));
      line[static_cast<std::size_t>(j)] = line[static_cast<std::size_t>((size - j) % size)] = std::conj(chirp_.back());
    }
    spectrum_ = circle_->forward(line);
  }
  ExactLine forward(const ExactLine& x) const {
    ExactLine y(x.size());
    transform(x.data(), 1, y.data(), n_);
    return y;
  }

 private:
  void transform(const Exact* x, std::int64_t stride, Exact* y, std::int64_t n) const {
    if (n == 1) return static_cast<void>(*y = *x);
    std::int64_t p = 2;
    while (n % p != 0) p = p * p > n ? n : p + 1;
    if (p == n && circle_) return convolve(x, stride, y);
    const std::int64_t m = n / p;
    ExactLine parts(static_cast<std::size_t>(n));
    for (std::int64_t r = 0; r < p; ++r) transform(x + r * stride, stride * p, parts.data() + r * m, m);
    for (std::int64_t k = 0; k < n; ++k) {
      y[k] = 0;
      for (std::int64_t r = 0, at = 0; r < p; ++r, at = (at + k) % n)
        y[k] +=
            product(parts[static_cast<std::size_t>(r * m + k % m)], roots_[static_cast<std::size_t>(at * (n_ / n))]);
    }
  }

  void convolve(const Exact* x, std::int64_t stride, Exact* y) const {
    ExactLine line(spectrum_.size());
    for (std::size_t j = 0; j < chirp_.size(); ++j)
      line[j] = product(x[static_cast<std::int64_t>(j) * stride], chirp_[j]);
    line = circle_->forward(line);
    for (std::size_t i = 0; i < line.size(); ++i) line[i] = std::conj(product(line[i], spectrum_[i]));
    line = circle_->forward(line);
    for (std::size_t k = 0; k < chirp_.size(); ++k)
      y[k] = product(std::conj(line[k]), chirp_[k]) / static_cast<long double>(line.size());
  }

  std::int64_t n_;
  ExactLine roots_, chirp_, spectrum_;
  std::unique_ptr<const ExactDft> circle_;
};

/// Random lines and their transforms; batches repeat them. In single precision the numbers are floats.
struct Lines {
  Kind kind;
  std::vector<ExactLine> in{}, out{};

  Lines(Kind k, Precision precision, std::int64_t n, const ExactDft& dft, std::mt19937& random) : kind(k) {
    std::uniform_real_distribution<double> uniform(-1, 1);
    const auto number = [&] {
      const double x = uniform(random);
      return precision == Precision::f64 ? x : static_cast<double>(static_cast<float>(x));
    };
    const std::size_t points = static_cast<std::size_t>(n), half = points / 2 + 1;
    for (std::int64_t line = 0; line < std::max<std::int64_t>(2, 64 / n); ++line) {
      ExactLine x(points);
      for (Exact& value : x) value = {number(), kind == Kind::r2c ? 0 : number()};
      if (kind == Kind::c2r) {
        x[0].imag(0);
        for (std::size_t i = half; i < points; ++i) x[i] = std::conj(x[points - i]);
        if (points % 2 == 0) x[points / 2].imag(0);
      }
      in.push_back(x);
      if (kind == Kind::c2r)  // of half a spectrum: the transform the other way round
        for (Exact& value : x) value = std::conj(value);
      out.push_back(dft.forward(x));
      in.back().resize(kind == Kind::c2r ? half : points);
      out.back().resize(kind == Kind::r2c ? half : points);
    }
  }
};

/// Of `batch` lines, rows or columns, in units of the precision.
double error_of(const std::function<std::unique_ptr<LocalFft>(const FftSpec&)>& make, FftSpec spec,
                const Lines& lines) {
  const bool real_in = spec.kind == Kind::r2c, real_out = spec.kind == Kind::c2r;
  TestArray in(spec.precision, input_reals(spec)), out(spec.precision, output_reals(spec));
  const Loop line = spec.transform.front(), batch = spec.batch.empty() ? Loop{1, 1, 1} : spec.batch.front();
  const auto some = static_cast<std::int64_t>(lines.in.size());
  for (std::int64_t b = 0; b < batch.count; ++b)
    for (std::size_t i = 0; i < lines.in[0].size(); ++i) {
      const Exact value = lines.in[static_cast<std::size_t>(b % some)][i];
      const std::int64_t at = (b * batch.from + static_cast<std::int64_t>(i) * line.from) * (real_in ? 1 : 2);
      in.set(at, static_cast<double>(value.real()));
      if (!real_in) in.set(at + 1, static_cast<double>(value.imag()));
    }
  make(spec)->execute(in.data(), out.data());
  long double errors = 0, all = 0;
  for (std::int64_t b = 0; b < std::min(batch.count, some); ++b)
    for (std::size_t i = 0; i < lines.out[0].size(); ++i) {
      const Exact expected = lines.out[static_cast<std::size_t>(b)][i];
      const std::int64_t at = (b * batch.to + static_cast<std::int64_t>(i) * line.to) * (real_out ? 1 : 2);
      const Exact got(out.get(at), real_out ? 0 : out.get(at + 1));
      errors += std::norm(got - (real_out ? Exact(expected.real()) : expected));
      all += std::norm(expected);
    }
  return static_cast<double>(std::sqrt(errors / all)) / epsilon(spec.precision);
}

FftSpec spec_of(Kind kind, Precision precision, std::int64_t n, std::int64_t batch, bool columns) {
  FftSpec spec = dense_spec(kind, {n}, batch);
  spec.precision = precision;
  spec.direction = kind == Kind::c2r ? Direction::backward : Direction::forward;
  spec.effort = Effort::estimate;
  if (columns) {
    spec.transform = {{n, batch, batch}};
    spec.batch = {{batch, 1, 1}};
  }
  return spec;
}

void check_length(std::int64_t n, std::mt19937& random) {
  static const char* file = std::getenv("SHARDFFT_TEST_ERRORS");
  const ExactDft dft(n);
  for (const Precision precision : {Precision::f64, Precision::f32})
    for (const Kind kind : {Kind::c2c, Kind::r2c, Kind::c2r}) {
      const Lines lines(kind, precision, n, dft, random);
      std::map<std::string, double> worst;
      const auto expect = [&](const std::string& name, const FftSpec& spec, const auto& make, bool exact = true) {
        const double error = error_of(make, spec, lines);
        worst[name] = std::max(worst[name], error);
        if (exact) EXPECT_LE(error, 4) << describe(name, spec);
      };
      for (const auto& [batch, columns] : {std::pair(16, false), {16, true}, {1, false}}) {
        const FftSpec spec = spec_of(kind, precision, n, batch, columns);
        for (const Backend& backend : candidates("auto"))
          if (file || is_exact(backend, spec))
            expect(
                backend.name, spec, [&](const FftSpec& s) { return make_local_fft(backend, s); },
                is_exact(backend, spec));
        // As other processors run them; columns have the same arithmetic.
        if (batch > 1 && !columns)
          for (const lanes::Kernels& kernels : lanes::all_kernels())
            expect("lanes of " + std::to_string(kernels.vector_bytes) + " bytes", spec,
                   [&](const FftSpec& s) { return make_lanes(s, kernels); });
      }
      if (file)
        for (std::ofstream out(file, std::ios::app); const auto& [name, error] : worst)
          out << n << ' ' << to_text(kind) << ' ' << to_text(precision) << ' ' << error << ' ' << name << '\n';
    }
}

std::vector<std::int64_t> lengths_of_all_classes() {
  // Every prime class: alone, twice, by powers of two, by odd ones; products of two that matter; large primes.
  std::vector<std::int64_t> lengths{2, 3, 4, 5, 6, 7, 8, 9, 11, 12, 13, 16, 60, 128, 360, 1000, 1024};
  for (const std::int64_t p : {17, 23, 31, 37, 47, 53, 61, 67, 79, 103, 149, 151, 257, 509}) {
    lengths.insert(lengths.end(), {p, 2 * p});
    if (p % 4 == 3 && p < 200) lengths.insert(lengths.end(), {3 * p, 4 * p});
  }
  // c2r of 11000: wrong in single precision through oneMKL's DftiCreateDescriptor_s_1d, which its header makes of
  // calls.
  lengths.insert(lengths.end(), {289, 23 * 29, 2056, 4093, 11000});
  return lengths;
}

TEST(Exactness, OfWhatAutoTakes) {
  const char* all = std::getenv("SHARDFFT_TEST_ALL_LENGTHS");
  std::vector<std::int64_t> lengths = lengths_of_all_classes();
  const unsigned seed = std::random_device()();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  for (int i = 0; i < 3; ++i) lengths.push_back(std::uniform_int_distribution<std::int64_t>(2, 2048)(random));
  if (all) {
    long first = 2, last = 1L << 40;
    std::sscanf(all, "%ld-%ld", &first, &last);
    lengths.resize(4095);
    std::iota(lengths.begin(), lengths.end(), 2);
    for (const std::int64_t p : {17, 31, 61, 103, 149, 151, 257, 1009})
      lengths.insert(lengths.end(), {p * 64, p * 81, p * p, p * 210, p * 179});
    std::erase_if(lengths, [&](std::int64_t n) { return n < first || n > last; });
  }
  for (const std::int64_t n : lengths) check_length(n, random);
}

/// docs/concepts.md, "Numbers": real lines of even length are made of two halves, large primes are convolutions.
TEST(Exactness, ResultsBelowAThirdOfTheLargestNumberAreFinite) {
  for (const std::string& name : tested_backends())
    for (const Kind kind : {Kind::c2c, Kind::r2c})
      for (const std::int64_t n : {64, 1009, 2018, 2042, 4099}) {
        const FftSpec spec = spec_of(kind, Precision::f32, n, 16, false);
        const auto fft = make_local_fft(name, spec);
        TestArray in(Precision::f32, input_reals(spec)), out(Precision::f32, output_reals(spec));
        in.fill_random(5);
        double most = 0;
        bool finite = true;
        for (const bool scaled : {false, true}) {
          const double factor = scaled ? std::numeric_limits<float>::max() / 3 / most : 1;
          for (std::int64_t i = 0; i < in.reals(); ++i) in.set(i, in.get(i) * factor);
          fft->execute(in.data(), out.data());
          for (std::int64_t i = 0; i < out.reals(); ++i) {
            most = std::max(most, std::abs(out.get(i)));
            finite = finite && std::isfinite(out.get(i));
          }
        }
        EXPECT_TRUE(finite) << describe(name, spec);
      }
}

TEST(Exactness, LengthsThatOneMklDoesNotTransformExactly) {
  FftSpec spec = dense_spec(Kind::c2c, {206});
  const auto exact = [&](const std::vector<std::int64_t>& shape) {
    spec.transform = dense_spec(Kind::c2c, shape).transform;
    return mkl_is_exact(spec);
  };
  EXPECT_FALSE(exact({206}));
  EXPECT_FALSE(exact({17}));
  EXPECT_FALSE(exact({64, 149}));
  EXPECT_FALSE(exact({2 * 2 * 103, 64}));
  EXPECT_FALSE(exact({31 * 179}));
  EXPECT_FALSE(exact({64 * 257}));
  EXPECT_TRUE(exact({64, 2 * 151}));
  EXPECT_TRUE(exact({8192, 0}));
  EXPECT_TRUE(exact({13 * 13, 11}));
  EXPECT_TRUE(exact({1}));
  spec.precision = Precision::f32;
  EXPECT_TRUE(exact({206}));
  EXPECT_FALSE(exact({64 * 1009}));
}

}  // namespace
}  // namespace shardfft::test
