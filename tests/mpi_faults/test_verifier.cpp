// What ranks tell each other at the end of a run: every bit that differs between what one sent and another received.
#include <gtest/gtest.h>

#include "support/world.hpp"
#include "verify/verifier.hpp"

namespace shardfft::test {
namespace {

/// A step with sums of its own making.
class Told : public StepCheck {
 public:
  std::vector<std::uint64_t> out, in;
  StepBits bits() override { return {}; }
  Finding finding() const override { return {}; }
  std::span<const std::uint64_t> sent() const override { return out; }
  std::span<const std::uint64_t> received() const override { return in; }
};

std::uint64_t number(int step, int from, int to) { return static_cast<std::uint64_t>(1000 * step + 10 * from + to); }

/// Two moves, the second of which may tell only what is to add up to 0.
struct Moves {
  std::vector<std::shared_ptr<Told>> steps{std::make_shared<Told>(), std::make_shared<Told>()};
  Verifier verifier;
  HostMemory host{world(), 0};
  std::unique_ptr<AllReduce> all_reduce;

  Moves(bool second_adds_up, bool in_memory)
      : verifier(world().rank(), world().size(), fill(second_adds_up), {"one move", "another move"}),
        all_reduce(make_all_reduce(world(), in_memory ? &host : nullptr)) {}
  std::vector<std::vector<std::shared_ptr<StepCheck>>> fill(bool second_adds_up) {
    const int own = world().rank(), ranks = world().size();
    for (int r = 0; r < ranks; ++r)
      for (int step = 0; step < 2; ++step) {
        Told& told = *steps[static_cast<std::size_t>(step)];
        const bool adds_up = step == 1 && second_adds_up;
        told.out.push_back(!adds_up  ? number(step, own, r)
                           : own > 0 ? 7U
                                     : static_cast<std::uint32_t>(-7 * (ranks - 1)));
        if (!adds_up) told.in.push_back(number(step, r, own));
      }
    return {{steps[0]}, {steps[1]}};
  }
  Failure conclude() {
    verifier.begin({});
    for (std::size_t i = 0; i < steps.size(); ++i) verifier.judge(i);
    return verifier.conclude(world(), *all_reduce, nullptr);
  }
};

void check_every_bit(bool second_adds_up, bool in_memory) {
  Moves moves(second_adds_up, in_memory);
  EXPECT_FALSE(moves.conclude().failed());
  const bool last = world().rank() + 1 == world().size();
  for (const std::size_t step : {0U, 1U})
    for (int bit = 0; bit < 32; ++bit) {
      auto& told = moves.steps[step]->out;
      const auto flip = [&] {
        for (std::uint64_t& sum : told)
          if (last && (&sum == &told.front() || (step == 1 && second_adds_up))) sum ^= std::uint64_t{1} << bit;
      };
      flip();
      const Failure found = moves.conclude();
      EXPECT_EQ(found.code, Status::corrupted) << "step " << step << ", bit " << bit;
      EXPECT_NE(found.text.find("step " + std::to_string(step + 1)), std::string::npos) << found.text;
      flip();
      EXPECT_FALSE(moves.conclude().failed());
    }
}

TEST(Verifier, FindsEveryBitThatRanksTellEachOther) {
  for (const bool in_memory : {false, true}) {
    check_every_bit(false, in_memory);
    check_every_bit(true, in_memory);
  }
}

}  // namespace
}  // namespace shardfft::test
