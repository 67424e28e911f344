// All ways to cut a line, and the cost of each.
#include "device/line_cuts.hpp"

#include <algorithm>

namespace shardfft::device::lines {

namespace {

constexpr int largest_radix = 16;

bool has_small_factors(int n) {
  for (const int p : {2, 3, 5, 7, 11, 13})
    while (n % p == 0) n /= p;
  return n == 1;
}
int largest_prime(int r) {
  int largest = 1;
  for (int p = 2; r > 1; ++p)
    for (; r % p == 0; r /= p) largest = p;
  return largest;
}

/// All ways to write n as a product of `stages` radices, in any order.
void add_radices(int n, int stages, std::vector<int>& radices, std::vector<std::vector<int>>& all) {
  if (stages == 1) {
    if (n < 2 || n > largest_radix) return;
    radices.push_back(n);
    all.push_back(radices);
    radices.pop_back();
    return;
  }
  for (int r = 2; r <= largest_radix; ++r) {
    if (n % r != 0) continue;
    radices.push_back(r);
    add_radices(n / r, stages - 1, radices, all);
    radices.pop_back();
  }
}

/// Arithmetic of a butterfly, in additions and multiplications of complex numbers by real ones, its twiddles included.
double work(int radix) {
  double sum = 0;
  int rest = radix;
  for (int p = 2; rest > 1; ++p)
    for (; rest % p == 0; rest /= p) sum += p == 2 ? 2 : p == 3 ? 4 : (p * p + 4.0 * p) / 2 / p * 1.5;
  return radix * (sum + 4);
}

}  // namespace

std::vector<LineCut> cuts_in_stages(int n) {
  std::vector<std::vector<int>> factors;
  for (int stages = 2; stages <= max_stages && factors.empty() && n >= 4 && has_small_factors(n); ++stages) {
    std::vector<int> radices;
    add_radices(n, stages, radices, factors);
  }
  std::vector<LineCut> cuts;
  for (const std::vector<int>& radices : factors) {
    LineCut& line = cuts.emplace_back();
    line.n = n;
    line.stages = static_cast<int>(radices.size());
    std::copy(radices.begin(), radices.end(), line.radix);
  }
  return cuts;
}

int registers_for(const LineCut& line) {
  int extra = 0;
  for (int s = 0; s < line.stages; ++s) {
    const int prime = largest_prime(line.radix[s]);
    if (prime > 5) extra = std::max(extra, 2 * (prime - 1));
  }
  return 4 * line.points() + extra + 32;
}

double cost(const LineCut& line, double warps) {
  double sum = 0;
  for (int s = 0; s < line.stages; ++s) {
    const double total = work(line.radix[s]) * line.butterflies(s);
    const double longest = work(line.radix[s]) * line.count(s) * line.team;
    const double exchange = 6.0 * line.n;
    const double leftover = line.even(s) ? 0 : 0.02 * total;
    sum += total + exchange + leftover + (longest - total) * 0.5 + (longest + exchange) * 4.0 / warps;
  }
  return sum / line.n;
}

}  // namespace shardfft::device::lines
