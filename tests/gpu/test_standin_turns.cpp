// Ranks of a slab send in turn: on the stand-in, whose streams run in any order that nothing forbids, one sees whether
// two of them ever send to the same one at a time.
#include <deque>

#include "base/check.hpp"
#include "device/standin/settings.hpp"
#include "support/seed.hpp"
#include "support/slab_group.hpp"
#include "support/slab_kit.hpp"

namespace shardfft::test {
namespace {

/// When each copy to a peer began and ended.
class Sends : public gpu::SlabObserver {
 public:
  struct Send {
    device::Event begin, end;
  };
  explicit Sends(int ranks) : of_rank(to_size(ranks)) {}
  void begin(const char* what, int rank, device::StreamHandle stream) override {
    open_ = std::string(what) == "send" ? &of_rank[to_size(rank)].emplace_back() : nullptr;
    if (open_ == nullptr) return;
    open_->begin = device::make_event(device::EventUse::timing);
    open_->end = device::make_event(device::EventUse::timing);
    device::record(open_->begin.get(), stream);
  }
  void end(device::StreamHandle stream) override {
    if (open_ != nullptr) device::record(open_->end.get(), stream);
  }
  std::vector<std::deque<Send>> of_rank;

 private:
  Send* open_ = nullptr;
};

/// How often a copy into a rank began before the one that comes before it into that rank had ended.
int collisions(const Sends& sends) {
  const int ranks = static_cast<int>(sends.of_rank.size()), steps = ranks - 1;
  const std::size_t turns = sends.of_rank[0].size() / to_size(steps);
  int found = 0;
  for (int q = 0; q < ranks; ++q) {
    const Sends::Send* before = nullptr;
    for (std::size_t i = 0; i < turns * to_size(steps); ++i) {
      const int step = static_cast<int>(i % to_size(steps)) + 1;
      const Sends::Send& now = sends.of_rank[to_size((q - step + ranks) % ranks)][i];
      if (before != nullptr && device::elapsed_ms(before->end.get(), now.begin.get()) < 0) ++found;
      before = &now;
    }
  }
  return found;
}

/// Collisions of several calls without a pause, in both directions.
int collisions_of(int ranks, std::optional<bool> paired) {
  const SlabShape shape = slab_shape({128 * ranks, 128 * ranks, 16}, c2c<double>, ranks);
  Sends sends(ranks);
  SlabOptions options;
  options.chunks = 3;
  options.parts = {0.5, 0.5};
  options.paired = paired;
  options.observer = &sends;
  std::vector<int> devices;
  for (int r = 0; r < ranks; ++r) devices.push_back(r);
  SlabGroup group(shape, options, devices);
  require(group.rank(0).fused_y() && group.rank(0).fused_x(), "own rows are not sent in this test");
  std::vector<SlabRankArrays<double>> arrays;
  std::vector<SlabArrays> bound;
  std::vector<device::StreamHandle> streams;
  for (int r = 0; r < ranks; ++r) {
    const device::DeviceScope scope(r);
    arrays.emplace_back(shape, r);
    bound.push_back(arrays.back().arrays());
    streams.push_back(arrays.back().stream());
  }
  group.bind(bound);
  for (int call = 0; call < 3; ++call) {
    group.forward(streams);
    group.backward(streams);
  }
  for (int r = 0; r < ranks; ++r) {
    const device::DeviceScope scope(r);
    device::synchronize(streams[to_size(r)]);
  }
  return collisions(sends);
}

TEST(SlabTurns, NoTwoRanksSendToTheSameOne) {
  for (const int ranks : {3, 4}) {
    ASSERT_GE(device::device_count(), ranks);
    for (std::uint64_t order = 0; order < 4; ++order) {
      device::standin::reseed(seed() + order);
      EXPECT_EQ(collisions_of(ranks, true), 0) << ranks << " ranks; " << device::standin::how_to_repeat();
    }
  }
}

TEST(SlabTurns, TheyDoWithoutTokens) {
  int found = 0;
  for (std::uint64_t order = 0; order < 20 && found == 0; ++order) {
    device::standin::reseed(seed() + order);
    found = collisions_of(4, false);
  }
  EXPECT_GT(found, 0) << "this test would not see collisions";
}

}  // namespace
}  // namespace shardfft::test
