#include "local/lanes_tables.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <iterator>
#include <limits>
#include <numbers>
#include <numeric>

#include "local/work_memory.hpp"

namespace shardfft::lanes {
namespace {

using Exact = std::complex<long double>;

/// exp(-2 pi i k / n).
Exact root(std::int64_t k, std::int64_t n) {
  const long double angle = 2 * std::numbers::pi_v<long double> * static_cast<long double>(k % n) / n;
  return {std::cos(angle), -std::sin(angle)};
}

Exact product(Exact a, Exact b) {  // not operator*, which checks for NaN
  return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}

/// What a pass of a radix costs a point, beside others: with few registers large ones keep points in memory.
struct RadixCost {
  int radix;
  double few_registers, many_registers;  ///< 0: there is no such pass
};
constexpr RadixCost radices[] = {{16, 0, 1.66},  {13, 3.2, 1.63}, {12, 0, 1.62},  {11, 2.6, 1.61}, {10, 2.2, 1.1},
                                 {9, 2.1, 1.09}, {8, 1.6, 1.08},  {7, 1.7, 1.07}, {6, 1.25, 1.06}, {5, 1.2, 1.05},
                                 {4, 1, 1.04},   {3, 0.9, 1.03},  {2, 0.8, 1.02}};

double cost(const std::vector<int>& passes, int registers) {
  double sum = 0;
  for (const RadixCost& r : radices)
    sum += static_cast<double>(std::count(passes.begin(), passes.end(), r.radix)) *
           (registers < 32 ? r.few_registers : r.many_registers);
  return sum;
}

bool is_prime(std::int64_t n) { return n > 1 && has_prime_above(n, n - 1); }

/// The cheapest passes for n points, of radices from the given one on; none where there are no such, or n is 1.
std::vector<int> choose_passes(std::int64_t n, int registers, std::size_t from = 0) {
  std::vector<int> best;
  for (int prime = most_radix; from == 0 && prime > most_written_out; prime -= 2)
    if (n % prime == 0 && is_prime(prime)) {
      best = choose_passes(n / prime, registers);
      best.push_back(prime);
      return best;
    }
  for (std::size_t i = from; i < std::size(radices); ++i) {
    const int radix = radices[i].radix;
    if (n % radix != 0 || (registers < 32 && radices[i].few_registers == 0)) continue;
    std::vector<int> passes = choose_passes(n / radix, registers, i);
    if (passes.empty() && n != radix) continue;
    passes.push_back(radix);
    if (best.empty() || cost(passes, registers) < cost(best, registers)) best = passes;
  }
  return best;
}

/// The convolution of Bluestein for n points: the cheapest that holds 2 n - 1.
std::int64_t bluestein_length(std::int64_t n, int registers) {
  double least = std::numeric_limits<double>::infinity();
  std::int64_t best = 0;
  for (std::int64_t m = 2 * n - 1; m <= 4 * n && static_cast<double>(m) < least; ++m) {
    if (has_prime_above(m, 7)) continue;
    const double all = static_cast<double>(m) * cost(choose_passes(m, registers), registers);
    if (all < least) {
      least = all;
      best = m;
    }
  }
  return best;
}

std::int64_t convolution_length(std::int64_t n, int registers) {
  return way_of(n, registers) == Way::rader ? n - 1 : bluestein_length(n, registers);
}

/// Powers of it are all numbers from 1 to n - 1 modulo the prime n.
std::int64_t generator(std::int64_t n) {
  for (std::int64_t g = 2;; ++g) {
    std::int64_t power = g, order = 1;
    for (; power != 1; ++order) power = power * g % n;
    if (order == n - 1) return g;
  }
}

/// A forward transform, by definition for each prime factor.
std::vector<Exact> transformed(const std::vector<Exact>& x) {
  const auto n = static_cast<std::int64_t>(x.size());
  if (n == 1) return x;
  std::int64_t p = 2;
  while (n % p != 0) ++p;
  const std::int64_t m = n / p;
  std::vector<Exact> result(x.size());
  for (std::int64_t r = 0; r < p; ++r) {
    std::vector<Exact> part;
    for (std::int64_t j = 0; j < m; ++j) part.push_back(x[static_cast<std::size_t>(j * p + r)]);
    part = transformed(part);
    for (std::int64_t k = 0; k < n; ++k)
      result[static_cast<std::size_t>(k)] += product(part[static_cast<std::size_t>(k % m)], root(r * k, n));
  }
  return result;
}

template <class Real>
void append(std::vector<Real>& list, Exact x) {
  list.push_back(static_cast<Real>(x.real()));
  list.push_back(static_cast<Real>(x.imag()));
}

/// Of what is convolved with, over its length.
template <class Real>
std::vector<Real> spectrum_of(const std::vector<Exact>& x) {
  std::vector<Real> list;
  for (const Exact& value : transformed(x)) append(list, value / static_cast<long double>(x.size()));
  return list;
}

}  // namespace

Way way_of(std::int64_t n, int registers) {
  const int by_definition = registers < 32 ? 31 : 23;  // larger primes take less time as convolutions of small ones
  if (n > by_definition && is_prime(n) && !has_prime_above(n - 1, 13)) return Way::rader;
  return has_prime_above(n, most_radix) ? Way::bluestein : Way::passes;
}

std::int64_t scratch_points_of(std::int64_t n, int registers) {
  if (way_of(n, registers) == Way::passes) return n;
  Plan<double> plan;
  Convolution<double> convolution;
  plan.n = n;
  plan.convolution = &convolution;
  convolution.passes.n = convolution_length(n, registers);
  return 2 * scratch_points(plan);
}

template <class Real>
std::vector<Real> half_roots(std::int64_t n, double factor) {
  std::vector<Real> list;
  for (std::int64_t k = 0; k <= n / 2; ++k) {
    Exact w = root(k, n);
    if (2 * k % n == 0) w.imag(0);
    if (4 * k == n) w.real(0);
    append(list, w * static_cast<long double>(factor));
  }
  return list;
}

template <class Real>
PassTables<Real>::PassTables(std::int64_t n, int registers) : n_(n), place_(static_cast<std::size_t>(n)) {
  std::int64_t length = n;
  for (const int radix : choose_passes(n, registers)) {
    const std::int64_t m = length / radix;
    std::vector<Real>& twiddles = twiddles_.emplace_back();
    for (std::int64_t j = 0; m > 1 && j < m; ++j)
      for (int k = 1; k < radix; ++k) append(twiddles, root(j * k, length));
    const std::size_t roots = twiddles.size();
    for (int k = 1; radix > most_written_out && k <= radix / 2; k += 2)
      for (int j = 1; j <= radix / 2; ++j)
        for (const int of : {k, k + 1}) append(twiddles, std::conj(root(j * of, radix)));
    passes_.push_back({radix, m, n / length, twiddles.data(), twiddles.size() > roots ? &twiddles[roots] : nullptr});
    length = m;
  }
  for (std::int64_t k = 0; k < n; ++k) {
    std::int64_t rest = k, place = 0;
    for (const Pass<Real>& pass : passes_) {
      place += rest % pass.radix * pass.m;
      rest /= pass.radix;
    }
    place_[static_cast<std::size_t>(k)] = static_cast<std::int32_t>(place);
  }
}

template <class Real>
ConvolutionTables<Real>::ConvolutionTables(std::int64_t n, int registers)
    : tables_(convolution_length(n, registers), registers), place_(static_cast<std::size_t>(n)) {
  convolution_.passes = tables_.passes();
  if (way_of(n, registers) == Way::rader)
    make_rader(n);
  else
    make_bluestein(n);
  convolution_.spectrum = spectrum_.data();
}

/// X(g^-q) - x(0) is the sum over p of x(g^p) with exp(-2 pi i g^(p-q) / n).
template <class Real>
void ConvolutionTables<Real>::make_rader(std::int64_t n) {
  const std::int64_t m = n - 1, g = generator(n);
  std::vector<Exact> factors;
  std::vector<std::int64_t> powers{1};
  while (std::ssize(powers) < m) powers.push_back(powers.back() * g % n);
  place_[0] = static_cast<std::int32_t>(m);
  for (std::int64_t q = 0; q < m; ++q) {
    gather_.push_back(static_cast<std::int32_t>(powers[static_cast<std::size_t>(q)]));
    const auto inverse = static_cast<std::size_t>(powers[static_cast<std::size_t>((m - q) % m)]);
    factors.push_back(root(static_cast<std::int64_t>(inverse), n));
    // A backward transform is a forward one that is numbered the other way round.
    place_[inverse] = tables_.places()[static_cast<std::size_t>((m - q) % m)];
  }
  spectrum_ = spectrum_of<Real>(factors);
  convolution_.gather = gather_.data();
}

/// X(k) is c(k) times the sum over j of x(j) c(j) / c(k - j), where c(j) is exp(-pi i j^2 / n).
template <class Real>
void ConvolutionTables<Real>::make_bluestein(std::int64_t n) {
  const auto m = static_cast<std::size_t>(tables_.passes().n);
  std::vector<Exact> factors(m);
  for (std::int64_t j = 0; j < n; ++j) {
    const Exact c = root(j * j, 2 * n);
    append(chirp_, c);
    const auto i = static_cast<std::size_t>(j);
    factors[i] = factors[(m - i) % m] = std::conj(c);
  }
  spectrum_ = spectrum_of<Real>(factors);
  std::iota(place_.begin(), place_.end(), 0);
  convolution_.chirp = chirp_.data();
}

template std::vector<double> half_roots(std::int64_t, double);
template std::vector<float> half_roots(std::int64_t, double);
template class PassTables<double>;
template class PassTables<float>;
template class ConvolutionTables<double>;
template class ConvolutionTables<float>;

}  // namespace shardfft::lanes
