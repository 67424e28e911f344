#pragma once
// Plans on stand-in devices with ever less memory: the ways that they take, and that each is right.
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "support/changed_facts.hpp"
#include "support/device_check.hpp"

namespace shardfft::test {

/// For ChangedFacts: devices with so much memory.
inline auto of_memory(std::size_t bytes) {
  return [bytes](device::DeviceFacts& facts) { facts.memory_bytes = bytes; };
}

/// Bytes of input and output of the member here that has most, or of the larger one of the two.
inline std::size_t array_bytes(const Plan& plan, bool both = false) {
  std::size_t most = 0;
  for (int m = 0; m < plan.members(); ++m) {
    const std::size_t in = plan.input(m).bytes(), out = plan.output(m).bytes();
    most = std::max(most, both ? in + out : std::max(in, out));
  }
  return most;
}

/// "fast", or the choice that the report tells.
inline std::string buffers_of(const PlanReport& report) {
  std::string way = "fast";
  for (const Choice& choice : report.choices)
    if (choice.what == "workspace") way = choice.chosen;
  return way;
}

/// Makes the plan for devices with just too little memory for the last way, until there is no other way. Returns
/// whether one with few buffers was among them, which depends on what whole pages leave over.
inline bool check_ways(const std::function<Plan()>& make, const TransformCase& c) {
  SCOPED_TRACE(c.name() + (c.options.in_place ? ", in place" : ""));
  std::vector<std::string> taken;
  for (std::size_t memory = std::size_t{1} << 32; taken.size() < 4;) {
    const ChangedFacts there(of_memory(memory));
    std::optional<Plan> plan;
    try {
      plan.emplace(make());
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), Status::out_of_memory) << error.what();
      break;
    }
    const PlanReport report = plan->report();
    taken.push_back(buffers_of(report));
    const std::size_t arrays = array_bytes(*plan, !c.options.in_place);
    memory = arrays + report.workspace_bytes + report.table_bytes + report.library_bytes - 1;
    check_device_plan(members_of(*plan), c);
  }
  const bool few = taken.size() == 3 && taken[1] == "few buffers";
  EXPECT_EQ(taken.size(), few ? 3 : 2);
  EXPECT_EQ(taken.front(), "fast");
  EXPECT_EQ(taken.back(), "one array");
  return few;
}

}  // namespace shardfft::test
