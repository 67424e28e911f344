#include "exec/check_weights.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <random>

namespace shardfft {

namespace {

using Numbers = std::vector<std::complex<double>>;

constexpr const char* backend = "fftw";

Numbers fourier(const Numbers& in, Direction direction) {
  FftSpec spec;
  spec.direction = direction;
  spec.transform = {{static_cast<std::int64_t>(in.size()), 1, 1}};
  spec.effort = Effort::estimate;
  Numbers out(in.size());
  make_local_fft(backend, spec)->execute(in.data(), out.data());
  return out;
}

/// A cosine or sine transform of the real parts.
Numbers cosines(const Numbers& in, AxisTransform type) {
  FftSpec spec;
  spec.kind = Kind::r2r;
  spec.types = {type};
  spec.transform = {{static_cast<std::int64_t>(in.size()), 1, 1}};
  spec.effort = Effort::estimate;
  std::vector<double> numbers(in.size()), out(in.size());
  for (std::size_t i = 0; i < in.size(); ++i) numbers[i] = in[i].real();
  make_local_fft(backend, spec)->execute(numbers.data(), out.data());
  return {out.begin(), out.end()};
}

/// T^t r of the cosine and sine transforms as FFTW defines them (section 4.8.5, "1d Real-even DFTs", of its manual, and
/// the next): the transpose of type II is type III but for the factor of one number, of type I type I.
Numbers transposed_cosines(Numbers r, AxisTransform type) {
  switch (type) {
    case AxisTransform::dct1: {
      r.front() *= 2;
      r.back() *= 2;
      Numbers c = cosines(r, type);
      c.front() /= 2;
      c.back() /= 2;
      return c;
    }
    case AxisTransform::dct2:
      r.front() *= 2;
      return cosines(r, AxisTransform::dct3);
    case AxisTransform::dct3: {
      Numbers c = cosines(r, AxisTransform::dct2);
      c.front() /= 2;
      return c;
    }
    case AxisTransform::dst2:
      r.back() *= 2;
      return cosines(r, AxisTransform::dst3);
    case AxisTransform::dst3: {
      Numbers c = cosines(r, AxisTransform::dst2);
      c.back() /= 2;
      return c;
    }
    default:  // dct4, dst1, dst4 are their own transposes
      return cosines(r, type);
  }
}

/// T^t r.
Numbers transposed(Kind kind, AxisTransform type, Direction direction, std::int64_t n, const Numbers& r) {
  Numbers padded = r;
  padded.resize(static_cast<std::size_t>(n));
  switch (kind) {
    case Kind::c2c:
    case Kind::r2c:
      return fourier(padded, direction);
    case Kind::c2r: {
      Numbers c = fourier(r, direction);
      c.resize(static_cast<std::size_t>(n / 2 + 1));
      for (std::int64_t j = 1; j < (n + 1) / 2; ++j) c[static_cast<std::size_t>(j)] *= 2;
      return c;
    }
    case Kind::r2r:
      break;
  }
  return transposed_cosines(r, type);
}

Numbers random_weights(std::size_t count, bool real, std::mt19937_64& random) {
  Numbers r(count);
  for (auto& weight : r) {
    const double turn = static_cast<double>(random() >> 11) / static_cast<double>(std::uint64_t{1} << 53);
    weight = real ? (turn < 0.5 ? -1.0 : 1.0) : std::polar(1.0, 2 * std::numbers::pi * turn);
  }
  return r;
}

__extension__ using Wide = __int128;

/// Zadoff-Chu numbers: all of one modulus, and their Fourier transform too (Chu 1972).
Numbers even_weights(std::int64_t n) {
  Numbers r(static_cast<std::size_t>(n));
  for (std::int64_t j = 0; j < n; ++j) {
    const auto turns = static_cast<std::int64_t>((static_cast<Wide>(j) * (j + n % 2)) % (2 * n));
    r[static_cast<std::size_t>(j)] =
        std::polar(1.0, std::numbers::pi * static_cast<double>(turns) / static_cast<double>(n));
  }
  return r;
}

double least(const Numbers& numbers) {
  double result = std::abs(numbers.front());
  for (const auto& number : numbers) result = std::min(result, std::abs(number));
  return result;
}

}  // namespace

CheckWeights make_check_weights(Kind kind, AxisTransform type, Direction direction, std::int64_t n, bool real) {
  constexpr int tries = 12;
  if (kind == Kind::c2c && !real) {
    Numbers r = even_weights(n);
    Numbers c = transposed(kind, type, direction, n, r);
    return {std::move(c), std::move(r)};
  }
  std::mt19937_64 random(static_cast<std::uint64_t>(n));
  const auto count = static_cast<std::size_t>(kind == Kind::r2c ? n / 2 + 1 : n);
  CheckWeights best;
  for (int i = 0; i < tries; ++i) {
    Numbers r = random_weights(count, real, random);
    Numbers c = transposed(kind, type, direction, n, r);
    if (best.in.empty() || least(c) > least(best.in)) best = {std::move(c), std::move(r)};
  }
  return best;
}

}  // namespace shardfft
