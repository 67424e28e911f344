#include "gpu/pass/fastest_fft.hpp"

#include <algorithm>

#include "base/check.hpp"
#include "base/succeeds.hpp"
#include "choose/trial.hpp"
#include "device/capture.hpp"
#include "device/handles.hpp"
#include "gpu/check/device_check.hpp"
#include "local/loops.hpp"
#include "tune/defaults.hpp"

namespace shardfft::gpu {

namespace {

/// Whether so many bytes fit into half of the free memory; the transform and its library need room too.
bool has_room(std::size_t bytes) { return device::memory_info().free / 2 > bytes; }

/// Below this many seconds the GPU may wait for the host between kernels, which it never does in a plan: plans repeat
/// runs as graphs. Then so many runs are timed as one graph.
constexpr double short_seconds = 100e-6;
constexpr int short_runs = 8;

/// The arrays of a transform, and the objects with which one way to make it runs.
class FftArrays {
 public:
  FftArrays(const FftSpec& spec, bool verify)
      : spec_(spec),
        verify_(verify),
        in_bytes_(static_cast<std::size_t>(input_extent(input_loops(spec))) * input_element(spec).bytes()),
        out_bytes_(static_cast<std::size_t>(output_extent(output_loops(spec))) * output_element(spec).bytes()) {
    if (spec.in_place) in_bytes_ = out_bytes_ = std::max(in_bytes_, out_bytes_);
  }

  /// False if the device has no room for them.
  bool allocate() {
    if (!has_room(in_bytes_ + out_bytes_)) return false;
    in_ = device::make_memory(in_bytes_);
    if (!spec_.in_place) out_ = device::make_memory(out_bytes_);
    stream_ = device::make_stream();
    for (device::Event& event : events_) event = device::make_event(device::EventUse::timing);
    return true;
  }

  void begin(DeviceOperation& fft) {
    fft_ = &fft;
    graph_ = {};
    scratch_ = device::make_memory(fft.scratch_bytes());
    check_.reset();
    if (verify_) {
      check_ = make_device_transform_check(fft, spec_);
      result_bytes_ = check_->results() * sizeof(std::uint64_t);
      sums_ = device::make_memory(result_bytes_ + check_->sums() * sizeof(std::uint64_t));
      auto* const results = static_cast<std::uint64_t*>(sums_.get());
      check_->place(0, results, nullptr, results + check_->results());
    }
    // Zeros take the same way through a pass as other numbers.
    device::fill_zero(static_cast<std::byte*>(in_.get()), in_bytes_, stream_.get());
  }

  /// Seconds of a run as a plan makes it.
  double run() {
    device::record(events_[0].get(), stream_.get());
    graph_ ? device::launch(graph_.get(), stream_.get()) : enqueue();
    device::record(events_[1].get(), stream_.get());
    device::synchronize(stream_.get());
    const double seconds = device::elapsed_ms(events_[0].get(), events_[1].get()) * 1e-3;
    if (graph_) return seconds / short_runs;
    if (seconds < short_seconds)
      succeeds([&] {
        graph_ = device::captured(stream_.get(), [&] {
          for (int i = 0; i < short_runs; ++i) enqueue();
        });
      });
    return seconds;
  }

  void end() { graph_ = {}, scratch_ = {}, sums_ = {}; }

 private:
  void enqueue() {
    auto* const in = static_cast<std::byte*>(in_.get());
    const DeviceBuffers buffers{in, spec_.in_place ? in : static_cast<std::byte*>(out_.get()),
                                static_cast<std::byte*>(scratch_.get())};
    if (check_) {
      device::fill_zero(static_cast<std::byte*>(sums_.get()), result_bytes_, stream_.get());
      check_->enqueue_before(buffers, stream_.get());
    }
    fft_->enqueue(0, buffers, stream_.get());
    if (check_) check_->enqueue_after(buffers, stream_.get());
  }

  FftSpec spec_;
  bool verify_;
  std::size_t in_bytes_, out_bytes_, result_bytes_ = 0;
  device::Memory in_, out_, scratch_, sums_;
  device::Stream stream_;
  device::Event events_[2];
  device::Graph graph_;
  DeviceOperation* fft_ = nullptr;
  std::unique_ptr<DeviceCheck> check_;
};

}  // namespace

std::size_t fastest_fft(const FftSpec& spec, bool verify, const std::vector<FftWay>& ways, std::vector<double>* seconds,
                        std::unique_ptr<DeviceOperation>* made) {
  if (seconds != nullptr) seconds->assign(ways.size(), Trial::unlimited);
  FftArrays arrays(spec, verify);
  if (ways.size() < 2 || !arrays.allocate()) return 0;
  const Communicator alone;
  Trial trial(
      alone, [&](std::size_t) { return arrays.run(); }, gpu_defaults().trial_hopeless);
  struct Entered {
    std::size_t way, bytes;
  };
  std::vector<Entered> entered;
  bool in_place = false;
  std::unique_ptr<DeviceOperation> linked;  // of the way with the number below, if it has been the fastest so far
  std::size_t linked_number = 0;
  for (std::size_t way = 0; way < ways.size(); ++way) {
    const auto near = [&](std::size_t number) {
      return ways[entered[number].way].kernels == 0 && trial.can_win(number);
    };
    bool any_near = false;
    for (std::size_t number = 0; number < entered.size(); ++number) any_near = any_near || near(number);
    if (ways[way].links && !any_near) continue;
    std::unique_ptr<DeviceOperation> fft;
    try {
      fft = ways[way].make();
    } catch (const Error& error) {
      if (way == 0 || (error.code() != Status::out_of_memory && error.code() != Status::unsupported)) throw;
      continue;
    }
    if (way == 0) in_place = fft->runs_in_place();
    if (way > 0 && (!has_room(fft->scratch_bytes()) || (in_place && !fft->runs_in_place()))) continue;
    arrays.begin(*fft);
    const std::size_t number = trial.enter();
    const RunnerMemory kept = fft->kept();
    entered.push_back({way, fft->scratch_bytes() + kept.table + kept.library});
    // Kernels may be loaded in the first run. A way that cannot win runs no more; short ones run more often.
    const auto enough = [&](int run) {
      return run > gpu_defaults().trial_runs &&
             (run * trial.seconds(number) > gpu_defaults().trial_least_seconds || run > 10 * gpu_defaults().trial_runs);
    };
    for (int run = 0; !enough(run); ++run) {
      trial.run({number});
      if (!trial.can_win(number, run == 0 ? gpu_defaults().trial_load_ms * 1e-3 : 0)) break;
    }
    arrays.end();
    // With `verify` it has the checks of the trial.
    if (ways[way].links && !verify && trial.fastest() == number) linked = std::move(fft), linked_number = number;
  }
  for (std::size_t number = 0; seconds != nullptr && number < entered.size(); ++number)
    (*seconds)[entered[number].way] = trial.seconds(number);
  const double equal = trial.seconds(trial.fastest()) * (1 + gpu_defaults().trial_equal);
  std::size_t best = trial.fastest();
  const auto cost = [&](std::size_t number) {
    return std::pair(entered[number].bytes, ways[entered[number].way].kernels);
  };
  for (std::size_t number = 0; number < entered.size(); ++number)
    if (trial.seconds(number) <= equal && cost(number) < cost(best)) best = number;
  if (made != nullptr && linked && linked_number == best) *made = std::move(linked);
  return entered[best].way;
}

}  // namespace shardfft::gpu
