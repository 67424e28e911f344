// The choice of recipes.
//
// A pass is bound by memory where three things hold. Neighbouring lines are read and written in long runs: the bundle
// is as wide as shared memory allows, a power of two so that runs do not straddle those of the memory, and pairs of
// multiprocessors keep step on neighbouring bundles. The transform of a bundle takes less time than
// its bytes: few stages, whose butterflies are dealt to threads without leftover. And what threads hold stays in
// registers.
#include "device/line_recipe.hpp"

#include <algorithm>
#include <array>
#include <cstdint>

namespace shardfft::device::lines {

namespace {

constexpr int largest_radix = 16, most_threads = 1024, most_points = 32, warp = 32;

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

/// Registers that a thread needs: four a number, addresses, and what a butterfly of an odd prime keeps beside them.
int registers_for(const LineCut& line) {
  int extra = 0;
  for (int s = 0; s < line.stages; ++s) {
    const int prime = largest_prime(line.radix[s]);
    if (prime > 5) extra = std::max(extra, 2 * (prime - 1));
  }
  return 4 * line.points() + extra + 32;
}

/// Arithmetic of a butterfly, in additions and multiplications of complex numbers by real ones, its twiddles included.
double work(int radix) {
  double sum = 0;
  int rest = radix;
  for (int p = 2; rest > 1; ++p)
    for (; rest % p == 0; rest /= p) sum += p == 2 ? 2 : p == 3 ? 4 : (p * p + 4.0 * p) / 2 / p * 1.5;
  return radix * (sum + 4);
}

/// Time of a bundle, in arbitrary units a point: work of all butterflies, and of each stage the time that its longest
/// thread takes alone, which too few warps cannot hide.
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

struct Candidate {
  Recipe recipe;
  double cost;
};

/// Without bulk copies: whole runs of memory, and a second bundle that is read while the first one is transformed.
int run_width(const Candidate& c) { return std::min(c.recipe.width, static_cast<int>(run_bytes / unit_bytes)); }
int overlap(const Candidate& c) { return std::min(c.recipe.resident, 2); }

bool better(const Candidate& a, const Candidate& b) {
  if (!a.recipe.bulk) {
    if (run_width(a) != run_width(b)) return run_width(a) > run_width(b);
    if (overlap(a) != overlap(b)) return overlap(a) > overlap(b);
  } else if (a.recipe.width != b.recipe.width) {
    return a.recipe.width > b.recipe.width;
  }
  return a.cost < b.cost;
}

}  // namespace

std::vector<Recipe> recipes(int n, const Hardware& hardware) {
  std::vector<Candidate> found;
  if (n < 4 || !has_small_factors(n)) return {};
  std::vector<std::vector<int>> factors;
  for (int stages = 2; stages <= max_stages && factors.empty(); ++stages) {
    std::vector<int> radices;
    add_radices(n, stages, radices, factors);
  }
  for (const int width : {16, 8, 4, 2}) {
    for (const std::vector<int>& radices : factors) {
      LineCut line;
      line.n = n;
      line.stages = static_cast<int>(radices.size());
      std::copy(radices.begin(), radices.end(), line.radix);
      for (int team = 1; team * width <= most_threads; ++team) {
        line.team = team;
        if (line.points() > most_points) continue;
        Recipe recipe{line, width, 1, hardware.bulk_copies ? 2 : 1, hardware.bulk_copies};
        const int bytes = recipe.shared_bytes(Precision::f64) + reserved_shared_bytes;
        if (bytes > hardware.shared_bytes) continue;
        const int threads = (team * width + warp - 1) / warp * warp;
        const int registers = registers_for(line);
        recipe.resident = std::min({hardware.all_shared_bytes / bytes, hardware.threads / threads,
                                    hardware.registers / (threads * registers), 8});
        if (recipe.resident < 1) continue;
        found.push_back({recipe, cost(line, double(team * width * recipe.resident) / warp)});
      }
    }
  }
  std::stable_sort(found.begin(), found.end(), better);
  std::vector<Recipe> result;
  for (const Candidate& c : found) result.push_back(c.recipe);
  return result;
}

Hardware hardware_of(const DeviceFacts& facts) {
  Hardware hardware;
  hardware.shared_bytes = static_cast<int>(facts.shared_bytes_a_block);
  hardware.all_shared_bytes = static_cast<int>(facts.shared_bytes);
  hardware.registers = facts.registers;
  hardware.threads = facts.threads;
  hardware.bulk_copies = facts.bulk_copies;
  return hardware;
}

std::optional<Recipe> recipe_for(int n, const DeviceFacts& facts, bool compiles) {
  const Hardware hardware = hardware_of(facts);
  const Recipe* own = facts.bulk_copies ? own_recipe(n) : nullptr;
  if (own != nullptr && own->shared_bytes(Precision::f64) + reserved_shared_bytes <= hardware.shared_bytes) return *own;
  if (!compiles) return std::nullopt;
  const std::vector<Recipe> all = recipes(n, hardware);
  return all.empty() ? std::nullopt : std::optional<Recipe>(all.front());
}

}  // namespace shardfft::device::lines
