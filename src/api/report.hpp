#pragma once
// A plan's report is made from the knowledge of one rank and of all ranks together.
#include <string>
#include <vector>

#include "mpi/communicator.hpp"
#include "run/runner.hpp"
#include "shardfft/plan.hpp"

namespace shardfft {

struct ReportInput {
  Communicator comm;  ///< none if all ranks are in this process
  int ranks;
  Transform transform;
  Options options;
  Side input;
  Side output;
  Runner& runner;
  std::size_t planning_bytes;
};

/// Whether time is communication as Adelmann et al. (2004) count it, who include the local transposition: everything
/// that brings data to the place that the next transform needs. Reading and writing lines in cache-sized bundles is
/// computation if a transform itself does it. docs/tracing.md has the table.
bool is_communication(Role role, Activity activity);

/// The steps of the account of a program, as this rank knows them: the mean times of its timed runs, all activities in
/// the order of the enumeration.
std::vector<PlanReport::Step> own_steps(const Runner& runner, const Account& account);

/// Ranks on GPUs choose passes each for itself: the way of the plan has those of all. Collective there.
Way way_of_all(const Communicator& comm, const Options& options, const Runner& runner);

/// Collective.
PlanReport make_report(const ReportInput& input);

}  // namespace shardfft
