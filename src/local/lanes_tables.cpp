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

/// The cost of a pass a point, by radix, relative to others: with few registers large radices keep points in memory.
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

/// The cheapest passes for n points, with radices from the given one on; empty if there are none, or if n is 1.
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

/// The length of the cheapest transform of n points or more.
std::int64_t cheapest_from(std::int64_t n, int registers) {
  double least = std::numeric_limits<double>::infinity();
  std::int64_t best = 0;
  for (std::int64_t m = n; m <= 2 * n + 1 && static_cast<double>(m) < least; ++m) {
    if (has_prime_above(m, 7)) continue;
    const double all = static_cast<double>(m) * cost(choose_passes(m, registers), registers);
    if (all < least) {
      least = all;
      best = m;
    }
  }
  return best;
}

/// The length of the passes, in points; two numbers are a point of Rader's convolution for real lines. If it is longer
/// than n - 1 numbers, zeros follow. Half the results of a real line still depend on all n numbers.
std::int64_t passes_length(std::int64_t n, int registers, bool real) {
  const Way way = way_of(n, registers, real);
  if (way == Way::passes) return n;
  if (way == Way::bluestein) return cheapest_from(real ? n + n / 2 : 2 * n - 1, registers);
  return !real ? n - 1 : has_prime_above(n - 1, 13) ? cheapest_from(n - 1, registers) : (n - 1) / 2;
}

/// Its powers modulo the prime n are all numbers from 1 to n - 1.
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

/// For a convolution with real numbers x, two a point: the factor of each point of the spectrum, and the factor of the
/// conjugate of its mirror image. The sums of these products are the spectrum of the convolution.
std::vector<Exact> pair_factors(const std::vector<Exact>& x) {
  std::vector<Exact> parts[2], factors;
  for (std::size_t i = 0; i < x.size(); ++i) parts[i % 2].push_back(x[i]);
  for (std::vector<Exact>& part : parts) part = transformed(part);
  for (std::size_t k = 0; k < parts[0].size(); ++k) {
    const Exact odd = product(parts[1][k], {0, 0.5L});
    const Exact next = product(odd, root(static_cast<std::int64_t>(k), std::ssize(parts[0])));
    factors.push_back(parts[0][k] + odd - next);
    factors.push_back(odd + next);
  }
  return factors;
}

}  // namespace

Way way_of(std::int64_t n, int registers, bool real) {
  // Larger primes take less time as convolutions; real lines of 37 points have smaller rounding errors without.
  const int by_definition = real ? 37 : registers < 32 ? 31 : 23;
  const bool has_way = !has_prime_above(n - 1, 13) || (real && n > most_radix);
  if (n > by_definition && has_way && is_prime(n)) return Way::rader;
  return has_prime_above(n, most_radix) ? Way::bluestein : Way::passes;
}

