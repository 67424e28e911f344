// Which of several ways to make a transform on a GPU a trial takes.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "choose/trial.hpp"
#include "device/handles.hpp"
#include "gpu/check/device_check.hpp"
#include "gpu/pass/device_fft.hpp"
#include "gpu/pass/fastest_fft.hpp"
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

FftSpec line_of(std::int64_t points) {
  FftSpec spec;
  spec.transform = {{points, 1, 1}};
  return spec;
}

/// The number of the way that is taken, with arrays of as many bytes as these copy.
std::size_t taken(const std::vector<gpu::FftWay>& ways, bool verify = false) {
  return gpu::fastest_fft(line_of(Copies::bytes / 16), verify, ways);
}

/// A way that is far slower than another one is run once or twice.
TEST(FastestFft, LeavesWhatIsHopeless) {
  int runs[2] = {};
  EXPECT_EQ(taken({[&] { return std::make_unique<Copies>(2, &runs[0]); },
                   [&] { return std::make_unique<Copies>(40, &runs[1]); }}),
            0U);
  EXPECT_GE(runs[0], 1 + gpu_defaults().trial_runs);
  EXPECT_LE(runs[1], 2);
}

TEST(FastestFft, TakesTheFastest) {
  for (const std::vector<int>& copies : {std::vector{60, 1, 20}, {1, 60, 20}, {20, 60, 1}}) {
    std::vector<gpu::FftWay> ways;
    for (const int times : copies) ways.emplace_back([times] { return std::make_unique<Copies>(times); });
    EXPECT_EQ(copies[taken(ways)], 1);
  }
}

