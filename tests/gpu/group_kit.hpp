#pragma once
// Plans whose ranks are GPUs of this process.
#include <gtest/gtest.h>

#include "support/device_check.hpp"

namespace shardfft::test {

inline const std::vector<Kind> kinds{Kind::c2c, Kind::r2c, Kind::c2r};

/// `ranks` members on as many of the machine's GPUs as there are.
inline std::vector<int> devices_for(int ranks) {
  std::vector<int> devices;
  for (int r = 0; r < ranks; ++r) devices.push_back(r % device::device_count());
  return devices;
}

inline void check_case_on(int ranks, const TransformCase& c, const std::string& memory = "device") {
  SCOPED_TRACE(std::to_string(ranks) + " ranks, " + memory + ": " + c.name());
  const std::vector<int> devices = devices_for(ranks);
  Plan plan = make_plan_over(devices, c);
  check_device_plan(members_of(plan), c, memory);
}

/// Error(code) with these words.
inline void expect_refusal(Status code, const std::string& words, const std::function<void()>& work) {
  try {
    work();
    ADD_FAILURE() << "no error; expected: " << words;
  } catch (const Error& e) {
    EXPECT_EQ(static_cast<int>(e.code()), static_cast<int>(code)) << e.what();
    EXPECT_NE(std::string(e.what()).find(words), std::string::npos) << e.what();
  }
}

}  // namespace shardfft::test
