// Passes before a reshape that store into the arrays of all owners, one process a GPU.
#include "device/line_pass.hpp"
#include "gpu/stores_kit.hpp"
#include "support/world.hpp"

namespace shardfft::test {
namespace {

/// In both directions, and in calls in place, which copy. Some results are no whole pages, so that others store into
/// the workspace.
TEST(ProcessStores, AreRight) {
  if (world().size() > 4) GTEST_SKIP() << "as with fewer";
  for (TransformCase c : stored_cases())
    for (const bool verify : {false, true}) {
      c.options.verify = verify;
      SCOPED_TRACE(c.name());
      Plan plan = make_plan(MPI_COMM_WORLD, c);
      if (world().size() % 2 == 0 && !verify && device::lines::supported(128)) {
        EXPECT_GE(reshapes_by_stores(plan), 1);
      }
      check_device_plan(members_of(plan), c);
    }
}

}  // namespace
}  // namespace shardfft::test
