#include "exec/fft_samples.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/compute.hpp"
#include "base/succeeds.hpp"
#include "base/team.hpp"
#include "choose/trial.hpp"
#include "local/loops.hpp"

namespace shardfft {

namespace {

std::int64_t input_bytes(const FftSpec& spec) {
  return input_extent(input_loops(spec)) * static_cast<std::int64_t>(input_element(spec).bytes());
}

std::int64_t output_bytes(const FftSpec& spec) {
  return output_extent(output_loops(spec)) * static_cast<std::int64_t>(output_element(spec).bytes());
}

/// The loop of the batch with the largest stride; null if all have one point.
Loop* farthest(Loops& batch) {
  Loop* best = nullptr;
  for (Loop& loop : batch)
    if (loop.count > 1 && (best == nullptr || loop.from > best->from)) best = &loop;
  return best;
}

}  // namespace

FftSamples::FftSamples(const std::vector<FftStep>& steps) {
  for (const FftStep& step : steps) {
    auto& samples = samples_.emplace_back();
    for (const auto& fft : step.ffts) {
      samples.push_back(make_sample(*fft));
      const Sample& s = samples.back();
      bytes_ = std::max(bytes_, static_cast<std::size_t>(s.at_once) * (s.in_bytes + s.out_bytes));
    }
  }
}

FftSamples::Sample FftSamples::make_sample(const PlannedFft& fft) {
  Sample sample{fft.spec(), 1, static_cast<double>(fft.calls()), fft.at_once()};
  FftSpec& spec = sample.spec;
  const std::int64_t limit = host_defaults().trial_sample_bytes * spec.threads;
  const auto bytes = [&spec] { return std::max(input_bytes(spec), output_bytes(spec)); };
  for (Loop* loop = farthest(spec.batch); loop != nullptr && bytes() > limit; loop = farthest(spec.batch)) {
    const std::int64_t n = loop->count;
    loop->count = 1;
    const std::int64_t rest = bytes();
    loop->count = n;
    const std::int64_t step = std::max<std::int64_t>(1, (bytes() - rest) / (n - 1));
    loop->count = std::clamp<std::int64_t>(1 + (limit - rest) / step, 1, n - 1);
    sample.share *= static_cast<double>(n) / static_cast<double>(loop->count);
  }
  sample.in_bytes = round_up(static_cast<std::size_t>(input_bytes(spec)), cache_line);
  sample.out_bytes = round_up(static_cast<std::size_t>(output_bytes(spec)), cache_line);
  if (spec.in_place) sample.in_bytes = std::max(sample.in_bytes, std::exchange(sample.out_bytes, 0));
  return sample;
}

bool FftSamples::prepare(const Communicator& comm) {
  const bool ready =
      bytes_ <= host_defaults().trial_most_bytes && succeeds([this] { arrays_ = allocate_aligned(bytes_); });
  if (comm.min(std::int64_t{ready ? 1 : 0}) == 0) return false;
  std::memset(arrays_.get(), 0, bytes_);
  return true;
}

void FftSamples::run(const Sample& sample, const LocalFft& fft, std::byte* scratch) {
  run_team(sample.at_once, [&](int thread) {
    const auto t = static_cast<std::size_t>(thread);
    std::byte* const in = arrays_.get() + t * (sample.in_bytes + sample.out_bytes);
    std::byte* const out = sample.spec.in_place ? in : in + sample.in_bytes;
    compute(work_of(sample.spec), [&] { fft.execute(in, out, scratch + t * fft.scratch_bytes()); });
  });
}

double FftSamples::seconds_of(const Sample& sample, const LocalFft& fft) {
  if (is_empty(sample.spec) || sample.calls == 0) return 0;
  const AlignedMemory scratch = allocate_aligned(static_cast<std::size_t>(sample.at_once) * fft.scratch_bytes());
  const double seconds = seconds_a_call([&] { run(sample, fft, scratch.get()); });
  return seconds * sample.calls / sample.at_once * sample.share;
}

double FftSamples::seconds(std::size_t step, const MadeFfts& made) {
  double sum = 0;
  for (std::size_t i = 0; i < made.size(); ++i) sum += seconds_of(samples_[step][i], *made[i]);
  return sum;
}

}  // namespace shardfft
