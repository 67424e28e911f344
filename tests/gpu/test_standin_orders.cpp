// Exchanges and slabs in many of the orders that events allow: the stand-in draws another one for each seed.
#include "device/standin/settings.hpp"
#include "gpu/group_kit.hpp"
#include "gpu/reshape_kit.hpp"
#include "gpu/stores_kit.hpp"
#include "support/seed.hpp"

namespace shardfft {
namespace {

constexpr int orders = 20;

/// Calls check() after each of many new beginnings of the random order; they differ from run to run.
template <class Check>
void in_many_orders(std::uint64_t stream, const Check& check) {
  test::Random random(stream);
  for (int i = 0; i < orders && !testing::Test::HasFailure(); ++i) {
    device::standin::reseed(static_cast<std::uint64_t>(random.integer(1, 1 << 30)));
    SCOPED_TRACE(device::standin::how_to_repeat());
    check();
  }
}

TEST(ManyOrders, Exchanges) {
  for (const char* name : {"cuda_peer", "cuda_peer_copy", "cuda_peer_store"})
    in_many_orders(1, [name] {
      gpu::Team team({0, 1, 1});
      for (const kit::Case& c : kit::long_rows(3)) kit::conform(team, name, c);
    });
}

void check_slab(const Shape& shape, Kind kind, Precision precision, int chunks, bool stores) {
  test::TransformCase c{shape, "slab", "left", kind, precision, test::on_gpu("slab")};
  c.options.chunks = chunks;
  SCOPED_TRACE(c.name());
  Plan plan = test::make_plan_over({0, 1, 2}, c);
  EXPECT_EQ(test::reshapes_by_stores(plan) > 0, stores);
  in_many_orders(2, [&] { test::check_without_pause(plan, c); });
}

TEST(ManyOrders, Slabs) {
  for (const Kind kind : {Kind::c2c, Kind::r2c}) {
    check_slab({8, 8, 8}, kind, Precision::f64, 2, false);
    check_slab({7, 9, 5}, kind, Precision::f32, 0, false);
    check_slab({128, 9, 16}, kind, Precision::f64, 3, false);
  }
}

TEST(ManyOrders, SlabsThatStoreIntoPeers) {
  check_slab({128, 12, 16}, Kind::c2c, Precision::f64, 0, true);
  check_slab({12, 128, 62}, Kind::r2c, Precision::f64, 0, true);
}

}  // namespace
}  // namespace shardfft
