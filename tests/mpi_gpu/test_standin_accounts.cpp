// What plans of processes with a GPU each say of memory, against what the stand-in gave out.
#include <gtest/gtest.h>

#include "support/account_check.hpp"
#include "support/device_check.hpp"
#include "support/world.hpp"

namespace shardfft::test {
namespace {

void check_here(const TransformCase& c) {
  check_accounts([&] { return make_plan(MPI_COMM_WORLD, c); }, c, [](std::int64_t own) { return world().max(own); });
}

TEST(Accounts, AreWhatWasGivenOut) {
  for (TransformCase c : account_cases()) {
    check_here(c);
    if (c.options.chunks > 0 || c.kind != Kind::r2c) continue;
    for (const char* messages : {"mpi_device", "host_staged"}) {
      c.options.exchange = messages;
      check_here(c);
    }
  }
}

TEST(Accounts, OfPassesOfOurOwn) {
  for (const TransformCase& c : large_account_cases()) check_here(c);
}

}  // namespace
}  // namespace shardfft::test
