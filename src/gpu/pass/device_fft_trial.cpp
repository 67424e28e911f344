#include "gpu/pass/device_fft_trial.hpp"

#include <algorithm>

#include "base/check.hpp"
#include "gpu/check/device_check.hpp"
#include "local/loops.hpp"
#include "tune/defaults.hpp"

namespace shardfft::gpu {

DeviceFftTrial::DeviceFftTrial(const FftSpec& spec, bool verify)
    : spec_(spec),
      verify_(verify),
      in_bytes_(static_cast<std::size_t>(input_extent(input_loops(spec))) * input_element(spec).bytes()),
      out_bytes_(static_cast<std::size_t>(output_extent(output_loops(spec))) * output_element(spec).bytes()) {
  if (spec.in_place) in_bytes_ = out_bytes_ = std::max(in_bytes_, out_bytes_);
}

/// For so many bytes, and for as much of a transform's and the library's own.
bool DeviceFftTrial::has_room(std::size_t bytes) { return device::memory_info().free / 2 > bytes; }

/// Null where a way other than the first one finds no memory, as for a work area of the library.
std::unique_ptr<DeviceOperation> DeviceFftTrial::made(const Make& make) const {
  try {
    return make();
  } catch (const Error& error) {
    if (!best_ms_ || error.code() != Status::out_of_memory) throw;
    return nullptr;
  }
}

bool DeviceFftTrial::add(const Make& make) {
  const std::size_t number = tried_++;
  if (!in_) {
    if (!has_room(in_bytes_ + out_bytes_)) return false;
    in_ = device::make_memory(in_bytes_);
    if (!spec_.in_place) out_ = device::make_memory(out_bytes_);
  }
  const std::unique_ptr<DeviceOperation> fft = made(make);
  if (fft == nullptr) return true;
  if (!best_ms_)
    runs_in_place_ = fft->runs_in_place();
  else if (!has_room(fft->scratch_bytes()) || (runs_in_place_ && !fft->runs_in_place()))
    return true;
  const double ms = milliseconds(*fft);
  if (!best_ms_ || ms < *best_ms_ * (1 - gpu_defaults().trial_margin)) {
    best_ = number;
    best_ms_ = ms;
  }
  return true;
}

/// The fastest of several runs as a run of a plan enqueues them, with a check or without, after one that warms up; of
/// fewer where there is no hope. Numbers that are all zero take no other way through a pass.
double DeviceFftTrial::milliseconds(DeviceOperation& fft) {
  const device::Memory scratch = device::make_memory(fft.scratch_bytes());
  const device::Stream stream = device::make_stream();
  const device::Event begin = device::make_event(device::EventUse::timing);
  const device::Event end = device::make_event(device::EventUse::timing);
  const auto in = static_cast<std::byte*>(in_.get());
  const auto out = spec_.in_place ? in : static_cast<std::byte*>(out_.get());
  std::unique_ptr<DeviceCheck> check;
  device::Memory sums;
  std::size_t result_bytes = 0;
  if (verify_) {
    check = make_device_transform_check(fft, spec_);
    result_bytes = check->results() * sizeof(std::uint64_t);
    sums = device::make_memory(result_bytes + check->sums() * sizeof(std::uint64_t));
    auto* const results = static_cast<std::uint64_t*>(sums.get());
    check->place(0, results, nullptr, results + check->results());
  }
  device::fill_zero(in, in_bytes_, stream.get());
  const DeviceBuffers buffers{in, out, static_cast<std::byte*>(scratch.get())};
  const GpuDefaults& defaults = gpu_defaults();
  double best = 0;
  for (int run = 0; run <= defaults.trial_runs; ++run) {
    device::record(begin.get(), stream.get());
    if (check) {
      device::fill_zero(sums.get(), result_bytes, stream.get());
      check->enqueue_before(buffers, stream.get());
    }
    fft.enqueue(0, buffers, stream.get());
    if (check) check->enqueue_after(buffers, stream.get());
    device::record(end.get(), stream.get());
    device::synchronize(stream.get());
    const double ms = device::elapsed_ms(begin.get(), end.get());
    best = run <= 1 ? ms : std::min(best, ms);
    const double loading = run == 0 ? defaults.trial_load_ms : 0;
    if (best_ms_ && best - loading > *best_ms_ * defaults.trial_hopeless) break;
  }
  return best;
}

}  // namespace shardfft::gpu
