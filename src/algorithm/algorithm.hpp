#pragma once
// Algorithms: (problem) -> program. Pure geometry, the same on every rank.
#include <functional>
#include <string>

#include "algorithm/program.hpp"
#include "shardfft/report.hpp"

namespace shardfft {

/// Makes the program of the algorithm called `name`, "auto" included. Throws Error for unknown names, and for problems
/// that the algorithm cannot do, saying which algorithms can.
Program make_program(const std::string& name, const Problem& problem);

Program slab_program(const Problem& problem);
Program pencil_program(const Problem& problem);
Program brick_program(const Problem& problem);
Program brick_groups_program(const Problem& problem);
Program cyclic_program(const Problem& problem);
Program six_step_program(const Problem& problem);
Program cannon_program(const Problem& problem);
Program cannon_transposed_program(const Problem& problem);
Program cannon_hybrid_program(const Problem& problem);

/// From one layout to another without a transform, for elements of any kind, of `element_bytes` each.
Program move_program(const Layout& from, const Layout& to, std::size_t element_bytes, std::int64_t batch);

/// Throws Error(unsupported) unless all transforms are Fourier transforms.
void require_plain(const Problem& problem, const std::string& algorithm);

/// Whether the cyclic algorithm can keep the input's distribution with one exchange.
bool cyclic_fits(const Problem& problem);

/// The algorithm that "auto" stands for.
Choice choose_algorithm(const Problem& problem);
/// The choices that are open to a search for the fastest program.
struct Space {
  bool algorithms = true;        ///< slab, pencil and brick
  bool grids = false;            ///< all factorisations of the number of ranks, and brick_groups
  std::vector<int> fewer_ranks;  ///< ranks that transform while the others rest
};
/// Other programs for the problem, which differ from `chosen`. Empty unless the output layout is fixed, so that nobody
/// sees which algorithm runs, and `chosen` is slab, pencil or brick without a given grid.
std::vector<Program> alternatives(const Problem& problem, const Program& chosen, const Space& space);

}  // namespace shardfft
