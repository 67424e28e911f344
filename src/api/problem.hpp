#pragma once
// From what the user said to what an algorithm is asked: validation, agreement, normalisation.
#include <array>
#include <optional>

#include "algorithm/algorithm.hpp"
#include "mpi/communicator.hpp"
#include "shardfft/option_table.hpp"
#include "shardfft/plan.hpp"

namespace shardfft {

/// The arguments of a plan. Without an `output`, `output_kind` decides.
struct ProblemSpec {
  Transform transform;
  Layout input;
  std::optional<Layout> output;
  OutputLayout output_kind;
  Options options;
  int ranks;
  Place place;
};

/// Throws Error for anything this rank can see to be wrong; does not communicate.
void validate(const ProblemSpec& spec);
/// Throws Error(mismatch) on every rank unless all ranks gave the same arguments. Collective.
void agree_same(const Communicator& comm, const ProblemSpec& spec);
/// "c2c 64x32": for messages.
std::string plan_name(const ProblemSpec& spec);
/// The problem and the options that matter for its speed, as one line of text: the same for the same question to a
/// tuner. Not the machine.
std::string problem_key(const ProblemSpec& spec);
/// The r2c or c2c problem with the batch as axis 0 (a c2r plan is its r2c problem run backward).
Problem make_problem(const ProblemSpec& spec);
/// Forward and backward factors of the r2c or c2c problem.
std::array<double, 2> scales(const ProblemSpec& spec);
/// Both sides of the plan that runs `program`, as `rank` and users see them: without the batch axis.
struct Sides {
  Side input;
  Side output;
};
Sides make_sides(const ProblemSpec& spec, const Program& program, int rank);
/// Direction of the r2c or c2c program in which a plan of this transform runs.
Direction program_direction(const Transform& transform, Direction direction);

}  // namespace shardfft
