// The choice of recipes.
//
// Three conditions make memory the only limit of a pass. First, neighbouring lines are read and written in long runs:
// the bundle is as wide as shared memory allows, its width is a power of two so that its runs do not straddle those of
// the memory, and pairs of multiprocessors keep step on neighbouring bundles. Second, the transform of a bundle takes
// less time than its bytes: it has few stages, whose butterflies divide evenly among threads. Third, the points of a
// thread stay in registers.
#include "device/line_recipe.hpp"

#include <algorithm>
#include <cstdint>

#include "base/round_up.hpp"
#include "device/line_cuts.hpp"

namespace shardfft::device::lines {

namespace {

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
  const std::vector<LineCut> cuts = cuts_in_stages(n);
  for (const int width : {16, 8, 4, 2}) {
    for (LineCut line : cuts) {
      for (int team = 1; team * width <= most_threads; ++team) {
        line.team = team;
        if (line.points() > most_points) continue;
        Recipe recipe{line, width, 1, hardware.bulk_copies ? 2 : 1, hardware.bulk_copies};
        const int bytes = recipe.most_shared_bytes(false) + reserved_shared_bytes;
        if (bytes > hardware.shared_bytes) continue;
        const int threads = round_up(team * width, warp);
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

std::optional<Recipe> recipe_for(int n, const Hardware& hardware, bool compiles, bool odd) {
  const auto has_room = [&](int bytes) { return bytes + reserved_shared_bytes <= hardware.shared_bytes; };
  const auto fits = [&](const Recipe& recipe) { return has_room(recipe.most_shared_bytes(odd)); };
  const auto finished = [&](Recipe recipe) {
    recipe.holds_weights = true;
    recipe.holds_weights = recipe.bulk && has_room(recipe.checked_bytes(odd ? Precision::f32 : Precision::f64, odd));
    return recipe;
  };
  const Recipe* own = hardware.bulk_copies ? own_recipe(n) : nullptr;
  if (own != nullptr && fits(*own)) return finished(*own);
  if (!compiles) return std::nullopt;
  const std::vector<Recipe> all = recipes(n, hardware);
  const auto first = std::find_if(all.begin(), all.end(), fits);
  return first == all.end() ? std::nullopt : std::optional<Recipe>(finished(*first));
}

}  // namespace shardfft::device::lines
