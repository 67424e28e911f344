// Which of several ways to make a transform on a GPU a trial takes.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "device/handles.hpp"
#include "gpu/check/device_check.hpp"
#include "gpu/pass/device_fft_trial.hpp"
#include "tune/defaults.hpp"

namespace shardfft {
namespace {

/// Copies its input so many times.
class Copies : public gpu::DeviceOperation {
 public:
  explicit Copies(int times, int* runs = nullptr) : times_(times), runs_(runs) {}
  void enqueue(int /*phase*/, const gpu::DeviceBuffers& buffers, device::StreamHandle stream) override {
    if (runs_ != nullptr) ++*runs_;
    for (int i = 0; i < times_; ++i) device::copy_bytes(buffers.out, buffers.in, bytes, stream);
  }
  std::string describe() const override { return std::to_string(times_) + " copies"; }

  static constexpr std::size_t bytes = std::size_t{1} << 22;

 private:
  int times_;
  int* runs_;
};

/// What is far slower than another way is run once or twice.
TEST(DeviceFftTrial, LeavesWhatIsHopeless) {
  FftSpec spec;
  spec.transform = {{Copies::bytes / 16, 1, 1}};
  gpu::DeviceFftTrial trial(spec, false);
  int runs[2] = {};
  trial.add([&] { return std::make_unique<Copies>(2, &runs[0]); });
  trial.add([&] { return std::make_unique<Copies>(40, &runs[1]); });
  EXPECT_EQ(trial.fastest(), 0U);
  EXPECT_EQ(runs[0], 1 + gpu_defaults().trial_runs);
  EXPECT_LE(runs[1], 2);
}

TEST(DeviceFftTrial, TakesTheFastest) {
  FftSpec spec;
  spec.transform = {{Copies::bytes / 16, 1, 1}};
  for (const std::vector<int>& ways : {std::vector{60, 1, 20}, {1, 60, 20}, {20, 60, 1}}) {
    gpu::DeviceFftTrial trial(spec, false);
    for (const int times : ways) EXPECT_TRUE(trial.add([times] { return std::make_unique<Copies>(times); }));
    EXPECT_EQ(ways[trial.fastest()], 1);
  }
}

/// With a check that copies, too.
class CheckedCopies : public Copies {
 public:
  CheckedCopies(int times, int in_check, std::size_t scratch) : Copies(times), in_check_(in_check), scratch_(scratch) {}
  gpu::DeviceChecks make_checks() override {
    gpu::DeviceChecks checks;
    checks.push_back(std::make_unique<Check>(in_check_));
    return checks;
  }
  std::size_t scratch_bytes() const override { return scratch_; }

 private:
  class Check : public gpu::DeviceCheck {
   public:
    explicit Check(int times) : copies_(times) {}
    std::size_t results() const override { return 2; }
    void enqueue_before(const gpu::DeviceBuffers& buffers, device::StreamHandle stream) override {
      copies_.enqueue(0, buffers, stream);
    }
    Finding finding() const override { return {}; }

   private:
    Copies copies_;
  };

  int in_check_;
  std::size_t scratch_;
};

/// With the option verify.
TEST(DeviceFftTrial, TimesChecks) {
  FftSpec spec;
  spec.transform = {{Copies::bytes / 16, 1, 1}};
  for (const bool verify : {false, true}) {
    gpu::DeviceFftTrial trial(spec, verify);
    EXPECT_TRUE(trial.add([] { return std::make_unique<CheckedCopies>(20, 60, 16); }));
    EXPECT_TRUE(trial.add([] { return std::make_unique<CheckedCopies>(40, 1, 16); }));
    EXPECT_EQ(trial.fastest(), verify ? 1U : 0U);
  }
}

TEST(DeviceFftTrial, LeavesOutWhatItHasNoRoomFor) {
  FftSpec spec;
  spec.transform = {{Copies::bytes / 16, 1, 1}};
  for (const bool fits : {false, true}) {
    gpu::DeviceFftTrial trial(spec, false);
    const std::size_t scratch = fits ? Copies::bytes : std::size_t{1} << 50;
    EXPECT_TRUE(trial.add([] { return std::make_unique<CheckedCopies>(40, 1, 0); }));
    EXPECT_TRUE(trial.add([scratch] { return std::make_unique<CheckedCopies>(1, 1, scratch); }));
    EXPECT_EQ(trial.fastest(), fits ? 1U : 0U);
  }
}

/// As cuFFT's work area for lengths with a large prime factor.
TEST(DeviceFftTrial, LeavesOutWhatFindsNoMemory) {
  FftSpec spec;
  spec.transform = {{Copies::bytes / 16, 1, 1}};
  gpu::DeviceFftTrial trial(spec, false);
  const auto failing = [](Status status) {
    return [status]() -> std::unique_ptr<gpu::DeviceOperation> { throw Error(status, "as if"); };
  };
  EXPECT_THROW(trial.add(failing(Status::out_of_memory)), Error) << "there must be one";
  EXPECT_TRUE(trial.add([] { return std::make_unique<Copies>(2); }));
  EXPECT_TRUE(trial.add(failing(Status::out_of_memory)));
  EXPECT_THROW(trial.add(failing(Status::backend_failure)), Error);
  EXPECT_EQ(trial.fastest(), 1U);
}

TEST(DeviceFftTrial, WithoutRoomTheFirstWayStays) {
  FftSpec spec;
  spec.transform = {{std::int64_t{1} << 48, 1, 1}};
  gpu::DeviceFftTrial trial(spec, false);
  EXPECT_FALSE(trial.add([] { return std::make_unique<Copies>(2); }));
  EXPECT_EQ(trial.fastest(), 0U);
}

}  // namespace
}  // namespace shardfft
