// Transforms whose spectra lie in padded rows between two passes, with the check of these passes.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <random>
#include <vector>

#include "device/handles.hpp"
#include "device/plane_pass.hpp"
#include "gpu/check/device_check.hpp"
#include "gpu/pass/device_fft.hpp"
#include "support/device_flips.hpp"
#include "support/smaller_gpus.hpp"

namespace shardfft::test {
namespace {

template <class T>
class PaddedCase {
 public:
  static constexpr std::int64_t nx = 60, ny = SHARDFFT_ON_STANDIN ? 64 : 256;

  PaddedCase(Kind kind, Direction direction, std::int64_t nz) : stream_(device::make_stream()) {
    const bool r2c = kind == Kind::r2c, c2r = kind == Kind::c2r;
    const std::int64_t half = nz / 2 + 1, in_row = c2r ? half : nz, out_row = r2c ? half : nz;
    spec_.kind = kind;
    spec_.precision = sizeof(T) == 8 ? Precision::f64 : Precision::f32;
    spec_.direction = direction;
    spec_.transform = {{nx, ny * in_row, ny * out_row}, {ny, in_row, out_row}, {nz, 1, 1}};
    spec_.scale = 0.5;
    spec_.effort = Effort::estimate;
    in_.resize(static_cast<std::size_t>(nx * ny * in_row) * (r2c ? 1 : 2));
    out_.resize(static_cast<std::size_t>(nx * ny * out_row) * (c2r ? 1 : 2));
    std::mt19937 random(5);
    std::uniform_real_distribution<T> value(-1, 1);
    for (T& x : in_) x = value(random);
    if (!c2r) return;
    FftSpec back = spec_;  // the spectrum of a real field
    back.kind = Kind::r2c;
    back.direction = Direction::forward;
    for (Loop& d : back.transform) std::swap(d.from, d.to);
    std::vector<T> field(out_.size());
    for (T& x : field) x = value(random);
    make_local_fft("fftw", back)->execute(field.data(), in_.data());
  }

  void check() {
    const auto plan = gpu::plan_padded_fft(spec_);
    ASSERT_EQ(plan.has_value(), device::lines::planes_supported(ny, spec_.transform.back().count, spec_.precision,
                                                                spec_.kind != Kind::c2c));
    if (!plan) return;
    const auto fft = plan->make();
    run(*fft);
    std::vector<T> expected(out_.size()), in = in_;
    make_local_fft("fftw", spec_)->execute(in.data(), expected.data());
    double error = 0, norm = 0;
    for (std::size_t i = 0; i < expected.size(); ++i) {
      error += std::pow(static_cast<double>(out_[i]) - static_cast<double>(expected[i]), 2);
      norm += std::pow(static_cast<double>(expected[i]), 2);
    }
    EXPECT_LE(std::sqrt(error / norm), 40 * std::numeric_limits<T>::epsilon());
    gpu::DeviceChecks checks = fft->make_checks();
    if (checks.empty()) return;  // no compiler of kernels
    check_ = std::move(checks.front());
    run(*fft);
    EXPECT_EQ(check_->finding().what, "");
    EXPECT_GT(check_->finding().checks, 1);
    EXPECT_GT(check_->finding().residual, 0);
    EXPECT_LE(check_->finding().residual, 0.5);
    EXPECT_EQ(check_->input_bits(), words(in_));
    EXPECT_EQ(check_->output_bits(), words(out_));
    DeviceFlip flip({0, Moment::in_middle, 0, 0.4, sizeof(T), 3});
    const Installed<DeviceStepHook> installed(flip);
    run(*fft);
    EXPECT_TRUE(flip.happened());
    EXPECT_NE(check_->finding().what, "");
  }

 private:
  void run(gpu::DeviceOperation& fft) {
    const device::Memory in = memory_of(in_), out = memory_of(out_), scratch = device::make_memory(fft.scratch_bytes());
    const std::size_t count = check_ != nullptr ? check_->results() : 0;
    const device::Memory sums = device::make_memory(count * sizeof(std::uint64_t));
    results_.resize(count);
    if (check_ != nullptr) {
      check_->place(0, static_cast<std::uint64_t*>(sums.get()), results_.data(), nullptr);
      device::fill_zero(sums.get(), count * sizeof(std::uint64_t), stream_.get());
    }
    device::copy_bytes(in.get(), in_.data(), bytes(in_), stream_.get());
    fft.enqueue(0,
                {static_cast<const std::byte*>(in.get()), static_cast<std::byte*>(out.get()),
                 static_cast<std::byte*>(scratch.get())},
                stream_.get());
    device::copy_bytes(out_.data(), out.get(), bytes(out_), stream_.get());
    if (count > 0) device::copy_bytes(results_.data(), sums.get(), count * sizeof(std::uint64_t), stream_.get());
    device::synchronize(stream_.get());
  }
  static std::size_t bytes(const std::vector<T>& numbers) { return numbers.size() * sizeof(T); }
  static device::Memory memory_of(const std::vector<T>& numbers) { return device::make_memory(bytes(numbers)); }
  static std::uint64_t words(const std::vector<T>& numbers) {
    std::uint32_t sum = 0;
    for (std::size_t at = 0; at < bytes(numbers); at += sizeof sum) {
      std::uint32_t word = 0;
      std::memcpy(&word, reinterpret_cast<const std::byte*>(numbers.data()) + at, sizeof word);
      sum += word;
    }
    return sum;
  }

  FftSpec spec_;
  std::vector<T> in_, out_;
  std::vector<std::uint64_t> results_;
  std::unique_ptr<gpu::DeviceCheck> check_;
  device::Stream stream_;
};

/// Rows of whole sectors, and such as begin within units of 16 bytes.
TEST(PaddedFft, IsRightAndChecksItself) {
  const SmallerGpus smaller;
  for (const std::int64_t nz : fitting({512, 315}, {128, 75})) {
    for (const Kind kind : {Kind::r2c, Kind::c2r}) {
      const Direction direction = kind == Kind::r2c ? Direction::forward : Direction::backward;
      PaddedCase<float>(kind, direction, nz).check();
      PaddedCase<double>(kind, direction, nz).check();
    }
  }
}

TEST(PaddedFft, OddRowsOfComplexNumbers) {
  const SmallerGpus smaller;
  for (const Direction direction : {Direction::forward, Direction::backward})
    PaddedCase<float>(Kind::c2c, direction, fitting({315}, {75}).front()).check();
}

TEST(PaddedFft, IsForThreeAxesThatAreNoWholeUnits) {
  FftSpec spec;
  spec.transform = {{40, 256 * 512, 256 * 512}, {256, 512, 512}, {512, 1, 1}};
  EXPECT_FALSE(gpu::plan_padded_fft(spec));
  spec.kind = Kind::r2c;
  spec.transform = {{256, 512, 257}, {512, 1, 1}};
  EXPECT_FALSE(gpu::plan_padded_fft(spec));
}

}  // namespace
}  // namespace shardfft::test
