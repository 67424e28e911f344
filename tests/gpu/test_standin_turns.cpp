// GPUs that all send to one another do so in turn: on the stand-in, whose streams run in any order that nothing
// forbids, one sees whether two of them ever send to the same one at a time.
#include <vector>

#include "base/check.hpp"
#include "base/hooks.hpp"
#include "device/standin/settings.hpp"
#include "gpu/group_kit.hpp"
#include "support/seed.hpp"

namespace shardfft::test {
namespace {

/// Which rank each copy into a rank came from, in the order in which the stand-in made them. Rank r has device r.
class Senders : public CopyHook {
 public:
  explicit Senders(int ranks) : into(to_size(ranks)) {}
  void copied(const void* to, const void* from) override {
    const int there = device::describe(to).device, here = device::describe(from).device;
    if (there != here) into[to_size(there)].push_back(here);
  }
  std::vector<std::vector<int>> into;
};

/// How many copies into a rank were not made in turn: from the rank before it, then from the one before that, and so
/// on, and then anew.
int collisions(const Senders& senders) {
  const int ranks = static_cast<int>(senders.into.size());
  int found = 0;
  for (int q = 0; q < ranks; ++q) {
    const std::vector<int>& seen = senders.into[to_size(q)];
    for (std::size_t i = 0; i < seen.size(); ++i) {
      const int step = static_cast<int>(i % to_size(ranks - 1)) + 1;
      if (seen[i] != (q - step + ranks) % ranks) ++found;
    }
  }
  return found;
}

/// A slab in chunks on 3 or 4 GPUs, and its arrays.
struct Sending {
  Sending(int ranks, const char* turns, const Shape& shape) : plan(made(ranks, turns, shape)) {
    for (int r = 0; r < ranks; ++r) {
      from.push_back(arrays.emplace_back(plan.allocate_input(r)).data());
      to.push_back(arrays.emplace_back(plan.allocate_output(r)).data());
    }
  }
  void pair() {
    plan.forward(from, to);
    plan.backward(to, from);
  }

  Plan plan;
  std::vector<void*> from{}, to{};

 private:
  static Plan made(int ranks, const char* turns, const Shape& shape) {
    setenv("SHARDFFT_TURNS", turns, 1);
    Options options = on_gpu("slab");
    options.exchange = "cuda_peer_copy";
    options.chunks = 6;
    Plan plan(Devices(devices_for(ranks)), c2c<double>, Layout::slab(shape, ranks), default_output, options);
    unsetenv("SHARDFFT_TURNS");
    return plan;
  }
  std::vector<Buffer> arrays{};
};

/// Collisions in the second call of each direction, since the first ones take no turns. Messages are pieces of both
/// ends of the reshape.
int collisions_of(int ranks, const char* turns) {
  Sending sending(ranks, turns, {384, 24, 17});
  const std::string text = sending.plan.report().to_text();
  require(text.find(" at the sender and ") != std::string::npos, "not cut at both ends: ", text);
  sending.pair();
  Senders senders(ranks);
  const Installed<CopyHook> watched(senders);
  sending.pair();
  return collisions(senders);
}

TEST(SendTurns, NoTwoRanksSendToTheSameOne) {
  for (const int ranks : {3, 4}) {
    ASSERT_GE(device::device_count(), ranks);
    for (std::uint64_t order = 0; order < 4; ++order) {
      device::standin::reseed(seed() + order);
      EXPECT_EQ(collisions_of(ranks, "1"), 0) << ranks << " ranks; " << device::standin::how_to_repeat();
    }
  }
}

TEST(SendTurns, TheyDoWithoutTokens) {
  int found = 0;
  for (std::uint64_t order = 0; order < 20 && found == 0; ++order) {
    device::standin::reseed(seed() + order);
    found = collisions_of(4, "0");
  }
  EXPECT_GT(found, 0) << "this test would not see collisions";
}

/// A kernel that is loaded behind a wait for a token would wait for what the host enqueues after it: here the one that
/// copies the own share, which these transforms cannot leave in its place.
TEST(SendTurns, KernelsAreLoadedBeforeAnyTokenIsAwaited) {
  Sending sending(4, "1", {12, 24, 17});
  device::standin::unload_kernels();
  sending.pair();
}

}  // namespace
}  // namespace shardfft::test
