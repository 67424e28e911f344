#pragma once
// From the arguments of a plan to the problem of an algorithm: validation, agreement, normalisation.
#include <optional>

#include "algorithm/algorithm.hpp"
#include "api/option_checks.hpp"
#include "mpi/communicator.hpp"
#include "run/runner.hpp"
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
  /// The real side as it was given, if it has gaps; `input` or `output` then has none.
  std::optional<Layout> with_gaps{};
};

/// Takes the gaps out of the real side of a real transform, before all else; gives them back to the lowered program.
/// open_gaps() throws Error(unsupported) if that does not begin with a transform, the same on all ranks.
void close_gaps(ProblemSpec& spec);
void open_gaps(const ProblemSpec& spec, Program& lowered);
/// Throws Error(unsupported) if the plan does not support the gaps; does not communicate.
void validate_gaps(const ProblemSpec& spec);
/// Whether a transform reads the input.
bool begins_with_transform(const Program& program);

/// Throws Error for anything this rank can see to be wrong; does not communicate.
void validate(const ProblemSpec& spec);
/// Throws Error, which calls the layout by its name ("input layout"), unless it tiles a user's array over so many
/// ranks.
void validate_layout(const Layout& layout, const char* name, int ranks);
/// The arguments that all ranks must share.
std::vector<Agreed> agreed_arguments(const ProblemSpec& spec);
/// Throws Error(mismatch) on every rank unless all ranks gave the same arguments; a failure of a rank comes first.
/// Collective.
RankFacts agree_same(const Communicator& comm, const ProblemSpec& spec, const Failure& mine = {},
                     bool knows_ways = false);
/// A layout as a fact that ranks must share; an empty one is "none".
Agreed agreed_layout(const char* what, const Layout& layout);
/// Throws on all ranks the failure of one, or Error(mismatch) unless all ranks make the same `call` ("a plan") and all
/// facts are the same. Calls with any facts meet each other here: their numbers are sent as messages of one size.
RankFacts agree_same(const Communicator& comm, const char* call, std::vector<Agreed> agreed, Effort effort,
                     const Failure& mine = {}, bool knows_ways = false);
/// "c2c 64x32": for messages.
std::string plan_name(const ProblemSpec& spec);
/// Numbers of a plan's programs in its runner; others are made at their first call.
inline constexpr int forward_program = 0;
inline constexpr int backward_program = 1;
/// For Members::check(): arrays of a call from the input's layout to the same.
inline constexpr int both_ways = 2;

/// The r2c, c2c or r2r problem with the batch as axis 0; for a c2r plan that of its inverse.
Problem make_problem(const ProblemSpec& spec);
/// The plan's programs from the lowered one of that problem: it and its reverse; the reverse comes first in a c2r plan.
/// Throws Error(unsupported) if the real side has gaps and the lowered program does not begin with a transform.
std::vector<NamedProgram> make_programs(const ProblemSpec& spec, const Program& lowered);
/// Forward, the operator of `step`, backward, as one program whose factor makes them the identity without the operator.
NamedProgram make_apply(const ProblemSpec& spec, const std::vector<NamedProgram>& programs, const OperatorStep& step);
/// Both sides of the plan whose forward program this is, as `rank` and users see them: without the batch axis.
struct Sides {
  Side input;
  Side output;
};
Sides make_sides(const ProblemSpec& spec, const Program& forward, int rank);

}  // namespace shardfft
