#pragma once
// The text of Plan::report().
#include <string>

#include "exec/executor.hpp"
#include "shardfft/plan.hpp"

namespace shardfft {

struct ReportInput {
  Communicator comm;
  Transform transform;
  Options options;
  Side input;
  Side output;
  const Executor& executor;
};

/// Collective: times are maxima over the ranks.
std::string make_report(const ReportInput& input);

}  // namespace shardfft
