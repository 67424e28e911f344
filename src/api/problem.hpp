#pragma once
// From what the user said to what an algorithm is asked: validation, agreement, normalisation.
#include <array>

#include "algorithm/algorithm.hpp"
#include "mpi/communicator.hpp"
#include "shardfft/plan.hpp"

namespace shardfft {

/// The arguments of a plan. `output` is empty when `output_kind` decides.
struct ProblemSpec {
  Transform transform;
  Layout input;
  Layout output;
  OutputLayout output_kind;
  Options options;
  int ranks;
};

/// Throws Error for anything this rank can see to be wrong; does not communicate.
void validate(const ProblemSpec& spec);
/// Throws Error(mismatch) on every rank unless all ranks gave the same arguments. Collective.
void agree_same(const Communicator& comm, const ProblemSpec& spec);
/// The r2c or c2c problem with the batch as axis 0 (a c2r plan is its r2c problem run backward).
Problem make_problem(const ProblemSpec& spec);
/// Forward and backward factors of the r2c or c2c problem.
std::array<double, 2> scales(const ProblemSpec& spec);
/// A layout without its batch axis, as users see it.
Layout user_layout(const Layout& batched);

}  // namespace shardfft
