#include "verify/check_weights.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>

#include "algorithm/program.hpp"
#include "local/backend.hpp"

namespace shardfft {

namespace {

using Numbers = std::vector<std::complex<double>>;

Numbers fourier(const Numbers& in, Direction direction) {
  FftSpec spec;
  spec.direction = direction;
  spec.transform = {{static_cast<std::int64_t>(in.size()), 1, 1}};
  spec.effort = Effort::estimate;
  Numbers out(in.size());
  make_local_fft(fallback_backend(), spec)->execute(in.data(), out.data());
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
  make_local_fft(fallback_backend(), spec)->execute(numbers.data(), out.data());
  return {out.begin(), out.end()};
}

/// T^t r of the cosine and sine transforms as FFTW defines them (section 4.8.5, "1d Real-even DFTs", of its manual, and
/// the next): the transpose of type II is type III except for the factor of one number, that of type I is type I.
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

/// T^t r of the Fourier transforms.
Numbers transposed(Kind kind, Direction direction, std::int64_t n, const Numbers& r) {
  if (kind == Kind::c2r) {
    Numbers c = fourier(r, direction);
    c.resize(static_cast<std::size_t>(n / 2 + 1));
    for (std::int64_t j = 1; j < (n + 1) / 2; ++j) c[static_cast<std::size_t>(j)] *= 2;
    return c;
  }
  Numbers padded = r;
  padded.resize(static_cast<std::size_t>(n));
  return fourier(padded, direction);
}

Numbers real_parts(Numbers numbers) {
  for (auto& number : numbers) number = number.real();
  return numbers;
}

double random_sign(std::mt19937_64& random) { return random() % 2 == 0 ? 1.0 : -1.0; }

/// The r whose T^t r has these real parts, or for c2c and c2r these numbers.
Numbers transposed_back(Kind kind, Direction direction, std::int64_t n, Numbers c) {
  if (kind == Kind::r2c) c = real_parts(std::move(c));
  c.resize(static_cast<std::size_t>(n));
  Numbers r = fourier(c, direction == Direction::forward ? Direction::backward : Direction::forward);
  for (auto& number : r) number /= static_cast<double>(n);
  if (kind == Kind::c2r) r = real_parts(std::move(r));
  if (kind != Kind::r2c) return r;
  r.resize(static_cast<std::size_t>(n / 2 + 1));
  for (std::int64_t j = 1; j < (n + 1) / 2; ++j) r[static_cast<std::size_t>(j)] *= 2;
  return r;
}

/// Whether a number's imaginary part counts: in half a spectrum the first number is real, and for even lengths the last
/// one.
bool has_imag(bool is_complex, bool is_half, std::int64_t n, std::size_t at) {
  return is_complex && !(is_half && (at == 0 || 2 * static_cast<std::int64_t>(at) == n));
}

/// The parts of one side's numbers.
class Parts {
 public:
  Parts(Numbers& numbers, bool is_complex, bool is_half, std::int64_t n) {
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      auto* const parts = reinterpret_cast<double*>(&numbers[i]);
      parts_.push_back(parts);
      if (has_imag(is_complex, is_half, n, i)) parts_.push_back(parts + 1);
    }
  }
  double root_mean_square() const {
    double squares = 0;
    for (const double* part : parts_) squares += *part * *part;
    return std::sqrt(squares / static_cast<double>(parts_.size()));
  }
  /// The smallest one, in units of the root mean square.
  double least() const {
    double result = std::abs(*parts_.front());
    for (const double* part : parts_) result = std::min(result, std::abs(*part));
    return result / root_mean_square();
  }
  void push_away_from_zero(double least) {
    least *= root_mean_square();
    for (double* part : parts_)
      if (std::abs(*part) < least) *part = std::copysign(least, *part);
  }

 private:
  std::vector<double*> parts_;
};

/// Replaces the points k and n - k by their sum and their difference, both divided by the root of 2. Done twice, it
/// changes nothing.
Numbers folded(Numbers numbers) {
  for (std::size_t k = 1, n = numbers.size(); 2 * k < n; ++k) {
    const std::complex<double> one = numbers[k], other = numbers[n - k];
    numbers[k] = (one + other) / std::numbers::sqrt2;
    numbers[n - k] = (one - other) / std::numbers::sqrt2;
  }
  return numbers;
}

/// The parts of one side's numbers that count; with `has_pairs` those of folded() numbers count too.
struct SideParts {
  bool is_complex, is_half;
  bool has_pairs = false;

