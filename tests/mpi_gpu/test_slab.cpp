// Slabs of processes with a GPU each.
#include "mpi_gpu/my_device.hpp"
#include "support/slab_cases.hpp"

namespace shardfft::test {
namespace {

void check_slab_here(const TransformCase& c) {
  SCOPED_TRACE(c.name());
  Plan plan = make_plan(MPI_COMM_WORLD, c);
  check_device_plan(members_of(plan), c);
}

TEST(ProcessSlabs, OfAllKinds) {
  for (const TransformCase& c : small_slabs()) check_slab_here(c);
}

TEST(ProcessSlabs, ByPasses) {
  if (world().size() > 3) GTEST_SKIP() << "every rank computes the whole reference";
  const SmallerGpus smaller;
  for (const TransformCase& c : slabs_by_passes())
    if (c.shape[0] * c.shape[1] * c.shape[2] <= 128 * 128 * 128) check_slab_here(c);
}

TEST(ProcessSlabs, OfProcessesThatShareADevice) {
  TransformCase c = small_slabs()[4];
  c.options.device = 0;
  check_slab_here(c);
}

TEST(ProcessSlabs, CallsWithoutAPause) {
  for (const int chunks : {0, 2}) {
    TransformCase c{{128, 12, 32}, "slab", "left", Kind::c2c, Precision::f64, on_gpu("slab")};
    c.options.chunks = chunks;
    SCOPED_TRACE(c.name());
    Plan plan = make_plan(MPI_COMM_WORLD, c);
    check_without_pause(plan, c);
  }
}

}  // namespace
}  // namespace shardfft::test
