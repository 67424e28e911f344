// Algorithms by name, and the choice that "auto" makes.
#include <algorithm>
#include <map>

#include "algorithm/algorithm.hpp"
#include "base/check.hpp"

namespace shardfft {

namespace {

struct Algorithm {
  Program (*make)(const Problem&);
  bool has_grid;  ///< heeds Problem::grid
};

const std::map<std::string, Algorithm>& algorithms() {
  static const std::map<std::string, Algorithm> table{
      {"slab", {slab_program, false}},
      {"pencil", {pencil_program, true}},
      {"brick", {brick_program, true}},
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

std::string choose_algorithm(const Problem& problem) {
  if (!problem.grid.empty()) return "pencil";
  if (problem.ranks() == 1) return "slab";
  if (problem.input.axes() == 2) return "six_step";
  if (is_cyclic(problem.input) && cyclic_fits(problem)) return "cyclic";
  if (problem.input.axes() == 3) return "slab";
  const int cuts = cut_axes(problem.input);
  Shape extents(problem.input.shape().begin() + 1, problem.input.shape().end());
  std::sort(extents.begin(), extents.end());
  const bool planes_suffice = problem.ranks() <= extents[extents.size() - 2];
  if (cuts == 1 && planes_suffice) return "slab";
  if (cuts == 2) return "pencil";
  return planes_suffice ? "slab" : "brick";
}

Program make_program(const std::string& name, const Problem& problem) {
  const std::string chosen = name == "auto" ? choose_algorithm(problem) : name;
  const auto entry = algorithms().find(chosen);
  if (entry == algorithms().end()) {
    std::string known;
    for (const std::string& n : algorithm_names()) known += (known.empty() ? "" : ", ") + n;
    fail(Status::invalid_argument, "unknown algorithm '", name, "'; known: ", known);
  }
  require(problem.grid.empty() || entry->second.has_grid, "option grid is given, but algorithm ", chosen,
          " has no process grid; pencil, brick and cannon have");
  return entry->second.make(problem);
}

}  // namespace shardfft
