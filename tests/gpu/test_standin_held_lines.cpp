// Numbers that go wrong in the middle of a line or plane pass that checks itself (option verify): behind the sum of its
// input, and before that of its output.
#include <cstring>

#include "base/hooks.hpp"
#include "gpu/group_kit.hpp"
#include "support/device_flips.hpp"

namespace shardfft::test {
namespace {

/// Flips a bit of the lines that a pass holds, once a run.
class HeldFlip : public HeldLinesHook {
 public:
  HeldFlip(Stage moment, double part, std::size_t number_bytes, int bit)
      : moment_(moment), part_(part), number_bytes_(number_bytes), bit_(bit) {}
  void reached(Stage moment, std::byte* lines, std::size_t bytes) override {
    if (moment != moment_ || happened_) return;
    const auto numbers = static_cast<double>(bytes / number_bytes_);
    std::byte* const number = lines + static_cast<std::size_t>(part_ * numbers) * number_bytes_;
    number[bit_ / 8] ^= static_cast<std::byte>(1U << (bit_ % 8));
    happened_ = true;
  }
  bool happened() const { return happened_; }

 private:
  Stage moment_;
  double part_;
  std::size_t number_bytes_;
  int bit_;
  bool happened_ = false;
};

TEST(HeldLines, FlipsAreFound) {
  using Stage = HeldLinesHook::Stage;
  for (const Precision precision : {Precision::f64, Precision::f32})
    for (const int axis : {0, 1}) {
      TransformCase c = verified(
          {{axis == 0 ? 128 : 6, axis == 0 ? 6 : 128, 16}, "slab", "left", Kind::c2c, precision, on_gpu("slab")});
      c.options.axes = {axis};
      SCOPED_TRACE(c.name());
      Plan plan = make_plan_over(devices_for(1), c);
      VerifiedCall run(plan, c);
      const bool wide = precision == Precision::f64;
      int told = 0;
      for (const Stage moment : {Stage::taken, Stage::transformed})
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

/// Adds to one number of the first line that a pass is about to write.
class HeldChange : public HeldLinesHook {
 public:
  HeldChange(std::size_t number, double change) : number_(number), change_(change) {}
  void reached(Stage moment, std::byte* lines, std::size_t bytes) override {
    if (moment != Stage::transformed || happened_) return;
    ASSERT_LT(number_, bytes / sizeof(double));
    double number = 0;
    std::memcpy(&number, lines + number_ * sizeof number, sizeof number);
    number += change_;
    std::memcpy(lines + number_ * sizeof number, &number, sizeof number);
    happened_ = true;
  }
  bool happened() const { return happened_; }

 private:
  std::size_t number_;
  double change_;
  bool happened_ = false;
};

/// Their numbers come with the weights of two points of a line: what is well above rounding shows in each part.
TEST(HeldLines, ChangesInHalfSpectraAreFound) {
  constexpr int n = 256;
  constexpr double allowed = 20 * 2.2e-16 * (8 + 2) * 16, size = 16;  // of the numbers of a line
  TransformCase c = verified({{32, n, n}, "slab", "left", Kind::r2c, Precision::f64, on_gpu("slab")});
  c.options.axes = {1, 2};
  SCOPED_TRACE(c.name());
  Plan plan = make_plan_over(devices_for(1), c);
  VerifiedCall run(plan, c);
  for (std::size_t part = 0; part < n + 2; part += 14) {
    run.fill();
    HeldChange change(part, 20 * allowed * size);
    const Installed<HeldLinesHook> installed(change);
    EXPECT_TRUE(run.told()) << "part " << part;
    EXPECT_TRUE(change.happened());
  }
}

}  // namespace
}  // namespace shardfft::test
