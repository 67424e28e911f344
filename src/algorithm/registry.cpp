// Algorithms by name, and the choice that "auto" makes.
#include <algorithm>
#include <map>
#include <optional>

#include "algorithm/algorithm.hpp"
#include "base/check.hpp"

namespace shardfft {

namespace {

struct Algorithm {
  Program (*make)(const Problem&);
  bool has_grid;  ///< uses Problem::grid
};

const std::map<std::string, Algorithm>& algorithms() {
  static const std::map<std::string, Algorithm> table{
      {"slab", {slab_program, false}},
      {"pencil", {pencil_program, true}},
      {"brick", {brick_program, true}},
      {"brick_groups", {brick_groups_program, true}},
      {"cyclic", {cyclic_program, false}},
      {"six_step", {six_step_program, false}},
      {"cannon", {cannon_program, true}},
      {"cannon_transposed", {cannon_transposed_program, true}},
      {"cannon_hybrid", {cannon_hybrid_program, true}},
  };
  return table;
}

int cut_axes(const Layout& layout) {
  int cuts = 0;
  if (!layout.is_grid()) return -1;
  for (int a = 0; a < layout.axes(); ++a) cuts += layout.parts(a).size() > 1 ? 1 : 0;
  return cuts;
}

bool is_cyclic(const Layout& layout) {
  if (!layout.is_grid()) return false;
  for (int a = 0; a < layout.axes(); ++a)
    for (const Progression& p : layout.parts(a))
      if (p.stride > 1) return true;
  return false;
}

}  // namespace

std::vector<std::string> algorithm_names() {
  std::vector<std::string> names{"auto"};
  for (const auto& entry : algorithms()) names.push_back(entry.first);
  return names;
}

Choice choose_algorithm(const Problem& problem) {
  const auto take = [](const char* name, const char* why) { return Choice{"algorithm", name, why}; };
  if (!problem.grid.empty()) return take("pencil", "a process grid is given");
  if (problem.active_ranks() == 1) return take("slab", "one rank needs no exchange");
  if (problem.input.axes() == 2) return take("six_step", "the array has one axis");
  if (is_cyclic(problem.input) && cyclic_fits(problem))
    return take("cyclic", "the input is cyclic and can stay so with one exchange");
  if (problem.input.axes() == 3) return take("slab", "the array has two axes");
  const int cuts = cut_axes(problem.input);
  Shape extents(problem.input.shape().begin() + 1, problem.input.shape().end());
  std::sort(extents.begin(), extents.end());
  const bool planes_suffice = problem.active_ranks() <= extents[extents.size() - 2];
  if (cuts == 1 && planes_suffice) return take("slab", "the input is cut along one axis");
  if (cuts == 2 && problem.one_host && planes_suffice)
    return take("slab", "all ranks are on one host, and there is a plane for every rank");
  if (cuts == 2) return take("pencil", "the input is cut along two axes");
  if (planes_suffice) return take("slab", "there is a plane for every rank");
  return take("brick", "there are more ranks than planes");
}

namespace {

bool move_alike(const Program& a, const Program& b) {
  return a.steps.size() == b.steps.size() &&
         std::equal(a.states.begin(), a.states.end(), b.states.begin(), b.states.end(),
                    [](const State& s, const State& t) { return s.layout.same_as(t.layout); });
}

/// Grids of the active ranks for pencils of an array; the empty one is the algorithm's own.
std::vector<Shape> grids_of(const Problem& problem, bool all) {
  std::vector<Shape> grids{{}};
  for (std::int64_t p = 1; all && problem.input.axes() > 3 && p <= problem.active_ranks(); ++p)
    if (problem.active_ranks() % p == 0) grids.push_back({p, problem.active_ranks() / p});
  return grids;
}

}  // namespace

std::vector<Program> alternatives(const Problem& problem, const Program& chosen, const Space& space) {
  static const std::vector<std::string> names{"slab", "pencil", "brick"};
  const bool is_one = std::find(names.begin(), names.end(), chosen.name) != names.end();
  if (!is_one || !problem.fixed_output() || !problem.grid.empty() || problem.ranks() == 1) return {};
  std::vector<Program> programs{chosen};
  const auto add = [&](const std::string& name, const Problem& asked) {
    std::optional<Program> program;
    try {
      program = make_program(name, asked);
    } catch (const Error&) {  // an impossible program is no alternative
      return;
    }
    if (std::none_of(programs.begin(), programs.end(), [&](const Program& p) { return move_alike(p, *program); }))
      programs.push_back(std::move(*program));
  };
  const auto add_with_grids = [&](const std::string& name, Problem asked) {
    const bool has_grid = algorithms().at(name).has_grid;
    for (const Shape& grid : grids_of(asked, space.grids && has_grid)) {
      asked.grid = grid;
      add(name, asked);
    }
  };
  for (const std::string& name : names)
    if (space.algorithms || name == chosen.name) add_with_grids(name, problem);
  if (space.algorithms && space.grids) add("brick_groups", problem);
  for (const int active : space.fewer_ranks) {
    Problem fewer = problem;
    fewer.active = active;
    add_with_grids(space.algorithms ? choose_algorithm(fewer).chosen : chosen.name, fewer);
  }
  programs.erase(programs.begin());
  return programs;
}

void require_plain(const Problem& problem, const std::string& algorithm) {
  if (!problem.plain())
    fail(Status::unsupported, "algorithm ", algorithm,
         " makes Fourier transforms of all modes only. Cosine and sine transforms, fewer modes and padded axes are "
         "made by slab, "
         "pencil, brick and brick_groups, of arrays of two axes and more: they need each transformed axis on one rank");
}

Program make_program(const std::string& name, const Problem& problem) {
  const std::string chosen = name == "auto" ? choose_algorithm(problem).chosen : name;
  const auto entry = algorithms().find(chosen);
  if (entry == algorithms().end()) {
    std::string known;
    for (const std::string& n : algorithm_names()) known += (known.empty() ? "" : ", ") + n;
    fail(Status::invalid_argument, "unknown algorithm '", name, "'; known: ", known);
  }
  require(problem.grid.empty() || entry->second.has_grid, "option grid is given, but algorithm ", chosen,
          " has no process grid; pencil, brick, brick_groups and cannon have one");
  Program program = entry->second.make(problem);
  program.name = chosen;
  return program;
}

}  // namespace shardfft