  Parts of(Numbers& numbers, std::int64_t n) const { return {numbers, is_complex, is_half, n}; }
  double least(Numbers numbers, std::int64_t n) const {
    const double plain = of(numbers, n).least();
    if (!has_pairs) return plain;
    numbers = folded(std::move(numbers));
    return std::min(plain, of(numbers, n).least());
  }
  void push_away_from_zero(Numbers& numbers, std::int64_t n, double least) const {
    of(numbers, n).push_away_from_zero(least);
    // Raising one of the two may lower the other one.
    for (int turn = 0; has_pairs && turn < 4; ++turn) {
      numbers = folded(std::move(numbers));
      of(numbers, n).push_away_from_zero(least);
    }
  }
};

/// The least size of the smallest part, and the size to which smaller parts are raised.
struct Evenness {
  double goal, aim;
};
/// If pairs count, twice as many parts must be even.
constexpr Evenness evenness{0.5, 0.575}, evenness_of_pairs{0.3, 0.35};
constexpr int turns = 60, starts = 8;

CheckWeights normalised(CheckWeights weights) {
  double squares = 0;
  for (const auto& weight : weights.out) squares += std::norm(weight);
  const double unit = std::sqrt(squares / static_cast<double>(weights.out.size()));
  for (auto* list : {&weights.in, &weights.out})
    for (auto& weight : *list) weight /= unit;
  return weights;
}

/// Raises parts that are too small, on both sides in turn. On the other side each change is noise that few parts feel.
/// `there` makes the input's weights from the result's, `back` the nearest result's weights from these, or a multiple
/// of them.
template <class There, class Back>
CheckWeights search_weights(Numbers r, std::int64_t n, SideParts of_in, SideParts of_out, const There& there,
                            const Back& back) {
  const Evenness wanted = of_in.has_pairs || of_out.has_pairs ? evenness_of_pairs : evenness;
  CheckWeights best;
  double most = 0;
  for (int turn = 0; turn < turns && most < wanted.goal; ++turn) {
    Numbers c = there(r);
    const double least = std::min(of_in.least(c, n), of_out.least(r, n));
    if (best.in.empty() || least > most) {
      most = least;
      best = {c, r};
    }
    of_in.push_away_from_zero(c, n, wanted.aim);
    r = back(std::move(c));
    of_out.push_away_from_zero(r, n, wanted.aim);
  }
  return best;
}

}  // namespace

CheckWeights make_last_axis_weights(Kind kind, Direction direction, std::int64_t n) {
  std::mt19937_64 random(static_cast<std::uint64_t>(n));
  Numbers r(static_cast<std::size_t>(kind == Kind::r2c ? n / 2 + 1 : n));
  for (auto& weight : r) {
    weight = random_sign(random);
    if (kind != Kind::c2r) weight.imag(random_sign(random));
  }
  CheckWeights best = search_weights(
      std::move(r), n, {kind != Kind::r2c, kind == Kind::c2r}, {kind != Kind::c2r, kind == Kind::r2c},
      [&](const Numbers& out) { return transposed(kind, direction, n, out); },
      [&](Numbers in) { return transposed_back(kind, direction, n, std::move(in)); });
  // The numbers of half a spectrum without an imaginary part get a weight for one, which must show if it appears; input
  // needs none.
  for (std::size_t j = 0; kind == Kind::r2c && j < best.out.size(); ++j)
    if (!has_imag(true, true, n, j)) best.out[j].imag(best.out[j].real());
  return normalised(std::move(best));
}

RealCheckWeights make_real_axis_weights(Kind kind, std::int64_t n, double size) {
  std::mt19937_64 random(static_cast<std::uint64_t>(n));
  constexpr double other_size = 2.4;  // sums and differences of numbers of one size are not of one size
  const SideParts of_in{true, false, kind == Kind::c2r}, of_out{false, false, kind == Kind::r2c};
  const auto input_of = [&](Numbers real) {
    for (auto& number : real) number = {number.real(), number.real()};
    return transposed(Kind::c2c, Direction::forward, n, real);
  };
  const auto nearest = [&](Numbers in) {  // weights of the result
    Numbers out = transposed_back(Kind::c2c, Direction::forward, n, std::move(in));
    for (auto& weight : out) weight = (weight.real() + weight.imag()) / 2;
    return out;
  };
  Numbers best;
  double most = 0;
  // Some starts fail, for example with 9 numbers.
  for (int start = 0; start < starts && most < evenness_of_pairs.goal; ++start) {
    Numbers r(static_cast<std::size_t>(n));
    for (auto& weight : r) weight = random_sign(random) * (kind != Kind::c2c && random() % 2 == 0 ? other_size : 1.0);
    CheckWeights found = search_weights(std::move(r), n, of_in, of_out, input_of, nearest);
    const double least = std::min(of_in.least(found.in, n), of_out.least(found.out, n));
    if (!best.empty() && least <= most) continue;
    best = std::move(found.out);
    most = least;
  }
  size /= Parts(best, false, false, n).root_mean_square();
  RealCheckWeights all;
  for (auto& weight : best) {
    int exponent = 0;
    constexpr double bits = 1 << 20;
    const double mantissa = std::frexp(size * weight.real(), &exponent);
    all.real.push_back(std::ldexp(std::round(mantissa * bits) / bits, exponent));
    weight = all.real.back();
  }
  all.in = input_of(std::move(best));
  return all;
}

/// Symmetric numbers have real transforms, and symmetric ones.
CheckWeights make_real_weights(std::int64_t n) {
  std::mt19937_64 random(static_cast<std::uint64_t>(n));
  Numbers r(static_cast<std::size_t>(n));
  for (std::int64_t j = 0; j <= n / 2; ++j)
    r[static_cast<std::size_t>(j)] = r[static_cast<std::size_t>(j == 0 ? 0 : n - j)] = random_sign(random);
  return normalised(search_weights(
      std::move(r), n, {false, false}, {false, false},
      [](const Numbers& out) { return real_parts(fourier(out, Direction::forward)); },
      [n](const Numbers& in) {
        Numbers out = real_parts(fourier(in, Direction::backward));
        for (auto& number : out) number /= static_cast<double>(n);
        return out;
      }));
}

CheckWeights make_cosine_weights(AxisTransform type, std::int64_t n) {
  std::mt19937_64 random(static_cast<std::uint64_t>(n));
  Numbers r(static_cast<std::size_t>(n));
  for (auto& weight : r) weight = random_sign(random);
  return normalised(search_weights(
      std::move(r), n, {false, false}, {false, false},
      [type](const Numbers& out) { return transposed_cosines(out, type); },
      [type](const Numbers& in) { return transposed_cosines(in, inverse_type(type)); }));
}

}  // namespace shardfft
