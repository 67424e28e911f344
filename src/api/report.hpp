#pragma once
// The text of Plan::report().
#include <string>

#include "exec/runner.hpp"
#include "mpi/communicator.hpp"
#include "shardfft/plan.hpp"

namespace shardfft {

struct ReportInput {
  Communicator comm;  ///< none when all ranks are in this process
  int ranks;
  Transform transform;
  Options options;
  Side input;
  Side output;
  Runner& runner;
};

/// Whether time is communication as Adelmann et al. (2004) count it, who include the local transposition: everything
/// that brings data to where the next transform wants it. What a transform itself does to read and write its lines in
/// cache-sized bundles is computation. docs/tracing.md has the table.
bool is_communication(Role role, Activity activity);

/// Collective: times of steps are maxima over the ranks; the ratio is of means.
std::string make_report(const ReportInput& input);

}  // namespace shardfft