/// Small ones are timed as one graph of several runs, in which the GPU does not wait for the host between kernels.
TEST(FastestFft, RepeatsSmallOnesAsPlansDo) {
  class Small : public Copies {
   public:
    explicit Small(int* runs) : Copies(0), runs_(runs) {}
    void enqueue(int /*phase*/, const gpu::DeviceBuffers& buffers, device::StreamHandle stream) override {
      ++*runs_;
      for (int i = 0; i < 3; ++i) device::copy_bytes(buffers.out, buffers.in, 256, stream);
    }

   private:
    int* runs_;
  };
  int runs = 0;
  const gpu::FftWay way([&] { return std::make_unique<Small>(&runs); });
  std::vector<double> seconds;
  gpu::fastest_fft(line_of(16), false, {way, way}, &seconds);
  EXPECT_LE(runs, 2 * 20) << "without graphs 31 each";
  EXPECT_LT(seconds[0], 1);
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
TEST(FastestFft, TimesChecks) {
  for (const bool verify : {false, true})
    EXPECT_EQ(taken({[] { return std::make_unique<CheckedCopies>(20, 60, 16); },
                     [] { return std::make_unique<CheckedCopies>(40, 1, 16); }},
                    verify),
              verify ? 1U : 0U);
}

/// Of ways that take the same time.
TEST(FastestFft, TakesTheLeastMemoryThenTheFewestKernels) {
  const auto way = [](std::size_t scratch, std::size_t kernels) {
    return gpu::FftWay([scratch] { return std::make_unique<CheckedCopies>(2, 1, scratch); }, kernels);
  };
  given_gpu_defaults.trial_equal = 100;
  EXPECT_EQ(taken({way(64, 0), way(16, 2), way(16, 1), way(32, 0)}), 2U);
  given_gpu_defaults = {};
}

/// A way that takes time to make is tried if one like it, without our kernels, may be the fastest.
TEST(FastestFft, LinksOnlyIfThatMayWin) {
  for (const std::size_t kernels : {0U, 1U}) {
    int made = 0;
    const auto linked = [&made] {
      ++made;
      return std::make_unique<Copies>(1);
    };
    const std::size_t won =
        taken({gpu::FftWay([] { return std::make_unique<Copies>(20); }, kernels), gpu::FftWay(linked, 0, true)});
    EXPECT_EQ(made, kernels == 0 ? 1 : 0);
    EXPECT_EQ(won, kernels == 0 ? 1U : 0U);
  }
}

/// It is not made again, but with the option verify it belongs to the checks of the trial.
TEST(FastestFft, HandsOutWhatTookTimeToMake) {
  const auto hands_out = [](int others, bool verify) {
    std::unique_ptr<gpu::DeviceOperation> made;
    gpu::fastest_fft(line_of(Copies::bytes / 16), verify,
                     {gpu::FftWay([others] { return std::make_unique<CheckedCopies>(others, 1, 0); }),
                      gpu::FftWay([] { return std::make_unique<CheckedCopies>(20, 1, 0); }, 0, true)},
                     nullptr, &made);
    return made != nullptr;
  };
  EXPECT_TRUE(hands_out(60, false));
  EXPECT_FALSE(hands_out(60, true));
  EXPECT_FALSE(hands_out(1, false)) << "the other way is taken";
}

TEST(FastestFft, LeavesOutWhatItHasNoRoomFor) {
  for (const bool fits : {false, true}) {
    const std::size_t scratch = fits ? Copies::bytes : std::size_t{1} << 50;
    EXPECT_EQ(taken({[] { return std::make_unique<CheckedCopies>(40, 1, 0); },
                     [scratch] { return std::make_unique<CheckedCopies>(1, 1, scratch); }}),
              fits ? 1U : 0U);
  }
}

/// As cuFFT's work area for lengths with a large prime factor.
TEST(FastestFft, LeavesOutWhatFindsNoMemory) {
  const auto failing = [](Status status) {
    return [status]() -> std::unique_ptr<gpu::DeviceOperation> { throw Error(status, "as if"); };
  };
  const gpu::MakeFft copies = [] { return std::make_unique<Copies>(2); };
  EXPECT_THROW(taken({failing(Status::out_of_memory), copies}), Error) << "the first way must be there";
  EXPECT_THROW(taken({copies, failing(Status::backend_failure)}), Error);
  EXPECT_EQ(taken({[] { return std::make_unique<Copies>(60); }, failing(Status::out_of_memory), copies}), 2U);
}

TEST(FastestFft, WithoutRoomTheFirstWayStays) {
  const gpu::MakeFft unused = [] { return std::unique_ptr<gpu::DeviceOperation>(); };
  EXPECT_EQ(gpu::fastest_fft(line_of(std::int64_t{1} << 48), false, {unused, unused}), 0U);
}

/// Of a dense array, whose input must stay.
FftSpec rows_of(Kind kind, const Shape& n) {
  FftSpec spec;
  spec.kind = kind;
  if (kind == Kind::c2r) spec.direction = Direction::backward;
  const std::int64_t half = n[2] / 2 + 1, in = kind == Kind::c2r ? half : n[2], out = kind == Kind::r2c ? half : n[2];
  spec.transform = {{n[0], n[1] * in, n[1] * out}, {n[1], in, out}, {n[2], 1, 1}};
  spec.preserve_input = true;
  return spec;
}

/// One call of cuFFT for all axes is among the plans of every transform.
TEST(FastestFft, TriesOneCallOfCufft) {
  const auto tries = [](const FftSpec& spec) {
    const std::vector<gpu::FftPlan> plans = gpu::plans_to_try(spec);
    return std::any_of(plans.begin(), plans.end(), [&](const gpu::FftPlan& plan) {
      const std::string text = plan.text();
      return text.find("cufft") != std::string::npos && text.find("pass") == std::string::npos && plan.stages() == 1;
    });
  };
  for (const Kind kind : {Kind::c2c, Kind::r2c, Kind::c2r}) EXPECT_TRUE(tries(rows_of(kind, {128, 128, 128})));
  FftSpec lines, planes;
  lines.transform = {{128, 128 * 128, 128 * 128}};
  lines.batch = {{128 * 128, 1, 1}};
  planes.transform = {{128, 128, 128}, {128, 1, 1}};
  planes.batch = {{130, 128 * 128, 128 * 128}};
  EXPECT_TRUE(tries(lines)) << "strided lines";
  EXPECT_TRUE(tries(planes)) << "planes";
}

/// The choice for an input that stays is that for one that may be overwritten, though calls of cuFFT differ.
TEST(FastestFft, AChoiceHoldsForAnInputThatIsSpent) {
  TrialCount trials{};
  const Installed<TrialCount> installed{trials};
  FftSpec spec = rows_of(Kind::c2r, {128, 128, 256});
  spec.effort = Effort::measure;
  spec.preserve_input = false;
  for (const char* const chosen :
       {"cufft 128 + cufft 128 256", "copy + cufft 128 128 256", "line pass 128 + cufft 128 256"}) {
    std::string texts = chosen;
    const std::string text = gpu::make_device_fft(spec, false, &texts)->describe();
    EXPECT_EQ(text.find("line pass") != std::string::npos, texts.starts_with("line pass")) << text;
  }
  EXPECT_EQ(trials.begun, 0);
}

}  // namespace
}  // namespace shardfft