std::int64_t scratch_points_of(std::int64_t n, int registers, bool real) {
  if (way_of(n, registers, real) != Way::passes) return 2 * (passes_length(n, registers, real) + 1);
  return real ? n + n / 6 + 2 : n + 1;  // the first pass stores at most two thirds beside the line
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
PassTables<Real>::PassTables(std::int64_t n, int registers, bool real)
    : points_(n), place_(static_cast<std::size_t>(n)) {
  std::int64_t length = n;
  std::vector<int> chosen = choose_passes(n, registers);
  // The first pass of a real line computes (radix + 1) / 2 of `radix` parts, so that the largest radix comes first.
  if (real) std::reverse(chosen.begin(), chosen.end());
  for (const int radix : chosen) {
    const std::int64_t m = length / radix;
    const bool halves = real && length == n;
    if (halves) points_ = (radix + 1) / 2 * m;
    std::vector<Real>& twiddles = twiddles_.emplace_back();
    for (std::int64_t j = 0; m > 1 && j < m; ++j)
      for (int k = 1; k < (halves ? (radix + 1) / 2 : radix); ++k) append(twiddles, root(j * k, length));
    const std::size_t roots = twiddles.size();
    for (int k = 1; (halves || radix > most_written_out) && k <= radix / 2; k += 2)
      for (int j = 1; j <= radix / 2; ++j)
        for (const int of : {k, k + 1}) append(twiddles, std::conj(root(j * of, radix)));
    passes_.push_back({radix, m, halves ? 1 : points_ / length, twiddles.data(),
                       twiddles.size() > roots ? &twiddles[roots] : nullptr});
    length = m;
  }
  for (std::int64_t k = 0; k < n; ++k) {
    std::int64_t rest = k, place = 0;
    for (const RadixPass<Real>& pass : passes_) {
      place += rest % pass.radix * pass.m;
      rest /= pass.radix;
    }
    place_[static_cast<std::size_t>(k)] = static_cast<std::int32_t>(place);
  }
  for (std::int64_t k = 1; real && k < n; ++k)
    if (k % chosen.front() > chosen.front() / 2)
      place_[static_cast<std::size_t>(k)] = ~place_[static_cast<std::size_t>(n - k)];
}

template <class Real>
LineTables<Real>::LineTables(std::int64_t n, int registers, bool real)
    : tables_(passes_length(n, registers, real), registers, real && way_of(n, registers, real) == Way::passes),
      place_(tables_.places()) {
  const Way way = way_of(n, registers, real);
  if (way == Way::passes) return;
  convolution_.passes = tables_.passes();
  place_.resize(static_cast<std::size_t>(n));
  way == Way::rader ? make_rader(n, real) : make_bluestein(n);
  for (std::int64_t k = 0; real && k < n; ++k)
    place_[static_cast<std::size_t>(k)] = static_cast<std::int32_t>(k <= n / 2 ? k : ~(n - k));
  convolution_.spectrum = spectrum_.data();
}

/// X(g^-q) - x(0) is the sum over p of x(g^p) exp(-2 pi i g^(p-q) / n); in the Hartley transform, the sum of cosine and
/// sine of that angle stands for the exponential.
template <class Real>
void LineTables<Real>::make_rader(std::int64_t n, bool real) {
  const std::int64_t m = tables_.passes().n, numbers = real ? 2 * m : m, g = generator(n);
  std::vector<Exact> factors(static_cast<std::size_t>(numbers));
  std::vector<std::int64_t> powers{1};
  while (std::ssize(powers) < n - 1) powers.push_back(powers.back() * g % n);
  place_[0] = static_cast<std::int32_t>(m);
  results_.resize(place_.size());
  for (std::int64_t q = 0; q < n - 1; ++q) {
    gather_.push_back(static_cast<std::int32_t>(powers[static_cast<std::size_t>(q)]));
    const auto inverse = static_cast<std::size_t>(powers[static_cast<std::size_t>((n - 1 - q) % (n - 1))]);
    Exact w = root(static_cast<std::int64_t>(inverse), n);
    if (real) w = (w.real() - w.imag()) / 2;
    // If zeros follow the line, the factors also continue from the other end of the convolution.
    factors[static_cast<std::size_t>(q)] = w;
    if (q > 0 && numbers > n - 1) factors[static_cast<std::size_t>(numbers - (n - 1 - q))] = w;
    // The results of a backward transform are those of a forward one in reverse order.
    const std::int64_t point = real ? q / 2 : q;
    const std::int32_t place = tables_.places()[static_cast<std::size_t>((m - point) % m)];
    place_[inverse] = place;
    results_[inverse] = static_cast<std::int32_t>(2 * place + q % 2);
  }
  for (const Exact& factor : real ? pair_factors(factors) : transformed(factors))
    append(spectrum_, factor / static_cast<long double>(m));
  convolution_.gather = gather_.data();
  convolution_.results = results_.data();
}

/// X(k) is c(k) times the sum over j of x(j) c(j) / c(k - j), with c(j) = exp(-pi i j^2 / n).
template <class Real>
void LineTables<Real>::make_bluestein(std::int64_t n) {
  const auto m = static_cast<std::size_t>(tables_.passes().n);
  std::vector<Exact> factors(m);
  for (std::int64_t j = 0; j < n; ++j) {
    const Exact c = root(j * j, 2 * n);
    append(chirp_, c);
    const auto i = static_cast<std::size_t>(j);
    factors[(m - i) % m] = std::conj(c);
    if (i + place_.size() <= m) factors[i] = std::conj(c);
  }
  for (const Exact& factor : transformed(factors)) append(spectrum_, factor / static_cast<long double>(m));
  std::iota(place_.begin(), place_.end(), 0);
  convolution_.chirp = chirp_.data();
}

template std::vector<double> half_roots(std::int64_t, double);
template std::vector<float> half_roots(std::int64_t, double);
template class LineTables<double>;
template class LineTables<float>;

}  // namespace shardfft::lanes
