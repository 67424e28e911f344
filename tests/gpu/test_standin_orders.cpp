// Exchanges and slab transforms in many of the orders that events allow: the stand-in draws another one for each seed.
#include "device/standin/settings.hpp"
#include "gpu/reshape_kit.hpp"
#include "gpu/slab_kit.hpp"
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

TEST(ManyOrders, Slabs) {
  in_many_orders(2, [] {
    gpu::Team team({0, 1, 2});
    for (const test::SlabCase& c : test::small_slabs()) test::check_slab(team, c);
  });
}

TEST(ManyOrders, SlabsThatStoreIntoPeers) {
  gpu::Team team({0, 1});
  for (const test::SlabCase& chunked : {test::fused_f64, test::fused_odd_rows}) {
    const test::SlabCase c = test::left_open(chunked);
    ASSERT_TRUE(test::stores_into_peers(team, c));
    test::DeviceSlab slab(team, c);
    slab.add(Direction::forward, 1);
    slab.add(Direction::forward, 4);
    slab.add(Direction::backward, 2);
    slab.add(Direction::backward, 3);
    slab.add(Direction::forward, 1);
    in_many_orders(3, [&slab] { slab.check(); });
  }
}

}  // namespace
}  // namespace shardfft
