// Numbers that go wrong in the middle of a line pass that checks itself (option verify): behind the sum of its input,
// and before that of its output.
#include "base/hooks.hpp"
#include "gpu/group_kit.hpp"
#include "support/device_flips.hpp"

namespace shardfft::test {
namespace {

/// Flips a bit of the lines that a pass holds, once a run.
class HeldFlip : public HeldLinesHook {
 public:
  HeldFlip(Moment moment, double part, std::size_t number_bytes, int bit)
      : moment_(moment), part_(part), number_bytes_(number_bytes), bit_(bit) {}
  void reached(Moment moment, std::byte* lines, std::size_t bytes) override {
    if (moment != moment_ || happened_) return;
    const auto numbers = static_cast<double>(bytes / number_bytes_);
    std::byte* const number = lines + static_cast<std::size_t>(part_ * numbers) * number_bytes_;
    number[bit_ / 8] ^= static_cast<std::byte>(1U << (bit_ % 8));
    happened_ = true;
  }
  bool happened() const { return happened_; }

 private:
  Moment moment_;
  double part_;
  std::size_t number_bytes_;
  int bit_;
  bool happened_ = false;
};

TEST(HeldLines, FlipsAreFound) {
  using Moment = HeldLinesHook::Moment;
  for (const Precision precision : {Precision::f64, Precision::f32})
    for (const int axis : {0, 1}) {
      TransformCase c = verified(
          {{axis == 0 ? 128 : 6, axis == 0 ? 6 : 128, 16}, "slab", "left", Kind::c2c, precision, on_gpu("slab")});
      c.options.axes = {axis};
      SCOPED_TRACE(c.name());
      Plan plan = make_plan_over(devices_for(1), c);
      VerifiedRun run(plan, c);
      const bool wide = precision == Precision::f64;
      int told = 0;
      for (const Moment moment : {Moment::taken, Moment::transformed})
        for (const int bit : wide ? std::vector{63, 62, 52, 51, 40} : std::vector{31, 30, 23, 22, 20})
          for (const double part : {0.0, 0.3, 0.99}) {
            run.fill();
            HeldFlip flip(moment, part, wide ? sizeof(double) : sizeof(float), bit);
            const Installed<HeldLinesHook> installed(flip);
            const bool found = run.told();
            EXPECT_TRUE(flip.happened());
            EXPECT_TRUE(found || !run.wrong()) << "bit " << bit << ", part " << part;
            told += found ? 1 : 0;
          }
      EXPECT_GE(told, 20);
      run.fill();
      EXPECT_FALSE(run.told());
    }
}

}  // namespace
}  // namespace shardfft::test
