#include "gpu/device_fft_trial.hpp"

#include <algorithm>
#include <utility>

#include "local/loops.hpp"
#include "tune/defaults.hpp"

namespace shardfft::gpu {

DeviceFftTrial::DeviceFftTrial(const FftSpec& spec)
    : in_bytes_(static_cast<std::size_t>(input_extent(input_loops(spec))) * input_element(spec).bytes()),
      out_bytes_(static_cast<std::size_t>(output_extent(output_loops(spec))) * output_element(spec).bytes()),
      in_place_(spec.in_place) {
  if (in_place_) in_bytes_ = out_bytes_ = std::max(in_bytes_, out_bytes_);
}

/// For the arrays, and for as much of a transform's and the library's own.
bool DeviceFftTrial::has_room() const { return device::memory_info().free / 2 > in_bytes_ + out_bytes_; }

bool DeviceFftTrial::add(Make make) {
  if (!best_) best_ = make;
  if (!in_) {
    if (!has_room()) return false;
    in_ = device::make_memory(in_bytes_);
    if (!in_place_) out_ = device::make_memory(out_bytes_);
  }
  const std::unique_ptr<DeviceOperation> fft = make();
  if (fft->describe() == std::exchange(tried_, fft->describe())) return true;  // the same once more
  if (!best_ms_) {
    most_scratch_ = fft->scratch_bytes();
    runs_in_place_ = fft->runs_in_place();
  } else if (fft->scratch_bytes() > most_scratch_ || (runs_in_place_ && !fft->runs_in_place())) {
    return true;
  }
  const double ms = milliseconds(*fft);
  if (!best_ms_ || ms < *best_ms_ * (1 - gpu_defaults().trial_margin)) {
    best_ = std::move(make);
    best_ms_ = ms;
  }
  return true;
}

/// The fastest of several runs, after one that warms up. Numbers that are all zero take no other way through a pass.
double DeviceFftTrial::milliseconds(DeviceOperation& fft) {
  const device::Memory scratch = device::make_memory(fft.scratch_bytes());
  const device::Stream stream = device::make_stream();
  const device::Event begin = device::make_event(device::EventUse::timing);
  const device::Event end = device::make_event(device::EventUse::timing);
  const auto in = static_cast<std::byte*>(in_.get());
  const auto out = in_place_ ? in : static_cast<std::byte*>(out_.get());
  device::fill_zero(in, in_bytes_, stream.get());
  double best = 0;
  for (int run = 0; run <= gpu_defaults().trial_runs; ++run) {
    device::record(begin.get(), stream.get());
    fft.enqueue(0, {in, out, static_cast<std::byte*>(scratch.get())}, stream.get());
    device::record(end.get(), stream.get());
    device::synchronize(stream.get());
    const double ms = device::elapsed_ms(begin.get(), end.get());
    if (run == 1 || (run > 1 && ms < best)) best = ms;
  }
  return best;
}

std::unique_ptr<DeviceOperation> DeviceFftTrial::fastest() {
  in_ = {};
  out_ = {};
  return best_();
}

}  // namespace shardfft::gpu
