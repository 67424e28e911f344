#include "gpu/pass/placed_passes.hpp"

#include <algorithm>

namespace shardfft::gpu {

namespace {

std::byte* at(BufferPlace place, const DeviceBuffers& buffers) {
  std::byte* const base = place.buffer == PassBuffer::in
                              ? const_cast<std::byte*>(buffers.in)  // written only if allowed
                          : place.buffer == PassBuffer::out ? buffers.out
                                                            : buffers.scratch;
  return base + place.offset;
}

}  // namespace

bool DeviceFft::accept(const LineOwners& owners) {
  if (passes_.empty()) return false;
  FftPass* const pass = (owners.side == LineOwners::Side::input ? passes_.front() : passes_.back()).pass.get();
  shared_ = pass->accept(owners) ? pass : nullptr;
  return shared_ != nullptr;
}

std::optional<ResultLines> DeviceFft::multiply_results(const FactorsOfRun& factors) {
  const auto lines = passes_.empty() ? std::nullopt : passes_.back().pass->result_lines();
  if (!lines) return std::nullopt;
  passes_.back().pass->prepare_to_multiply();
  factors_ = factors;
  return lines;
}

void DeviceFft::enqueue(int /*phase*/, const DeviceBuffers& buffers, device::StreamHandle stream) {
  for (std::size_t i = 0; i < passes_.size(); ++i) {
    const PlacedPass& p = passes_[i];
    PassArrays arrays{at(p.from, buffers), at(p.to, buffers), buffers.scratch + work_};
    if (p.pass.get() == shared_) arrays.direct_arrays = buffers.direct_arrays;
    if (factors_ && i + 1 == passes_.size()) arrays.factors = factors_(stream);
    if (check_ != nullptr) arrays.results = check_->results_of(i);
    p.pass->enqueue(arrays, stream);
    if (check_ != nullptr) check_->ran(i, arrays.to, stream);
  }
}

DeviceChecks DeviceFft::make_checks() {
  DeviceChecks checks;
  if (passes_.empty() || std::any_of(passes_.begin(), passes_.end(), [](const PlacedPass& p) { return !p.checks; }))
    return checks;
  std::vector<CheckedPass> checked;
  for (const PlacedPass& placed : passes_) {
    placed.pass->prepare(true);
    checked.push_back({placed.pass->bits_between_are(), placed.out_bytes});
  }
  auto check = std::make_unique<PassesCheck>(std::move(checked));
  check_ = check.get();
  checks.push_back(std::move(check));
  return checks;
}

RunnerMemory DeviceFft::kept() const {
  RunnerMemory sum;
  for (const PlacedPass& p : passes_) sum += p.pass->kept();
  return sum;
}

}  // namespace shardfft::gpu
