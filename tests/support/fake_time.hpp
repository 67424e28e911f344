#pragma once
// A clock that a test tells what time it is.
#include "base/hooks.hpp"

namespace shardfft::test {

/// Time passes only where a test says so.
struct FakeTime : Clock {
  double now = 0;
  double seconds() override { return now; }
};

}  // namespace shardfft::test
