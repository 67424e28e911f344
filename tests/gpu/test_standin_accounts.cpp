// What plans over GPUs of this process say of memory, against what the stand-in gave out.
#include <gtest/gtest.h>

#include "gpu/group_kit.hpp"
#include "support/account_check.hpp"

namespace shardfft::test {
namespace {

void check_over(int ranks, const TransformCase& c) {
  SCOPED_TRACE(std::to_string(ranks) + " GPUs");
  check_accounts([&] { return make_plan_over(devices_for(ranks), c); }, c, [](std::int64_t own) { return own; });
}

TEST(Accounts, AreWhatWasGivenOut) {
  for (TransformCase c : account_cases()) {
    for (const int ranks : {1, 2, 4}) check_over(ranks, c);
    for (const char* exchange : {"cuda_peer_copy", "cuda_peer_store"}) {
      c.options.exchange = exchange;
      check_over(3, c);
    }
  }
}

TEST(Accounts, OfPassesOfOurOwn) {
  for (const int ranks : {1, 2})
    for (const TransformCase& c : large_account_cases()) check_over(ranks, c);
}

}  // namespace
}  // namespace shardfft::test
